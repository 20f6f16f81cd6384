"""Games of the contest, played again from the contest's seed to see what was done in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from contest.games.base import TextGame
from contest.games.drawing import Course, Drawn
from contest.model import Match, Missing, Moves
from contest.protocols import Runner
from contest.seeds import Seeds
from tournament.referee import carry_out, game_job
from tournament.runners.text import drawer


def play_again(
    round_number: int, matches: Sequence[Match], images: Mapping[str, str], seeds: Seeds, runner: Runner
) -> list[Sequence[Moves] | None]:
    """What everybody did in these games of a round on the contest machine, throw by throw.

    `images` are digests by the entries' names. None where a game came out differently, which can only be if
    what is stored is not what was played. Raises EngineFailed as the referee does.
    """
    jobs = [
        game_job(round_number, (m.pairing, m.game, m.attempt), images, seeds, set(m.players)) for m in matches
    ]
    results = carry_out(jobs, runner)
    return [
        result.moves if result.digest == match.result.digest else None
        for match, result in zip(matches, results, strict=True)
    ]


def course_of(rules: TextGame[Any, Any], round_number: int, match: Match, seeds: Seeds) -> Course | None:
    """How a game went whose moves were kept.

    None where they were not, or where the moves are none that these rules know.
    """
    if match.result.moves is None:
        return None
    game = rules.for_players(match.players, partial(seeds.below, "game"))
    no_progress = dict.fromkeys(match.players, "")
    job = game_job(round_number, (match.pairing, match.game, match.attempt), no_progress, seeds, frozenset())
    try:
        positions = tuple(_positions(game, match.result.moves, job.streams))
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    drawings = tuple(map(game.drawing, positions)) if isinstance(game, Drawn) else ()
    return Course(tuple(map(game.points, positions[1:])), drawings)


def _positions(game: TextGame[Any, Any], turns: Sequence[Moves], streams: Sequence[bytes]) -> Iterator[Any]:
    """Before the first turn, and after each."""
    position, draw = game.start(len(streams)), drawer(streams)
    yield position
    for turn in turns:
        done = {
            seat: game.answer(position, seat, str(move))
            for seat, move in enumerate(turn)
            if move is not None and not isinstance(move, Missing)
        }
        at_fault = any(isinstance(move, Missing) for move in turn)
        position = game.apply_with_faults(position, done, draw) if at_fault else game.apply(position, done)
        yield position
