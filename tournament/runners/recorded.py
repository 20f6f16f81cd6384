"""Games whose moves were written down, held to the rules without asking a program again.

A program that is asked in words may think by the clock, or by chance of its own: what it did can be written
down, not computed. Everything else follows from the moves and the contest seed, and is checked here: whose
turn it was, whether the rules allowed the move, what they did in the place of a missing one, the points, and
the digest of the game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from contest.errors import Differs
from contest.games.base import TextGame
from contest.model import Fault, GameJob, GameResult, GroupOutcome, Match, Missing, Moves
from contest.protocols import ProgressCallback, no_progress
from contest.seeds import Seeds
from sandbox import players
from sandbox.players import FaultKind
from tournament.referee import game_job
from tournament.runners.text import drawer, game_result, move_text
from tournament.text_referee import TextGameResult, Turn


class RecordedArena:
    """Gives each game the result that was written down for it, after it was held to the rules; implements
    contest.protocols.Runner, so that the referee does with it what it did on the contest day."""

    def __init__(
        self,
        recorded: GroupOutcome,
        rules: TextGame[Any, Any],
        seeds: Seeds,
        progress: ProgressCallback = no_progress,
    ) -> None:
        self._rules = rules
        self._seeds = seeds
        self._progress = progress
        self._matches = {
            job_of(match, recorded.plan.round, seeds).streams: match for match in recorded.matches
        }

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises Differs where one is missing, or cannot be true."""
        return [self._result(job) for job in jobs]

    def _result(self, job: GameJob) -> GameResult:
        match = self._matches.get(job.streams)
        if match is None:
            raise Differs(
                f"a game of {' and '.join(job.names)} is missing, which the rules want to be played"
            )
        check_game(self._rules, match, job, self._seeds)
        self._progress(1)
        return match.result


def job_of(match: Match, round_number: int, seeds: Seeds) -> GameJob:
    """The game with its players and random streams, but no program."""
    game = (match.pairing, match.game, match.attempt)
    return game_job(round_number, game, defaultdict(str), seeds, frozenset())


def check_game(rules: TextGame[Any, Any], match: Match, job: GameJob, seeds: Seeds) -> None:
    """Raises Differs unless the moves that were kept of this game give its result by the rules."""
    kept = match.result
    if kept.moves is None:
        raise Differs(f"{_name(match)}: its moves were not kept, so nobody can check it")
    game = rules.for_players(job.names, partial(seeds.below, "game"))
    try:
        played = _played(game, kept.moves, len(job.names), job)
    except Differs as error:
        raise Differs(f"{_name(match)}: {error}") from None
    _compare(match, game_result(played, with_moves=True))


def _name(match: Match) -> str:
    attempt = f", attempt {match.attempt}" if match.attempt > 1 else ""
    return f"{' against '.join(match.players)}, game {match.game}{attempt}"


def _compare(match: Match, computed: GameResult) -> None:
    kept, computed = _without_words(match.result), _without_words(computed)
    for what, said, is_so in (
        ("the points are", [s.points for s in kept.seats], [s.points for s in computed.seats]),
        ("the verdicts are", [str(s.verdict) for s in kept.seats], [str(s.verdict) for s in computed.seats]),
        ("the number of turns is", kept.turns, computed.turns),
        ("the digest is", kept.digest, computed.digest),
        ("the moves are", kept.moves, computed.moves),
        ("the players did", kept.seats, computed.seats),
    ):
        if said != is_so:
            raise Differs(f"{_name(match)}: {what} said to be {said}, but by the rules {is_so}")


def _without_words(result: GameResult) -> GameResult:
    """Without what faults are called, which is not kept for everybody; the moves as one kind of sequence."""
    seats = tuple(replace(seat, fault=seat.fault and Fault(seat.fault.turn, "")) for seat in result.seats)
    return replace(result, seats=seats, moves=result.moves and tuple(result.moves))


def _played(game: TextGame[Any, Any], moves: Sequence[Moves], seats: int, job: GameJob) -> TextGameResult:
    """The game by these moves."""
    position, turns, draw = game.start(seats), list[Turn](), drawer(job.streams)
    for number, kept in enumerate(moves, start=1):
        turn = _turn(game, position, kept, number)
        position = (
            game.apply_with_faults(position, turn.moves, draw)
            if turn.faults
            else game.apply(position, turn.moves)
        )
        made = {seat: game.replacement_move(position, seat) for seat in turn.faults}
        turns.append(replace(turn, instead={seat: move for seat, move in made.items() if move is not None}))
    if game.players_to_move(position):
        raise Differs(f"it is not over after turn {len(moves)}, its last")
    return TextGameResult(game.points(position), tuple(turns))


def _turn(game: TextGame[Any, Any], position: Any, kept: Moves, number: int) -> Turn:
    players_to_move = game.players_to_move(position)
    acting = {seat for seat, move in enumerate(kept) if move is not None}
    if not players_to_move:
        raise Differs(f"turn {number} comes after its end")
    if acting != players_to_move:
        raise Differs(f"in turn {number} the seats {_seats(players_to_move)} move, not {_seats(acting)}")
    faults = {seat: _fault(kept[seat], number) for seat in acting if isinstance(kept[seat], Missing)}
    done = {seat: _move(game, position, seat, kept[seat], number) for seat in sorted(acting - faults.keys())}
    return Turn(done, faults)


def _seats(seats: frozenset[int] | set[int]) -> str:
    return " and ".join(str(seat + 1) for seat in sorted(seats)) or "of nobody"


def _fault(move: Any, number: int) -> players.Fault:
    try:
        return players.Fault(FaultKind(move.kind), "")
    except ValueError:
        raise Differs(f"in turn {number} there is a fault of an unknown kind") from None


def _move(game: TextGame[Any, Any], position: Any, seat: int, text: Any, number: int) -> Any:
    try:
        move = game.answer(position, seat, text)
    except (ValueError, TypeError, AttributeError):
        raise Differs(f"in turn {number} what seat {seat + 1} did is no move") from None
    why_illegal = game.why_illegal(position, seat, move)
    if why_illegal is not None:
        raise Differs(f"in turn {number} the rules forbid what seat {seat + 1} did: {why_illegal}")
    if move_text(move) != text:
        raise Differs(f"in turn {number} the move of seat {seat + 1} is not written as moves are")
    return move
