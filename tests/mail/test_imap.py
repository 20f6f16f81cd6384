"""Letters out of a real mailbox: Dovecot's, over real connections that break in every way."""

import json
import smtplib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count, pairwise
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import parse_qs

import pytest
import trustme
from imapclient import IMAPClient

from contest.errors import GiveUp, StoreBusy
from contest.model import LetterState
from contest.schema.sections import Imap, OAuth
from mailserver.intake import imap
from mailserver.intake.accept import accept_found
from mailserver.intake.imap import (
    MAX_PAUSE_SECONDS,
    Known,
    Mailbox,
    MailboxUnreachable,
    Watch,
    pause_seconds,
)
from mailserver.oauth import AccessToken
from store import Store, letters
from tests.support.servers import NOT_OURS, Dovecot, Wire, wait_for, world_readable_folder

LETTER = b"From: joe@machine.domain.alfdkj\r\nSubject: please compile\r\n\r\nx\r\n"
WITHOUT_EXTENSIONS = "IMAP4rev1"
_users = count(1)


@dataclass
class Taken:
    """What came in; `accept` can be made to fail."""

    raws: list[bytes] = field(default_factory=list)
    times: list[datetime] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    failure: Exception | None = None
    before: Callable[[], object] = lambda: None

    def accept(self, raw: bytes, arrived_at: datetime) -> None:
        self.before()
        if self.failure:
            raise self.failure
        self.raws.append(raw)
        self.times.append(arrived_at)

    def has(self, last: bytes) -> bool:
        """Whether the letter with this last line has come, once or, after a break, again."""
        return any(raw.endswith(last + b"\r\n") for raw in self.raws)


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """The URL that tells Dovecot what a token is worth: `good-NAME` is one of NAME."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            token = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())[
                "token"
            ][0]
            good = token.startswith("good-")
            answer = (
                {"active": good, "email": token.removeprefix("good-")}
                if good
                else {"active": False}
            )
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/introspect"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def dovecot(authority: trustme.CA, issuer: str) -> Iterator[Dovecot]:
    with world_readable_folder() as folder:
        certificate = folder / "server.pem"
        authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(certificate)
        authority.cert_pem.write_to_path(folder / "authority.pem")
        server = Dovecot(folder, certificate=certificate, introspection_url=issuer)
        yield server
        server.stop()


@pytest.fixture(scope="module")
def plain_dovecot() -> Iterator[Dovecot]:
    """One that knows nothing newer than IMAP4rev1: no IDLE, no MOVE, no UIDPLUS."""
    with another_dovecot(capabilities=WITHOUT_EXTENSIONS) as server:
        yield server


@pytest.fixture
def user() -> str:
    return f"robot{next(_users)}"


def settings(
    server: Dovecot, user: str, host: str = "localhost", port: int = 0, **changes: Any
) -> Imap:
    usual = {
        "server": f"{host}:{port or server.imap}",
        "security": "none",
        "username": user,
        "password": "secret",
    }
    return Imap(**(usual | changes))


def opened(
    server: Dovecot, user: str, taken: Taken, max_bytes: int = 1_000_000, **changes: Any
) -> Mailbox:
    return Mailbox(settings(server, user, **changes), max_bytes, taken.accept, taken.alarms.append)


def bring(server: Dovecot, user: str, raw: bytes = LETTER) -> None:
    with smtplib.LMTP("127.0.0.1", server.lmtp, timeout=20) as client:
        client.sendmail("joe@machine.domain.alfdkj", [user], raw)


@contextmanager
def client_of(server: Dovecot, user: str) -> Iterator[IMAPClient]:
    """What this user does, by another program."""
    with IMAPClient("127.0.0.1", server.imap, ssl=False, timeout=20) as client:
        client.login(user, "secret")
        client.select_folder("INBOX")
        yield client


def take(
    server: Dovecot, user: str, letters: int, max_bytes: int = 1_000_000, **changes: Any
) -> Taken:
    """What is taken at one visit, which must be so many letters."""
    taken = Taken()
    mailbox = opened(server, user, taken, max_bytes, **changes)
    assert mailbox.take_all(Event()) == letters
    mailbox.close()
    return taken


@contextmanager
def another_dovecot(**options: Any) -> Iterator[Dovecot]:
    with world_readable_folder() as folder:
        server = Dovecot(folder, **options)
        try:
            yield server
        finally:
            server.stop()


def folders(server: Dovecot, user: str) -> dict[str, int]:
    """How many letters each folder of the user has."""
    with client_of(server, user) as client:
        names = [name for _, _, name in client.list_folders()]
        return {name: client.folder_status(name, ["MESSAGES"])[b"MESSAGES"] for name in names}


def flags(server: Dovecot, user: str) -> list[set[bytes]]:
    with client_of(server, user) as client:
        found = client.get_flags(client.search())
        return [set(found[uid]) - NOT_OURS for uid in sorted(found)]


@dataclass
class FastClock:
    """A clock that runs a thousand times as fast from `begin` on."""

    begin: float

    def monotonic(self) -> float:
        return self.begin + 1000 * (time.monotonic() - self.begin)


# --- taking ---------------------------------------------------------------------------------------
def test_letters_are_taken_as_they_are_in_order_and_moved(dovecot: Dovecot, user: str) -> None:
    for number in range(3):
        bring(dovecot, user, LETTER + b"%d\r\n" % number)
    taken = take(dovecot, user, 3)
    assert [raw.endswith(LETTER + b"%d\r\n" % n) for n, raw in enumerate(taken.raws)] == [True] * 3
    assert taken.raws[0].startswith(b"Return-Path: <joe@machine.domain.alfdkj>\r\nDelivered-To: ")
    assert folders(dovecot, user) == {"INBOX": 0, "Processed": 3}
    assert taken.alarms == []


def test_a_letter_is_kept_by_us_before_it_is_touched_there(dovecot: Dovecot, user: str) -> None:
    bring(dovecot, user)
    seen: list[object] = []
    taken = Taken(
        before=lambda: seen.append((folders(dovecot, user)["INBOX"], flags(dovecot, user)))
    )
    mailbox = opened(dovecot, user, taken)
    mailbox.take_all(Event())
    mailbox.close()
    assert seen == [(1, [set()])]


def test_a_letter_that_cannot_be_kept_stays_and_is_taken_later(dovecot: Dovecot, user: str) -> None:
    bring(dovecot, user)
    taken = Taken(failure=StoreBusy("locked"))
    mailbox = opened(dovecot, user, taken)
    with pytest.raises(StoreBusy):
        mailbox.take_all(Event())
    assert flags(dovecot, user) == [set()]
    taken.failure = None
    assert mailbox.take_all(Event()) == 1
    mailbox.close()
    assert len(taken.raws) == 1


def test_without_move_letters_are_copied_and_deleted(plain_dovecot: Dovecot, user: str) -> None:
    bring(plain_dovecot, user)
    mailbox = opened(plain_dovecot, user, Taken())
    assert not mailbox.can_move
    assert mailbox.take_all(Event()) == 1
    mailbox.close()
    assert folders(plain_dovecot, user) == {"INBOX": 0, "Processed": 1}


@pytest.mark.parametrize(("flag", "count"), [(rb"\Seen", 1), (rb"\Deleted", 0)])
def test_a_letter_that_a_person_has_read_is_taken_and_one_that_was_deleted_is_not(
    dovecot: Dovecot, user: str, flag: bytes, count: int
) -> None:
    bring(dovecot, user)
    with client_of(dovecot, user) as client:
        client.add_flags(client.search(), [flag])
    take(dovecot, user, count)


def test_where_no_folder_can_be_made_letters_are_flagged_and_the_organizer_is_told(
    dovecot: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "PROCESSED", "a//b")
    bring(dovecot, user)
    taken = Taken()
    for _ in range(2):
        mailbox = opened(dovecot, user, taken)
        mailbox.take_all(Event())
        mailbox.close()
    assert len(taken.raws) == 1
    assert flags(dovecot, user) == [{rb"\Seen", imap.KEYWORD.encode()}]
    assert [alarm[:36] for alarm in taken.alarms] == ["no letter can be moved to the folder"]


def test_folders_below_inbox_are_found_where_the_server_has_them_there(user: str) -> None:
    with another_dovecot(prefix="INBOX.") as server:
        bring(server, user)
        take(server, user, 1)
        assert folders(server, user) == {"INBOX": 0, "INBOX.Processed": 1}


def test_of_a_letter_that_is_too_large_only_the_headers_are_taken(
    dovecot: Dovecot, user: str
) -> None:
    bring(dovecot, user, LETTER + b"secret program\r\n" * 5_000)
    bring(dovecot, user)
    large, usual = take(dovecot, user, 2, max_bytes=20_000).raws
    assert large.startswith(b"X-Knobeln-Cut: 8")
    assert large.endswith(b"Subject: please compile\r\n\r\n")
    assert usual.endswith(LETTER)
    assert folders(dovecot, user) == {"INBOX": 0, "Processed": 1, "Failed": 1}


def test_a_letter_that_the_server_cannot_read_stops_no_other_and_is_put_aside(
    dovecot: Dovecot, user: str
) -> None:
    bring(dovecot, user)
    (broken,) = dovecot.maildir(user).glob("[nc][eu][wr]/*")
    broken.chmod(0)
    bring(dovecot, user, LETTER + b"y\r\n")
    taken = Taken()
    known = Known()
    while folders(dovecot, user).get("Failed") != 1:
        assert known.failures.total() <= imap.MAX_TRIES
        mailbox = Mailbox(
            settings(dovecot, user), 10**6, taken.accept, taken.alarms.append, None, known
        )
        with suppress(MailboxUnreachable):  # Dovecot hangs up on such a letter
            mailbox.take_all(Event())
        mailbox.close()
    assert [raw.endswith(b"y\r\n") for raw in taken.raws] == [True]
    assert folders(dovecot, user) == {"INBOX": 0, "Processed": 1, "Failed": 1}
    assert [alarm[:9] for alarm in taken.alarms] == ["letter 1 "]


def test_the_time_of_arrival_in_the_mailbox_decides_and_none_is_in_the_future(
    dovecot: Dovecot, user: str, store: Store
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    yesterday, tomorrow = now - timedelta(days=1), now + timedelta(days=1)
    with client_of(dovecot, user) as client:
        client.append("INBOX", LETTER, msg_time=yesterday)
    taken = take(dovecot, user, 1)
    assert taken.times == [yesterday]
    accept_found(store, taken.raws[0], taken.times[0], now)
    accept_found(store, LETTER + b"y\r\n", tomorrow, now)
    with store.read() as tx:
        assert [row.received_at for row in letters.listing(tx, None, 5)] == [yesterday, now]


def test_a_mailbox_that_is_numbered_anew_brings_nothing_twice(
    dovecot: Dovecot, user: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "PROCESSED", "a//b")  # cannot be made, so letters stay
    now = datetime.now(UTC)

    def keep(raw: bytes, arrived_at: datetime) -> None:
        accept_found(store, raw, arrived_at, now)

    bring(dovecot, user)
    bring(dovecot, user, LETTER + b"y\r\n")
    numbers = []
    for _ in range(2):
        mailbox = Mailbox(settings(dovecot, user), 10**6, keep, print)
        numbers.append(mailbox.uid_validity)
        assert mailbox.take_all(Event()) == 2
        mailbox.close()
        # As after a restored backup: other numbers, and all flags are lost.
        with client_of(dovecot, user) as client:
            client.set_flags(client.search(), [])
        dovecot.number_anew(user)
    assert numbers[0] != numbers[1]
    with store.read() as tx:
        assert letters.count_by_state(tx) == {LetterState.NEW: 2}


# --- waiting --------------------------------------------------------------------------------------
def wait_and_bring(mailbox: Mailbox, bring_it: Callable[[], object], after: float) -> float:
    """How long the mailbox waited, when the letter was brought so long after it had begun to."""
    timer = threading.Timer(after, bring_it)
    timer.start()
    begin = time.monotonic()
    mailbox.wait(Event())
    timer.join()
    return time.monotonic() - begin


@pytest.mark.slow
@pytest.mark.parametrize("security", ["none", "tls"])
def test_a_new_letter_is_heard_of_at_once(
    dovecot: Dovecot, user: str, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes: dict[str, Any] = {"security": security}
    if security == "tls":
        changes["port"] = dovecot.imaps
        monkeypatch.setenv("SSL_CERT_FILE", str(dovecot.folder / "authority.pem"))
    mailbox = opened(dovecot, user, Taken(), **changes)
    assert mailbox.can_idle
    for after in (0.2, 2.0):
        waited = wait_and_bring(
            mailbox, lambda: bring(dovecot, user, LETTER + b"%f" % time.time()), after
        )
        assert waited < imap.SLICE_SECONDS / 4
        wait_for(lambda: mailbox.take_all(Event()) == 1)
    mailbox.close()


@pytest.mark.slow
def test_a_letter_that_comes_between_the_search_and_idle_is_not_overlooked(
    dovecot: Dovecot, user: str
) -> None:
    mailbox = opened(dovecot, user, Taken())
    for number in range(5):
        assert mailbox.waiting() == []
        bring(dovecot, user, LETTER + b"%d\r\n" % number)
        begin = time.monotonic()
        mailbox.wait(Event())
        assert time.monotonic() - begin < imap.SLICE_SECONDS / 4
        assert mailbox.take_all(Event()) == 1
    mailbox.close()


def test_without_idle_it_looks_from_time_to_time(
    plain_dovecot: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "POLL_SECONDS", 0.05)
    mailbox = opened(plain_dovecot, user, Taken())
    assert not mailbox.can_idle
    bring(plain_dovecot, user)
    mailbox.wait(Event())
    assert mailbox.take_all(Event()) == 1
    mailbox.close()


def test_a_wish_to_stop_ends_the_wait(
    dovecot: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "_LOOK_SECONDS", 0.1)
    stop = Event()
    mailbox = opened(dovecot, user, Taken())
    threading.Timer(0.2, stop.set).start()
    begin = time.monotonic()
    mailbox.wait(stop)
    assert time.monotonic() - begin < imap.SLICE_SECONDS / 4
    mailbox.close()


def test_a_connection_that_was_closed_ends_the_wait(dovecot: Dovecot, user: str) -> None:
    wire = Wire(dovecot.imap)
    mailbox = opened(dovecot, user, Taken(), port=wire.port)
    threading.Timer(0.1, wire.cut).start()
    with pytest.raises(MailboxUnreachable):
        mailbox.wait(Event())
    mailbox.close()
    wire.close()


@pytest.mark.slow
def test_idle_is_renewed_long_before_a_server_drops_it_after_29_minutes(
    dovecot: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of `imap` runs a thousand times as fast as the server's."""
    begin = time.monotonic()
    monkeypatch.setattr(imap, "time", FastClock(begin))
    monkeypatch.setattr(imap, "_LOOK_SECONDS", 0.05)
    wire = Wire(dovecot.imap)
    mailbox = opened(dovecot, user, Taken(), port=wire.port)
    idles: list[float] = []
    usual = IMAPClient.idle

    def idle(client: IMAPClient) -> object:
        idles.append(imap.time.monotonic())
        return usual(client)

    monkeypatch.setattr(IMAPClient, "idle", idle)
    while imap.time.monotonic() - begin < 30 * 60:
        mailbox.wait(Event())
    gaps = [later - earlier for earlier, later in pairwise(idles)]
    assert len(idles) > 10
    assert max(gaps) < 29 * 60
    wire.cut()  # and if one drops it all the same
    with pytest.raises(MailboxUnreachable):
        mailbox.wait(Event())
    mailbox.close()
    wire.close()


