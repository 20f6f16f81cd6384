"""Players: programs of any language that are asked for their moves, each dialogue in a module of its own.

    LINES      one process through many games; one that crashed or was late is started again for the next game
    ARGUMENTS  a new box for every move
    FUNCTION   a Python function, called in one process; one that was lost is started again for the next move

(A TABLE is made once, before the contest: table.py.) What a program does wrong is a Fault and never raised;
ToolMissing means that the jail is not to be had.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from contest.games.base import TextProtocol, Words
from sandbox.process import Ended

ANSWER_BYTES = 4_096  # a longer answer is none


class FaultKind(StrEnum):
    """What was wrong with a move; the last two are found by the rules, the others by listening."""

    LATE = "late"
    CRASH = "crash"
    NO_ANSWER = "no answer"
    TOO_LONG = "too long"
    UNREADABLE = "unreadable"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class Fault:
    """`sentence` is for the program's team, and may quote it; `said` is the end of its standard error, 4 kB.

    Both are foreign text: what shows them takes care of control characters.
    """

    kind: FaultKind
    sentence: str
    said: str = ""


class Player(Protocol):
    """A program at a seat. To be closed, by the thread that made its first move."""

    @property
    def protocol(self) -> TextProtocol: ...

    def begin(self) -> None:
        """A new game begins."""

    def move(self, question: Words) -> str | Fault:
        """Its answer to the question, in time; without blanks at its ends."""

    def tell(self, words: Words) -> None:
        """Something that is not answered (the game is over)."""

    def said(self) -> str:
        """The end of what it has written to standard error so far, 4 kB; foreign text."""

    def misunderstood(self) -> None:
        """Its last answer made no sense: it may be out of step."""

    def close(self) -> None:
        """No process of it is left."""


def spoken(question: Words) -> list[str]:
    """The words as a program reads them."""
    return [str(word) for word in question]


def late(seconds: float, ended: Ended) -> Fault:
    return Fault(FaultKind.LATE, f"there was no answer within {seconds:g} s", said(ended))


def too_long(ended: Ended) -> Fault:
    return Fault(FaultKind.TOO_LONG, f"the answer has more than {ANSWER_BYTES:,} bytes", said(ended))


def crash(ended: Ended) -> Fault:
    return Fault(FaultKind.CRASH, f"the program {ended.words} instead of answering", said(ended))


def said(ended: Ended) -> str:
    return words(ended.stderr)


def words(stderr: bytes) -> str:
    return stderr.decode(errors="replace").strip()
