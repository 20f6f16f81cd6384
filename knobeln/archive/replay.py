"""Games of the past, from the database or from an archive, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from compiler.builders import builder_of
from contest.archive import contents, files
from contest.config.settings import Settings
from contest.errors import Differs, NotFound
from contest.games.game import TextGame
from contest.games.hog import WIN_RATE_UNIT
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from contest.model import GroupOutcome, Match
from contest.seeds import Seeds
from contest.store import contest_state, results, submissions
from contest.store.results import Games
from contest.util.plurals import did_you_mean, form
from knobeln.archive.export import check_builds
from knobeln.context import ContestContext
from reports import knobeln_protocol, text_protocol
from reports.terminal import board_text
from tournament.derived_settings import is_computed
from tournament.referee import Fixture, game_job
from tournament.replay import course_of
from tournament.runners import open_runner
from tournament.runners.recorded import check_result, job_of, name_of
from tournament.verify import compare


@dataclass(frozen=True)
class PlayedRound:
    """A round as it was played.

    `images`: digests by entry. `builds`: by digest, only for games that are computed.
    """

    settings: Settings
    seeds: Seeds
    groups: Sequence[GroupOutcome]
    images: Mapping[str, str]
    builds: Mapping[str, bytes]


def round_of_contest(contest: ContestContext, number: int) -> PlayedRound:
    """Read a round from the database. Raises NotFound."""
    with contest.store.read() as tx:
        groups = results.drawn_round(tx, number, Games.WITH_MOVES)[1]
        images = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        builds = submissions.load_images(tx, tuple(images.values())) if is_computed(contest.settings) else {}
        return PlayedRound(
            contest.settings, Seeds(contest_state.state(tx).seed.value), groups, images, builds
        )


def round_of_archive(folder: Path, number: int) -> PlayedRound:
    """Read a round from an archive. Raises Differs, NotFound."""
    archive = contents.from_files(files.read(folder))
    if not 1 <= number <= len(archive.history):
        raise NotFound(f"there is no round {number}")
    images = {entry.name: entry.build for entry in archive.entries}
    settings, seeds = contents.settings_of(archive.contest), Seeds(contents.seed_of(archive).value)
    check_builds(archive, builder_of(settings, open_runner))
    return PlayedRound(settings, seeds, archive.history[number - 1].groups, images, archive.builds)


def find_game(
    played: PlayedRound, number: int, teams: Sequence[str], game: int, attempt: int | None
) -> tuple[GroupOutcome, Match]:
    """Return an attempt at a game, and its group. Raises NotFound with the games that there are."""
    met = [(group, [m for m in group.matches if _is_theirs(m, teams)]) for group in played.groups]
    group, matches = next(((group, matches) for group, matches in met if matches), (None, []))
    if group is None:
        raise _no_game(played, number, teams)
    names = " and ".join(dict.fromkeys(teams))
    found = [match for match in matches if match.game == game]
    if not found:
        last = max(match.game for match in matches)
        raise NotFound(f"in round {number} there was no game {game} of {names}, only 1 to {last}")
    chosen = [match for match in found if attempt in (None, match.attempt)]
    if not chosen:
        raise NotFound(
            f"that game was played {len(found)} {form(len(found), 'time')}: there is no attempt {attempt}"
        )
    return group, chosen[-1]


def _is_theirs(match: Match, teams: Sequence[str]) -> bool:
    """Whether the names mean this game: one name twice is a self-game; of more than two, some suffice."""
    if len(match.players) > 2:
        return set(teams) <= set(match.players)
    return Counter(teams if len(teams) > 1 else (*teams, *teams)) == Counter(match.players)


def _no_game(played: PlayedRound, number: int, teams: Sequence[str]) -> NotFound:
    what = f"in round {number} there was no game of {' and '.join(dict.fromkeys(teams))}"
    playing = {name for group in played.groups for name in group.plan.members}
    missing = [name for name in teams if name not in playing]
    if not missing:
        return NotFound(f"{what}: they were in different groups, or one was disqualified or taken out before")
    return NotFound(
        f"{what}: {files.shown(missing[0])} did not play in it, or its group has not been played",
        hint=did_you_mean(missing[0], sorted(playing)),
    )


def shown_game(played: PlayedRound, group: GroupOutcome, match: Match) -> str:
    """Play the game again, or check its recorded moves; return it as text. Raises Differs if they are not as
    stored.
    """
    game = game_of(played.settings.game, played.settings.programs)
    if isinstance(game, TextGame):
        return _recorded_text(game, played, group, match)
    again = _played_again(played, group, match)
    if not game.info.play.has_moves:
        sides = zip(again.players, again.result.seats, strict=True)
        return "\n".join(f"{name} wins {seat.points / WIN_RATE_UNIT:.10%}" for name, seat in sides) + "\n"
    rules = rules_of(played.settings.game)
    shown = knobeln_protocol.GameProtocol(group.plan.round, group.plan.number, rules, again)
    return knobeln_protocol.full(shown)


def _played_again(played: PlayedRound, group: GroupOutcome, match: Match) -> Match:
    names = match.pairing.players
    missing = [name for name in names if played.images.get(name, "") not in played.builds]
    if missing:
        raise Differs(f"the program of {files.shown(missing[0])} is missing")
    job = game_job(group.plan.round, Fixture.of(match), played.images, played.seeds, frozenset(names))
    builds = {played.images[name]: played.builds[played.images[name]] for name in names}
    with open_runner(builds, played.settings, played.seeds) as runner:
        (result,) = runner.play([job])
    again = replace(match, result=result)
    compare(match, again)
    return again


def _recorded_text(rules: TextGame[Any, Any], played: PlayedRound, group: GroupOutcome, match: Match) -> str:
    job = job_of(match, group.plan.round, played.seeds)
    try:  # what programs used is for `verify` to check, which has them play
        check_result(rules, match.result, job, played.seeds, range(len(job.names)))
    except Differs as error:
        raise Differs(f"{name_of(match)}: {error}") from None
    shown = text_protocol.of(rules.info, match, group.plan.round, group.plan.number, entry="")
    text = text_protocol.full(shown)
    course = course_of(rules, group.plan.round, match, played.seeds)
    drawings = course.drawings if course else ()
    boards = (f"The board at the end:\n\n{board_text(last, match.players)}" for last in drawings[-1:])
    return "\n".join([text, *boards])
