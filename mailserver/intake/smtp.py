"""Letters by SMTP or LMTP: a listener in a thread of its own, at a port, at a Unix socket, or at
both.

It answers `421` for more connections than allowed, and for conversations that are too slow or bring
no letter; `mailserver/intake/conversation.py` has the other answers.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

from contest.config.settings import Settings
from mailserver.intake.certificate import Certificate
from mailserver.intake.commit_queue import Accept, CommitQueue
from mailserver.intake.connection import Busy, Connection, LmtpConnection
from mailserver.intake.conversation import Conversation, MostBytes
from mailserver.intake.loopback import is_ours
from mailserver.intake.sockets import open_sockets, port_of

MAX_CONNECTIONS = 100
MAX_PER_HOST = 10
_READY_SECONDS = 10.0


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
        self._open: set[Connection] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="smtp", daemon=True)
        self._queue = CommitQueue(accept, self._loop)
        self._conversation = Conversation(settings, self._queue, most_bytes)
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
        for door in self._sockets:
            if door.family is socket.AF_UNIX:
                server = await self._loop.create_unix_server(self._protocol, sock=door)
            else:
                server = await self._loop.create_server(self._protocol, sock=door)
            self._servers.append(server)

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
        for connection in tuple(self._open):
            connection.hang_up("4.3.2 going down")
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _protocol(self) -> asyncio.Protocol:
        if len(self._open) >= MAX_CONNECTIONS:
            return Busy()
        kind = LmtpConnection if self._settings.mail.listen_protocol == "lmtp" else Connection
        context = self._certificate.context if self._settings.mail.tls_certificate else None
        connection = kind(
            self._conversation,
            self._settings,
            loop=self._loop,
            context=context,
            has_room=self._has_room,
            ended=self._open.discard,
        )
        self._open.add(connection)
        return connection

    def _has_room(self, host: str) -> bool:
        """Return whether one more from this host may talk to us; no single one may take all places
        (M58)."""
        return is_ours(host) or sum(other.host == host for other in self._open) < MAX_PER_HOST
