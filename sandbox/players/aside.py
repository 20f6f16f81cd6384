"""The player for a program that is set aside (sandbox/aside.py): it is not asked, and has only faults."""

from __future__ import annotations

from dataclasses import dataclass

from contest.games.base import TextProtocol, Words
from contest.language import gettext
from sandbox.players import AnswerFault, AnswerFaultKind, PlayerUsage


@dataclass(frozen=True)
class AsidePlayer:
    protocol: TextProtocol

    def begin(self, seed: bytes = b"") -> None:
        """No program starts."""

    def move(self, question: Words) -> AnswerFault:
        sentence = gettext(
            "our engine failed again and again with this program, so it is not asked any more; this is not "
            "said to be its mistake"
        )
        return AnswerFault(AnswerFaultKind.ASIDE, sentence)

    def tell(self, words: Words) -> None:
        """Nobody listens."""

    def unasked_lines(self) -> int:
        return 0

    def usage(self) -> PlayerUsage:
        return PlayerUsage()

    def stderr_tail(self) -> str:
        return ""

    def misunderstood(self) -> None:
        """It never answers."""

    def close(self) -> None:
        """There is no process."""
