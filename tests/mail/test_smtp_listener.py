"""Conversations with the real listener, over a socket, with a real database behind it."""

from __future__ import annotations

import smtplib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from knobeln.config import Mail
from knobeln.errors import ConfigError, StoreBusy
from knobeln.model import LetterState
from knobeln.store import Store, letters
from mailserver.intake import smtp
from mailserver.intake.accept import accept
from mailserver.intake.smtp import Listener

from .conftest import LETTERS, OPENS, World, make_settings

ROBOT = "knobeln@contest.example"
JOE = "joe@machine.domain.alfdkj"
LETTER = b"From: joe@machine.domain.alfdkj\r\nSubject: please compile\r\n\r\nx\r\n"


@contextmanager
def listening(accept: Callable[..., object], **mail: object) -> Iterator[Listener]:
    settings = make_settings(mail=Mail(listen_port=0, **mail))  # type: ignore[arg-type]
    listener = Listener(settings, accept)
    listener.start()
    try:
        yield listener
    finally:
        listener.stop()


@pytest.fixture
def port(store: Store) -> Iterator[int]:
    """A listener whose letters go into the database."""

    def keep(raw: bytes, sender: str, recipients: tuple[str, ...]) -> int:
        return accept(store, raw, sender, recipients, "smtp", OPENS + timedelta(days=5))

    with listening(keep) as listener:
        yield listener.port


@pytest.fixture
def client(port: int) -> Iterator[smtplib.SMTP]:
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.ehlo("machine.domain.alfdkj")
        yield client


def count(store: Store) -> int:
    with store.read() as tx:
        return sum(letters.count_by_state(tx).values())


def test_a_letter_is_in_the_database_when_250_is_said(client: smtplib.SMTP, store: Store) -> None:
    assert (
        client.sendmail(JOE, [ROBOT, "KNOBELN+x@Contest.example", "prechelt@contest.example"], LETTER) == {}
    )
    with store.read() as tx:
        stored = letters.next_new(tx)
    assert stored is not None
    assert (stored.raw, stored.sender, stored.channel) == (LETTER, JOE, "smtp")
    assert stored.recipients == (ROBOT, "KNOBELN+x@Contest.example", "prechelt@contest.example")


def test_the_same_bytes_twice_are_kept_once(client: smtplib.SMTP, store: Store) -> None:
    client.sendmail(JOE, [ROBOT], LETTER)
    client.sendmail(JOE, [ROBOT], LETTER)
    client.sendmail(JOE, [ROBOT], LETTER + b"y\r\n")
    assert count(store) == 2


def test_dots_and_lines_of_998_characters_arrive_as_they_were(client: smtplib.SMTP, store: Store) -> None:
    raw = LETTER + b".\r\n..x\r\n" + b"y" * 998 + b"\r\n"
    client.sendmail(JOE, [ROBOT], raw)
    with store.read() as tx:
        stored = letters.next_new(tx)
    assert stored is not None
    assert stored.raw == raw


@pytest.mark.parametrize("path", sorted(LETTERS.glob("*.eml")), ids=lambda path: path.stem[:2])
def test_every_sample_letter_passes(client: smtplib.SMTP, store: Store, path: object) -> None:
    raw = path.read_bytes()  # type: ignore[attr-defined]
    client.sendmail(JOE, [ROBOT], raw)
    assert count(store) == 1


def test_the_null_sender_is_kept_as_nothing(client: smtplib.SMTP, store: Store) -> None:
    client.sendmail("", [ROBOT], LETTER)
    with store.read() as tx:
        stored = letters.next_new(tx)
    assert stored is not None
    assert stored.sender == ""


@pytest.mark.parametrize(
    "recipient", ["jane@contest.example", "knobeln@elsewhere.example", "knobelnx@contest.example"]
)
def test_nothing_is_relayed(client: smtplib.SMTP, store: Store, recipient: str) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        client.sendmail(JOE, [recipient], LETTER)
    assert refused.value.recipients[recipient][0] == 550
    assert count(store) == 0


