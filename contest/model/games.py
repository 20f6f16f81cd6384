"""Games: jobs, results, verdicts and faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import Field


class Verdict(StrEnum):
    """How a player left a game. INTERNAL is our fault and never counts against a team.

    ASIDE is our fault, too, but it comes again and again with this one program. So that the day can
    go on, the program is not asked, and its games count as failed.
    """

    OK = "OK"
    TIME = "TIME"  # more instructions than the limit
    MEMORY = "MEMORY"  # the stack left the memory
    CRASH = "CRASH"  # any other fault of the machine
    ILLEGAL_MOVE = "ILLEGAL_MOVE"  # out of range, or a drop in a series that is too short
    PROTOCOL = "PROTOCOL"  # left before the last throw, or called a service that does not exist
    ASIDE = "ASIDE"
    INTERNAL = "INTERNAL"

    @property
    def is_charged(self) -> bool:
        """Whether the game counts as failed for the player; with INTERNAL it does not (K75)."""
        return self not in (Verdict.OK, Verdict.INTERNAL)


_OK = Verdict.OK  # an enumeration takes its time to look its members up


@dataclass(frozen=True)
class Fault:
    """What a player did that the rules forbid, in a sentence for its team."""

    turn: int  # the turn in which it happened, from 1; of KNOBELN the throw
    reason: str  # e.g. "throw 17 was 0, outside 1..12288"
    stderr_tail: str = ""  # the end of what it wrote to its standard error, for its own team only

    def __str__(self) -> str:
        wrote = f" (standard error: {self.stderr_tail})" if self.stderr_tail else ""
        return f"in turn {self.turn}: {self.reason}{wrote}"


class SeatUsage(NamedTuple):
    """What a program that is asked for moves used in a game, all its processes together. Memory in
    bytes."""

    answer_ms: tuple[int, ...]  # processor time of each answer; () where fuel is counted
    peak_memory: int  # of a program that plays many games: until then; 0 = nobody counted
    memory_limit: int
    answer_fuel: tuple[int, ...] = ()  # of each answer, in units; () where processor time is


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One side of one game.

    On the contest machine instructions are counted, and memory in bytes; for programs whose time is
    counted, units of fuel, and the memory of WebAssembly.
    """

    points: int
    verdict: Verdict  # of its first fault
    fault: Fault | None  # the first
    instructions: int = 0
    memory: int = 0  # most bytes of static data and stack in use
    faults: int = 0  # turns with a fault, in games that go on after one
    last_turn: int = 0  # the last turn in which it was asked for a move; in Standoff, when it fell
    stderr_tail: str = ""  # in a trial game only
    # Lines that it wrote unasked and that were dropped, for the reports on trial games and practice
    # alone.
    unasked: Annotated[int, Field(exclude=True)] = 0
    # It differs from one time to the next, so it is in no archive and makes no other result.
    usage: Annotated[SeatUsage | None, Field(exclude=True)] = field(default=None, compare=False)


@dataclass(frozen=True)
class Missing:
    """Recorded instead of the move of a seat that was at fault."""

    instead: str = ""  # the move that the rules made for it, as text; "" = none
    kind: str = ""  # the kind of the fault (sandbox.players.AnswerFaultKind); "" = not known


@dataclass(frozen=True)
class Changed:
    """Recorded for a move that chance changed: the player's own, and what happened, both as
    text."""

    move: str
    instead: str

    def __str__(self) -> str:
        return f"{self.move}>{self.instead}"


Moves = tuple[int | str | Changed | Missing | None, ...]
"""What each seat did in a turn: a throw, or a move as text; None if it was not asked."""


def recorded_text(move: int | str | Changed | Missing | None) -> str:
    """Return a recorded move as text: `!` marks a fault, before what the rules did instead; `-` was
    not asked; `C>B` was a C, of which chance made a B."""
    if isinstance(move, Missing):
        return f"!{move.instead}"
    return "-" if move is None else str(move)


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game, seat by seat. `moves` is None unless the job asked for a protocol."""

    seats: tuple[SeatResult, ...]
    turns: int  # that were played to their end
    digest: str  # 16 hex digits over all moves, to compare a replay with
    moves: Sequence[Moves] | None = None
    is_whole: bool = True  # a trial that took too long is not: its points say nothing

    @property
    def is_flawless(self) -> bool:
        """Nobody was at fault."""
        for seat in self.seats:  # noqa: SIM110 - `all` takes twice as long, and this is asked often
            if seat.verdict is not _OK:
                return False
        return True


@dataclass(frozen=True)
class GameJob:
    """A game to be played, seat by seat: programs by the digests of their images, and random
    streams."""

    images: tuple[str, ...]
    streams: tuple[bytes, ...]  # 16 bytes each
    protocol: bool = False
    names: tuple[str, ...] = ()  # of the players, for games that tell them
    # of a text game: broken off when it takes long; the result has the stderr tails
    is_trial: bool = False
