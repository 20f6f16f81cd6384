"""Show what was done in a game of the contest: play it again from the contest's seed, or from its
record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from contest.errors import Differs
from contest.games.drawing import Course
from contest.games.game import TextGame
from contest.interfaces.protocols import Runner
from contest.model import Match, Moves
from contest.seeds import Seeds
from tournament.referee import Fixture, carry_out, game_job
from tournament.runners.recorded import job_of, played_by


def play_again(
    round_number: int,
    matches: Sequence[Match],
    images: Mapping[str, str],
    seeds: Seeds,
    runner: Runner,
) -> list[Sequence[Moves] | None]:
    """The moves in these games of one round, played again by a runner whose results are computed.

    `images`: digests by the entries' names. None for a game that came out differently, which
    happens only if the stored programs are not those that played. Raises EngineFailed as the
    referee does.
    """
    jobs = [game_job(round_number, Fixture.of(m), images, seeds, set(m.players)) for m in matches]
    results = carry_out(jobs, runner)
    return [
        result.moves if result.digest == match.result.digest else None
        for match, result in zip(matches, results, strict=True)
    ]


def course_of(
    rules: TextGame[Any, Any], round_number: int, match: Match, seeds: Seeds
) -> Course | None:
    """How a game went whose moves were kept. None if they were not, or if these rules do not know
    them."""
    if match.result.moves is None:
        return None
    game = rules.for_players(match.players, partial(seeds.below, "game"))
    try:
        positions, _ = played_by(game, match.result.moves, job_of(match, round_number, seeds))
    except (Differs, ValueError, TypeError, KeyError, IndexError):
        return None
    return course(game, positions)


def course(game: TextGame[Any, Any], positions: Sequence[Any]) -> Course:
    """How a game went. `positions`: before the first turn and after each."""
    return Course(
        tuple(map(game.points, positions[1:])),
        tuple(filter(None, map(game.drawing, positions))),
        tuple(filter(None, map(game.ring, positions))),
    )
