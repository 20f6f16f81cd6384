"""`subscribe`: there is no list of readers. The answer says where the news of the contest are.

It changes nothing, so some words may follow, as mailing lists want them.
"""

from __future__ import annotations

import re

from contest.config.settings import Settings
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision
from mailserver.limits import HOUR, Limit

_ASKS = re.compile(r"(?:please )?subscribe:?(?: \S+){0,4}", re.IGNORECASE)


def _subscribe(context: LetterContext, _arguments: Arguments) -> Decision:
    return Decision(
        "somebody wants to subscribe",
        Answer("subscribe", context.writer, once_in=HOUR),
    )


def _in_subject(subject: str, _settings: Settings) -> Arguments | None:
    return () if _ASKS.fullmatch(subject) else None


COMMAND = Command(
    "subscribe",
    _subscribe,
    lambda settings: ("subscribe",),
    reads=_in_subject,
    answers={"subscribe": Limit.DROP},
)
