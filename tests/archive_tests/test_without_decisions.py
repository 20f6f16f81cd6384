"""What `verify` says of the contest without the organizer's decisions.

A contest that was really played without them is what it must come to.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contest.archive import contents, files
from contest.archive.contents import Archive, seed_of, settings_of
from contest.model import (
    EvolutionEnding,
    EvolutionOutcome,
    EvolutionRank,
    GroupOutcome,
    GroupPlan,
    RoundOutcome,
    RoundPlan,
    Standing,
)
from contest.plurals import ordinal
from contest.protocols import ProgressCallback, no_progress
from contest.seeds import Seeds
from contest.store import results
from knobeln.cli.progress_bars import progress_bar
from knobeln.contest_day import verification, without_decisions
from knobeln.contest_day.run import Silence, contest_day
from knobeln.context import ContestContext
from reports.contest_reporter import ContestReporter
from tests.support.archives import Mended, Published, knobeln, knobeln_field, of_game, played, publish, small
from tournament.certainty import Field
from tournament.counterfactual import ContestOutcome, play_with_bans
from tournament.day import ContestDay
from tournament.derived_settings import format_of
from tournament.runners import open_runner

pytestmark = pytest.mark.usefixtures("built_once")
AT = r" \(\d{4}-\d\d-\d\d \d\d:\d\d UT\)"


def read(archive: Path) -> Archive:
    return contents.from_files(files.read(archive))


def said(archive: Path) -> list[str]:
    """What `verify` says of the contest without decisions, without the times."""
    verified = verification.verify(read(archive), progress_bar)
    assert not verified.missed
    return [re.sub(AT, "", sentence) for sentence in verified.without_decisions]


def decide(folder: Path, *words: object) -> str:
    done = knobeln(*words, "--reason", "somebody said so", "-C", folder)
    assert done.exit_code == 0, done.output
    return done.output


def decided(honest: Published, folder: Path, *decisions: tuple[object, ...]) -> Archive:
    """The contest, after these decisions played to its end again. Its archive is in `folder`."""
    shutil.copytree(honest.contest, folder / "contest")
    for words in decisions:
        decide(folder / "contest", *words)
    contest = ContestContext.open(folder / "contest")
    contest_day(contest).run()
    contest.store.close()
    publish(folder / "contest", folder / "archive", honest.strings)
    return read(folder / "archive")


def with_bans(archive: Archive, bans: Iterable[str]) -> ContestOutcome:
    settings, seeds = settings_of(archive.contest), Seeds(seed_of(archive).value)
    digests = {entry.name: entry.build for entry in archive.entries}
    field = Field(settings, format_of(settings), digests, seeds)
    return play_with_bans(
        field,
        archive.history,
        frozenset(bans),
        frozenset(),
        lambda wanted: open_runner({digest: archive.builds[digest] for digest in wanted}, settings, seeds),
    )


def outcome_of(archive: Archive) -> ContestOutcome:
    return ContestOutcome(archive.history, archive.ranking, archive.evolution)


def ranks(archive: Archive) -> dict[str, int]:
    return {line.entry: line.rank for line in archive.ranking if line.rank}


def edit(path: str, value: Any) -> Any:
    def change(archive: dict[str, bytes]) -> None:
        archive[path] = json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"

    return change


def edit_without_ledger(path: str, value: Any) -> Any:
    """Such a ledger would not have the decision, which is another test's."""

    def change(archive: dict[str, bytes]) -> None:
        edit(path, value)(archive)
        del archive["ledger.txt"], archive["ledger.json"]

    return change


NO_BANS = edit("decisions.json", {"taken_out": [], "played_again": []})


# --- computed games ----------------------------------------------------------------------------------------
def test_without_decisions_there_is_one_line(knobeln_contest: Published) -> None:
    shown = knobeln("verify", knobeln_contest.archive).output
    assert "  decisions of the organizer since the start: the archive has none\n" in shown
    assert "without the organizer's decisions" not in shown


