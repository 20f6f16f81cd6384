"""`knobeln replay`: a game of the past, move by move, out of the database or an archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from contest.archive import contents, files
from contest.config.settings import Settings
from contest.errors import Differs, NotFound
from contest.games.base import MACHINE, TABLE
from contest.games.hog import WIN_RATE_UNIT
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from contest.model import GroupOutcome, Match
from contest.plurals import form
from contest.seeds import Seeds
from contest.store import Transaction, submissions
from contest.store import contest_state as contest_store
from contest.store import results as result_store
from contest.store.results import Games
from knobeln.cli.contest_option import ContestCommand
from knobeln.contest_day.archived import must_be_builds
from knobeln.context import contest_folder
from reports import knobeln_protocol, text_protocol
from reports.board_text import board_text
from reports.text_protocol import WordProtocols
from tournament.derived_settings import is_computed
from tournament.referee import Fixture, game_job
from tournament.replay import course_of
from tournament.runners import open_runner
from tournament.runners.recorded import check_game, job_of
from tournament.verify import compare


@dataclass(frozen=True)
class _Past:
    """A round as it was played; of what was played before that, the newest first. `images`: digests by entry;
    `builds`: those of a game that is computed."""

    settings: Settings
    seeds: Seeds
    groups: Sequence[GroupOutcome]
    images: Mapping[str, str]
    builds: Mapping[str, bytes]


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("teams", metavar="TEAM TEAM", nargs=-1, required=True)
@click.option("--game", type=int, default=1, show_default=True, help="Which of the games that they played.")
@click.option("--attempt", type=int, default=None, help="Of a game that was played again; default: the last.")
@click.option("--former", is_flag=True, help="As it was before `knobeln rerun`, the last time.")
@click.option(
    "--archive",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Out of an archive, for those without the contest.",
)
def replay(
    number: int, teams: tuple[str, ...], game: int, attempt: int | None, former: bool, archive: Path | None
) -> None:
    """Show a game of the past, throw by throw or move by move.

    It is played again, or, where programs are asked in words, shown as it was written down; its digest is
    compared with the one that was kept. The same TEAM twice: its game against itself.
    """
    if former and archive:
        raise click.UsageError("an archive has no former results: --former is for the contest's own folder")
    past = _from_archive(archive, number) if archive else _from_contest(number, former=former)
    group, match = _chosen(past, number, teams, game, attempt)
    text = _words(past, group, match)
    tried = [m for m in group.matches if m.pairing == match.pairing]
    click.echo_via_pager(f"{text}\n{_ending(match, tried)}")


def _from_contest(number: int, *, former: bool) -> _Past:
    folder = contest_folder()
    with folder.store.read() as tx:
        groups = _former(tx, number) if former else result_store.drawn_round(tx, number, Games.WITH_MOVES)[1]
        images = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        builds = submissions.load_images(tx, tuple(images.values())) if is_computed(folder.settings) else {}
        return _Past(folder.settings, Seeds(contest_store.state(tx).seed), groups, images, builds)


def _former(tx: Transaction, number: int) -> Sequence[GroupOutcome]:
    """Raises NotFound."""
    reruns = reversed(result_store.former_outcomes(tx))
    found = [group for _, groups in reruns for group in groups if group.plan.round == number]
    if not found:
        raise NotFound(f"nothing of round {number} was played again, so it has no former results")
    return found


def _from_archive(folder: Path, number: int) -> _Past:
    archive = contents.from_files(files.read(folder))
    if not 1 <= number <= len(archive.history):
        raise NotFound(f"there is no round {number}")
    images = {entry.name: entry.build for entry in archive.entries}
    settings, seeds = contents.settings_of(archive.contest), contents.seeds_of(archive.contest)
    must_be_builds(archive.builds, settings)
    return _Past(settings, seeds, archive.history[number - 1].groups, images, archive.builds)


def _chosen(
    past: _Past, number: int, teams: Sequence[str], game: int, attempt: int | None
) -> tuple[GroupOutcome, Match]:
    """The attempt at a game. Raises NotFound, saying what there is."""
    met = [(group, [m for m in group.matches if _is_theirs(m, teams)]) for group in past.groups]
    group, matches = next(((group, matches) for group, matches in met if matches), (None, []))
    names = " and ".join(dict.fromkeys(teams))
    if group is None:
        raise NotFound(f"in round {number} there was no game of {names}{_why(past, teams)}")
    found = [match for match in matches if match.game == game]
    if not found:
        most = max(match.game for match in matches)
        raise NotFound(f"in round {number} there was no game {game} of {names}, only 1 to {most}")
    chosen = [match for match in found if attempt in (None, match.attempt)]
    if not chosen:
        raise NotFound(
            f"that game was played {len(found)} {form(len(found), 'time')}: there is no attempt {attempt}"
        )
    return group, chosen[-1]


def _is_theirs(match: Match, teams: Sequence[str]) -> bool:
    """Of a game of many some are enough; one name twice is the game against oneself."""
    if len(match.players) > 2:
        return set(teams) <= set(match.players)
    return Counter(teams if len(teams) > 1 else (*teams, *teams)) == Counter(match.players)


def _why(past: _Past, teams: Sequence[str]) -> str:
    playing = {name for group in past.groups for name in group.plan.members}
    missing = [name for name in teams if name not in playing]
    if missing:
        return f": {files.shown(missing[0])} was not in it, or its group has not been played"
    return ": they were in different groups, or one was disqualified or taken out before"


def _words(past: _Past, group: GroupOutcome, match: Match) -> str:
    """The game for reading. Raises Differs where it is not what was kept."""
    play = game_of(past.settings.game, past.settings.programs).info.play
    if play == MACHINE:
        played = _played_again(past, group, match)
        rules = rules_of(past.settings.game)
        return knobeln_protocol.full(
            knobeln_protocol.GameProtocol.of(played, group.plan.round, group.plan.number, rules)
        )
    if play == TABLE:
        played = _played_again(past, group, match)
        sides = zip(played.players, played.result.seats, strict=True)
        return "\n".join(f"{name} wins {seat.points / WIN_RATE_UNIT:.10%}" for name, seat in sides) + "\n"
    return _written_down(past, group, match)


def _played_again(past: _Past, group: GroupOutcome, match: Match) -> Match:
    names = match.pairing.players
    missing = [name for name in names if past.images.get(name, "") not in past.builds]
    if missing:
        raise Differs(f"the program of {files.shown(missing[0])} is missing")
    job = game_job(group.plan.round, Fixture.of(match), past.images, past.seeds, frozenset(names))
    builds = {past.images[name]: past.builds[past.images[name]] for name in names}
    with open_runner(builds, past.settings, past.seeds) as runner:
        (result,) = runner.play([job])
    again = replace(match, result=result)
    compare(match, again)
    return again


def _written_down(past: _Past, group: GroupOutcome, match: Match) -> str:
    rules = game_of(past.settings.game, past.settings.programs)
    job = job_of(match, group.plan.round, past.seeds)
    check_game(rules, match, job, past.seeds)  # type: ignore[arg-type]  # a game that is asked in words
    shown = text_protocol.of(match, group.plan.round, group.plan.number, entry="")
    info = rules.info
    text = text_protocol.full(WordProtocols(info.name, info.point, info.turn_word, (shown,)), shown)
    course = course_of(rules, group.plan.round, match, past.seeds)  # type: ignore[arg-type]  # the same
    drawings = course.drawings if course else ()
    boards = (f"The board at the end:\n\n{board_text(last, match.players)}" for last in drawings[-1:])
    return "\n".join([text, *boards])


def _ending(match: Match, tried: Sequence[Match]) -> str:
    lines = [f"The digest is the one that was kept: {match.result.digest}"]
    games = max(m.game for m in tried)
    attempts = sum(m.game == match.game for m in tried)
    if games > 1:
        lines.append(f"This was game {match.game} of {games}; --game shows another.")
    if attempts > 1:
        lines.append(f"This was attempt {match.attempt} of {attempts}; --attempt shows another.")
    return "\n".join(lines) + "\n"
