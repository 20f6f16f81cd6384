"""Mails written to a stream, one after the other as a mailbox (mbox): for dry runs."""

from __future__ import annotations

import re
from typing import BinaryIO

from mailserver.delivery.transports.base import RelayUnreachable


class StreamTransport:
    """What `mutt -f` reads from a file. A line that begins with `From ` gets a `>` before it, as is usual."""

    connections = 1

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def send(self, sender: str, to: str, raw: bytes) -> str:
        text = re.sub(rb"(?m)^(>*From )", rb">\1", raw.replace(b"\r\n", b"\n"))
        # The time in this line is nobody's but the file's: the mail has its own.
        first = f"From {sender} Thu Jan  1 00:00:00 1970\n"
        envelope = f"X-Envelope-To: {to}\n"
        try:
            self._stream.write((first + envelope).encode() + text.rstrip(b"\n") + b"\n\n")
            self._stream.flush()
        except OSError as error:
            raise RelayUnreachable(f"cannot write: {error}") from error
        return "written out"

    def close(self) -> None:
        pass