@pytest.mark.slow
def test_the_winner_was_banned_and_what_that_changed_is_named(
    knobeln_contest: Published, tmp_path: Path, mended: Mended
) -> None:
    honest = read(knobeln_contest.archive)
    winner = honest.ranking[0].entry
    archive = decided(knobeln_contest, tmp_path, ("rerun", 1), ("disqualify", winner))
    assert with_bans(archive, ()) == outcome_of(honest)
    assert with_bans(archive, [winner]) == outcome_of(archive)
    (ban, rerun) = said(tmp_path / "archive")
    heir = archive.ranking[0].entry
    assert ban.startswith(f"had {winner} not been disqualified, {winner} would be first instead of {heir}; ")
    before, after = ranks(archive), ranks(honest)
    moved = [name for name in before if name in after and before[name] != after[name]]
    assert moved or heir not in after
    assert [name for name in before if re.search(rf"; {name} would be [a-z]+ instead", ban)] == moved
    for name in moved:
        assert f"; {name} would be {ordinal(after[name])} instead of {ordinal(before[name])}" in ban
    assert re.search(r"; (no other rank would change|further down \d teams? would stand elsewhere)$", ban)
    assert rerun == (
        "to play round 1 again changed no game, as the random numbers are the same. It could only decide "
        "whether a team that was taken out played there"
    )
    shown = knobeln("verify", tmp_path / "archive")
    assert shown.exit_code == 0
    assert re.search(
        rf"\n  without the organizer's decisions, from the same seed:\n    had {winner} not been "
        rf"disqualified{AT}, {winner} would be first",
        shown.output,
    )
    denied = knobeln("verify", mended(tmp_path / "archive", NO_BANS))
    assert denied.exit_code == 1
    assert "The first difference: round 1" in denied.output


