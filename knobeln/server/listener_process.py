"""The listener for SMTP or LMTP, in a process of its own.

Python runs the threads of a process one at a time, so a listener among the other loops of the
server would wait for each of them. This process only takes letters. The server holds the sockets,
too, so that clients who come while the listener is started again wait for it.

Server and listener are connected by a pair of sockets. The listener sends a byte when it listens,
and one after each commit. It ends when the server closes its socket or is killed.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread, Timer

from contest.config.settings import Settings
from contest.errors import TryAgain
from contest.model import IncomingLetter
from contest.util.clock import Clock
from contest.util.log import log
from knobeln import log_setup
from knobeln.context import existing_store, only_one
from knobeln.server.parts import LISTENER
from mailserver.intake.accept import SizeLimits, accept_all
from mailserver.intake.certificate import Certificate
from mailserver.intake.smtp import Listener
from mailserver.intake.sockets import open_sockets, port_of

START_SECONDS = 180.0  # a busy host may take long to start a Python
_TOLD_AFTER_SECONDS = 15.0
RESTART_SECONDS = 10.0  # between two starts; the first one again is at once
END_SECONDS = 0.8  # then the process ends, whatever it does
_LOOK_SECONDS = 0.5


class ListenerProcess(Thread):
    """Keeps the listener's process running. `start` returns when it listens, `stop` when it has
    ended."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        clock: Clock,
        ports: Sequence[socket.socket],
        on_letter: Callable[[], object],
        failed: Callable[[str], object],
    ) -> None:
        """`folder` is the contest's; `ports`: as for `open_sockets`. Called in this thread:
        `on_letter` after letters were committed, `failed` with a sentence after the process has
        ended by itself.
        """
        super().__init__(name="listener", daemon=True)
        self._settings, self._folder, self._clock, self._ports = settings, folder, clock, ports
        self._on_letter, self._failed = on_letter, failed
        self._stopping = Event()
        self._start_again_at = 0.0

    def start(self) -> None:
        """Raises ConfigError if port, Unix socket or certificate cannot be had; TryAgain if only
        for now."""
        mail = self._settings.mail
        if mail.tls_certificate:
            Certificate.of(mail, self._folder).load()
        self._sockets = open_sockets(mail, self._folder, self._ports)
        self._start_process()
        self._wait_for_start()
        address = self._settings.contest.address
        log.info("listening", host=mail.listen_host, port=port_of(self._sockets), address=address)
        super().start()

    def _wait_for_start(self) -> None:
        """Return when the process listens. Raises TryAgain with the reason if it does not."""
        deadline = time.monotonic() + START_SECONDS
        self._link.settimeout(_TOLD_AFTER_SECONDS)
        while (left := deadline - time.monotonic()) > 0:
            try:
                listens = self._link.recv(1)
            except TimeoutError:
                log.warning(
                    "the listener takes long to start", waits=f"{left:.0f} s more", why=_load()
                )
                continue
            if listens:
                return
            self._end()
            raise TryAgain(
                "the listener does not start: its process has ended with exit code"
                f" {self._process.exitcode}, see the log"
            )
        self._end()
        raise TryAgain(f"the listener does not start within {START_SECONDS:.0f} s: {_load()}")

    def _start_process(self) -> None:
        self._link, end = socket.socketpair()
        arguments = (self._settings, self._folder, self._clock, self._sockets, end)
        self._process = get_context("spawn").Process(target=listen, args=arguments)
        # A file in the current folder must not take a module's place in a Python that we start.
        os.environ["PYTHONSAFEPATH"] = "1"
        with end:
            self._process.start()

    def run(self) -> None:
        self._link.settimeout(_LOOK_SECONDS)
        while not self._stopping.is_set():
            try:
                if self._link.recv(4_096):
                    self._on_letter()
                elif not self._stopping.is_set():
                    self._start_again()
            except TimeoutError:
                continue

    def _start_again(self) -> None:
        self._end()
        self._failed(
            f"its process has ended (exit code {self._process.exitcode}), and is started again"
        )
        while not self._stopping.wait(self._start_again_at - time.monotonic()):
            self._start_again_at = time.monotonic() + RESTART_SECONDS
            try:
                self._start_process()
            except OSError as error:
                self._failed(f"its process cannot be started: {error}")
            else:
                self._link.settimeout(_LOOK_SECONDS)
                return

    def stop(self) -> None:
        """End the process. If a letter was stored but its `250` not sent, the sender offers it
        again, and we recognise it."""
        self._stopping.set()
        for one_end in self._sockets:
            one_end.close()
        with suppress(OSError):  # it has just ended by itself
            self._link.shutdown(socket.SHUT_RDWR)
        self.join()
        self._end()

    def _end(self) -> None:
        self._link.close()
        self._process.join(2 * END_SECONDS)
        self._process.kill()
        self._process.join()


def _load() -> str:
    """How busy the host is, as a part of a sentence."""
    return f"{os.getloadavg()[0]:.0f} processes want the {os.cpu_count()} processors of this host"


def listen(
    settings: Settings,
    folder: Path,
    clock: Clock,
    sockets: Sequence[socket.socket],
    server: socket.socket,
) -> None:
    """Take letters until the `server` is gone: what the process does."""
    # they may be sent to all processes; the server tells us
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    log_setup.begin()
    store = existing_store(folder)

    def tell() -> None:
        with suppress(OSError):  # it is gone, or so busy that enough is in its buffer
            server.send(b".", socket.MSG_DONTWAIT)

    def accept(arrivals: Sequence[IncomingLetter]) -> None:
        accept_all(store, arrivals, settings.mail.listen_protocol, clock.now())
        tell()

    with only_one(folder, LISTENER, shared=True):
        listener = Listener(
            settings, accept, folder, SizeLimits(store, settings).of_sender, sockets
        )
        listener.start()
        tell()
        with suppress(ConnectionError):  # the server was killed while a byte was on its way
            server.recv(1)
        Timer(END_SECONDS, os._exit, (1,)).start()
        listener.stop()
    os._exit(0)
