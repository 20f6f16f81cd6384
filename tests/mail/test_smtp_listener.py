"""Conversations with the real listener, over a socket, with a real database behind it."""

import gc
import smtplib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
import trustme

from contest.errors import ConfigError, StoreBusy, TryAgain
from contest.model import IncomingLetter, StoredLetter
from contest.schema.sections import Mail
from mailserver.for_organizer import MAX_PASSED_ON_PER_DAY, tidy
from mailserver.intake import connection, smtp
from mailserver.intake.accept import accept
from mailserver.intake.connection import MAX_IDLE_COMMANDS, MAX_LINE_BYTES, MAX_SAME_COMMAND
from mailserver.intake.conversation import MAX_RECIPIENTS
from mailserver.intake.loopback import is_ours
from mailserver.intake.smtp import Listener
from mailserver.reading.addresses import is_role
from store import Store, letters
from tests.support.mail_world import OPENS, World, body_of, make_settings
from tests.support.servers import PATIENCE, greets, wait_for

ROBOT = "knobeln@contest.example"
JOE = "joe@machine.domain.alfdkj"
LETTER = b"From: joe@machine.domain.alfdkj\r\nSubject: please compile\r\n\r\nx\r\n"
TOO_LARGE = LETTER + b"x" * 900 + (b"\r\n" + b"x" * 900) * 1_200 + b"\r\n"

ENVELOPE = b"\r\nMAIL FROM:<joe@x.example>\r\nRCPT TO:<knobeln@contest.example>\r\nDATA\r\n"


@contextmanager
def listening(
    accept: Callable[..., object], folder: Path = Path(), **mail: object
) -> Iterator[Listener]:
    """`accept` is called with each letter."""
    with listening_at(
        lambda batch: [accept(*astuple(letter)[:3]) for letter in batch], folder, **mail
    ) as made:
        yield made


@contextmanager
def listening_at(
    accept_all: Callable[..., object], folder: Path = Path(), **mail: object
) -> Iterator[Listener]:
    """`accept_all` is called with all letters that came at once."""
    listener = Listener(
        make_settings(mail=Mail(**{"listen": "127.0.0.1:0", **mail})), accept_all, folder
    )
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
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client:
        client.ehlo("machine.domain.alfdkj")
        yield client


@contextmanager
def client_of(
    *arguments: Any, client: type[smtplib.SMTP] = smtplib.SMTP, **mail: object
) -> Iterator[smtplib.SMTP]:
    """A client of a listener with these settings, see `listening`."""
    with (
        listening(*arguments, **mail) as listener,
        client("127.0.0.1", listener.port, timeout=PATIENCE) as talking,
    ):
        yield talking


def count(store: Store) -> int:
    with store.read() as tx:
        return sum(letters.count_by_state(tx).values())


def the_letter(store: Store) -> StoredLetter:
    """The only one."""
    with store.read() as tx:
        assert sum(letters.count_by_state(tx).values()) == 1
        (letter,) = letters.get_all(tx, letters.next_to_handle(tx, datetime.now(UTC), 1))
        return letter


def test_a_letter_is_in_the_database_when_250_is_said(client: smtplib.SMTP, store: Store) -> None:
    recipients = (ROBOT, "KNOBELN+x@Contest.example", "prechelt@contest.example")
    assert client.sendmail(JOE, recipients, LETTER) == {}
    stored = the_letter(store)
    assert (stored.raw, stored.sender, stored.channel) == (LETTER, JOE, "smtp")
    assert stored.recipients == recipients