# --- logging in -----------------------------------------------------------------------------------
@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_an_encrypted_connection_with_a_trusted_certificate_works(
    dovecot: Dovecot, user: str, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(dovecot.folder / "authority.pem"))
    bring(dovecot, user)
    taken = Taken()
    port = dovecot.imaps if security == "tls" else dovecot.imap
    mailbox = opened(dovecot, user, taken, security=security, port=port)
    assert mailbox.take_all(Event()) == 1
    mailbox.close()


@pytest.mark.parametrize(
    ("security", "fault"), [("tls", "unknown authority"), ("starttls", "other name")]
)
def test_a_certificate_that_is_not_trusted_is_refused_before_the_password_is_sent(
    dovecot: Dovecot, user: str, security: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = "localhost"
    if fault == "other name":
        monkeypatch.setenv("SSL_CERT_FILE", str(dovecot.folder / "authority.pem"))
        host = "127.0.0.1"
    port = dovecot.imaps if security == "tls" else dovecot.imap
    with pytest.raises(GiveUp, match="update-ca-certificates"):
        opened(dovecot, user, Taken(), security=security, host=host, port=port)


def test_a_certificate_that_is_not_valid_yet_may_be_a_wrong_clock(
    user: str, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world_readable_folder() as folder:
        authority.cert_pem.write_to_path(str(folder / "authority.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        pair = authority.issue_cert("localhost", not_before=tomorrow)
        pair.private_key_and_cert_chain_pem.write_to_path(str(folder / "certificate.pem"))
        server = Dovecot(folder, certificate=folder / "certificate.pem")
        try:
            with pytest.raises(GiveUp, match="not yet valid by this host's clock, which says"):
                opened(server, user, Taken(), security="tls", port=server.imaps)
        finally:
            server.stop()


def test_a_server_that_offers_no_starttls_gets_no_password(
    plain_dovecot: Dovecot, user: str
) -> None:
    with pytest.raises(GiveUp, match="STARTTLS"):
        opened(plain_dovecot, user, Taken(), security="starttls")


def test_a_wrong_password_is_for_the_organizer_to_mend(dovecot: Dovecot, user: str) -> None:
    with pytest.raises(GiveUp, match=r"imap\.password") as refused:
        opened(dovecot, user, Taken(), password="wrong-and-secret")
    assert "wrong-and-secret" not in str(refused.value)


def test_a_folder_that_is_not_there_is_for_the_organizer_to_mend(
    dovecot: Dovecot, user: str
) -> None:
    with pytest.raises(GiveUp, match="Nowhere"):
        opened(dovecot, user, Taken(), folder="Nowhere")


@pytest.mark.parametrize(
    "greeting", [b"", b"* BYE too many connections\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"]
)
def test_whatever_else_answers_is_not_a_mail_server_now(user: str, greeting: bytes) -> None:
    door = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        client, _ = door.accept()
        client.sendall(greeting)
        client.close()

    threading.Thread(target=answer, daemon=True).start()
    with pytest.raises(MailboxUnreachable):
        Mailbox(
            Imap(server=f"127.0.0.1:{door.getsockname()[1]}", security="none", username=user),
            10**6,
            Taken().accept,
            print,
        )
    door.close()


def token_of(text: str, folder: Path) -> AccessToken:
    return AccessToken(OAuth(token_command=f"echo {text}"), folder)


def test_an_access_token_opens_the_mailbox(dovecot: Dovecot, user: str, tmp_path: Path) -> None:
    bring(dovecot, user)
    taken = Taken()
    chosen = settings(dovecot, user, password="")
    mailbox = Mailbox(chosen, 10**6, taken.accept, print, token_of(f"good-{user}", tmp_path))
    assert mailbox.take_all(Event()) == 1
    mailbox.close()


@pytest.mark.parametrize("token", ["expired", "good-somebody"])
def test_a_token_that_is_not_good_is_for_the_organizer_to_mend(
    dovecot: Dovecot, user: str, token: str, tmp_path: Path
) -> None:
    chosen = settings(dovecot, user, password="")
    with pytest.raises(GiveUp, match=r"imap\.password"):
        Mailbox(chosen, 10**6, Taken().accept, print, token_of(token, tmp_path))


# --- the watch ------------------------------------------------------------------------------------
@dataclass
class Watched:
    watch: Watch
    taken: Taken
    stop: Event


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Watched]]:
    monkeypatch.setattr(imap, "CONNECT_SECONDS", 2.0)
    monkeypatch.setattr(imap, "READ_SECONDS", 2.0)
    monkeypatch.setattr(imap, "SLICE_SECONDS", 3.0)
    started: list[Watched] = []

    def make(chosen: Imap, token: AccessToken | None = None) -> Watched:
        taken, stop = Taken(), Event()
        watch = Watch(
            lambda: Mailbox(chosen, 10**6, taken.accept, taken.alarms.append, token),
            taken.alarms.append,
            stop,
        )
        started.append(Watched(watch, taken, stop))
        watch.start()
        return started[-1]

    yield make
    for watched in started:
        watched.stop.set()
        watched.watch.join(20)
        assert not watched.watch.is_alive()


@pytest.mark.slow
def test_letters_go_on_coming_when_connections_break_and_servers_fall_silent(
    dovecot: Dovecot, user: str, watch: Callable[..., Watched]
) -> None:
    wire = Wire(dovecot.imap)
    watched = watch(settings(dovecot, user, port=wire.port))
    bring(dovecot, user, LETTER + b"0\r\n")
    wait_for(lambda: watched.taken.has(b"0"))
    wire.cut()
    bring(dovecot, user, LETTER + b"1\r\n")
    wait_for(lambda: watched.taken.has(b"1"))
    wire.silent = True
    bring(dovecot, user, LETTER + b"2\r\n")
    connections = wire.connections
    wait_for(lambda: wire.connections > connections)
    wire.silent = False
    wait_for(lambda: watched.taken.has(b"2"))
    assert wire.connections < 12
    wire.close()


@pytest.mark.slow
def test_a_server_that_is_restarted_is_found_again_and_the_organizer_hears_of_it(
    user: str, watch: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "MAX_PAUSE_SECONDS", 1.0)
    with another_dovecot() as server:
        wire = Wire(server.imap)
        watched = watch(settings(server, user, port=wire.port))
        bring(server, user, LETTER + b"0\r\n")
        wait_for(lambda: watched.taken.has(b"0"))
        server.stop()
        wire.cut()  # its children would hold on for a while
        wait_for(lambda: len(watched.taken.alarms) == 2)
        server.start()
        bring(server, user, LETTER + b"1\r\n")
        wait_for(lambda: watched.taken.has(b"1"))
        wait_for(lambda: len(watched.taken.alarms) == 3)
        assert watched.taken.alarms[1].startswith("no letters can be fetched: the mail server")
        assert watched.taken.alarms[::2] == ["letters are fetched from the mailbox"] * 2
        wire.close()


@pytest.mark.slow
def test_a_certificate_that_expires_while_we_serve_is_told_and_so_is_the_new_one(
    user: str,
    authority: trustme.CA,
    watch: Callable[..., Watched],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(imap, "MAX_PAUSE_SECONDS", 1.0)
    with world_readable_folder() as folder:
        authority.cert_pem.write_to_path(str(folder / "authority.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
        now = datetime.now(UTC)

        def certify(until: datetime) -> Path:
            file = folder / "certificate.pem"
            file.unlink(missing_ok=True)
            pair = authority.issue_cert("localhost", not_after=until)
            pair.private_key_and_cert_chain_pem.write_to_path(str(file))
            return file

        server = Dovecot(folder, certificate=certify(now + timedelta(days=1)))
        wire = Wire(server.imaps)
        watched = watch(settings(server, user, security="tls", port=wire.port))
        wait_for(lambda: watched.taken.alarms)
        for until in (now - timedelta(days=1), now + timedelta(days=1)):
            alarms = len(watched.taken.alarms)
            server.stop()
            certify(until)
            server.start()
            wire.cut()
            wait_for(lambda told=alarms: len(watched.taken.alarms) > told)
        bring(server, user, LETTER + b"1\r\n")
        wait_for(lambda: watched.taken.has(b"1"))
        expired = [alarm for alarm in watched.taken.alarms if "certificate has expired" in alarm]
        assert len(expired) == 1
        assert "by this host's clock" in expired[0]
        assert watched.taken.alarms[-1] == "letters are fetched from the mailbox"
        wire.close()
        server.stop()


@pytest.mark.slow
def test_a_wrong_password_is_told_once_and_not_tried_in_a_loop(
    dovecot: Dovecot, user: str, watch: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "CONNECT_SECONDS", 60.0)  # a slow refusal is one, too
    monkeypatch.setattr(imap, "READ_SECONDS", 60.0)
    wire = Wire(dovecot.imap)
    watched = watch(settings(dovecot, user, port=wire.port, password="wrong"))
    wait_for(lambda: watched.taken.alarms)
    time.sleep(1)
    assert wire.connections == 1
    assert len(watched.taken.alarms) == 1
    assert "does not let" in watched.taken.alarms[0]
    wire.close()


@pytest.mark.slow
def test_the_pauses_grow_up_to_a_bound() -> None:
    pauses = [pause_seconds(failures, False, 0.5) for failures in range(1, 2_000, 1)]
    assert pauses[:4] == [1, 2, 4, 8]
    assert pauses == sorted(pauses)
    assert pauses[-1] == MAX_PAUSE_SECONDS
    assert 0.7 < pause_seconds(1, False, 0.0) < 1 < pause_seconds(1, False, 1.0) < 1.3
    assert pause_seconds(1, True, 0.5) == MAX_PAUSE_SECONDS
