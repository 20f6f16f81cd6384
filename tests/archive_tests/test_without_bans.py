"""What `verify` and the check page say of the contest without the organizer's late bans.

A contest in which really nobody was banned is what it must come to.
"""

import json
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from contest.interfaces.protocols import ProgressCallback, no_progress
from contest.ledger.receipts import Effect, LedgerEntry
from knobellib.samples import samples
from knobeln.cli.progress_bars import progress_bar
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from store import results
from tests.support.archives import (
    Published,
    knobeln,
    knobeln_field,
    of_game,
    played,
    publish,
    small,
)
from tests.support.check_page import page_on
from tests.support.contest_days import AfterADraw, Stumbling, until
from tests.support.contest_field import NOW
from tests.support.counted_programs import counted_contest, needs_engine
from trust import verification
from trust.another_contest import OtherRank
from trust.archive import contents, files
from trust.archive.contents import Archive
from trust.verify_entries import Verified, late_bans
from trust.without_bans import WithoutBans, sentences

pytestmark = pytest.mark.usefixtures("built_once")
Day = Callable[[ContestContext], None]
NO_CHANGE = ["no rank would change"]


# --- which bans are late --------------------------------------------------------------------------
OUT, BACK = Effect.TAKEN_OUT, Effect.REINSTATED


@pytest.mark.parametrize(
    ("before_final", "after_final", "late"),
    [
        ([], [], ()),
        ([], [OUT], ("jailer",)),
        ([], [OUT, BACK], ("jailer",)),
        ([OUT, BACK], [], ()),
        ([OUT, BACK], [OUT], ("jailer",)),
        ([OUT], [], ("jailer",)),
        ([OUT], [BACK], ("jailer",)),
        ([OUT, BACK, OUT], [], ("jailer",)),
        ([], [BACK], ()),
    ],
)
def test_a_ban_is_late_if_its_team_is_on_the_final_list(
    before_final: list[Effect], after_final: list[Effect], late: tuple[str, ...]
) -> None:
    def entries(effects: list[Effect]) -> list[LedgerEntry]:
        return [LedgerEntry(effect, "jailer", NOW) for effect in effects]

    playing = frozenset({"jailer", "night_shift"})
    assert late_bans(entries(before_final), entries(after_final), playing) == late
    assert late_bans(entries(before_final), entries(after_final), frozenset({"mill"})) == ()


# --- the sentences --------------------------------------------------------------------------------
def ranks(**pairs: tuple[int | None, int | None]) -> tuple[OtherRank, ...]:
    return tuple(OtherRank(name, before, after) for name, (before, after) in pairs.items())


@pytest.mark.parametrize(
    ("ranking", "evolution", "told"),
    [
        (ranks(b=(None, None), a=(1, 1)), (), NO_CHANGE),
        (
            ranks(b=(None, 1), a=(1, 2)),
            (),
            ["b would be first instead of a", "1 other team would have another rank"],
        ),
        (
            ranks(a=(1, 1), b=(None, 1)),
            (),
            ["a, b would be first instead of a"],
        ),
        (
            ranks(a=(1, 1), b=(None, 3), c=(2, 2), d=(3, 4), e=(4, 5)),
            (),
            ["b would have rank 3", "2 other teams would have another rank"],
        ),
        (
            ranks(a=(1, None), b=(None, None)),
            (),
            ["nobody would be first instead of a", "1 other team would have another rank"],
        ),
        (ranks(a=(1, 1), b=(2, None)), (), ["b would have no rank"]),
        (
            ranks(a=(1, 1), b=(None, 2)),
            ranks(a=(1, 2), b=(None, 1)),
            ["b would have rank 2", "b would win the evolution instead of a"],
        ),
    ],
)
def test_who_would_win_is_told_first(
    ranking: tuple[OtherRank, ...], evolution: tuple[OtherRank, ...], told: list[str]
) -> None:
    assert sentences(WithoutBans(("b",), ranking, evolution)) == told


# --- computed games -------------------------------------------------------------------------------
def read(archive: Path) -> Archive:
    return contents.from_files(files.read(archive))


def verified(archive: Path) -> Verified:
    return verification.verify(read(archive), progress_bar)


