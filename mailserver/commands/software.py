"""`SEND knobelnsoftware`: what a team needs to test a strategy (K24), once per address and hour (M62)."""

from __future__ import annotations

from knobeln.config import Settings
from mailserver.answering import HOUR, Command, Desk
from mailserver.library import library


def recognises(subject: str, settings: Settings) -> bool:
    return subject.replace(" ", "") == f"send{settings.contest.subject_word.casefold()}software"


def handle(desk: Desk) -> str:
    if desk.has_answered("software", desk.writer, HOUR):
        return "the software was sent within the last hour"
    sent = desk.answer("software", desk.writer, attachments=(library(),))
    return "software sent" if sent else "too many answers to this address"


COMMAND = Command("software", recognises, handle)
