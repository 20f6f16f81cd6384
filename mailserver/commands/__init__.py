"""The mail commands: each has one line here. The subject of a letter says which one it means."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from contest.config.settings import Settings
from mailserver import authentication
from mailserver.command import QUESTIONS, VOID, Arguments, Command
from mailserver.commands import (
    addresses,
    compare,
    join,
    objection,
    organizer,
    practice,
    preference,
    registration,
    resend,
    send,
    status,
    subscribe,
    unsubscribe,
    why,
    withdraw,
    witness,
    wording,
)
from mailserver.commands import compile as compile_command
from mailserver.commands import help as help_command
from mailserver.commands.help import read_brought
from mailserver.limits import Limit
from mailserver.reading.letter import Letter, clean_subject

COMMANDS: tuple[Command, ...] = (
    registration.COMMAND,
    join.COMMAND,
    compile_command.COMMAND,
    status.COMMAND,
    preference.COMMAND,
    unsubscribe.COMMAND,
    subscribe.COMMAND,
    resend.COMMAND,
    addresses.COMMAND,
    withdraw.COMMAND,
    objection.COMMAND,
    practice.COMMAND,
    send.SOFTWARE,
    send.RULES,
    send.ANNOUNCEMENT,
    send.FAQ,
    send.LADDER,
    send.LEDGER,
    compare.COMMAND,
    why.COMMAND,
    help_command.COMMAND,
    organizer.COMMAND,
    organizer.CONFIRM,
    witness.COMMAND,
)


@cache
def answer_limits() -> Mapping[str, Limit]:
    """Return the limit of each template that answers a letter."""
    limits = {**authentication.ANSWERS, **QUESTIONS, VOID: Limit.DROP}
    for command in (*COMMANDS, help_command.UNKNOWN):
        limits |= command.answers
    return limits


@cache
def _commands_by_name() -> Mapping[str, Command]:
    return {command.name: command for command in (*COMMANDS, help_command.UNKNOWN)}


def command_named(name: str) -> Command:
    """Return the command of this name; `unknown` is one, too."""
    return _commands_by_name()[name]


class Recognised(NamedTuple):
    """A command, and the arguments that the subject gives it."""

    command: Command
    arguments: Arguments


def recognise(subject: str, settings: Settings) -> Recognised:
    """Return the command that this subject of a letter means; `unknown` where it means none."""
    clean = clean_subject(subject)
    parsed = ((command, command.recognise(clean, settings)) for command in COMMANDS)
    exact = (Recognised(command, found) for command, found in parsed if found is not None)
    return next(exact, Recognised(help_command.UNKNOWN, tuple(clean.split())))


def understand(
    exact: Recognised, letter: Letter, settings: Settings, *, is_signed: bool
) -> Recognised:
    """Return the command that this letter means: that of its subject, or the one about which its
    words and what it brings leave no doubt.

    `exact`: what `recognise` says of the subject; `is_signed`: a `<<FROM>>` line with two words is
    in the letter.
    """
    name = exact.command.name
    if name not in (help_command.UNKNOWN.name, wording.COMPILE, wording.REGISTRATION):
        return exact
    brought = read_brought(letter, settings)
    if name != help_command.UNKNOWN.name:
        meant = wording.misplaced(name, brought)
        return exact if meant == name else Recognised(command_named(meant), ())
    found = wording.understood(
        clean_subject(letter.subject),
        brought,
        is_signed=is_signed,
        commands=COMMANDS,
        settings=settings,
    )
    return Recognised(command_named(found[0]), found[1]) if found else exact