@pytest.mark.slow
def test_two_bans_are_undone_together_and_one_at_a_time(
    knobeln_contest: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = read(knobeln_contest.archive)
    first, second = honest.ranking[0].entry, honest.ranking[1].entry
    bans = (("disqualify", first), ("drop", second))
    both = decided(knobeln_contest, tmp_path / "both", ("rerun", 1), *bans)
    assert with_bans(both, ()) == outcome_of(honest)
    for number, name in enumerate((first, second)):
        alone = decided(knobeln_contest, tmp_path / name, ("rerun", 1), bans[number])
        assert with_bans(both, [name]) == outcome_of(alone)
    sentences = said(tmp_path / "both" / "archive")
    heads = [sentence.partition(",")[0] for sentence in sentences[:3]]
    assert heads == [
        "had the organizer taken nobody out",
        f"had {first} not been disqualified",
        f"had {second} not been dropped",
    ]
    monkeypatch.setattr(without_decisions, "MAX_ALONE", 1)
    fewer = said(tmp_path / "both" / "archive")
    told = "only the first 1 of these 2 teams were let in one at a time"
    assert fewer == [*sentences[:2], told, sentences[-1]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decisions", "head"),
    [
        ([("rerun", 1, 1)], "had group 1 of round 1 not been played again"),
        ([("rerun", 2), ("rerun", 1, 1)], "had round 2 and group 1 of round 1 not been played again"),
    ],
    ids=["rerun", "two reruns"],
)
def test_games_that_were_played_again_changed_nothing(
    knobeln_contest: Published,
    tmp_path: Path,
    mended: Mended,
    decisions: list[tuple[object, ...]],
    head: str,
) -> None:
    decided(knobeln_contest, tmp_path, *decisions)
    assert said(tmp_path / "archive") == [f"{head}, nothing would change"]
    assert said(mended(tmp_path / "archive", NO_BANS)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decisions", "head"),
    [
        ([("disqualify", "team_1")], "had team_1 not been disqualified"),
        ([("drop", "team_1"), ("reinstate", "team_1")], r"had team_1 not been dropped \(.*, until .* UT\)"),
    ],
    ids=["disqualified", "reinstated"],
)
def test_a_ban_after_the_last_game_changed_nothing(
    tmp_path: Path, mended: Mended, decisions: list[tuple[object, ...]], head: str
) -> None:
    """It can be made, as the reports were held."""

    def day(folder: ContestContext) -> None:
        decide(folder.path, "hold")
        contest_day(folder).run()
        for words in (*decisions, ("release",)):
            decide(folder.path, *words)

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    (sentence,) = said(archive)
    assert re.fullmatch(f"{head}, nothing would change", sentence)
    assert said(mended(archive, NO_BANS)) == []


class AfterAGroup(Silence):
    def group_finished(self, outcome: GroupOutcome) -> None:
        raise KeyboardInterrupt


class WinnerTakenOut:
    """A contest day on which the winner of the first group is taken out before the next one."""

    def __init__(self, command: str) -> None:
        self._command = command
        self.out = ""

    def __call__(self, folder: ContestContext) -> None:
        until(folder, AfterAGroup())
        with folder.store.read() as tx:
            self.out = results.drawn_round(tx, 1)[1][0].standings[0].entry
        decide(folder.path, self._command, self.out)
        contest_day(folder).run()


@pytest.mark.slow
def test_a_ban_between_two_draws_is_undone_by_games_that_were_never_played(tmp_path: Path) -> None:
    """Who was out had played before, and its last group keeps its table."""
    day = WinnerTakenOut("disqualify")
    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    honest, strings = played(tmp_path / "honest", small(), knobeln_field())
    honest_archive = read(publish(honest, tmp_path / "honest_archive", strings).archive)
    assert day.out not in {name for group in read(archive).history[1].plan.groups for name in group.members}
    assert with_bans(read(archive), ()) == outcome_of(honest_archive)
    assert said(archive)[0].startswith(f"had {day.out} not been disqualified, ")


def until(folder: ContestContext, spectator: Silence) -> None:
    reporter = ContestReporter(folder.settings, folder.templates)
    with pytest.raises(KeyboardInterrupt):
        ContestDay(folder.store, folder.settings, folder.clock, reporter, spectator).run()


@pytest.mark.slow
def test_when_the_time_is_up_everything_else_was_checked(tmp_path: Path) -> None:
    """The program that was banned before its first game would take hours for it."""
    loop = b"main() { volatile int i = 1; while (i) ; }"
    endless = b"/*\n  <<FROM>> team STRING\n*/\n" + loop

    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        decide(folder.path, "disqualify", "endless")
        contest_day(folder).run()

    chosen = small()
    patient = {"description": "none", "max_instructions": 10**11}
    chosen = chosen.model_copy(update={"programs": chosen.programs.model_copy(update=patient)})
    field = {name: sent for name, sent in knobeln_field().items() if name in ("team_1", "team_2")}
    field["endless"] = {"program.c": endless}
    contest, strings = played(tmp_path / "contest", chosen, field, day)
    archive = publish(contest, tmp_path / "archive", strings).archive

    @contextmanager
    def little_time(label: str, total: int) -> Iterator[ProgressCallback]:
        if label == "contests without decisions":
            signal.setitimer(signal.ITIMER_REAL, 0.5)
        yield no_progress

    verified = verification.verify(read(archive), little_time, seconds=600)
    assert verified.missed == [
        "what else the organizer's decisions changed: the time was up; `--minutes` allows more"
    ]
    assert "draws, rankings and evolution: the same" in verified.checked
    assert any(sentence.startswith("names of organizations") for sentence in verified.unchecked)


class AfterADraw(Silence):
    def round_drawn(self, plan: RoundPlan) -> None:
        raise KeyboardInterrupt


@pytest.mark.slow
def test_a_build_in_which_a_string_was_blanked_plays_no_other_games(tmp_path: Path) -> None:
    plays_its_string = b"""
char mine[] = "STRING";
main() { int i; for (i = 0; i < 60; i++) make_throw(1 + mine[i % 24] % 6); }
"""

    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        decide(folder.path, "disqualify", "team_7")
        contest_day(folder).run()

    field = {**knobeln_field(), "team_7": {"program.c": plays_its_string}}
    contest, strings = played(tmp_path / "contest", small(), field, day)
    (sentence,) = said(publish(contest, tmp_path / "archive", strings).archive)
    assert re.match(
        r"had team_7 not been disqualified, 4 games of team_7 in round 1 would be needed\. The archive "
        "does not have them, and their programs are not as they played, because an authentication string "
        r"was blanked, so nobody can tell the ranking\. The other 12 games of the round",
        sentence,
    )


def without_ledger(archive: dict[str, bytes]) -> None:
    """As an earlier version wrote archives."""
    seal = json.loads(archive["seal.json"])
    for name in ("ledger.json", "ledger.txt", "seal.json", "certainty.json"):
        del archive[name]
    facts = json.loads(archive["contest.json"])
    commitment = files.hashlib.sha256(bytes.fromhex(seal["seed"])).hexdigest()
    facts.update(seed=seal["seed"], seed_commitment=commitment, written_by="0.1.0")
    edit("contest.json", facts)(archive)


@pytest.mark.slow
def test_an_archive_of_an_earlier_version_is_computed_without_decisions_too(
    knobeln_contest: Published, tmp_path: Path, mended: Mended
) -> None:
    winner = read(knobeln_contest.archive).ranking[0].entry
    archive = decided(knobeln_contest, tmp_path, ("rerun", 1), ("disqualify", winner))
    shown = knobeln("verify", mended(tmp_path / "archive", without_ledger))
    assert shown.exit_code == 3
    heir = archive.ranking[0].entry
    assert f", {winner} would be first instead of {heir}; " in shown.output


def test_the_ranks_of_an_earlier_version_are_no_change(tmp_path: Path, mended: Mended) -> None:
    """Where nobody survived, 0.1.0 called the first group's table the contest's ranking."""
    release = Path(__file__).with_name("releases") / "0006-nobody_survived-archive.tar.gz"
    shutil.unpack_archive(release, tmp_path / "archive")
    again = {"round": 1, "group": None, "at": "2026-01-01T12:00:00Z"}
    shown = knobeln(
        "verify",
        mended(tmp_path / "archive", edit("decisions.json", {"taken_out": [], "played_again": [again]})),
    )
    assert "had round 1 (2026-01-01 12:00 UT) not been played again, nothing would change" in shown.output


# --- games whose programs talk -----------------------------------------------------------------------------
def banned_before_its_games(name: str) -> Any:
    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        assert "will show everybody what this has changed" in decide(folder.path, "disqualify", name)
        contest_day(folder).run()

    return day


TALKING = {
    "cooperation": (
        ("two_tits.sh", "grudger.pl", "always_cooperate.sh"),
        "2 games of grudger in round 1 would be needed. The archive does not have them, and programs that "
        "talk cannot be asked again, so nobody can tell the ranking. The other 1 game of the round would be "
        "as in the archive",
    ),
    "bid-tac-toe": (
        ("even_hand.sh", "copycat.pl", "always_in_trouble.sh"),
        "2 games of copycat in round 1 would be needed. The archive does not have them, and programs that "
        "talk cannot be asked again, so nobody can tell the ranking. The other 1 game of the round would be "
        "as in the archive, unless a program learned from another game",
    ),
    # All play in one game, so that was another one.
    "standoff": (
        ("trigger_happy.sh", "avenger.pl", "dice.pl"),
        "1 game of avenger in round 1 would be needed. The archive does not have it, and programs that talk "
        "cannot be asked again, so nobody can tell the ranking",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", TALKING)
def test_the_moves_of_programs_that_talk_bound_what_is_known(
    tmp_path: Path, mended: Mended, game: str
) -> None:
    names, expected = TALKING[game]
    out = names[1].partition(".")[0]
    published = of_game(tmp_path, game, names, banned_before_its_games(out), games=1)
    assert said(published.archive) == [f"had {out} not been disqualified, {expected}"]
    assert knobeln("verify", mended(published.archive, NO_BANS)).exit_code == 1


@pytest.mark.slow
def test_rounds_before_the_ban_are_known_although_programs_talk(tmp_path: Path) -> None:
    day = WinnerTakenOut("drop")
    names = ("first_open.sh", "board_taker.pl", "always_in_trouble.sh")
    once = {"games": 1, "third_place_games": 1, "final_games": 1, "max_games": 2}
    published = of_game(tmp_path, "ultimate-tic-tac-toe", names, day, **once)
    assert said(published.archive) == [
        f"had {day.out} not been dropped, 1 game of {day.out} in round 2 would be needed. The archive does "
        "not have it, and programs that talk cannot be asked again, so nobody can tell the ranking. Round 1 "
        "would be as in the archive"
    ]


def test_what_was_played_again_with_programs_that_talk_nobody_can_tell(
    in_words: Published, mended: Mended
) -> None:
    again = {"round": 1, "group": None, "at": "1994-05-15T12:00:00Z"}
    decisions = {"taken_out": [], "played_again": [again]}
    archive = mended(in_words.archive, edit_without_ledger("decisions.json", decisions))
    assert said(archive) == [
        "had round 1 not been played again, the former games would count. They are not in the archive, and "
        "programs that talk may have answered differently, so nobody can tell"
    ]


def test_a_changed_time_for_a_move_is_named_too(in_words: Published, mended: Mended) -> None:
    seconds = read(in_words.archive).contest.settings["programs"]["seconds"]
    change = {"at": "1994-05-14T12:30:00Z", "before": seconds, "after": 2.0}
    (sentence,) = said(mended(in_words.archive, edit_without_ledger("time_changes.json", [change])))
    assert f"had the time for a move not been changed from {seconds:g} s to 2 s, programs might" in sentence


# --- sentences ---------------------------------------------------------------------------------------------
def a_contest(*names: str, out: str = "", evolved: tuple[str, ...] = ()) -> ContestOutcome:
    """One group with this ranking; `out`: who was taken out; `evolved`: the evolution's ranking."""
    lines = [Standing(name, 100 - rank, rank, 0, False, False) for rank, name in enumerate(names, start=1)]
    lines += [Standing(out, 0, None, 0, True, False)] if out else []
    plan = GroupPlan(1, 1, tuple(sorted(line.entry for line in lines)), ())
    history = (RoundOutcome(RoundPlan(1, (plan,), True), (GroupOutcome(plan, (), tuple(lines)),)),)
    ranking = tuple(EvolutionRank(name, rank, (1, 9), None) for rank, name in enumerate(evolved, start=1))
    evolution = EvolutionOutcome(evolved, (), EvolutionEnding.FIXED_POINT, None, ranking) if evolved else None
    return ContestOutcome(history, tuple(lines), evolution)


MANY = tuple("abcdefghijklm")

CHANGES = {
    "the winner first": (
        a_contest("a", "b", out="x"),
        a_contest("x", "b", "a"),
        "x would be first instead of a; a would be third instead of first; no other rank would change",
    ),
    "the evolution": (
        a_contest("a", "b", "c", out="x", evolved=("a", "b", "c")),
        a_contest("a", "b", "c", "x", evolved=("x", "a", "c", "b")),
        "x would be fourth instead of taken out; x would win the evolution instead of a; 1 more team would "
        "have another rank in the evolution; no other rank would change",
    ),
    "no evolution": (
        a_contest("a", out="x", evolved=("a",)),
        a_contest("a", "x"),
        "x would be second instead of taken out; there would be no evolution; no other rank would change",
    ),
    "an evolution": (
        a_contest("a", out="x"),
        a_contest("a", "x", evolved=("a", "x")),
        "x would be second instead of taken out; there would be an evolution, won by a; no other rank would "
        "change",
    ),
    "the first ten ranks": (
        a_contest(*MANY, out="x"),
        a_contest(*MANY[:9], "x", *MANY[9:]),
        "x would be tenth instead of taken out; j would be 11th instead of tenth; further down 3 teams would "
        "stand elsewhere",
    ),
    "far down": (
        a_contest(*MANY, out="x"),
        a_contest(*MANY[:12], "x", MANY[12]),
        "x would be 13th instead of taken out; further down 1 team would stand elsewhere",
    ),
    "no winner": (
        a_contest(out="x"),
        a_contest("x"),
        "x would be first instead of nobody; no other rank would change",
    ),
    "nothing": (a_contest("a", out="x"), a_contest("a", out="x"), "nothing would change"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changes_are_named_from_the_winner_down(case: str) -> None:
    before, after, sentence = CHANGES[case]
    assert without_decisions.changes(before, after, frozenset({"x"})) == sentence


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "first"), (10, "tenth"), (11, "11th"), (12, "12th"), (21, "21st"), (33, "33rd"), (112, "112th")],
)
def test_ordinals(number: int, words: str) -> None:
    assert ordinal(number) == words
