"""Check recorded games against the rules, without asking a program again.

The program of a text game may decide by the clock, or by chance of its own, so its moves can be recorded but
not computed. Everything else follows from the moves and the contest seed and is checked here: whose turn it
was, whether the rules allowed the move, what they did for a missing one, the points, and the digest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from contest.errors import Differs
from contest.games.base import TextGame
from contest.language import SOURCE, speaking
from contest.model import Fault, GameJob, GameResult, GroupOutcome, Match, Missing, Moves
from contest.protocols import ProgressCallback, Runner, no_progress
from contest.sanitize import sanitize
from contest.seeds import Seeds
from sandbox import players
from sandbox.players import AnswerFaultKind
from tournament.referee import Fixture, game_job
from tournament.runners.text_result import game_result
from tournament.text_referee import TextGameResult, Turn, drawer, move_text, steps


class RecordedRunner:
    """Gives each game its recorded result, after checking it; implements contest.protocols.Runner.

    So the referee does with it what it did on the contest day.
    """

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
        """The results, in the order of the jobs. Raises Differs if one is missing or cannot be true."""
        return [self._result(job) for job in jobs]

    def _result(self, job: GameJob) -> GameResult:
        match = self._matches.get(job.streams)
        if match is None:
            raise Differs(f"a game of {' and '.join(job.names)} is missing, but the rules require it")
        check_game(self._rules, match, job, self._seeds)
        self._progress(1)
        return match.result


@contextmanager
def with_recorded_results(
    opening: AbstractContextManager[Runner], recorded: GroupOutcome, changed: Container[str], seeds: Seeds
) -> Iterator[Runner]:
    """The runner, but for the games of images that are not as they played: these have their recorded results.

    `changed`: the digests of these images.
    """
    with opening as runner:
        yield _PartlyRecordedRunner(runner, recorded, changed, seeds)


class _PartlyRecordedRunner:
    def __init__(self, runner: Runner, recorded: GroupOutcome, changed: Container[str], seeds: Seeds) -> None:
        self._runner = runner
        self._changed = changed
        self._results = {
            job_of(match, recorded.plan.round, seeds).streams: match.result for match in recorded.matches
        }

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """A game that is not recorded, such as one of a final that is played again, is played."""
        believed = {
            at: self._results[job.streams]
            for at, job in enumerate(jobs)
            if job.streams in self._results and any(image in self._changed for image in job.images)
        }
        played = iter(self._runner.play([job for at, job in enumerate(jobs) if at not in believed]))
        return [believed[at] if at in believed else next(played) for at in range(len(jobs))]


def job_of(match: Match, round_number: int, seeds: Seeds) -> GameJob:
    """The game with its players and random streams, but without programs."""
    return game_job(round_number, Fixture.of(match), defaultdict(str), seeds, frozenset())


def results_by_streams(
    round_number: int, groups: Iterable[GroupOutcome], seeds: Seeds
) -> dict[tuple[bytes, ...], GameResult]:
    """The results of all games of these groups by their random streams, which are different in every game."""
    return {
        job_of(match, round_number, seeds).streams: match.result
        for group in groups
        for match in group.matches
    }


def check_game(rules: TextGame[Any, Any], match: Match, job: GameJob, seeds: Seeds) -> None:
    """Raises Differs unless the moves that were kept of this game give its result by the rules."""
    try:
        check_result(rules, match.result, job, seeds)
    except Differs as error:
        raise Differs(f"{_name(match)}: {error}") from None


def check_result(rules: TextGame[Any, Any], kept: GameResult, job: GameJob, seeds: Seeds) -> None:
    """Raises Differs unless the result's moves give it by the rules."""
    if kept.moves is None:
        raise Differs("its moves were not kept, so nobody can check it")
    game = rules.for_players(job.names, partial(seeds.below, "game"))
    with speaking(SOURCE):  # whoever checks is told in English what differs
        _compare(kept, game_result(_played(game, tuple(kept.moves), job), with_moves=True))


