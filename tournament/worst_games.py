"""What decided everybody's worst game in a group. Pure but for the runner that plays games again.

A player's *lead* is its score less that of the best other player. Its worst game is the one that
ended with its smallest lead; of equal ones the first. A turn decided the game if the lead fell by
it more than by any other turn: the three that it fell by most are told, of equal ones the first.

The score is what `TextGame.score` says; of KNOBELN it is the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate, starmap
from operator import sub
from typing import Any, NamedTuple

from contest.errors import Differs, EngineFailed
from contest.games.drawing import Ring
from contest.games.game import TextGame
from contest.games.knobeln import ThrowLines, throw_points
from contest.interfaces.protocols import Runner
from contest.model import (
    DecisiveTurn,
    GameResult,
    GroupOutcome,
    Match,
    Moves,
    WorstGame,
    recorded_text,
)
from contest.seeds import Seeds
from tournament.referee import Fixture, carry_out, game_job
from tournament.runners.recorded import job_of, played_by

DECISIVE_TURNS = 3
_GAMES_AT_ONCE = 100  # whose throws are in memory

Leads = Sequence[int]
"""How far a seat is ahead, before the first turn and after each."""


# --- the rules ------------------------------------------------------------------------------------
def lead_of(scores: Sequence[int], seat: int) -> int:
    """How far this seat is ahead of the best other one; below 0 it is behind."""
    return scores[seat] - max((*scores[:seat], *scores[seat + 1 :]))


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


def decisive(leads: Leads) -> Decisive:
    """What decided a game with these leads."""
    drops = [*map(sub, leads, leads[1:])]
    places = [place for place, drop in enumerate(drops) if drop > 0]
    # of equal ones the first, as a sort keeps their order
    greatest = sorted(places, key=drops.__getitem__, reverse=True)[:DECISIVE_TURNS]
    told = sorted(greatest)
    falls = tuple(Fall(place + 1, drops[place], leads[place + 1]) for place in told)
    least = min((fall.by for fall in falls), default=0)
    alike = drops.count(least) - sum(fall.by == least for fall in falls) if falls else 0
    return Decisive(falls, alike)


def worst_games(group: GroupOutcome) -> tuple[WorstGame, ...]:
    """The worst game of each member, as far as one counted, without what decided it, and with the
    whole plan of the group. Games against oneself are none."""
    worst: dict[str, tuple[int, Match]] = {}
    for name, lead, match in _endings(group):
        if name not in worst or lead < worst[name][0]:
            worst[name] = lead, match
    return tuple(WorstGame(name, group.plan, match) for name, (_, match) in worst.items())


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
    """Games of KNOBELN with what decided them: those that were not recorded are played again.
    `images`: digests by name.

    If our machinery fails, nobody knows what decided them.
    """
    decided = [_decided_by_throws(game, game.match.result) for game in games if _is_recorded(game)]
    others = [game for game in games if not _is_recorded(game)]
    for start in range(0, len(others), _GAMES_AT_ONCE):
        some = others[start : start + _GAMES_AT_ONCE]
        try:
            decided.extend(_played_again(some, images, seeds, runner))
        except EngineFailed:
            decided.extend(some)
    return tuple(decided)


def _played_again(
    games: Sequence[WorstGame], images: Mapping[str, str], seeds: Seeds, runner: Runner
) -> Iterable[WorstGame]:
    jobs = [
        game_job(
            game.plan.round, Fixture.of(game.match), images, seeds, frozenset(game.match.players)
        )
        for game in games
    ]
    results: Sequence[GameResult] = carry_out(jobs, runner)
    return map(_decided_by_throws, games, results)


def _is_recorded(game: WorstGame) -> bool:
    return game.match.result.moves is not None


def _decided_by_throws(game: WorstGame, result: GameResult) -> WorstGame:
    """The game with what decided it, if this result is its own."""
    if result.moves is None or result.digest != game.match.result.digest:
        return game
    throws = _in_words(result.moves)
    leads = [*accumulate(starmap(_gain, throws), initial=0)]
    is_first = _seat_of(game) == 0
    return _told(game, leads if is_first else [-lead for lead in leads], throws)


def _in_words(throws: Sequence[Moves]) -> Sequence[tuple[str, str]]:
    if isinstance(throws, ThrowLines):
        return throws.words
    return [(recorded_text(first), recorded_text(second)) for first, second in throws]


@lru_cache(maxsize=65_536)  # the same throws come again and again
def _gain(first: str, second: str) -> int:
    """Of the first player in a throw."""
    own, others = throw_points(int(first), int(second))
    return own - others


def _seat_of(game: WorstGame) -> int:
    return game.match.players.index(game.entry)


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
        return game
    leads = [lead_of(own_rules.score(position), _seat_of(game)) for position in positions]
    rings = [own_rules.ring(position) for position in positions[1:]]
    return _told(game, leads, moves, rings)


def _told(
    game: WorstGame,
    leads: Leads,
    moves: Sequence[Moves],
    rings: Sequence[Ring | None] = (),
) -> WorstGame:
    """The game with what decided it."""
    players = game.match.players
    seat = _seat_of(game)
    decided = decisive(leads)
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
