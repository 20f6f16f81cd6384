"""Mails from the outbox on their way: claim what is due, send, record the attempt (K98).

4xx and unreachable relays are tried again, later and later; 5xx and what has waited too long fail, for the
organizer to see. Killed between the relay's 250 and our commit a mail goes out twice, with one Message-ID;
into a Maildir only once.
"""

from __future__ import annotations

import hashlib
import os
import re
import smtplib
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import structlog

from knobeln.clock import Clock
from knobeln.config import DeliveryKind, Mail, Settings
from knobeln.errors import DeliveryDeferred, DeliveryRefused
from knobeln.store import Store, outbox
from knobeln.store.outbox import OutboxItem

BATCH = 100
REFUSALS_IN_A_ROW = 10  # from here on it is not the recipients whom the relay does not want
BACK_OFF_MINUTES = (1, 2, 5, 15, 30, 60)
_CONNECT_SECONDS = 30.0
_LONGEST_RESPONSE = 500
_LONGEST_FOLDER = 200

log = structlog.get_logger()


class RelayUnreachable(DeliveryDeferred):
    """Nobody is there, or the login failed: no use in trying the next mail at once."""


class Transport(Protocol):
    """Takes one mail. Raises DeliveryDeferred (again later) or DeliveryRefused (never)."""

    def send(self, to: str, raw: bytes) -> str:
        """What the other side said when it took the mail."""

    def close(self) -> None:
        """Let go of connections; a later `send` opens them again."""


@dataclass(frozen=True)
class Delivered:
    """What one call did."""

    sent: int = 0
    deferred: int = 0
    failed: int = 0

    def __add__(self, other: Delivered) -> Delivered:
        return Delivered(self.sent + other.sent, self.deferred + other.deferred, self.failed + other.failed)


def deliver_due(store: Store, settings: Settings, clock: Clock, transport: Transport) -> Delivered:
    """Send what is due, at most BATCH mails, each in a transaction of its own. Raises StoreBusy.

    A relay that is away, or refuses so many in a row that it must mean us, costs no mail: all wait (O11).
    """
    with store.read() as tx:
        items = outbox.due(tx, clock.now(), BATCH)
    total = Delivered()
    refused: list[tuple[OutboxItem, DeliveryRefused]] = []  # in a row; whose fault it is shows with the next
    try:
        for item in items:
            try:
                total += _deliver(store, settings, clock, transport, item)
            except DeliveryRefused as error:
                refused.append((item, error))
                if len(refused) == REFUSALS_IN_A_ROW:
                    raise RelayUnreachable(f"the relay refuses everything: {error}") from error
            else:
                total += _fail(store, clock, refused)
                refused = []
    except RelayUnreachable as error:
        total += _wait_for_relay(store, settings, clock, [r[0] for r in refused] or [item], error)
    else:
        total += _fail(store, clock, refused)
    finally:
        transport.close()
    return total


def _deliver(
    store: Store, settings: Settings, clock: Clock, transport: Transport, item: OutboxItem
) -> Delivered:
    try:
        response = transport.send(item.to, item.raw)
    except RelayUnreachable:
        raise
    except DeliveryDeferred as error:
        return _defer(store, settings, clock, item, error)
    with store.write() as tx:
        outbox.mark_sent(tx, item.id, clock.now(), _short(response))
    return Delivered(sent=1)


def _fail(store: Store, clock: Clock, refused: Sequence[tuple[OutboxItem, DeliveryRefused]]) -> Delivered:
    if not refused:
        return Delivered()
    with store.write() as tx:
        for item, error in refused:
            outbox.mark_failed(tx, item.id, clock.now(), _short(str(error)))
    return Delivered(failed=len(refused))


def _wait_for_relay(
    store: Store, settings: Settings, clock: Clock, tried: Sequence[OutboxItem], error: RelayUnreachable
) -> Delivered:
    """The tried mails wait as after any failure, the others a little too: nobody is asked in vain."""
    log.error("delivery waits", why=str(error))
    total = Delivered()
    for item in tried:
        total += _defer(store, settings, clock, item, error)
    with store.write() as tx:
        outbox.wait_until(tx, clock.now() + back_off(0))
    return total


def _defer(
    store: Store, settings: Settings, clock: Clock, item: OutboxItem, error: DeliveryDeferred
) -> Delivered:
    now = clock.now()
    with store.write() as tx:
        if now - item.created_at >= timedelta(hours=settings.mail.give_up_after_hours):
            outbox.mark_failed(tx, item.id, now, _short(f"given up: {error}"))
            return Delivered(failed=1)
        outbox.mark_deferred(tx, item.id, now + back_off(item.attempts), _short(str(error)))
    return Delivered(deferred=1)


def back_off(attempts: int) -> timedelta:
    """How long a mail waits after it failed once more; `attempts` counts those before."""
    return timedelta(minutes=BACK_OFF_MINUTES[min(attempts, len(BACK_OFF_MINUTES) - 1)])


def _short(response: str) -> str:
    return " ".join(response.split())[:_LONGEST_RESPONSE]


