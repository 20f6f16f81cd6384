"""What `verify` says of the contest as if the organizer had taken nobody out.

A contest of which really nobody was taken out is what it must come to.
"""

import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contest.archive import contents, files
from contest.archive.contents import Archive, seed_of, settings_of
from contest.interfaces.protocols import ProgressCallback, no_progress
from contest.seeds import Seeds
from contest.store import results
from knobeln.archive import verification
from knobeln.archive.without_bans import NOBODY_CAN_TELL, OtherContest, other_contest
from knobeln.cli.progress_bars import progress_bar
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from tests.support.archives import Published, knobeln, knobeln_field, of_game, played, publish, small
from tests.support.contest_days import AfterADraw, Stumbling, until
from tournament.derived_settings import format_of
from tournament.field import Field

pytestmark = pytest.mark.usefixtures("built_once")


def read(archive: Path) -> Archive:
    return contents.from_files(files.read(archive))


def said(archive: Path) -> list[str]:
    """What `verify` says of the contest without bans."""
    verified = verification.verify(read(archive), progress_bar)
    assert not verified.missed
    return verified.without_bans


def decide(folder: Path, *words: object) -> str:
    group = {"hold": "mail", "release": "mail", "rerun": "run"}.get(str(words[0]), "teams")
    done = knobeln(group, *words, "--reason", "somebody said so", "-C", folder)
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


def without(archive: Archive) -> OtherContest:
    settings = settings_of(archive.contest)
    digests = {entry.name: entry.build for entry in archive.entries}
    field = Field(settings, format_of(settings), digests, Seeds(seed_of(archive).value))
    return other_contest(field, archive, frozenset())


def outcome_of(archive: Archive) -> OtherContest:
    return OtherContest(archive.history, archive.ranking, archive.evolution)


def ranks(archive: Archive) -> dict[str, int]:
    return {line.entry: line.rank for line in archive.ranking if line.rank}


def no_bans(archive: dict[str, bytes]) -> None:
    archive["decisions.json"] = json.dumps({"taken_out": [], "played_again": []}, indent=1).encode() + b"\n"


# --- computed games ----------------------------------------------------------------------------------------
def test_without_decisions_there_is_one_line(knobeln_contest: Published) -> None:
    shown = knobeln("verify", knobeln_contest.archive).output
    assert "  decisions of the organizer since the start: the archive has none\n" in shown
    assert "had the organizer taken nobody out" not in shown


@pytest.mark.slow
def test_the_winner_was_banned_and_what_that_changed_is_named(knobeln_contest, tmp_path, mended) -> None:
    honest = read(knobeln_contest.archive)
    winner, second = honest.ranking[0].entry, honest.ranking[1].entry
    archive = decided(knobeln_contest, tmp_path, ("rerun", 1), ("disqualify", winner), ("drop", second))
    assert without(archive) == outcome_of(honest)
    first, *others = said(tmp_path / "archive")
    heir = archive.ranking[0].entry
    assert first == f"{winner} would be first instead of {heir}"
    assert others[0] == f"{second} would have rank {ranks(honest)[second]}"
    before, after = ranks(archive), ranks(honest)
    names = (before.keys() | after.keys()) - {winner, second}
    moved = sum(before.get(name) != after.get(name) for name in names)
    assert re.fullmatch(rf"{moved} other teams? would have another rank", others[1])
    shown = knobeln("verify", tmp_path / "archive")
    assert shown.exit_code == 3  # bans need a person's eyes
    assert f"\n  had the organizer taken nobody out, from the same seed:\n    {first}\n" in shown.output
    denied = knobeln("verify", mended(tmp_path / "archive", no_bans))
    assert denied.exit_code == 1
    assert "The first difference: round 1" in denied.output


@pytest.mark.slow
def test_a_ban_after_the_last_game_changed_nothing(tmp_path, mended) -> None:
    """It can be made, as the reports were held."""

    def day(folder: ContestContext) -> None:
        decide(folder.path, "hold")
        contest_day(folder).run()
        decide(folder.path, "disqualify", "team_1")
        decide(folder.path, "release")

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    assert said(archive) == ["no rank would change"]
    assert said(mended(archive, no_bans)) == []


@pytest.mark.slow
def test_a_ban_between_two_draws_is_undone_by_games_that_were_never_played(tmp_path: Path) -> None:
    """Who was out had played before, and its last group keeps its table."""
    out = []

    def day(folder: ContestContext) -> None:
        until(folder, Stumbling(0))
        with folder.store.read() as tx:
            out.append(results.drawn_round(tx, 1)[1][0].standings[0].entry)
        decide(folder.path, "disqualify", *out)
        contest_day(folder).run()

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = read(publish(contest, tmp_path / "archive", strings).archive)
    honest, strings = played(tmp_path / "honest", small(), knobeln_field())
    assert out[0] not in {name for group in archive.history[1].plan.groups for name in group.members}
    honest_archive = read(publish(honest, tmp_path / "honest_archive", strings).archive)
    assert without(archive) == outcome_of(honest_archive)


def banned_before_its_games(name: str) -> Callable[[ContestContext], None]:
    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        assert "will show everybody what this has changed" in decide(folder.path, "disqualify", name)
        contest_day(folder).run()

    return day


@pytest.mark.slow
def test_when_the_time_is_up_everything_else_was_checked(tmp_path: Path) -> None:
    """The program that was banned before its first game would take hours for it."""
    endless = b"/*\n  <<FROM>> team STRING\n*/\n" + b"main() { volatile int i = 1; while (i) ; }"
    chosen = small()
    patient = {"description": "none", "max_instructions": 10**11}
    chosen = chosen.model_copy(update={"programs": chosen.programs.model_copy(update=patient)})
    field = {name: sent for name, sent in knobeln_field().items() if name in ("team_1", "team_2")}
    field["endless"] = {"program.c": endless}
    contest, strings = played(tmp_path / "contest", chosen, field, banned_before_its_games("endless"))
    archive = publish(contest, tmp_path / "archive", strings).archive

    @contextmanager
    def little_time(label: str, total: int) -> Iterator[ProgressCallback]:
        if label == "the contest without bans":
            signal.setitimer(signal.ITIMER_REAL, 0.5)
        yield no_progress

    verified = verification.verify(read(archive), little_time, seconds=600)
    assert verified.missed == [
        "what the organizer changed by taking teams out: the time was up; `--minutes` allows more"
    ]
    assert "draws, rankings and evolution: the same" in verified.checked
    assert any(sentence.startswith("names of organizations") for sentence in verified.unchecked)


# --- games whose programs talk -----------------------------------------------------------------------------
@pytest.mark.slow
def test_programs_that_talk_cannot_be_asked_for_other_games(tmp_path, mended) -> None:
    """All play in one game, so that was another."""
    names = ("trigger_happy.sh", "avenger.pl", "dice.pl")
    published = of_game(tmp_path, "standoff", names, banned_before_its_games("avenger"), games=1)
    assert said(published.archive) == [NOBODY_CAN_TELL]
    assert knobeln("verify", mended(published.archive, no_bans)).exit_code == 1
