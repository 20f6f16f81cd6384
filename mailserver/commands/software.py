"""`SEND knobelnsoftware`: what a team tests a program with (K24, U14), once per address and hour (M62).

A registered team of KNOBELN gets the whole kit, or with the word `shar` behind it as a shell archive. Whoever
is no team gets the library alone: nothing large goes to strangers.
"""

from __future__ import annotations

from contest.config.sections import DEFAULT_GAME
from contest.config.settings import Settings
from contest.games.knobeln import rules_of
from contest.model import Team, TeamState
from contest.store import teams
from mailserver.attachments import kit, software
from mailserver.reading.subject import plain_subject
from mailserver.replies import HOUR, Command, LetterContext

_SHELL = "shar"
_FORMS = ("", "tar", _SHELL)


def recognises(subject: str, settings: Settings) -> bool:
    word = settings.contest.subject_word.casefold()
    asked = subject.replace(" ", "")
    return any(asked in (f"sendsoftware{form}", f"send{word}software{form}") for form in _FORMS)


def handle(context: LetterContext) -> str:
    team = teams.by_address(context.tx, context.writer)
    if team and team.state is TeamState.ACTIVE and context.settings.game.name == DEFAULT_GAME:
        return _send_kit(context, team)
    if context.has_answered("software", context.writer, HOUR):
        return "the software was sent within the last hour"
    programs = software(context.settings.game.name)
    sent = context.answer(
        "software", context.writer, attachments=programs, names=tuple(program.name for program in programs)
    )
    return "software sent" if sent else "too many answers to this address"


def _send_kit(context: LetterContext, team: Team) -> str:
    if context.has_answered("kit", team.address, HOUR):
        return "the kit was sent within the last hour"
    as_shell_archive = plain_subject(context.letter.subject).endswith(_SHELL)
    archive = kit(rules_of(context.settings.game), as_shell_archive=as_shell_archive)
    sent = context.answer(
        "kit",
        team.address,
        team_id=team.id,
        attachments=(archive,),
        archive=archive.name,
        is_shell_archive=as_shell_archive,
    )
    return f"kit sent to {team.name}" if sent else "too many answers to this address"


def _forms(settings: Settings) -> tuple[str, ...]:
    word = settings.contest.subject_word.lower()
    own = f"SEND {word}software"
    return (own, "send software") if settings.game.name == DEFAULT_GAME else ("send software", own)


COMMAND = Command("software", recognises, handle, _forms, harmless=True)
