"""Letters by SMTP or LMTP: a listener in a thread of its own, at a port, at a Unix socket, or at
both.

It answers `250` after the letter is committed, `451` for every failure of ours, `550` for foreign
recipients (it relays nothing), `552` for letters or headers that are too large, `554` for a letter
that goes round in circles, and `421` for more connections than allowed and for conversations that
are too slow or bring no letter. LMTP answers once for each recipient.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import socket
import ssl
import threading
from asyncio import IncompleteReadError, StreamReaderProtocol
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, TLSSetupException

from contest.config.settings import Settings
from contest.errors import ConfigError, KnobelnError, TryAgain
from contest.model import IncomingLetter
from contest.schema.sections import Mail
from contest.util.log import log
from mailserver.intake.loopback import require_loopback
from mailserver.reading import addresses, mime_parts

TIMEOUT_SECONDS = 60.0
MAX_RECIPIENTS = 20
MAX_CONNECTIONS = 100
MAX_PER_HOST = 10
MAX_SAME_COMMAND = 1_000
MAX_IDLE_COMMANDS = 50  # of each kind that brings no letter
MAX_SECONDS_WITHOUT_LETTER = 300.0
MAX_LINE_BYTES = 65_536  # SMTP says 1,000, and not everybody keeps to it
_READY_SECONDS = 10.0
_LOOPBACK = ("127.0.0.1", "::1")  # localhost (RFC 6761), also where /etc/hosts has only one of them
# What `localhost` meets on a host without IPv6, or where that is switched off.
_MISSING = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
_FIRST_FREE_PORT = 1_024  # anybody may have this one and those above
_MAX_COMMAND_BYTES = 512
_MAX_ADDRESS_BYTES = 254
_SENDER = re.compile(r"[^\s\"]+@[^\s\"]+")  # and printable (M67)
_USUAL_PATH = re.compile(r"<([\w+-]+(?:\.[\w+-]+)*@[\w-]+(?:\.[\w-]+)*)> *([A-Z0-9= ]*)", re.ASCII)
_NULL_SENDER = "<>"
_IDLE_COMMANDS = ("NOOP", "HELP", "VRFY", "HELO", "EHLO", "LHLO")

Accept = Callable[[Sequence[IncomingLetter]], object]
MostBytes = Callable[[str], int]


def low_ports(mail: Mail) -> list[socket.socket]:
    """Bind the port of the settings if only root may have it; [] if anybody may, or there is none.

    Raises TryAgain or ConfigError.
    """
    return _ports(mail) if 0 < mail.listen_port < _FIRST_FREE_PORT else []


def open_sockets(
    mail: Mail, folder: Path, ports: Sequence[socket.socket] = ()
) -> list[socket.socket]:
    """Bind the port or the Unix socket of the settings; `ports`: what `low_ports` has bound
    already.

    Raises TryAgain if they cannot be had now, or ConfigError.
    """
    if mail.listen_socket:
        return [_unix_socket(folder / mail.listen_socket)]
    return [*(ports or _ports(mail))]


def port_of(sockets: Sequence[socket.socket]) -> int:
    """The port that is listened on, also where the settings say 0; 0 where only the Unix socket
    is."""
    names = [door.getsockname() for door in sockets]
    return next((int(name[1]) for name in names if isinstance(name, tuple)), 0)


def _addresses(mail: Mail) -> list[tuple[socket.AddressFamily, str]]:
    """What the host of the settings stands for. Raises OSError."""
    names = _LOOPBACK if mail.listen_host == "localhost" else (mail.listen_host,)
    found = [
        (family, str(address[0]))
        for name in names
        for family, _, _, _, address in socket.getaddrinfo(
            name, mail.listen_port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    ]
    return list(dict.fromkeys(found))


def _ports(mail: Mail) -> list[socket.socket]:
    if not mail.listen_host:
        return []
    bound: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, host in _addresses(mail):
            try:
                bound.append(_bound(family, host, mail.listen_port or port_of(bound)))
            except OSError as error:
                if error.errno not in _MISSING:
                    raise
                missing = error
        if not bound and missing is not None:
            raise missing
    except OSError as error:
        text = f"mail.listen: cannot listen there: {error.strerror or error}"
        if error.errno == errno.EADDRINUSE:
            text = (
                f"mail.listen: port {mail.listen_port} is in use, maybe by another `knobeln serve`"
            )
        # The network may not be up yet, or an earlier server not quite gone.
        kind = (
            TryAgain
            if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, None)
            else ConfigError
        )
        raise kind(text) from None
    if all(ip_address(door.getsockname()[0]).is_loopback for door in bound):
        require_loopback()
    return bound


def _bound(family: int, host: str, port: int) -> socket.socket:
    """A socket that listens there; at all addresses of IPv6, it takes IPv4 as well."""
    takes_both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, dualstack_ipv6=takes_both)


def _unix_socket(path: Path) -> socket.socket:
    try:
        if is_answered(path):
            raise ConfigError(f"mail.listen: somebody else listens at {path}")
        if path.is_socket():  # it was left behind
            path.unlink()
        opened = socket.socket(socket.AF_UNIX)
        opened.bind(str(path))
        path.chmod(0o660)  # for the mail system in the folder's group, and nobody else
        opened.listen()
    except OSError as error:
        raise ConfigError(f"mail.listen: cannot listen at {path}: {error}") from None
    return opened


class Listener:
    """`start` binds and returns; `stop` ends all.

    `accept` runs in its own thread, one call at a time. It keeps all of the letters or raises.
    Letters that arrive while it works come with its next call, so that many at once cost one
    commit.
    """

    def __init__(
        self,
        settings: Settings,
        accept: Accept,
        folder: Path = Path(),
        most_bytes: MostBytes | None = None,
        sockets: Sequence[socket.socket] = (),
    ) -> None:
        """`folder` is the contest's: relative names of files in the settings are below it.
        `most_bytes` says how large a letter of an envelope's sender may be; without it
        `Settings.MAX_LETTER_BYTES` says so.
        `sockets`: opened before by `open_sockets`; without them `start` opens them."""
        self._sockets = sockets
        self._settings = settings
        self._folder = folder
        self._certificate = Certificate.of(settings.mail, folder)
        self._open: set[_Conversation] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="smtp", daemon=True)
        self._queue = CommitQueue(accept, self._loop)
        self._handler = _Handler(settings, self._queue, most_bytes)
        self._servers: list[asyncio.Server] = []

    @property
    def port(self) -> int:
        """As `port_of`."""
        return port_of(self._sockets)

    def start(self) -> None:
        """Raises ConfigError if port, Unix socket or certificate cannot be had; TryAgain if only
        for now."""
        # Otherwise the library writes what strangers send to the console (M41).
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        if self._settings.mail.tls_certificate:
            self._certificate.load()
        self._sockets = self._sockets or open_sockets(self._settings.mail, self._folder)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(_READY_SECONDS)

    async def _listen(self) -> None:
        for each in self._sockets:
            if each.family is socket.AF_UNIX:
                self._servers.append(await self._loop.create_unix_server(self._protocol, sock=each))
            else:
                self._servers.append(await self._loop.create_server(self._protocol, sock=each))

    def stop(self) -> None:
        """End it. A letter whose `250` is not yet out is offered again by its sender, and
        recognised."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_READY_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_READY_SECONDS)
        self._queue.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    async def _close(self) -> None:
        if self._settings.mail.listen_socket:
            (self._folder / self._settings.mail.listen_socket).unlink(missing_ok=True)
        for server in self._servers:
            server.close()
        for conversation in tuple(self._open):
            conversation.hang_up("4.3.2 going down")
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _protocol(self) -> asyncio.Protocol:
        if len(self._open) >= MAX_CONNECTIONS:
            return _Busy()
        kind = _LmtpConversation if self._settings.mail.listen_protocol == "lmtp" else _Conversation
        context = self._certificate.context if self._settings.mail.tls_certificate else None
        conversation = kind(
            self._handler, self._settings, self._loop, context, self._has_room, self._open.discard
        )
        self._open.add(conversation)
        return conversation

    def _has_room(self, host: str) -> bool:
        """Whether one more from this host may talk to us; no single one may take all places
        (M58)."""
        return is_ours(host) or sum(other.host == host for other in self._open) < MAX_PER_HOST


