"""No command that we know: the help text, once per address and day (M61)."""

from __future__ import annotations

from knobeln.config import Settings
from knobeln.form import sample
from mailserver.answering import DAY, Command, Desk


def recognises(_subject: str, _settings: Settings) -> bool:
    return True


def handle(desk: Desk) -> str:
    if desk.has_answered("help", desk.writer, DAY):
        return "unknown subject; help was sent within the last 24 hours"
    sent = desk.answer("help", desk.writer, form=sample(desk.settings).text)
    return "unknown subject; help sent" if sent else "unknown subject; too many answers to this address"


COMMAND = Command("unknown", recognises, handle)
