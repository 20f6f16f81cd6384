"""`SEND knobelnsoftware`: what a team tests a program with (K24, U14), once per address and hour (M62).

A registered team gets the complete kit if the game has one; the word `shar` after the command asks for a
shell archive. Nobody else gets more than the library or the sample programs: nothing large goes to strangers.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.model import Team, TeamState
from contest.store import teams
from knobellib.kits import kit_of
from mailserver.attachments import packed, software
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import HOUR, Limit

_SHELL_ARCHIVE = "shar"


class SendSoftware(Command):
    """Its argument is the kind of archive: `tar` or `shar`."""

    name = "software"
    read_only = True
    answers = by_template(software=Limit.DROP, kit=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        own = f"SEND {settings.contest.subject_word.lower()}software"
        return (own, "send software") if _info(settings).play.is_in_c else ("send software", own)

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        word = settings.contest.subject_word.casefold()
        asked = subject.casefold().replace(" ", "")
        for kind in ("", "tar", _SHELL_ARCHIVE):
            if asked in (f"sendsoftware{kind}", f"send{word}software{kind}"):
                return (kind,) if kind else ()
        return None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        team = teams.by_address(context.tx, context.writer)
        info = _info(context.settings)
        if team and team.state is TeamState.ACTIVE and info.has_kit:
            return self._send_kit(context, team, as_shell_archive=arguments == (_SHELL_ARCHIVE,))
        programs = software(info)
        return context.answer(
            "software",
            context.writer,
            note="the software is asked for",
            once_in=HOUR,
            attachments=programs,
            names=tuple(program.name for program in programs),
        )

    def _send_kit(self, context: LetterContext, team: Team, *, as_shell_archive: bool) -> str:
        kit = kit_of(context.settings)
        archive = packed(kit, as_shell_archive=as_shell_archive)
        return context.answer(
            "kit",
            team.address,
            note=f"{team.name} asks for the kit",
            once_in=HOUR,
            of_team=team,
            attachments=(archive,),
            archive=archive.name,
            folder=kit.folder,
            first_command=kit.first_command,
            subject=self.subjects(context.settings)[0],
            is_shell_archive=as_shell_archive,
        )


COMMAND = SendSoftware()


def _info(settings: Settings) -> GameInfo:
    return game_of(settings.game, settings.programs).info