def transport_of(settings: Settings, folder: Path) -> Transport:
    """The transport that the settings name; `folder` is the contest's."""
    if settings.mail.delivery is DeliveryKind.SMTP:
        return SmtpTransport(settings.mail, settings.contest.address)
    return MaildirTransport(folder / settings.mail.maildir_root)


# --- Maildir -----------------------------------------------------------------------------------------------
class MaildirTransport:
    """A Maildir for each recipient below `root`: for rehearsals, and where a local server reads them."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def send(self, to: str, raw: bytes) -> str:
        """All of the mail or nothing, and only once, also where we were killed before we noted it as sent."""
        folder = self._root / folder_name(to)
        text = raw.replace(b"\r\n", b"\n")
        digest = hashlib.sha256(text).hexdigest()[:32]
        try:
            for box in ("tmp", "new", "cur"):  # also where we were killed between two of them
                (folder / box).mkdir(mode=0o700, parents=True, exist_ok=True)
            if any(True for box in ("new", "cur") for _ in (folder / box).glob(f"*D{digest}.*")):
                return "was kept before"
            return f"kept as {_keep(folder, digest, text)}"
        except OSError as error:
            raise RelayUnreachable(f"cannot write to {self._root}: {error}") from error

    def close(self) -> None:
        pass


def _keep(folder: Path, digest: str, text: bytes) -> str:
    """Write and sync the mail in tmp/, then move it to new/; its name, which sorts by time."""
    seconds, rest = divmod(time.time_ns(), 1_000_000_000)
    host = re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname())
    name = f"{seconds}.M{rest // 1_000:06}D{digest}.{host}"
    draft = folder / "tmp" / name
    try:
        with draft.open("xb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(folder / "new" / name)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return name


def folder_name(address: str) -> str:
    """A recipient's folder: its address, with everything that a file system might mind as %XX."""
    safe = re.sub(
        r"[^a-z0-9@._+-]|^\.", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), address.lower()
    )
    return safe[:_LONGEST_FOLDER]


# --- SMTP --------------------------------------------------------------------------------------------------
class SmtpTransport:
    """A relay (smarthost). The envelope's sender is the robot, so that bounces come back to it."""

    def __init__(self, mail: Mail, sender: str) -> None:
        self._mail = mail
        self._sender = sender
        self._connection: smtplib.SMTP | None = None

    def send(self, to: str, raw: bytes) -> str:
        connection = self._connected()
        try:
            return self._transaction(connection, to, re.sub(rb"\r?\n", b"\r\n", raw))
        except OSError as error:  # also all of smtplib's own
            self._forget()
            raise RelayUnreachable(f"the connection to {self._where} broke: {error}") from error

    def close(self) -> None:
        if self._connection is not None:
            try:
                self._connection.quit()
            except OSError:
                self._connection.close()
            self._connection = None

    @property
    def _where(self) -> str:
        return f"{self._mail.smarthost}:{self._mail.smarthost_port}"

    def _connected(self) -> smtplib.SMTP:
        if self._connection is None:
            try:
                self._connection = self._connect()
            except OSError as error:
                raise RelayUnreachable(f"cannot use the relay {self._where}: {error}") from error
        return self._connection

    def _connect(self) -> smtplib.SMTP:
        mail = self._mail
        name = self._sender.rpartition("@")[2]
        if mail.security == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                mail.smarthost,
                mail.smarthost_port,
                name,
                timeout=_CONNECT_SECONDS,
                context=ssl.create_default_context(),
            )
        else:
            connection = smtplib.SMTP(mail.smarthost, mail.smarthost_port, name, timeout=_CONNECT_SECONDS)
        if mail.security == "starttls":
            connection.starttls(context=ssl.create_default_context())
        if mail.username:
            connection.login(mail.username, mail.password)
        return connection

    def _transaction(self, connection: smtplib.SMTP, to: str, raw: bytes) -> str:
        """MAIL, RCPT, DATA. What the relay has against us (MAIL) is not the recipient's fault: deferred."""
        connection.ehlo_or_helo_if_needed()
        code, text = connection.mail(self._sender)
        if code != 250:
            self._undo(connection)
            raise DeliveryDeferred(_reply(code, text))
        code, text = connection.rcpt(to)
        if code not in (250, 251):
            self._undo(connection)
            raise _verdict(code, text)
        try:
            code, text = connection.data(raw)
        except smtplib.SMTPDataError as error:
            self._undo(connection)
            raise _verdict(error.smtp_code, error.smtp_error) from error
        if code != 250:
            self._undo(connection)
            raise _verdict(code, text)
        return _reply(code, text)

    def _undo(self, connection: smtplib.SMTP) -> None:
        """Make the connection ready for the next mail, or give it up."""
        try:
            connection.rset()
        except OSError:
            self._forget()

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _verdict(code: int, text: bytes | str) -> DeliveryDeferred | DeliveryRefused:
    return DeliveryRefused(_reply(code, text)) if code >= 500 else DeliveryDeferred(_reply(code, text))


def _reply(code: int, text: bytes | str) -> str:
    return f"{code} {text.decode('utf-8', 'replace') if isinstance(text, bytes) else text}"
