"""The player for a program that is set aside (sandbox/executable.py): it is not asked, and only fails."""

from __future__ import annotations

from dataclasses import dataclass

from contest.games.game import TextProtocol, Words
from contest.language import gettext
from sandbox.players import AnswerFault, AnswerFaultKind, Player


@dataclass(frozen=True)
class AsidePlayer(Player):
    protocol: TextProtocol

    def move(self, question: Words) -> AnswerFault:
        sentence = gettext(
            "our engine failed again and again with this program, so it is not asked any more; this is not "
            "said to be its mistake"
        )
        return AnswerFault(AnswerFaultKind.ASIDE, sentence)
