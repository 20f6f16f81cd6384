"""Letters that `knobeln receive` hands over to the `knobeln serve` of the same contest.

A mail system may start `receive` for every letter, and to import what stores and handles a letter
takes most of its time. So where `serve` runs, `receive` sends it the letter through a Unix socket
in the contest's folder. A connection brings one letter: a line of JSON, and as many bytes as the
line says. The answer is one line: an exit code for the mail system and, unless it is 0, the reason.

`receive` imports this module for every letter, so it imports little itself.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingMixIn, UnixStreamServer
from threading import Thread

from contest.errors import EX_DATAERR, EX_OK, EX_TEMPFAIL, KnobelnError
from contest.util.log import log

TIMEOUT_SECONDS = 60.0  # longer than `serve` waits for its database
MAX_LINE_BYTES = 65_536
_NAME = ".receive.socket"
_CREDENTIALS = struct.Struct("3i")  # process, user, group


class NotALetter(KnobelnError):
    """The mail system must not offer this again: it is no letter, or too large."""


Take = Callable[[bytes, str | None, Sequence[str]], object]
"""Commits a letter with the sender and recipients that were named. Raises NotALetter or another
KnobelnError."""


def exit_code(error: Exception) -> int:
    """Return what a mail system is told after this error."""
    return EX_DATAERR if isinstance(error, NotALetter) else EX_TEMPFAIL


def offer(
    folder: Path, raw: bytes, sender: str | None, recipients: Sequence[str]
) -> tuple[int, str] | None:
    """Hand the letter to the `serve` of the contest in this folder; return the exit code and the
    reason.

    None: no `serve` has answered. It may have the letter nevertheless; whoever stores it again does
    no harm.
    """
    head = json.dumps({"bytes": len(raw), "sender": sender, "recipients": recipients})
    try:
        with socket.socket(socket.AF_UNIX) as client, _address(folder) as (address, owner):
            client.settimeout(TIMEOUT_SECONDS)
            client.connect(address)
            # root must not write to whatever socket the folder's owner has put there
            peer = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            if _CREDENTIALS.unpack(peer)[1] != owner:
                return None
            client.sendall(f"{head}\n".encode() + raw)
            with client.makefile("rb") as stream:
                answer = stream.readline(MAX_LINE_BYTES).decode(errors="replace")
    except OSError:
        return None
    code, _, reason = answer.rstrip("\n").partition(" ")
    known = answer.endswith("\n") and code in map(str, (EX_OK, EX_DATAERR, EX_TEMPFAIL))
    return (int(code), reason) if known else None


class HandOverServer(Thread):
    """Takes the letters that are offered to `serve`. Only one may work for a contest."""

    def __init__(self, folder: Path, max_bytes: int, take: Take) -> None:
        """`folder` is the contest's. A letter of more than `max_bytes` is left to `receive`."""
        super().__init__(name="receive", daemon=True)
        self._socket = folder / _NAME
        self._server = _Server(folder, max_bytes, take)

    def run(self) -> None:
        self._server.serve_forever()

    def stop(self) -> None:
        """End it. A letter that has no answer yet is stored by `receive` itself."""
        self._socket.unlink(missing_ok=True)
        if self.is_alive():
            self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path, max_bytes: int, take: Take) -> None:
        self.max_bytes, self.take = max_bytes, take
        with _address(folder) as (address, _owner):
            super().__init__(address, _Connection, bind_and_activate=False)
            with suppress(FileNotFoundError):  # of a `serve` that was killed
                os.unlink(address)
            self.server_bind()
            os.chmod(address, 0o600)
            self.server_activate()  # nobody was let in until now

    def handle_error(self, request: object, client_address: object) -> None:
        log.exception("a letter was left to `knobeln receive`")


class _Connection(StreamRequestHandler):
    server: _Server
    timeout = TIMEOUT_SECONDS

    def handle(self) -> None:
        line = self.rfile.readline(MAX_LINE_BYTES)
        if not line.endswith(b"\n"):  # `receive` was killed, or does not trust us
            return
        head = json.loads(line)
        size = head["bytes"]
        if size > self.server.max_bytes:
            return
        raw = self.rfile.read(size)
        if len(raw) < size:  # `receive` was killed
            return
        try:
            self.server.take(raw, head["sender"], head["recipients"])
        except KnobelnError as error:
            reason = " ".join(str(error).split())
            self.wfile.write(f"{exit_code(error)} {reason}\n".encode(errors="replace"))
        else:
            self.wfile.write(b"%d\n" % EX_OK)


@contextmanager
def _address(folder: Path) -> Iterator[tuple[str, int]]:
    """The socket's name, short enough however long the folder's is, and the number of the folder's
    owner."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{_NAME}", os.fstat(descriptor).st_uid
    finally:
        os.close(descriptor)
