"""The other way out: a command like sendmail."""

from pathlib import Path

import pytest

from contest.errors import DeliveryRefused
from contest.schema.sections import DeliveryKind, Mail
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.local import (
    RelayUnreachable,
    SendmailTransport,
)
from tests.support.mail_world import make_settings

BOUNCES = "knobeln+b-1-abc@contest.example"
RAW = b"From: knobeln@contest.example\r\nSubject: hello\r\n\r\nFrom here on.\r\n.\r\nbye\r\n"


def program(folder: Path, text: str) -> str:
    path = folder / "sendmail"
    path.write_text(f"#!/bin/sh\ncd '{folder}'\n{text}\n")
    path.chmod(0o700)
    return str(path)


def test_the_command_gets_envelope_and_mail(tmp_path: Path) -> None:
    command = program(tmp_path, """printf '%s\\n' "$@" >args; cat >mail; echo queued""")
    said = SendmailTransport(f"{command} -v 'two words'").send(BOUNCES, "joe@a.example", RAW)
    assert said == f"taken by {command} queued"
    arguments = (tmp_path / "args").read_text().splitlines()
    assert arguments == ["-v", "two words", "-i", "-f", BOUNCES, "--", "joe@a.example"]
    assert (tmp_path / "mail").read_bytes() == RAW.replace(b"\r\n", b"\n")


def test_a_mail_that_the_command_does_not_want_fails(tmp_path: Path) -> None:
    command = program(tmp_path, "echo no such user >&2; exit 67")
    with pytest.raises(DeliveryRefused, match="ended with 67: no such user"):
        SendmailTransport(command).send(BOUNCES, "joe@a.example", RAW)


@pytest.mark.parametrize("text", ["exit 75", "kill -9 $$"])
def test_a_command_that_fails_costs_no_mail(tmp_path: Path, text: str) -> None:
    with pytest.raises(RelayUnreachable, match="ended with"):
        SendmailTransport(program(tmp_path, text)).send(BOUNCES, "joe@a.example", RAW)


@pytest.mark.parametrize("command", ["/no/such/sendmail", "'unbalanced"])
def test_a_command_that_is_not_there_costs_no_mail(command: str) -> None:
    transport = transport_of(
        make_settings(mail=Mail(delivery=DeliveryKind.SENDMAIL, sendmail=command)), Path()
    )
    with pytest.raises(RelayUnreachable, match="cannot be started"):
        transport.send(BOUNCES, "joe@a.example", RAW)
