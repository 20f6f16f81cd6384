"""The mail commands: one file each, and one line here. The subject says which one a letter means."""

from __future__ import annotations

from contest.config.settings import Settings
from mailserver.commands import (
    announcement,
    compare,
    fuzzy_match,
    leaderboard,
    organizer,
    practice,
    preference,
    registration,
    resend,
    rules,
    software,
    status,
    unknown,
    withdraw,
)
from mailserver.commands import compile as compile_command
from mailserver.commands import help as help_command
from mailserver.reading.subject import plain_subject
from mailserver.replies import Command

COMMANDS: tuple[Command, ...] = (
    registration.COMMAND,
    compile_command.COMMAND,
    status.COMMAND,
    preference.COMMAND,
    resend.COMMAND,
    withdraw.COMMAND,
    practice.TEST_COMMAND,
    practice.PLAY_COMMAND,
    practice.CONSENT_COMMAND,
    software.COMMAND,
    rules.COMMAND,
    announcement.ANNOUNCEMENT,
    announcement.FAQ,
    leaderboard.COMMAND,
    compare.COMMAND,
    help_command.COMMAND,
    organizer.COMMAND,
    organizer.CONFIRMATION,
)
if len({command.name for command in COMMANDS}) != len(COMMANDS):
    raise AssertionError("two mail commands have the same name")


def recognise(subject: str, settings: Settings) -> Command:
    """The command that this subject means; `unknown` where it means none.

    One that only answers is also recognised by a subject that is almost its own.
    """
    plain = plain_subject(subject)
    found = next((c for c in COMMANDS if c.recognises(plain, settings)), None)
    return found or fuzzy_match.harmless(plain, COMMANDS, settings) or unknown.COMMAND
