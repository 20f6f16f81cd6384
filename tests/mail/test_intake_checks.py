"""What `knobeln doctor` finds out about the ways in, live."""

import smtplib
import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme

from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.schema.sections import Imap, Mail
from knobeln.context import only_one
from knobeln.doctor import mail_checks
from knobeln.server.parts import LISTENER
from mailserver.intake.smtp import Listener
from tests.support.mail_world import make_settings
from tests.support.servers import Dovecot, free_port


def found(settings: Settings, path: Path) -> dict[str, str]:
    """What is said about each way in; a fault begins with FAIL."""
    said = {}
    for what, look in mail_checks.checks(settings, path):
        try:
            said[what] = look()
        except KnobelnError as error:
            said[what] = f"FAIL {error}"
    return said


def with_mail(**mail: Any) -> Settings:
    return make_settings(mail=Mail(**mail))


def test_nothing_but_the_pipe_is_a_way_too(tmp_path: Path) -> None:
    assert "knobeln receive" in found(with_mail(listen=""), tmp_path)["letters"]


def test_a_free_port_is_well_and_one_that_cannot_be_had_is_not(tmp_path: Path) -> None:
    said = found(with_mail(listen=f"127.0.0.1:{free_port()}"), tmp_path)
    assert "is free for `knobeln serve`" in said["letters at the port"]
    said = found(with_mail(listen=f"192.0.2.1:{free_port()}"), tmp_path)
    assert said["letters at the port"].startswith("FAIL")


@pytest.mark.parametrize(("protocol", "door"), [("smtp", "port"), ("lmtp", "Unix socket")])
def test_a_server_that_runs_is_talked_to(tmp_path: Path, protocol: str, door: str) -> None:
    mail = {"listen": f"127.0.0.1:{free_port()}"} if door == "port" else {"listen": "./door"}
    settings = with_mail(listen_protocol=protocol, **mail)
    taken: list[object] = []
    listener = Listener(settings, lambda *a: taken.append(a), tmp_path)
    listener.start()
    with only_one(tmp_path, LISTENER, shared=True):  # as the listener's process does
        said = found(settings, tmp_path)[f"letters at the {door}"]
    assert (
        found(settings, tmp_path)[f"letters at the {door}"]
        == "FAIL the `knobeln serve` of another contest listens there; give one of the two another"
        " mail.listen"
    )
    listener.stop()
    assert f"takes letters for knobeln@contest.example ({protocol.upper()}, no STARTTLS)" in said
    assert taken == []


def test_a_server_with_other_settings_or_somebody_else_is_noticed(tmp_path: Path) -> None:
    port = free_port()
    other = make_settings(
        mail=Mail(listen=f"127.0.0.1:{port}"),
        contest={"address": "other@else.example", "aliases": ()},
    )
    listener = Listener(other, lambda *_: None, tmp_path)
    listener.start()
    with only_one(tmp_path, LISTENER, shared=True):
        said = found(with_mail(listen=f"127.0.0.1:{port}"), tmp_path)["letters at the port"]
    listener.stop()
    assert said.startswith("FAIL `knobeln serve` answers (250, 550, 550)")
    with socket.create_server(("127.0.0.1", port)) as door:
        door.settimeout(10)

        def answer() -> None:
            client, _ = door.accept()
            client.sendall(b"220 mail.example ESMTP Postfix\r\n")
            client.close()

        threading.Thread(target=answer, daemon=True).start()
        said = found(with_mail(listen=f"127.0.0.1:{port}"), tmp_path)["letters at the port"]
    assert said.startswith("FAIL another program listens there")


@pytest.mark.parametrize(
    ("days", "well"), [(30, True), (-1, False)], ids=["good for a month", "over since yesterday"]
)
def test_a_certificate_is_looked_at(tmp_path: Path, days: int, well: bool) -> None:
    until = datetime.now(UTC) + timedelta(days=days)
    certificate = trustme.CA().issue_cert("localhost", not_after=until)
    certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "server.pem")
    said = found(with_mail(listen="", tls_certificate="server.pem"), tmp_path)["the certificate"]
    good = f"server.pem is good until {until:%Y-%m-%d}"
    assert said == (
        good if well else "FAIL mail.tls_certificate: certificate has expired; renew it"
    )


def test_the_mailbox_is_opened_and_nothing_is_taken(dovecot: Dovecot, tmp_path: Path) -> None:
    with smtplib.LMTP("127.0.0.1", dovecot.lmtp, timeout=20) as client:
        client.sendmail("joe@club.example", ["robot"], b"Subject: x\r\n\r\nx\r\n")
    settings = make_settings(
        mail=Mail(listen=""),
        imap=Imap(
            server=f"localhost:{dovecot.imap}", security="none", username="robot", password="secret"
        ),
    )
    for _ in range(2):
        said = found(settings, tmp_path)["letters by IMAP"]
        assert said == "the login at localhost works: 1 letter waits in INBOX"


def test_a_mailbox_that_does_not_open_is_told_with_what_to_mend(
    dovecot: Dovecot, tmp_path: Path
) -> None:
    settings = make_settings(
        mail=Mail(listen=""),
        imap=Imap(
            server=f"localhost:{dovecot.imap}", security="none", username="robot", password="wrong"
        ),
    )
    said = found(settings, tmp_path)["letters by IMAP"]
    assert said.startswith("FAIL the mail server localhost")
    assert "imap.password" in said


def test_without_anything_to_log_in_with_nobody_is_asked(tmp_path: Path) -> None:
    chosen = Imap(server="imap.contest.example", username="robot")
    said = found(make_settings(mail=Mail(listen=""), imap=chosen), tmp_path)["letters by IMAP"]
    assert said.startswith("FAIL imap.password is empty")
    assert "oauth.token_command" in said