@pytest.mark.parametrize(
    ("sender", "raw"),
    [
        (JOE, LETTER + b".\r\n..x\r\n" + b"y" * 998 + b"\r\n"),
        ("joe.cool+tag@a-b.club.example", LETTER),
        (JOE, LETTER + b"y" * 5_000 + b"\r\n"),  # longer than SMTP allows
        ("", LETTER),
        ("jö@dömäin.example", "From: jö@dömäin.example\r\nSubject: grüße\r\n\r\nx\r\n".encode()),
    ],
    ids=["dots and 998 characters", "a tag", "a long line", "no sender", "UTF-8"],
)
def test_sender_and_letter_arrive_as_they_were(
    client: smtplib.SMTP, store: Store, sender: str, raw: bytes
) -> None:
    client.sendmail(sender, [ROBOT], raw, mail_options=() if sender.isascii() else ["SMTPUTF8"])
    assert (the_letter(store).sender, the_letter(store).raw) == (sender, raw)


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
    codes = [client.rcpt(f"knobeln+{n}@contest.example")[0] for n in range(MAX_RECIPIENTS + 1)]
    assert codes == [250] * MAX_RECIPIENTS + [452]


@pytest.mark.parametrize(
    "sender", ["a" * 400 + "@x.example", "a b@x.example", '"a b"@x.example', "nobody"]
)
def test_an_unusable_sender_is_refused(client: smtplib.SMTP, sender: str) -> None:
    code, _ = client.docmd(f"MAIL FROM:<{sender}>")
    assert code in (501, 553, 555)


def test_a_letter_that_is_too_large_is_refused_before_and_after_it_came(store: Store) -> None:
    with client_of(lambda *_: pytest.fail("taken")) as client:
        client.ehlo()
        assert client.docmd(f"MAIL FROM:<{JOE}> SIZE=1000001")[0] == 552
        assert client.docmd(f"MAIL FROM:<{JOE}>")[0] == 250
        assert client.rcpt(ROBOT)[0] == 250
        assert client.data(TOO_LARGE)[0] == 552


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
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        answers = raw.makefile("rb")
        for line in (
            b"EHLO x",
            b"MAIL FROM:<joe@x.example>",
            b"RCPT TO:<knobeln@contest.example>",
            b"DATA",
        ):
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
    "error", [StoreBusy("locked"), OSError("full"), RuntimeError("a fault of ours")]
)
def test_a_failure_of_ours_asks_the_sender_to_try_again_and_the_next_letter_needs_no_reset(
    error: StoreBusy | OSError | RuntimeError,
) -> None:
    failing = [error]

    def fail_once(*_: object) -> None:
        if failing:
            raise failing.pop()

    with client_of(fail_once) as client:
        client.ehlo()
        codes = []
        for _ in range(2):
            codes += [client.mail(JOE)[0], client.rcpt(ROBOT)[0], client.data(LETTER)[0]]
    assert codes == [250, 250, 451, 250, 250, 250]


def test_one_connection_too_many_is_put_off_until_another_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(smtp, "MAX_CONNECTIONS", 2)
    with listening(lambda *_: None) as listener:
        first, second = (
            smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) for _ in range(2)
        )
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE)
        assert refused.value.smtp_code == 421
        first.quit()
        wait_for(lambda: greets(listener.port, b"220"))
        second.quit()


def test_no_host_but_this_one_may_take_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(lambda *_: None) as listener:
        local = [
            smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE)
            for _ in range(smtp.MAX_PER_HOST + 1)
        ]
        monkeypatch.setattr(smtp, "is_ours", lambda _host: False)
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE)
        assert refused.value.smtp_code == 421
        with smtplib.SMTP(
            "127.0.0.1", listener.port, source_address=("127.0.0.2", 0), timeout=PATIENCE
        ) as other:
            assert other.noop()[0] == 250
        for client in local:
            client.quit()


@pytest.mark.parametrize(
    ("host", "ours"),
    [("127.0.0.1", True), ("::1", True), ("192.0.2.7", False), ("fe80::1%eth0", False)],
)
def test_only_this_machine_is_ours(host: str, ours: bool) -> None:
    assert is_ours(host) is ours


