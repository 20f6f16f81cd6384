"""`SEND knobelnsoftware`: what a team tests a program with (K24, U14), once per address and hour (M62)."""

from __future__ import annotations

from knobeln.config import Settings
from mailserver.answering import HOUR, Command, Desk
from mailserver.library import software


def recognises(subject: str, settings: Settings) -> bool:
    word = settings.contest.subject_word.casefold()
    return subject.replace(" ", "") in ("sendsoftware", f"send{word}software")


def handle(desk: Desk) -> str:
    if desk.has_answered("software", desk.writer, HOUR):
        return "the software was sent within the last hour"
    programs = software(desk.settings.game.name)
    sent = desk.answer(
        "software", desk.writer, attachments=programs, names=tuple(program.name for program in programs)
    )
    return "software sent" if sent else "too many answers to this address"


COMMAND = Command("software", recognises, handle)