def undone(archive: Path) -> WithoutBans:
    """What `verify` computes without the late bans. The page must say the same of it."""
    found = verified(archive)
    assert not found.missed
    assert found.without_late_bans is not None
    assert list(page_on(archive).without) == sentences(found.without_late_bans)
    return found.without_late_bans


def ranks_in(archive: Archive) -> Mapping[str, int]:
    """Of the contest."""
    return {line.entry: line.rank for line in archive.ranking if line.rank}


def ranks_without(other: WithoutBans) -> Mapping[str, int]:
    """Of the contest without the bans."""
    return {each.entry: each.otherwise for each in other.ranking if each.otherwise}


def decide(folder: Path, *words: object) -> str:
    group = {"hold": "mail", "release": "mail", "rerun": "run"}.get(str(words[0]), "teams")
    done = knobeln(group, *words, "--reason", "somebody said so", "-C", folder)
    assert done.exit_code == 0, done.output
    return done.output


def decided(honest: Published, folder: Path, *decisions: tuple[object, ...]) -> Path:
    """The archive of the contest that was, after these decisions, played to its end again."""
    shutil.copytree(honest.contest, folder / "contest")
    for words in decisions:
        decide(folder / "contest", *words)
    contest = ContestContext.open(folder / "contest")
    contest_day(contest).run()
    contest.store.close()
    return publish(folder / "contest", folder / "archive", honest.strings).archive


def banned_before_its_games(name: str) -> Day:
    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        decide(folder.path, "disqualify", name)
        contest_day(folder).run()

    return day


def test_without_late_bans_nothing_is_said_of_them(tiny: Published) -> None:
    done = knobeln("verify", tiny.archive)
    assert "late bans" not in done.output
    assert page_on(tiny.archive).without == []


@pytest.mark.slow
def test_a_winner_who_was_banned_is_first_without_the_ban(tiny: Published, tmp_path: Path) -> None:
    honest = read(tiny.archive)
    winner = honest.ranking[0].entry
    archive = decided(tiny, tmp_path, ("rerun", 1), ("disqualify", winner))
    heir = read(archive).ranking[0].entry
    other = undone(archive)
    assert other.banned == (winner,)
    assert sentences(other)[0] == f"{winner} would be first instead of {heir}"
    assert ranks_without(other) == ranks_in(honest)
    shown = knobeln("verify", archive)
    assert shown.exit_code == 3
    head = f"  without the late bans of {winner}, from the same seed:\n"
    assert f"{head}    {winner} would be first instead of {heir}\n" in shown.output
    answer = json.loads(knobeln("verify", archive, "--json").output)["without_late_bans"]
    assert answer["banned"] == [winner]
    assert answer["ranking"][0] == {"entry": winner, "rank": None, "otherwise": 1}


@pytest.mark.slow
def test_several_bans_are_undone_together(knobeln_contest: Published, tmp_path: Path) -> None:
    honest = read(knobeln_contest.archive)
    first, second = (line.entry for line in honest.ranking[:2])
    archive = decided(
        knobeln_contest, tmp_path, ("rerun", 1), ("disqualify", first), ("drop", second)
    )
    other = undone(archive)
    assert other.banned == tuple(sorted((first, second)))
    assert ranks_without(other) == ranks_in(honest)
    assert honest.evolution is not None
    evolved = {each.entry: each.otherwise for each in other.evolution}
    assert all(evolved[line.entry] == line.rank for line in honest.evolution.ranking)


@pytest.mark.slow
@pytest.mark.parametrize(
    "decisions",
    [[("disqualify", "team_1")], [("drop", "team_1"), ("reinstate", "team_1")]],
    ids=["disqualified", "reinstated"],
)
def test_a_ban_after_the_last_game_changes_nothing(
    tmp_path: Path, decisions: list[tuple[str, str]]
) -> None:
    """It can be made, as the reports were held."""

    def day(folder: ContestContext) -> None:
        decide(folder.path, "hold")
        contest_day(folder).run()
        for words in (*decisions, ("release",)):
            decide(folder.path, *words)

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    assert sentences(undone(archive)) == NO_CHANGE