def test_a_slow_accept_holds_up_nobody_else() -> None:
    slow, go_on = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        slow.set()
        go_on.wait(PATIENCE)

    with listening(wait) as listener:
        one = smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE)
        sending = threading.Thread(target=one.sendmail, args=(JOE, [ROBOT], LETTER))
        sending.start()
        assert slow.wait(PATIENCE)
        with smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) as other:
            assert other.noop()[0] == 250
        go_on.set()
        sending.join(PATIENCE)
        one.quit()


def letters_at_once(listener: Listener, raws: list[bytes], first: threading.Event) -> list[int]:
    """What is said to so many clients; the first letter is on its way when the others come."""
    codes = [0] * len(raws)

    def send(number: int) -> None:
        with smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) as client:
            client.ehlo()
            client.mail(JOE)
            client.rcpt(ROBOT)
            codes[number] = client.data(raws[number])[0]

    senders = [threading.Thread(target=send, args=(number,)) for number in range(len(raws))]
    senders[0].start()
    assert first.wait(PATIENCE)
    for sender in senders[1:]:
        sender.start()
    for sender in senders:
        sender.join(PATIENCE)
    return codes


@pytest.mark.parametrize(
    ("error", "codes", "calls"),
    [
        (None, [250] * 6, [1, 5]),
        (RuntimeError("a fault of ours"), [250, 250, 250, 451, 250, 250], [1, 5, 1, 1, 1, 1, 1]),
        (StoreBusy("locked"), [250, 451, 451, 451, 451, 451], [1, 5]),
    ],
    ids=["all well", "one breaks us", "the database is busy"],
)
def test_letters_that_come_at_once_are_kept_at_once_and_one_that_breaks_us_stops_no_other(
    error: Exception | None, codes: list[int], calls: list[int]
) -> None:
    called: list[int] = []
    first, go_on = threading.Event(), threading.Event()

    def accept_all(arrivals: Sequence[IncomingLetter]) -> None:
        called.append(len(arrivals))
        first.set()
        go_on.wait(PATIENCE)
        if error and any(b"poison" in letter.raw for letter in arrivals):
            raise error

    def go_on_when_five_wait() -> None:
        wait_for(lambda: len(listener._queue._waiting) == 5)  # nothing outside shows that they wait
        go_on.set()

    with listening_at(accept_all) as listener:
        go = threading.Thread(target=go_on_when_five_wait)
        go.start()
        raws = [
            LETTER + (b"poison" if number == 3 else b"%d" % number) + b"\r\n" for number in range(6)
        ]
        assert letters_at_once(listener, raws, first) == codes
        go.join(PATIENCE)
    assert called == calls


def test_a_silent_client_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "TIMEOUT_SECONDS", 0.2)
    with (
        listening(lambda *_: None) as made,
        socket.create_connection(("127.0.0.1", made.port), 5) as raw,
    ):
        lines = raw.makefile("rb").read().splitlines()
    assert [line[:3] for line in lines] == [b"220", b"421"]


def test_a_connection_lost_in_the_middle_leaves_nothing(port: int, store: Store) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.sendall(b"EHLO x" + ENVELOPE + LETTER)
        raw.shutdown(socket.SHUT_WR)
        raw.makefile("rb").read()
    assert count(store) == 0


def test_a_port_in_use_may_be_free_later() -> None:
    with listening(lambda *_: None) as listener:
        second = Listener(
            make_settings(mail=Mail(listen=f"127.0.0.1:{listener.port}")), lambda *_: None
        )
        with pytest.raises(TryAgain, match=r"mail\.listen"):
            second.start()


def test_stopping_ends_conversations_in_good_order() -> None:
    with listening(lambda *_: None) as listener:
        client = smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE)
    assert client.file is None or client.file.readline().startswith(b"421")
    client.close()


def handled(world: World) -> list[EmailMessage]:
    """The mails that wait after everything that came was handled."""
    while world.handle_next():
        pass
    return world.mails()