def _name(match: Match) -> str:
    attempt = f", attempt {match.attempt}" if match.attempt > 1 else ""
    return f"{' against '.join(match.players)}, game {match.game}{attempt}"


def _compare(kept: GameResult, computed: GameResult) -> None:
    kept, computed = _comparable(kept), _comparable(computed)
    for what, recorded, by_rules in (
        ("the points are", _joined(s.points for s in kept.seats), _joined(s.points for s in computed.seats)),
        (
            "the verdicts are",
            _joined(s.verdict for s in kept.seats),
            _joined(s.verdict for s in computed.seats),
        ),
        ("the number of turns is", kept.turns, computed.turns),
        ("the digest is", sanitize(kept.digest), computed.digest),
    ):
        if recorded != by_rules:
            raise Differs(f"{what} {recorded} in the archive, but {by_rules} by the rules")
    if kept.moves != computed.moves:
        raise Differs("the rules made other moves instead of missing ones")
    if kept != computed:
        raise Differs("what is said of the players' turns and faults is not so by the rules")


def _joined(values: Iterable[object]) -> str:
    return ":".join(map(str, values))


def _comparable(result: GameResult) -> GameResult:
    """Without the sentences about faults, which are not kept for everybody, and what was counted while it was
    played; the moves as a tuple."""
    seats = tuple(
        replace(seat, fault=seat.fault and Fault(seat.fault.turn, ""), instructions=0, memory=0)
        for seat in result.seats
    )
    return replace(result, seats=seats, moves=None if result.moves is None else tuple(result.moves))


def _played(game: TextGame[Any, Any], moves: Sequence[Moves], job: GameJob) -> TextGameResult:
    """The game by these moves. Raises Differs where they break the rules."""
    position, turns = game.start(len(job.names)), list[Turn]()

    def turn_by_record(position: Any, seats: frozenset[int]) -> Turn:
        number = len(turns) + 1
        if number > len(moves):
            raise Differs(f"it is not over after turn {len(moves)}, its last")
        return _turn(game, position, seats, moves[number - 1], number)

    for step in steps(game, position, drawer(job.streams), turn_by_record):
        position = step.position
        turns.append(step.turn)
    if len(moves) > len(turns):
        raise Differs(f"turn {len(turns) + 1} comes after its end")
    return TextGameResult(game.points(position), tuple(turns))


def _turn(game: TextGame[Any, Any], position: Any, seats: frozenset[int], kept: Moves, number: int) -> Turn:
    acting = {seat for seat, move in enumerate(kept) if move is not None}
    if acting != seats:
        raise Differs(f"in turn {number} the seats {_seats(seats)} move, not {_seats(acting)}")
    faults = {seat: _fault(kept[seat], number) for seat in acting if isinstance(kept[seat], Missing)}
    done = {seat: _move(game, position, seat, kept[seat], number) for seat in sorted(acting - faults.keys())}
    return Turn(done, faults)


def _seats(seats: frozenset[int] | set[int]) -> str:
    return " and ".join(str(seat + 1) for seat in sorted(seats)) or "of nobody"


def _fault(move: Any, number: int) -> players.AnswerFault:
    try:
        return players.AnswerFault(AnswerFaultKind(move.kind), "")
    except ValueError:
        raise Differs(f"in turn {number} there is a fault of an unknown kind") from None


def _move(game: TextGame[Any, Any], position: Any, seat: int, text: Any, number: int) -> Any:
    try:
        move = game.answer(position, seat, text)
    except (ValueError, TypeError, AttributeError):
        raise Differs(f"in turn {number} the answer of seat {seat + 1} is not a move") from None
    why_illegal = game.why_illegal(position, seat, move)
    if why_illegal is not None:
        raise Differs(f"in turn {number} the rules forbid the move of seat {seat + 1}: {why_illegal}")
    if move_text(move) != text:
        raise Differs(f"in turn {number} the move of seat {seat + 1} is not written as moves are")
    return move
