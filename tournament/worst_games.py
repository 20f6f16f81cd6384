"""What decided everybody's worst game. Pure but for the runner that plays games again.

A player's *lead* is its score less that of the best other player. Its worst game is the one that
ended with its smallest lead; of equal ones the first. A turn decided the game if the lead fell by
it more than by any other turn: the three that it fell by most are told, of equal ones the first.

The score is what `TextGame.score` says; of KNOBELN it is the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from contest.errors import Differs, EngineFailed
from contest.games.drawing import Ring
from contest.games.game import TextGame
from contest.games.knobeln import throw_points
from contest.interfaces.protocols import Runner
from contest.model import (
    DecisiveTurn,
    GameResult,
    GroupOutcome,
    Match,
    Moves,
    RoundOutcome,
    WorstGame,
    recorded_text,
)
from contest.seeds import Seeds
from tournament.referee import Fixture, carry_out, game_job
from tournament.runners.recorded import job_of, played_by

DECISIVE_TURNS = 3

Scores = Sequence[Sequence[int]]
"""Every seat's score, before the first turn and after each."""


# --- the rules ------------------------------------------------------------------------------------
def lead_of(scores: Sequence[int], seat: int) -> int:
    """How far this seat is ahead of the best other one; below 0 it is behind."""
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)


class Fall(NamedTuple):
    """A turn, from 1, by which a lead fell, and what was left of the lead."""

    turn: int
    by: int
    lead: int


class Decisive(NamedTuple):
    """The turns that decided a game, in their order, and how many more cost as much as the least of
    them."""

    falls: tuple[Fall, ...]
    alike: int


def decisive(scores: Scores, seat: int) -> Decisive:
    """What decided the game for this seat."""
    leads = [lead_of(each, seat) for each in scores]
    falls = [
        Fall(turn, before - after, after)
        for turn, (before, after) in enumerate(pairwise(leads), start=1)
        if after < before
    ]
    greatest = sorted(falls, key=lambda fall: -fall.by)[:DECISIVE_TURNS]
    least = greatest[-1].by if greatest else 0
    alike = sum(fall.by == least for fall in falls) - sum(fall.by == least for fall in greatest)
    return Decisive(tuple(sorted(greatest)), alike)


def worst_games(history: Iterable[RoundOutcome]) -> tuple[WorstGame, ...]:
    """The worst game of everybody, as far as one counted, without what decided it, and with the
    whole plan of its group. Games against oneself are none."""
    worst: dict[str, tuple[int, WorstGame]] = {}
    for outcome in history:
        for group in outcome.groups:
            for name, lead, match in _endings(group):
                if name not in worst or lead < worst[name][0]:
                    worst[name] = lead, WorstGame(name, group.plan, match)
    return tuple(game for _, game in worst.values())


def condensed(game: WorstGame) -> WorstGame:
    """The game as it is kept: with this pairing alone, and without its moves."""
    match = replace(game.match, result=replace(game.match.result, moves=None))
    plan = replace(game.plan, members=match.players, pairings=(match.pairing,))
    return replace(game, plan=plan, match=match)


def _endings(group: GroupOutcome) -> Iterable[tuple[str, int, Match]]:
    """Everybody's lead at the end of each game that counted."""
    for match in group.matches:
        if match.counted and not match.pairing.is_self:
            points = [seat.points for seat in match.result.seats]
            for seat, name in enumerate(match.players):
                yield name, lead_of(points, seat), match


# --- how games went -------------------------------------------------------------------------------
def decided_by_throws(
    games: Sequence[WorstGame], images: Mapping[str, str], seeds: Seeds, runner: Runner
) -> tuple[WorstGame, ...]:
    """Games of KNOBELN with what decided them: they are played again. `images`: digests by name.

    If our machinery fails, nobody knows what decided them.
    """
    jobs = [
        game_job(
            game.plan.round, Fixture.of(game.match), images, seeds, frozenset(game.match.players)
        )
        for game in games
    ]
    try:
        played: Sequence[GameResult] = carry_out(jobs, runner)
    except EngineFailed:
        return tuple(games)
    return tuple(
        _told(game, _scores_of_throws(result.moves), result.moves)
        if result.moves and result.digest == game.match.result.digest
        else game
        for game, result in zip(games, played, strict=True)
    )


def _scores_of_throws(throws: Sequence[Moves]) -> Scores:
    points = (throw_points(int(first), int(second)) for first, second in throws)  # type: ignore[arg-type]
    return list(
        accumulate(points, lambda sums, won: (sums[0] + won[0], sums[1] + won[1]), initial=(0, 0))
    )


def decided_by_moves(
    games: Sequence[WorstGame], rules: TextGame[Any, Any], seeds: Seeds
) -> tuple[WorstGame, ...]:
    """Games of programs that talk, with what decided them, by the moves that were kept."""
    return tuple(_decided_by_moves(game, rules, seeds) for game in games)


def _decided_by_moves(game: WorstGame, rules: TextGame[Any, Any], seeds: Seeds) -> WorstGame:
    match, moves = game.match, game.match.result.moves
    own_rules = rules.for_players(match.players, partial(seeds.below, "game"))
    if moves is None:
        return game
    try:
        positions, _ = played_by(own_rules, moves, job_of(match, game.plan.round, seeds))
    except Differs:
        return _told(game, (), ())
    rings = [own_rules.ring(position) for position in positions[1:]]
    return _told(game, list(map(own_rules.score, positions)), moves, rings)


def _told(
    game: WorstGame,
    scores: Scores,
    moves: Sequence[Moves],
    rings: Sequence[Ring | None] = (),
) -> WorstGame:
    """The game with what decided it."""
    players = game.match.players
    seat = players.index(game.entry)
    decided = decisive(scores, seat)
    turns = []
    for fall in decided.falls:
        done = moves[fall.turn - 1]
        against = _against(seat, len(players), rings[fall.turn - 1] if rings else None)
        acting = [other for other in (seat, *against) if done[other] is not None]
        told = tuple((players[other], recorded_text(done[other])) for other in acting)
        turns.append(DecisiveTurn(fall.turn, told, fall.by, fall.lead))
    return replace(game, turns=tuple(turns), alike=decided.alike)


def _against(seat: int, seats: int, ring: Ring | None) -> Sequence[int]:
    """The other seats that a turn was against this one: its opponent, or who shot at it."""
    if ring is None:
        return [other for other in range(seats) if other != seat]
    return [shooter for shooter, target in ring.arrows if target == seat]
