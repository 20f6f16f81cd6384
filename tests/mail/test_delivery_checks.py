"""The other ways out: a command like sendmail, and a stream for dry runs."""

import io
import mailbox
from pathlib import Path

import pytest

from contest.errors import DeliveryRefused
from contest.schema.sections import DeliveryKind, Mail
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.local import (
    MaildirTransport,
    RelayUnreachable,
    SendmailTransport,
    StreamTransport,
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


@pytest.mark.parametrize("code", [65, 67, 68])
def test_a_mail_that_the_command_does_not_want_fails(tmp_path: Path, code: int) -> None:
    command = program(tmp_path, f"echo no such user >&2; exit {code}")
    with pytest.raises(DeliveryRefused, match=f"ended with {code}: no such user"):
        SendmailTransport(command).send(BOUNCES, "joe@a.example", RAW)


@pytest.mark.parametrize("text", ["exit 75", "exit 1", "exit 69", "kill -9 $$"])
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


def test_what_is_printed_is_a_mailbox(tmp_path: Path) -> None:
    stream = io.BytesIO()
    transport = StreamTransport(stream)
    for to in ("joe@a.example", "jane@a.example"):
        assert transport.send(BOUNCES, to, RAW) == "written out"
    (tmp_path / "box").write_bytes(stream.getvalue())
    mails = list(mailbox.mbox(tmp_path / "box", create=False))
    assert [mail["X-Envelope-To"] for mail in mails] == ["joe@a.example", "jane@a.example"]
    assert [mail.get_from().split()[0] for mail in mails] == [BOUNCES, BOUNCES]
    assert mails[0].get_payload() == ">From here on.\n.\nbye\n"


def test_a_stream_that_is_closed_costs_no_mail() -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(RelayUnreachable, match="cannot write"):
        StreamTransport(full).send(BOUNCES, "joe@a.example", RAW)


def test_the_settings_choose_the_way(tmp_path: Path) -> None:
    kinds = {
        kind: type(transport_of(make_settings(mail=Mail(delivery=kind)), tmp_path)).__name__
        for kind in DeliveryKind
    }
    assert kinds == {
        DeliveryKind.MAILDIR: MaildirTransport.__name__,
        DeliveryKind.SMTP: "SmtpTransport",
        DeliveryKind.SENDMAIL: SendmailTransport.__name__,
    }