@pytest.mark.parametrize(
    ("recipient", "is_passed_on"),
    [
        ("postmaster@contest.example", True),
        ("Abuse+spam@Contest.Example", True),
        ("postmaster", True),
        ("postmaster@elsewhere.example", False),
        ("root@contest.example", False),
    ],
)
def test_letters_to_a_role_at_our_domain_are_passed_on_to_the_organizer(
    client: smtplib.SMTP, world: World, recipient: str, is_passed_on: bool
) -> None:
    client.mail("")
    assert client.rcpt(recipient)[0] == (250 if is_passed_on else 550)
    if not is_passed_on:
        return
    report = LETTER.replace(b"Subject", b"Auto-Submitted: auto-generated\r\nSubject")
    assert client.data(report)[0] == 250
    (mail,) = handled(world)
    (attached,) = mail.iter_attachments()
    assert mail["To"] == "organizer@contest.example"
    assert recipient in mail["Subject"]
    assert attached.get_payload(decode=True) == report


def test_the_robots_own_letters_are_handled_also_where_a_role_gets_them_too(
    client: smtplib.SMTP, world: World
) -> None:
    client.sendmail(
        JOE, [ROBOT, "postmaster@contest.example"], LETTER.replace(b"please compile", b"help")
    )
    (mail,) = handled(world)
    assert mail["To"] == JOE


def test_letters_to_roles_do_not_flood_the_organizer(
    client: smtplib.SMTP, make_world: Callable[..., World]
) -> None:
    world = make_world()
    for number in range(MAX_PASSED_ON_PER_DAY + 3):
        client.sendmail(JOE, ["abuse@contest.example"], LETTER + b"%d\r\n" % number)
    assert len(handled(world)) == MAX_PASSED_ON_PER_DAY
    tidy(world.store, world.settings, world.renderer, world.clock.now())
    assert len(world.mails()) == MAX_PASSED_ON_PER_DAY
    world.clock.at += timedelta(hours=24)
    for _ in range(2):
        tidy(world.store, world.settings, world.renderer, world.clock.now())
    (rest,) = world.mails(MAX_PASSED_ON_PER_DAY)
    assert rest["Subject"] == "International KNOBELN contest: 3 more letters for you"
    assert [f"- {n} {JOE}" in body_of(rest) for n in (20, 21, 22, 23)] == [False, True, True, True]


def test_an_organizer_with_such_an_address_gets_no_letter_from_us_to_us() -> None:
    settings = make_settings(contest={"organizer_address": "postmaster@contest.example"})
    assert not is_role("abuse@contest.example", settings.contest)


# --- long lines, odd addresses, floods ------------------------------------------------------------
def test_a_line_longer_than_we_take_is_refused_and_the_next_letter_is_taken(
    client: smtplib.SMTP, store: Store
) -> None:
    with pytest.raises(smtplib.SMTPDataError) as refused:
        client.sendmail(JOE, [ROBOT], LETTER + b"y" * (MAX_LINE_BYTES + 10) + b"\r\nRSET\r\n")
    assert refused.value.smtp_code == 500
    client.sendmail(JOE, [ROBOT], LETTER)
    assert count(store) == 1


def test_a_line_without_end_does_not_fill_our_memory() -> None:
    with (
        listening(lambda *_: None) as made,
        socket.create_connection(("127.0.0.1", made.port), PATIENCE) as raw,
    ):
        answers = raw.makefile("rb")
        for line in (
            b"HELO x",
            b"MAIL FROM:<joe@x.example>",
            b"RCPT TO:<knobeln@contest.example>",
            b"DATA",
        ):
            raw.sendall(line + b"\r\n")
        sent = 0
        with suppress(OSError):
            while sent < 50_000_000:
                sent += raw.send(b"y" * 10_000)
        assert sent < 50_000_000
        try:
            said = answers.read()
        except ConnectionResetError:  # our kernel may throw away what was said before
            said = b""
    assert said == b"" or said.splitlines()[-1].startswith(b"500 5.5.2")