@pytest.mark.slow
def test_a_ban_between_two_draws_is_undone_by_games_that_were_never_played(tmp_path: Path) -> None:
    """Who was out had played before, and its last group keeps its table."""
    out = []

    def day(folder: ContestContext) -> None:
        until(folder, Stumbling(0))
        with folder.store.read() as tx:
            out.append(results.drawn_round(tx, 1).groups[0].standings[0].entry)
        decide(folder.path, "disqualify", *out)
        contest_day(folder).run()

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    honest, strings = played(tmp_path / "honest", small(), knobeln_field())
    honest_archive = read(publish(honest, tmp_path / "honest_archive", strings).archive)
    second_round = read(archive).history[1].plan.groups
    assert out[0] not in {name for group in second_round for name in group.members}
    assert ranks_without(undone(archive)) == ranks_in(honest_archive)


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A contest in which the program that was banned before its first game would take hours for
    it."""
    endless = b"/*\n  <<FROM>> team STRING\n*/\nmain() { volatile int i = 1; while (i) ; }"
    chosen = small()
    patient = {"description": "none", "max_instructions": 10**11}
    chosen = chosen.model_copy(update={"programs": chosen.programs.model_copy(update=patient)})
    field = {name: knobeln_field()[name] for name in ("team_1", "team_2")}
    field["endless"] = {"program.c": endless}
    day = banned_before_its_games("endless")
    contest, strings = played(tmp_path / "contest", chosen, field, day)
    return publish(contest, tmp_path / "archive", strings).archive


@pytest.mark.slow
def test_when_the_time_is_up_everything_else_was_checked(endless: Path) -> None:
    @contextmanager
    def little_time(label: str, total: int) -> Iterator[ProgressCallback]:
        if label == "the contest without late bans":
            signal.setitimer(signal.ITIMER_REAL, 0.5)
        yield no_progress

    found = verification.verify(read(endless), little_time, seconds=600)
    what = "what the contest would be without the late bans of endless"
    assert found.missed == [f"{what}: the time was up; `--minutes` allows more"]
    assert "draws, rankings and evolution: the same" in found.checked


@pytest.mark.slow
@pytest.mark.night
def test_the_page_does_not_play_for_hours(endless: Path) -> None:
    page = page_on(endless)
    assert (page.differs, page.without) == ("", [])
    assert any("games that take longer than this page waits" in each for each in page.unchecked)


# --- games whose programs talk --------------------------------------------------------------------
TALKING: dict[str, tuple[str, ...]] = {
    "cooperation": ("two_tits.sh", "grudger.pl", "always_cooperate.sh"),
    # all play in one game, so that was another
    "standoff": ("trigger_happy.sh", "avenger.pl", "dice.pl"),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", TALKING)
def test_programs_that_talk_cannot_be_asked_for_other_games(tmp_path: Path, game: str) -> None:
    names = TALKING[game]
    out = names[1].partition(".")[0]
    published = of_game(tmp_path, game, names, banned_before_its_games(out), games=1)
    found = verified(published.archive)
    assert found.without_late_bans is None
    what = f"what the contest would be without the late bans of {out}: "
    assert any(
        each.startswith(what) and each.endswith("can be asked again") for each in found.unchecked
    )
    page = page_on(published.archive)
    assert any(each.startswith(what) for each in page.unchecked)


COUNTED: dict[str, tuple[str, ...]] = {
    "cooperation": ("pavlov.c", "always_betray.c", "detective.js"),  # anew for each move
    "bid-tac-toe": ("regret_matcher.c", "line_builder.js", "bookkeeper.py"),  # in one instance
}


@needs_engine
@pytest.mark.slow
@pytest.mark.parametrize("game", COUNTED)
def test_counted_programs_are_asked_for_other_games(tmp_path: Path, game: str) -> None:
    sources = {name: samples(game)[name] for name in COUNTED[game]}
    honest = counted_contest(tmp_path / "honest", game, sources, games=1)
    winner = read(honest.archive).ranking[0].entry
    day = banned_before_its_games(winner)
    published = counted_contest(tmp_path / "banned", game, sources, day, games=1)
    heirs = sorted(line.entry for line in read(published.archive).ranking if line.rank == 1)
    other = verified(published.archive).without_late_bans
    assert other is not None
    assert sentences(other)[0] == f"{winner} would be first instead of {', '.join(heirs)}"
    assert ranks_without(other) == ranks_in(read(honest.archive))