def test_too_many_recipients_are_put_off(client: smtplib.SMTP) -> None:
    client.mail(JOE)
    codes = [client.rcpt(f"knobeln+{n}@contest.example")[0] for n in range(smtp.MAX_RECIPIENTS + 1)]
    assert codes == [250] * smtp.MAX_RECIPIENTS + [452]


@pytest.mark.parametrize("sender", ["a" * 400 + "@x.example", "a b@x.example", '"a b"@x.example', "nobody"])
def test_an_unusable_sender_is_refused(client: smtplib.SMTP, sender: str) -> None:
    code, _ = client.docmd(f"MAIL FROM:<{sender}>")
    assert code in (501, 553, 555)


def test_a_letter_that_is_too_large_is_refused_before_and_after_it_came(store: Store) -> None:
    with (
        listening(lambda *_: pytest.fail("taken"), max_letter_bytes=20_000) as listener,
        smtplib.SMTP("127.0.0.1", listener.port, timeout=10) as client,
    ):
        client.ehlo()
        assert client.docmd(f"MAIL FROM:<{JOE}> SIZE=20001")[0] == 552
        assert client.docmd(f"MAIL FROM:<{JOE}>")[0] == 250
        assert client.rcpt(ROBOT)[0] == 250
        assert client.data(LETTER + b"x\r\n" * 7_000)[0] == 552


def test_a_nul_in_the_headers_is_refused(client: smtplib.SMTP, store: Store) -> None:
    client.mail(JOE)
    client.rcpt(ROBOT)
    assert client.data(b"Subject: a\0b\r\n\r\nx\r\n")[0] == 554
    assert count(store) == 0


