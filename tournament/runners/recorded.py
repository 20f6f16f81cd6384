"""Check recorded games against the rules, without asking a program again.

The program of a text game may decide by the clock, or by chance of its own, so its moves can be
recorded but not computed. Everything else follows from the moves and the contest seed and is
checked here: whose turn it was, whether the rules allowed the move, what they did for a missing
one, the points, and the digest.

A program whose time is counted can be asked again. Then it plays against the recorded moves of the
others (RecordedPlayer), and `compare_counted` tells whether it did the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

from contest.errors import Differs
from contest.games.game import TextGame, TextProtocol, Words
from contest.language import SOURCE, speaking
from contest.model import Changed, Fault, GameJob, GameResult, Match, Missing, Moves
from contest.seeds import Seeds
from contest.util.sanitize import sanitize
from sandbox import players
from sandbox.players import AnswerFaultKind
from tournament.referee import Fixture, game_job
from tournament.runners.text_result import game_result
from tournament.text_referee import TextGameResult, Turn, drawer, move_text, steps

Asked = tuple[tuple[tuple[tuple[str, ...], ...] | None, ...], ...]
"""What programs were told in the games of a group, in its order, by seat, so that each can be asked
again.

None for a program that is not asked again. Each word of a question is a number, a blank and a text:
so many letters of this word in the question before, and then these. The questions of a program that
reads lines are followed by what it was told at the end.
"""


@dataclass
class RecordedPlayer(players.Player):
    """Gives the moves that were recorded for a seat of one game."""

    protocol: TextProtocol
    moves: Iterator[Any]

    @classmethod
    def at(cls, seat: int, recorded: Iterable[Moves], protocol: TextProtocol) -> RecordedPlayer:
        return cls(protocol, iter([moves[seat] for moves in recorded if moves[seat] is not None]))

    def move(self, question: Words) -> str | players.AnswerFault:
        # another game than was recorded
        move = next(self.moves, Missing("", AnswerFaultKind.NO_ANSWER))
        if isinstance(move, Missing):
            return players.AnswerFault(AnswerFaultKind(move.kind), "")
        return str(_own(move))


def job_of(match: Match, round_number: int, seeds: Seeds) -> GameJob:
    """The game with its players and random streams, but without programs."""
    return game_job(round_number, Fixture.of(match), defaultdict(str), seeds, frozenset())


def check_result(
    rules: TextGame[Any, Any],
    recorded: GameResult,
    job: GameJob,
    seeds: Seeds,
    counted: Container[int] = (),
) -> None:
    """Raises Differs unless the result's moves give it by the rules.

    `counted`: the seats of programs whose time is counted; how much they used does not follow from
    the moves.
    """
    if recorded.moves is None:
        raise Differs("its moves were not kept, so nobody can check it")
    game = rules.for_players(job.names, partial(seeds.below, "game"))
    with speaking(SOURCE):  # whoever checks is told in English what differs
        positions, turns = played_by(game, recorded.moves, job)
        by_rules = TextGameResult(game.points(positions[-1]), tuple(turns))
        played = game_result(by_rules, with_moves=True)
        _compare(_comparable(recorded, counted), _comparable(played, counted))


def compare_counted(
    names: Sequence[str], recorded: GameResult, computed: GameResult, counted: Container[int]
) -> None:
    """Raises Differs unless the programs at these seats did the same, and used as much, as was
    recorded.

    `recorded`: a result that keeps to the rules.
    """
    turns = zip_longest(recorded.moves or (), computed.moves or ())
    for turn, (theirs, ours) in enumerate(turns, start=1):
        if theirs == ours:
            continue
        for seat in range(len(names)):
            stated = theirs[seat] if theirs else None
            done = ours[seat] if ours else None
            if stated != done and seat in counted:
                raise Differs(
                    f"in turn {turn}, {names[seat]}'s program: archived {_done(stated)}, but it did"
                    f" {_done(done)} here"
                )
        raise Differs(f"turn {turn} is another one here")
    for seat, (archived, played) in enumerate(zip(recorded.seats, computed.seats, strict=True)):
        if seat in counted:
            for what, before, here in (
                ("units", archived.instructions, played.instructions),
                ("bytes of memory", archived.memory, played.memory),
            ):
                if before != here:
                    raise Differs(
                        f"{names[seat]}'s program: archived {before:,} {what}, but it used {here:,}"
                        " here"
                    )


def _done(move: object) -> str:
    if isinstance(move, Missing):
        return f"no move ({sanitize(move.kind)})"
    return "nothing" if move is None else sanitize(str(move))


def was_aside(moves: Iterable[Moves], seat: int) -> bool:
    """Whether the program at this seat was set aside before the game, so that it was never
    asked."""
    done = [turn[seat] for turn in moves if turn[seat] is not None]
    return bool(done) and all(
        isinstance(move, Missing) and move.kind == AnswerFaultKind.ASIDE for move in done
    )


def name_of(match: Match) -> str:
    """The players, the game and the attempt, in a few words."""
    number = f", game {match.game}" if max(match.pairing.games, match.pairing.most) > 1 else ""
    attempt = f", attempt {match.attempt}" if match.attempt > 1 else ""
    return f"{' against '.join(match.players)}{number}{attempt}"


def asked(
    rules: TextGame[Any, Any], match: Match, round_number: int, seeds: Seeds, names: Container[str]
) -> Iterator[tuple[tuple[str, ...], ...] | None]:
    """What these entries were told in a game whose moves keep to the rules, by seat."""
    moves, job = match.result.moves or (), job_of(match, round_number, seeds)
    game = rules.for_players(job.names, partial(seeds.below, "game"))
    protocol = rules.info.protocols[0]
    positions, _ = played_by(game, moves, job)
    for seat, name in enumerate(job.names):
        if name not in names or was_aside(moves, seat):
            yield None
            continue
        turns = zip(positions, moves, strict=False)  # nobody is asked in the last position
        messages = [
            game.question(position, seat, protocol)
            for position, done in turns
            if done[seat] is not None
        ]
        if protocol is TextProtocol.STDIO:
            messages.append(game.game_over_message(positions[-1], seat))
        yield tuple(_questions(messages))


def _questions(questions: Iterable[Words]) -> Iterator[tuple[str, ...]]:
    """The words of each question, without what begins as in the question before."""
    before: Sequence[str] = ()
    for question in questions:
        words = players.as_text(question)
        olds = (*before, *[""] * len(words))
        yield tuple(_shortened(word, old) for word, old in zip(words, olds, strict=False))
        before = words


def _shortened(word: str, before: str) -> str:
    pairs = enumerate(zip(word, before, strict=False))
    same = next((index for index, (a, b) in pairs if a != b), min(len(word), len(before)))
    return f"{same} {word[same:]}"


def _compare(archived: GameResult, computed: GameResult) -> None:
    for what, recorded, by_rules in (
        ("the points are", _points(archived), _points(computed)),
        ("the verdicts are", _verdicts(archived), _verdicts(computed)),
        ("the number of turns is", archived.turns, computed.turns),
        ("the digest is", sanitize(archived.digest), computed.digest),
    ):
        if recorded != by_rules:
            raise Differs(f"{what} {recorded} in the archive, but {by_rules} by the rules")
    if archived.moves != computed.moves:
        raise Differs("the rules, or chance, made other moves instead")
    if archived != computed:
        raise Differs("what is said of the players' turns and faults is not so by the rules")


def _points(result: GameResult) -> str:
    return _joined(seat.points for seat in result.seats)


def _verdicts(result: GameResult) -> str:
    return _joined(seat.verdict for seat in result.seats)


def _joined(values: Iterable[object]) -> str:
    return ":".join(map(str, values))


def _comparable(result: GameResult, counted: Container[int]) -> GameResult:
    """The result with its moves as a tuple, without the sentences about faults, which not everybody
    has.

    `counted`: the seats whose instructions and memory are left out, too.
    """
    seats = tuple(
        replace(
            seat_result,
            fault=seat_result.fault and Fault(seat_result.fault.turn, ""),
            instructions=0 if seat in counted else seat_result.instructions,
            memory=0 if seat in counted else seat_result.memory,
        )
        for seat, seat_result in enumerate(result.seats)
    )
    return replace(result, seats=seats, moves=None if result.moves is None else tuple(result.moves))


def played_by(
    game: TextGame[Any, Any], moves: Sequence[Moves], job: GameJob
) -> tuple[list[Any], list[Turn]]:
    """The positions, from the start on, and the turns of a game with these moves.

    Raises Differs where they break the rules.
    """
    positions, turns = [game.start(len(job.names))], list[Turn]()

    def turn_by_record(position: Any, seats: frozenset[int]) -> Turn:
        number = len(turns) + 1
        if number > len(moves):
            raise Differs(f"it is not over after turn {len(moves)}, its last")
        return _turn(game, position, seats, moves[number - 1], number)

    for turn, position in steps(game, positions[0], drawer(job.streams), turn_by_record):
        positions.append(position)
        turns.append(turn)
    if len(moves) > len(turns):
        raise Differs(f"turn {len(turns) + 1} comes after its end")
    return positions, turns


def _turn(
    game: TextGame[Any, Any], position: Any, seats: frozenset[int], moves: Moves, number: int
) -> Turn:
    acting = {seat for seat, move in enumerate(moves) if move is not None}
    if acting != seats:
        raise Differs(f"in turn {number} the seats {_seats(seats)} move, not {_seats(acting)}")
    faults = {
        seat: _fault(moves[seat], number) for seat in acting if isinstance(moves[seat], Missing)
    }
    own = {seat: _own(moves[seat]) for seat in sorted(acting - faults.keys())}
    done = {seat: _move(game, position, seat, text, number) for seat, text in own.items()}
    return Turn(done, faults)


def _own(move: object) -> object:
    """The player's own move, before chance changed it."""
    return move.move if isinstance(move, Changed) else move


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
        raise Differs(
            f"in turn {number} the rules forbid the move of seat {seat + 1}: {why_illegal}"
        )
    if move_text(move) != text:
        raise Differs(f"in turn {number} the move of seat {seat + 1} is not written as moves are")
    return move
