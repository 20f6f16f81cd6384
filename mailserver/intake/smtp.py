"""Letters by SMTP: a listener in a thread of its own.

It promises: `250` after the letter is committed, `451` for every failure of ours, `550` for foreign
recipients (it relays nothing), `552` for letters that are too large, `421` for more connections than allowed
and for conversations that are too slow.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

import structlog
from aiosmtpd.smtp import SMTP, Envelope, Session

from knobeln.config import Settings
from knobeln.errors import ConfigError, KnobelnError
from mailserver import addresses

TIMEOUT_SECONDS = 60.0
MAX_RECIPIENTS = 20
MAX_PER_HOST = 10
MAX_SAME_COMMAND = 1_000
_READY_SECONDS = 10.0
_LONGEST_ADDRESS = 254
_SENDER = re.compile(r"[!#-~]+@[!#-~]+")  # printable, without blanks and quotes (M67)
_NULL_SENDER = "<>"

Accept = Callable[[bytes, str, tuple[str, ...]], object]

log = structlog.get_logger()


class Listener:
    """`start` binds and returns; `stop` ends all. `accept` runs in its own thread, one call at a time."""

    def __init__(self, settings: Settings, accept: Accept) -> None:
        self._settings = settings
        self._accept = accept
        self._open: set[_Conversation] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="smtp", daemon=True)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="smtp-accept")
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """The port that is listened on, also where the settings say 0."""
        assert self._server is not None, "the listener has not been started"  # noqa: S101
        return int(self._server.sockets[0].getsockname()[1])

    def start(self) -> None:
        """Raises ConfigError where host and port cannot be had."""
        # The library writes what strangers send to the console otherwise (M41).
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        self._thread.start()
        host, port = self._settings.mail.listen_host, self._settings.mail.listen_port
        bound = asyncio.run_coroutine_threadsafe(
            self._loop.create_server(self._protocol, host, port), self._loop
        )
        try:
            self._server = bound.result(_READY_SECONDS)
        except OSError as error:
            self.stop()
            raise ConfigError(f"mail.listen_host, mail.listen_port: cannot listen there: {error}") from None

    def stop(self) -> None:
        """End it. A letter whose `250` is not yet out is offered again by its sender, and recognised."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_READY_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_READY_SECONDS)
        self._worker.shutdown()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for conversation in tuple(self._open):
            conversation.hang_up("4.3.2 going down")
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _protocol(self) -> asyncio.Protocol:
        if len(self._open) >= self._settings.mail.max_connections:
            return _Busy()
        handler = _Handler(self._settings, self._accept, self._worker)
        conversation = _Conversation(handler, self._settings, self._loop, self._has_room, self._open.discard)
        self._open.add(conversation)
        return conversation

    def _has_room(self, host: str) -> bool:
        """Whether one more from this host may talk to us; no single one may take all places (M58)."""
        return is_ours(host) or sum(other.host == host for other in self._open) < MAX_PER_HOST


def is_ours(host: str) -> bool:
    """Whether it is this machine, whose own mail system brings everybody's letters."""
    return ip_address(host).is_loopback


class _Busy(asyncio.Protocol):
    """More connections than allowed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101
        transport.write(b"421 4.3.2 too many connections, please try again later\r\n")
        transport.close()


class _Conversation(SMTP):
    """One connection."""

    def __init__(
        self,
        handler: _Handler,
        settings: Settings,
        loop: asyncio.AbstractEventLoop,
        has_room: Callable[[str], bool],
        ended: Callable[[_Conversation], object],
    ) -> None:
        super().__init__(
            handler,
            data_size_limit=settings.mail.max_letter_bytes,
            hostname=settings.contest.address.rpartition("@")[2],
            ident="knobeln",
            timeout=TIMEOUT_SECONDS,
            command_call_limit=MAX_SAME_COMMAND,
            loop=loop,
        )
        self.host = ""
        self._has_room = has_room
        self._ended = ended

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        host = str(transport.get_extra_info("peername")[0])
        if self._has_room(host):
            self.host = host
            super().connection_made(transport)
        else:
            self._ended(self)
            assert isinstance(transport, asyncio.Transport)  # noqa: S101
            transport.set_protocol(busy := _Busy())
            busy.connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._ended(self)
        super().connection_lost(error)

    def hang_up(self, why: str) -> None:
        transport = self.transport
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(f"421 {why}, please try again later\r\n".encode())
            transport.close()

    def _timeout_cb(self) -> None:
        """The library's would close without a word (M58)."""
        self.hang_up("4.4.2 too slow")


class _Handler:
    """What the library asks us: may this sender, this recipient, this letter come in?"""

    def __init__(self, settings: Settings, accept: Accept, worker: ThreadPoolExecutor) -> None:
        self._ours = (settings.contest.address, *settings.contest.aliases)
        self._accept = accept
        self._worker = worker

    async def handle_MAIL(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address != _NULL_SENDER and not (len(address) <= _LONGEST_ADDRESS and _SENDER.fullmatch(address)):
            return "553 5.1.7 this is no usable sender address"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if not addresses.is_one_of(address, self._ours):
            return "550 5.1.1 there is no such mailbox here, and this server relays nothing"
        if len(envelope.rcpt_tos) >= MAX_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        raw = envelope.original_content or b""
        if b"\0" in raw.partition(b"\r\n\r\n")[0]:
            return "554 5.6.0 there is a NUL character in the headers"
        sender = "" if envelope.mail_from in (None, _NULL_SENDER) else str(envelope.mail_from)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._worker, self._accept, raw, sender, tuple(envelope.rcpt_tos))
        except Exception as error:
            return await self.handle_exception(error)
        return "250 2.0.0 OK, the letter is kept"

    async def handle_exception(self, error: Exception) -> str:
        """Whatever went wrong with us: the letter is not kept, its sender shall try again."""
        expected = isinstance(error, KnobelnError)
        log.error("letter not taken", error=str(error), exc_info=None if expected else error)
        return "451 4.3.0 a failure of ours, please try again later"