@pytest.mark.parametrize(
    "command",
    [
        b"MAIL FROM:<",
        b'MAIL FROM:<"',
        b"MAIL FROM:<@",
        b"MAIL FROM:\xff\xfe",
        b"MAIL FROM:<joe@x.example\xed\xa0\x80>",
        b"MAIL FROM:<joe\x00@x.example>",
        b"MAIL FROM:<j\xc3\xb6@x.example>",
        b"MAIL FROM:<j\xe2\x80\xaeo@x.example> SMTPUTF8",
        b"MAIL FROM:<j@x.example> SIZE=x",
        b"MAIL FROM:<j@x.example> FUTURE=1",
        b"RCPT TO:<",
        b"DATA",
        b"BDAT 10 LAST",
        b"AUTH PLAIN AGEAYg==",
        b"EHLO",
        b"VRFY knobeln",
        b"\xff\xff",
        b"X" * 2_000,
    ],
)
def test_what_is_wrong_in_a_command_is_not_called_our_failure(port: int, command: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        answers = raw.makefile("rb")
        answers.readline()
        raw.sendall(b"HELO x\r\n")
        answers.readline()
        raw.sendall(command + b"\r\n")
        answer = answers.readline()
        raw.sendall(b"NOOP\r\n")
        assert answers.readline().startswith(b"250")
    assert answer[:1] == b"5" or answer.startswith(b"252")


@pytest.mark.parametrize(
    ("command", "most"),
    [(b"NOOP", MAX_IDLE_COMMANDS), (b"RSET", MAX_SAME_COMMAND)],
)
def test_the_same_command_too_often_ends_the_conversation(
    port: int, command: bytes, most: int
) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.sendall(b"HELO x\r\n" + (command + b"\r\n") * (most + 1))
        lines = raw.makefile("rb").read().splitlines()
    assert len(lines) == most + 3
    assert lines[-1].startswith(b"421 4.7.0")


CONVERSATION = b"".join(
    line + b"\r\n"
    for line in (
        b"EHLO x",
        b"MAIL FROM:<joe@x.example>",
        b"RCPT TO:<knobeln@contest.example>",
        b"DATA",
        b"Subject: help\r\n\r\nhello",
        b".",
    )
)


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_who_closes_its_side_after_the_letter_gets_the_reply(protocol: str) -> None:
    taken: list[bytes] = []

    def keep(raw: bytes, *_: object) -> None:
        time.sleep(0.2)  # the client has closed its side long before
        taken.append(raw)

    greeting = CONVERSATION.replace(b"EHLO", b"LHLO" if protocol == "lmtp" else b"EHLO")
    with (
        listening(keep, listen_protocol=protocol) as made,
        socket.create_connection(("127.0.0.1", made.port), PATIENCE) as raw,
    ):
        raw.sendall(greeting)
        raw.shutdown(socket.SHUT_WR)
        lines = raw.makefile("rb").read().splitlines()
    assert lines[-1] == b"250 2.0.0 OK, the letter is kept"
    assert len(taken) == 1


@pytest.mark.parametrize("end", [-3, -10, 60, 0])
def test_who_closes_its_side_within_the_letter_leaves_none(
    store: Store, port: int, end: int
) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.sendall(CONVERSATION[:end] if end else b"")
        raw.shutdown(socket.SHUT_WR)
        raw.makefile("rb").read()  # until we hang up
    assert count(store) == 0


def test_a_connection_that_is_reset_is_no_failure_of_ours(
    store: Store, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    for sent in (b"", b"EHLO x\r\n", CONVERSATION[:-3], b"EHLO x\r\n" + b"NOOP\r\n" * 30):
        raw = socket.create_connection(("127.0.0.1", port), PATIENCE)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.sendall(sent)
        raw.close()
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client:
        client.sendmail(JOE, [ROBOT], LETTER)
    gc.collect()  # asyncio tells of an exception that nobody has looked at
    assert [record.getMessage() for record in caplog.records] == []
    assert count(store) == 1


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this host has no IPv6")
@pytest.mark.parametrize("listen", ["[::]:0", "localhost:0"])
def test_all_addresses_are_those_of_both_kinds(listen: str) -> None:
    with listening(lambda *_: None, listen=listen) as made:
        for address in ("127.0.0.1", "::1"):
            with smtplib.SMTP(address, made.port, timeout=PATIENCE) as client:
                assert client.sendmail(JOE, [ROBOT], LETTER) == {}


def test_who_brings_no_letter_cannot_keep_a_connection(
    client: smtplib.SMTP, monkeypatch: pytest.MonkeyPatch
) -> None:
    later_by = 0.0
    monkeypatch.setattr(
        "asyncio.base_events.BaseEventLoop.time", lambda _: time.monotonic() + later_by
    )

    def next_command() -> tuple[int, bytes]:
        """After less than would be too slow."""
        nonlocal later_by
        later_by += connection.MAX_SECONDS_WITHOUT_LETTER / 6
        return client.noop()

    for _ in range(2):
        codes = [next_command()[0] for _ in range(5)]
        assert codes == [250] * 5
        client.sendmail(JOE, [ROBOT], LETTER)
    for _ in range(5):
        next_command()
    assert next_command() == (421, b"4.4.2 too long without a letter, please try again later")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        (b"X-Long: " + b"x" * 63_000 + b"\r\n", 250),
        (b"X-Long: " + b"x" * 64_000 + b"\r\n", 552),
        (b"X: y\r\n" * 1_000, 552),
        (b"Received: from a by b\r\n" * 50, 250),
        (b"RECEIVED : from a\r\n by b\r\n" * 51, 554),
    ],
    ids=["nearly too long", "too long", "too many lines", "fifty hops", "a loop"],
)
def test_headers_that_we_could_not_read_and_loops_are_refused(
    client: smtplib.SMTP, store: Store, fields: bytes, code: int
) -> None:
    client.mail(JOE)
    client.rcpt(ROBOT)
    assert client.data(fields + LETTER)[0] == code
    assert count(store) == (code == 250)


