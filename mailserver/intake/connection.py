"""One connection of a client: all that we change of aiosmtpd.

The library lets us answer its commands (`mailserver/intake/conversation.py`). What it has no place
for is overridden here, some of it private. `tests/mail/test_smtp_library.py` compares the code that
was read for this with the installed one.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from asyncio import IncompleteReadError, StreamReaderProtocol
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP

from contest.config.settings import Settings

READ_VERSION = "1.4.6"  # of aiosmtpd
TIMEOUT_SECONDS = 60.0
MAX_SAME_COMMAND = 1_000
MAX_IDLE_COMMANDS = 50  # of each kind that brings no letter
MAX_SECONDS_WITHOUT_LETTER = 300.0
MAX_LINE_BYTES = 65_536  # SMTP says 1,000, and not everybody keeps to it
_MAX_COMMAND_BYTES = 512
_USUAL_PATH = re.compile(r"<([\w+-]+(?:\.[\w+-]+)*@[\w-]+(?:\.[\w-]+)*)> *([A-Z0-9= ]*)", re.ASCII)
_IDLE_COMMANDS = ("NOOP", "HELP", "VRFY", "HELO", "EHLO", "LHLO")


class Busy(asyncio.Protocol):
    """There are more connections than allowed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101
        transport.write(b"421 4.3.2 too many connections, please try again later\r\n")
        transport.close()


class Connection(SMTP):
    """One connection."""

    line_length_limit = MAX_LINE_BYTES

    def __init__(
        self,
        conversation: object,
        settings: Settings,
        *,
        loop: asyncio.AbstractEventLoop,
        context: ssl.SSLContext | None,
        has_room: Callable[[str], bool],
        ended: Callable[[Connection], object],
    ) -> None:
        # The library keeps one such table for all connections, and empties it whenever one more
        # comes.
        self.command_size_limits = defaultdict(lambda: _MAX_COMMAND_BYTES)
        super().__init__(
            conversation,
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
        """Return the members that the library looks for on each new connection; a search of all
        takes long."""
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
            busy = Busy()
            transport.set_protocol(busy)
            busy.connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget why: asyncio would tell a reply of it for which nobody waits any more, and
        complain that it was not heard."""
        self._ended(self)
        super().connection_lost(None)

    def eof_received(self) -> bool | None:
        """The client has said everything, and may still wait for a reply: the library would
        cancel it. With TLS there is no such half of a connection."""
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
        """Return the library breaks on some addresses instead of refusing them, `<` and `<"` among
        them.

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


class LmtpConnection(LMTP, Connection):
    """The same in LMTP (RFC 2033): it answers once for each recipient of a letter."""

    _answers = 1

    async def push(self, status: AnyStr) -> None:
        text = status.decode() if isinstance(status, bytes) else status
        await super().push("\r\n".join([text] * self._answers))
        assert self.envelope is not None  # noqa: S101
        self._answers = len(self.envelope.rcpt_tos) if text.startswith("354") else 1