@pytest.mark.parametrize(
    "ending", [b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\n.\r", b"\r.\r\n"]
)
def test_only_one_end_of_data_is_an_end(port: int, store: Store, ending: bytes) -> None:
    smuggled = b"MAIL FROM:<eve@x.example>\r\nRCPT TO:<knobeln@contest.example>\r\nDATA\r\nevil\r\n"
    with socket.create_connection(("127.0.0.1", port), 10) as raw:
        answers = raw.makefile("rb")
        for line in (b"EHLO x", b"MAIL FROM:<joe@x.example>", b"RCPT TO:<knobeln@contest.example>", b"DATA"):
            raw.sendall(line + b"\r\n")
            while answers.readline()[3:4] != b" ":
                pass
            if line == b"EHLO x":
                while answers.readline()[3:4] != b" ":
                    pass
        raw.sendall(LETTER[:-2] + ending + smuggled + b".\r\nQUIT\r\n")
        rest = answers.read()
    assert rest.count(b"250 ") == 1
    assert count(store) == 1


@pytest.mark.parametrize(
    "error", [StoreBusy("locked"), OSError("disk full"), RuntimeError("a fault of ours")]
)
def test_every_failure_of_ours_asks_the_sender_to_try_again(error: Exception) -> None:
    failing = [error]

    def fail_once(*_: object) -> None:
        if failing:
            raise failing.pop()

    with (
        listening(fail_once) as listener,
        smtplib.SMTP("127.0.0.1", listener.port, timeout=10) as client,
    ):
        with pytest.raises(smtplib.SMTPDataError) as answer:
            client.sendmail(JOE, [ROBOT], LETTER)
        assert answer.value.smtp_code == 451
        assert client.sendmail(JOE, [ROBOT], LETTER) == {}


def test_after_a_failure_of_ours_the_next_letter_needs_no_reset() -> None:
    failing = [OSError("disk full")]

    def fail_once(*_: object) -> None:
        if failing:
            raise failing.pop()

    with (
        listening(fail_once) as listener,
        smtplib.SMTP("127.0.0.1", listener.port, timeout=10) as client,
    ):
        client.ehlo()
        codes = []
        for _ in range(2):
            codes += [client.mail(JOE)[0], client.rcpt(ROBOT)[0], client.data(LETTER)[0]]
    assert codes == [250, 250, 451, 250, 250, 250]


def test_one_connection_too_many_is_put_off_until_another_ends() -> None:
    with listening(lambda *_: None, max_connections=2) as listener:
        first, second = (smtplib.SMTP("127.0.0.1", listener.port, timeout=10) for _ in range(2))
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            smtplib.SMTP("127.0.0.1", listener.port, timeout=10)
        assert refused.value.smtp_code == 421
        first.quit()
        deadline = time.monotonic() + 5
        while True:
            try:
                third = smtplib.SMTP("127.0.0.1", listener.port, timeout=10)
                break
            except smtplib.SMTPConnectError:
                assert time.monotonic() < deadline
        second.quit()
        third.quit()


def test_no_host_but_this_one_may_take_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(lambda *_: None) as listener:
        local = [smtplib.SMTP("127.0.0.1", listener.port, timeout=10) for _ in range(smtp.MAX_PER_HOST + 1)]
        monkeypatch.setattr(smtp, "is_ours", lambda _host: False)
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            smtplib.SMTP("127.0.0.1", listener.port, timeout=10)
        assert refused.value.smtp_code == 421
        with smtplib.SMTP("127.0.0.1", listener.port, source_address=("127.0.0.2", 0), timeout=10) as other:
            assert other.noop()[0] == 250
        for client in local:
            client.quit()


@pytest.mark.parametrize(
    ("host", "ours"), [("127.0.0.1", True), ("::1", True), ("192.0.2.7", False), ("fe80::1%eth0", False)]
)
def test_only_this_machine_is_ours(host: str, ours: bool) -> None:
    assert smtp.is_ours(host) is ours


def test_a_slow_accept_holds_up_nobody_else() -> None:
    slow, go_on = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        slow.set()
        go_on.wait(10)

    with listening(wait) as listener:
        one = smtplib.SMTP("127.0.0.1", listener.port, timeout=10)
        sending = threading.Thread(target=one.sendmail, args=(JOE, [ROBOT], LETTER))
        sending.start()
        assert slow.wait(10)
        with smtplib.SMTP("127.0.0.1", listener.port, timeout=5) as other:
            assert other.noop()[0] == 250
        go_on.set()
        sending.join(10)
        one.quit()


def test_a_silent_client_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "TIMEOUT_SECONDS", 0.2)
    with (
        listening(lambda *_: None) as listener,
        socket.create_connection(("127.0.0.1", listener.port), 5) as raw,
    ):
        lines = raw.makefile("rb").read().splitlines()
    assert [line[:3] for line in lines] == [b"220", b"421"]


def test_a_connection_lost_in_the_middle_leaves_nothing(port: int, store: Store) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as raw:
        raw.sendall(
            b"EHLO x\r\nMAIL FROM:<joe@x.example>\r\nRCPT TO:<knobeln@contest.example>\r\nDATA\r\n" + LETTER
        )
        raw.shutdown(socket.SHUT_WR)
        raw.makefile("rb").read()
    assert count(store) == 0


def test_a_port_in_use_is_a_fault_of_the_settings() -> None:
    with listening(lambda *_: None) as listener:
        second = Listener(make_settings(mail=Mail(listen_port=listener.port)), lambda *_: None)
        with pytest.raises(ConfigError, match="listen_port"):
            second.start()


def test_stopping_ends_conversations_in_good_order() -> None:
    with listening(lambda *_: None) as listener:
        client = smtplib.SMTP("127.0.0.1", listener.port, timeout=5)
    assert client.file is None or client.file.readline().startswith(b"421")
    client.close()


def test_a_registration_by_smtp_is_answered(port: int, world: World) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.sendmail(JOE, [ROBOT], (LETTERS / "00_registration_sample.eml").read_bytes())
    mails = world.deliver(b"From: jane@a.example\nSubject: x\n\nx", "jane@a.example")
    assert [mail["To"] for mail in mails] == ["our_team@machine.domain.alfdkj", "jane@a.example"]
    assert world.states() == {LetterState.HANDLED: 2}
