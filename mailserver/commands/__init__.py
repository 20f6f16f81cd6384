"""The mail commands: one file each, and one line here. The subject says which one a letter means."""

from __future__ import annotations

from knobeln.config import Settings
from mailserver.answering import Command
from mailserver.commands import compare, leaderboard, registration, rules, software, unknown
from mailserver.commands import compile as compile_command
from mailserver.subject import plain_subject

COMMANDS: tuple[Command, ...] = (
    registration.COMMAND,
    compile_command.COMMAND,
    software.COMMAND,
    rules.COMMAND,
    leaderboard.COMMAND,
    compare.COMMAND,
)
if len({command.name for command in COMMANDS}) != len(COMMANDS):
    raise AssertionError("two mail commands have the same name")


def recognise(subject: str, settings: Settings) -> Command:
    """The command that this subject means; `unknown` where it means none."""
    plain = plain_subject(subject)
    return next((c for c in COMMANDS if c.recognises(plain, settings)), unknown.COMMAND)
