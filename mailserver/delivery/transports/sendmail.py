"""A command like /usr/sbin/sendmail: the host's mail system, msmtp, or any with the same options."""

from __future__ import annotations

import shlex

from contest.errors import DeliveryRefused
from contest.subprocesses.child_process import run
from mailserver.delivery.transports.base import RelayUnreachable
from mailserver.problem import visible

_SECONDS = 120.0
_MAX_OUTPUT_CHARACTERS = 300
# sysexits.h: the mail or its recipient is to blame. Everything else is the mail system's business, and ours.
_EX_DATAERR, _EX_NOUSER, _EX_NOHOST = 65, 67, 68


class SendmailTransport:
    """`command` in the shell's spelling, but started without one."""

    connections = 1

    def __init__(self, command: str) -> None:
        self._command = command

    def send(self, sender: str, to: str, raw: bytes) -> str:
        try:
            # -i: a line with a single dot is text
            command = [*shlex.split(self._command), "-i", "-f", sender, "--", to]
            finished = run(command, raw.replace(b"\r\n", b"\n"), _SECONDS)
        except (OSError, ValueError) as error:
            raise RelayUnreachable(f"mail.sendmail cannot be started: {error}") from error
        output = visible((finished.stderr + finished.stdout).decode("utf-8", "replace"))[
            :_MAX_OUTPUT_CHARACTERS
        ]
        if finished.code == 0:
            return f"taken by {command[0]} {output}".strip()
        if finished.code in (_EX_DATAERR, _EX_NOUSER, _EX_NOHOST):
            raise DeliveryRefused(f"{command[0]} ended with {finished.code}: {output}")
        ending = "took too long" if finished.code is None else f"ended with {finished.code}"
        raise RelayUnreachable(f"{command[0]} {ending}: {output}")

    def close(self) -> None:
        pass