def test_a_long_sender_is_taken_also_while_others_come_and_go(
    client: smtplib.SMTP, port: int
) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as other:
        other.ehlo()
    assert client.docmd("MAIL FROM:<joe@x.example> SIZE=100" + " " * 470 + "SMTPUTF8")[0] == 250


def test_no_login_is_offered_that_nobody_has(client: smtplib.SMTP) -> None:
    assert not client.has_extn("auth")


# --- STARTTLS -------------------------------------------------------------------------------------
def write_certificate(authority: trustme.CA, folder: Path) -> bytes:
    """A new certificate with its key as the folder's `server.pem`; the certificate as it is
    presented."""
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    return ssl.PEM_cert_to_DER_cert(certificate.cert_chain_pems[0].bytes().decode())


def presented(authority: trustme.CA, port: int) -> bytes | None:
    """The certificate that a client which checks it gets to see."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client:
        client.starttls(context=context)
        assert client.sendmail(JOE, [ROBOT], LETTER) == {}
        return client.sock.getpeercert(binary_form=True)


def test_letters_come_encrypted_and_a_renewed_certificate_is_taken_without_a_restart(
    authority: trustme.CA, tmp_path: Path
) -> None:
    taken: list[bytes] = []
    first = write_certificate(authority, tmp_path)
    with listening(
        lambda raw, *_: taken.append(raw), tmp_path, tls_certificate="server.pem"
    ) as listener:
        assert presented(authority, listener.port) == first
        second = write_certificate(authority, tmp_path)
        assert presented(authority, listener.port) == second != first
        (tmp_path / "server.pem").write_text("half a certif")
        assert presented(authority, listener.port) == second
    assert taken == [LETTER] * 3


def test_what_came_before_starttls_counts_for_nothing(
    authority: trustme.CA, tmp_path: Path
) -> None:
    write_certificate(authority, tmp_path)
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with client_of(lambda *_: None, tmp_path, tls_certificate="server.pem") as client:
        client.ehlo()
        client.mail(JOE)
        client.starttls(context=context)
        client.ehlo()
        assert not client.has_extn("starttls")
        assert client.rcpt(ROBOT)[0] == 503


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_certificate_that_cannot_be_used_is_a_fault_of_the_settings(
    tmp_path: Path, content: str | None
) -> None:
    if content:
        (tmp_path / "server.pem").write_text(content)
    listener = Listener(
        make_settings(mail=Mail(listen="127.0.0.1:0", tls_certificate="server.pem")),
        lambda *_: None,
        tmp_path,
    )
    with pytest.raises(ConfigError, match=r"mail\.tls_certificate"):
        listener.start()


# --- LMTP, and Unix sockets -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("raw", "code"), [(LETTER, 250), (TOO_LARGE, 552), (b"A: \0\r\n\r\n", 554)]
)
def test_lmtp_says_for_each_recipient_what_became_of_the_letter(raw: bytes, code: int) -> None:
    taken: list[object] = []
    with client_of(
        lambda *a: taken.append(a), client=smtplib.LMTP, listen_protocol="lmtp"
    ) as client:
        client.ehlo_or_helo_if_needed()
        client.mail(JOE)
        recipients = [
            client.rcpt(a)[0] for a in (ROBOT, "jane@contest.example", "prechelt@contest.example")
        ]
        assert recipients == [250, 550, 250]
        assert client.docmd("DATA")[0] == 354
        client.send(raw + b".\r\n")
        assert [client.getreply()[0] for _ in range(2)] == [code, code]
        assert client.noop()[0] == 250
    assert len(taken) == (code == 250)


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_letters_come_by_a_unix_socket(tmp_path: Path, protocol: str) -> None:
    taken: list[object] = []
    door = tmp_path / "door"
    with listening(
        lambda *a: taken.append(a), tmp_path, listen="./door", listen_protocol=protocol
    ) as listener:
        assert listener.port == 0
        assert door.stat().st_mode & 0o777 == 0o660
        with socket.socket(socket.AF_UNIX) as raw:
            raw.settimeout(PATIENCE)
            raw.connect(str(door))
            hello = b"LHLO x" if protocol == "lmtp" else b"HELO x"
            raw.sendall(hello + ENVELOPE + LETTER + b".\r\nQUIT\r\n")
            assert b"250 2.0.0" in raw.makefile("rb").read()
    assert taken == [(LETTER, "joe@x.example", (ROBOT,))]
    assert not door.exists()


def test_a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not(tmp_path: Path) -> None:
    door = tmp_path / "door"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(door))
    with listening(lambda *_: None, tmp_path, listen="./door"):
        second = Listener(make_settings(mail=Mail(listen="./door")), lambda *_: None, tmp_path)
        with pytest.raises(ConfigError, match="somebody else"):
            second.start()
        assert door.exists()


def test_a_file_in_the_sockets_place_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "door").write_text("a file")
    listener = Listener(make_settings(mail=Mail(listen="./door")), lambda *_: None, tmp_path)
    with pytest.raises(ConfigError, match=r"mail\.listen"):
        listener.start()
    assert (tmp_path / "door").read_text() == "a file"


@pytest.mark.parametrize(("host", "client"), [("127.0.0.1", ""), ("127.0.0.2", "127.0.0.2")])
def test_the_address_of_a_foreign_client_is_kept_with_the_letter(
    monkeypatch: pytest.MonkeyPatch, host: str, client: str
) -> None:
    monkeypatch.setattr("mailserver.intake.conversation.is_ours", lambda host: host == "127.0.0.1")
    found: list[str] = []
    with (
        listening_at(lambda batch: found.extend(each.client for each in batch)) as listener,
        smtplib.SMTP(
            "127.0.0.1", listener.port, timeout=PATIENCE, source_address=(host, 0)
        ) as smtp,
    ):
        smtp.sendmail(JOE, ROBOT, LETTER)
    assert found == [client]