def is_ours(host: str) -> bool:
    """Whether it is this machine ("" = by the Unix socket), whose mail system brings everybody's
    letters."""
    return not host or ip_address(host).is_loopback


def is_answered(path: Path) -> bool:
    """Whether somebody listens at this Unix socket; one that was left behind may be replaced."""
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        # the latter: somebody who is very busy
        return client.connect_ex(str(path)) in (0, errno.EAGAIN)


class CommitQueue:
    """Hands letters to one thread, which commits those together that came together."""

    def __init__(self, accept: Accept, loop: asyncio.AbstractEventLoop) -> None:
        self._accept = accept
        self._loop = loop
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="smtp-accept")
        self._waiting: list[tuple[IncomingLetter, asyncio.Future[None]]] = []
        self._work: asyncio.Task[None] | None = None

    async def keep(self, letter: IncomingLetter) -> None:
        """Return when the letter is kept; raises what `accept` raises."""
        done = self._loop.create_future()
        self._waiting.append((letter, done))
        if self._work is None or self._work.done():
            self._work = self._loop.create_task(self._work_off())
        await done

    def close(self) -> None:
        self._worker.shutdown()

    async def _work_off(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await self._keep(batch)
            except TryAgain as error:
                _finish(batch, error)
            except Exception as error:
                if len(batch) == 1:
                    _finish(batch, error)
                else:  # one of them is to blame: keep each alone, so that the others do not suffer
                    for one in batch:
                        await self._keep_alone(one)

    async def _keep_alone(self, one: tuple[IncomingLetter, asyncio.Future[None]]) -> None:
        try:
            await self._keep([one])
        except Exception as error:
            _finish([one], error)

    async def _keep(self, batch: Sequence[tuple[IncomingLetter, asyncio.Future[None]]]) -> None:
        letters = [letter for letter, _ in batch]
        await self._loop.run_in_executor(self._worker, self._accept, letters)
        _finish(batch, None)


def _finish(
    batch: Sequence[tuple[IncomingLetter, asyncio.Future[None]]], error: Exception | None
) -> None:
    for _, done in batch:
        if done.done():  # the client has gone meanwhile
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


class Certificate:
    """Our own certificate for STARTTLS; a renewed one counts from the next connection on."""

    @classmethod
    def of(cls, mail: Mail, folder: Path) -> Certificate:
        return cls(folder / mail.tls_certificate, folder / (mail.tls_key or mail.tls_certificate))

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._loaded: tuple[int, ...] = ()

    @property
    def context(self) -> ssl.SSLContext:
        """Made of the present files, or of the last good ones if these are wrong."""
        try:
            self.load()
        except ConfigError as error:
            log.error(str(error))
        return self._context

    def load(self) -> None:
        """Raises ConfigError where the two files are no certificate with its key."""
        try:
            now = tuple(path.stat().st_mtime_ns for path in self._files)
            if now != self._loaded:
                self._context.load_cert_chain(*self._files)
                self._loaded = now
        except (OSError, ssl.SSLError) as error:
            names = " and ".join(map(str, self._files))
            raise ConfigError(
                f"mail.tls_certificate, mail.tls_key: cannot use {names}: {error}"
            ) from None

    def good_until(self) -> datetime:
        """When it expires. Raises ConfigError if it has. The issuer is not checked."""
        from cryptography.x509 import load_pem_x509_certificate  # its library takes long to import

        ends = load_pem_x509_certificate(self._files[0].read_bytes()).not_valid_after_utc
        if ends <= datetime.now(UTC):
            raise ConfigError("mail.tls_certificate: certificate has expired; renew it")
        return ends


class _Busy(asyncio.Protocol):
    """There are more connections than allowed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101
        transport.write(b"421 4.3.2 too many connections, please try again later\r\n")
        transport.close()


class _Conversation(SMTP):
    """One connection."""

    line_length_limit = MAX_LINE_BYTES

    def __init__(
        self,
        handler: _Handler,
        settings: Settings,
        loop: asyncio.AbstractEventLoop,
        context: ssl.SSLContext | None,
        has_room: Callable[[str], bool],
        ended: Callable[[_Conversation], object],
    ) -> None:
        # The library keeps one such table for all connections, and empties it whenever one more
        # comes.
        self.command_size_limits = defaultdict(lambda: _MAX_COMMAND_BYTES)
        super().__init__(
            handler,
            data_size_limit=settings.max_team_letter_bytes,
            enable_SMTPUTF8=True,
            tls_context=context,
            hostname=settings.contest.address.rpartition("@")[2],
            ident="knobeln",
            timeout=TIMEOUT_SECONDS,
            command_call_limit={
                "*": MAX_SAME_COMMAND,
                **dict.fromkeys(_IDLE_COMMANDS, MAX_IDLE_COMMANDS),
            },
            loop=loop,
        )
        self.host = ""
        self._largest = settings.max_team_letter_bytes
        self._has_room = has_room
        self._ended = ended
        self._unfinished = 0  # bytes of the line that is just coming in
        self._letter_at = loop.time()  # of the last letter that was kept, or of the beginning

    def __dir__(self) -> Iterable[str]:
        """The members that the library looks for on each new connection; a search of all takes
        long."""
        return _commands_of(type(self))  # type: ignore[arg-type] # a class is hashable

    def _set_post_data_state(self) -> None:
        """A new letter may have another sender, whose letters may be larger."""
        super()._set_post_data_state()  # type: ignore[no-untyped-call]
        self.data_size_limit = self._largest

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Also called when STARTTLS has succeeded."""
        host = str((transport.get_extra_info("peername") or ("",))[0])
        if self._tls_protocol is not None or self._has_room(host):
            self.host = host
            super().connection_made(transport)
        else:
            self._ended(self)
            assert isinstance(transport, asyncio.Transport)  # noqa: S101
            transport.set_protocol(busy := _Busy())
            busy.connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget why: asyncio would tell a reply of it for which nobody waits any more, and
        complain that it was not heard."""
        self._ended(self)
        super().connection_lost(None)

    def eof_received(self) -> bool | None:
        """The client has said everything, and may still wait for a reply: the library would cancel
        it. With TLS there is no such half of a connection."""
        if self._tls_protocol is not None:
            return super().eof_received()
        return StreamReaderProtocol.eof_received(self)

    async def handle_exception(self, error: Exception) -> str:
        """Hang up where the client has said everything, and all is answered."""
        if isinstance(error, IncompleteReadError):
            if self.transport is not None:
                self.transport.close()
            raise ConnectionResetError from error
        return await super().handle_exception(error)

    async def _handle_client(self) -> None:
        """Talk until the client has gone, which is no failure that anybody must be told."""
        with suppress(ConnectionError):
            await super()._handle_client()

    def data_received(self, data: bytes) -> None:
        """Limit a line that never ends: the library would keep all of it in memory."""
        rest = len(data) - 1 - data.rfind(b"\n")
        self._unfinished = rest if rest < len(data) else self._unfinished + rest
        if self._unfinished > MAX_LINE_BYTES + (self.data_size_limit or 0):
            self._end("500 5.5.2 a line without end")
        else:
            super().data_received(data)

    def hang_up(self, why: str) -> None:
        self._end(f"421 {why}, please try again later")

    def _end(self, reply: str) -> None:
        transport = self.transport
        if isinstance(transport, asyncio.WriteTransport) and not transport.is_closing():
            transport.write(f"{reply}\r\n".encode())
            transport.close()

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """The library breaks on some addresses instead of refusing them, `<` and `<"` among them.

        It takes long for each, so the usual ones are read here.
        """
        usual = _USUAL_PATH.fullmatch(arg)
        if usual:
            return usual[1], usual[2]
        try:
            address, rest = super()._getaddr(arg)
        except Exception:
            return None, None
        return address, rest

    def letter_kept(self) -> None:
        self._letter_at = self.loop.time()

    def _reset_timeout(self, duration: float | None = None) -> None:
        """Called for each command. A client without a letter for long, which only says NOOP, has to
        leave."""
        super()._reset_timeout(duration)
        if self.loop.time() - self._letter_at > MAX_SECONDS_WITHOUT_LETTER:
            self.hang_up("4.4.2 too long without a letter")

    def _timeout_cb(self) -> None:
        """End a silent connection with a reply; the library would close it without a word (M58)."""
        self.hang_up("4.4.2 too slow")


@cache
def _commands_of(kind: type[SMTP]) -> tuple[str, ...]:
    return tuple(name for name in dir(kind) if name.startswith(("smtp_", "auth_")))


class _LmtpConversation(LMTP, _Conversation):
    """The same in LMTP (RFC 2033): it answers once for each recipient of a letter."""

    _answers = 1

    async def push(self, status: AnyStr) -> None:
        text = status.decode() if isinstance(status, bytes) else status
        await super().push("\r\n".join([text] * self._answers))
        assert self.envelope is not None  # noqa: S101
        self._answers = len(self.envelope.rcpt_tos) if text.startswith("354") else 1


class _Handler:
    """Answers what the library asks: may this sender, this recipient, this letter come in?"""

    def __init__(
        self, settings: Settings, queue: CommitQueue, most_bytes: MostBytes | None
    ) -> None:
        self._usual_bytes, self._largest = settings.MAX_LETTER_BYTES, settings.max_team_letter_bytes
        self._most_bytes = most_bytes
        self._contest = settings.contest
        self._ours = settings.contest.addresses
        self._queue = queue

    async def handle_EHLO(  # noqa: N802 - the library's name
        self, _server: SMTP, session: Session, _envelope: Envelope, hostname: str, lines: list[str]
    ) -> list[str]:
        """Offer no logins; the library would."""
        session.host_name = hostname
        return [line for line in lines if not line.startswith("250-AUTH")]

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address != _NULL_SENDER and not is_usable(address):
            return "553 5.1.7 this is no usable sender address"
        if not address.isascii() and not envelope.smtp_utf8:
            return "553 5.6.7 such an address needs SMTPUTF8"
        most = await self._room_of(address)
        if _announced(options) > most:
            return "552 5.3.4 the letter is larger than yours may be"
        server.data_size_limit = most
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def _room_of(self, address: str) -> int:
        """How large a letter of this sender may be."""
        if self._most_bytes is None or self._largest == self._usual_bytes:
            return self._usual_bytes
        return await asyncio.get_running_loop().run_in_executor(None, self._most_bytes, address)

    async def handle_RCPT(  # noqa: N802
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        if not addresses.is_for(address, self._ours) and not addresses.is_role(
            address, self._contest
        ):
            return "550 5.1.1 there is no such mailbox here, and this server relays nothing"
        if len(envelope.rcpt_tos) >= MAX_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        raw = envelope.original_content or b""
        head = mime_parts.head_of(raw)
        if b"\0" in head:
            return "554 5.6.0 there is a NUL character in the headers"
        if mime_parts.is_too_large(head):
            return "552 5.3.4 the headers are longer than a letter's may be"
        if mime_parts.count_hops(head) > mime_parts.MAX_HOPS:
            return "554 5.4.6 too many hops: the letter goes round in circles"
        sender = "" if envelope.mail_from in (None, _NULL_SENDER) else str(envelope.mail_from)
        try:
            host = str((session.peer or ("",))[0])
            client = "" if is_ours(host) else host
            await self._queue.keep(IncomingLetter(raw, sender, tuple(envelope.rcpt_tos), client))
        except Exception as error:
            return await self.handle_exception(error)
        assert isinstance(server, _Conversation)  # noqa: S101
        server.letter_kept()
        return "250 2.0.0 OK, the letter is kept"

    async def handle_exception(self, error: Exception) -> str:
        """Answer after any failure of ours: the letter is not kept, and its sender must try
        again."""
        if isinstance(error, TLSSetupException):
            return "454 4.7.0 no encryption could be agreed on"
        # the library would answer 500, and tell the sender about our insides
        with suppress(Exception):
            expected = isinstance(error, KnobelnError)
            log.error("letter not taken", error=str(error), exc_info=None if expected else error)
        return "451 4.3.0 a failure of ours, please try again later"


def _announced(options: Sequence[str]) -> int:
    """The size of the letter in bytes, as its sender announces it (RFC 1870); 0 = not announced."""
    sizes = [option.removeprefix("SIZE=") for option in options if option.startswith("SIZE=")]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else 0


def is_usable(address: str) -> bool:
    """Whether an envelope's sender can be an address at all (M67)."""
    return (
        address.isprintable()
        and len(address.encode()) <= _MAX_ADDRESS_BYTES
        and _SENDER.fullmatch(address) is not None
    )
