"""What a client is answered: whether this sender, this recipient, this letter may come in.

`250` after the letter is committed, `451` for every failure of ours, `550` for foreign recipients
(it relays nothing), `552` for letters or headers that are too large, and `554` for a letter that
goes round in circles. LMTP answers once for each recipient.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from aiosmtpd.smtp import SMTP, Envelope, Session, TLSSetupException

from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.model import IncomingLetter
from contest.util.log import log
from mailserver.intake.commit_queue import CommitQueue
from mailserver.intake.connection import Connection
from mailserver.intake.loopback import is_ours
from mailserver.reading import addresses, mime_parts

MAX_RECIPIENTS = 20
_MAX_ADDRESS_BYTES = 254
_SENDER = re.compile(r"[^\s\"]+@[^\s\"]+")  # and printable (M67)
_NULL_SENDER = "<>"

MostBytes = Callable[[str], int]
"""How large a letter of this envelope's sender may be."""


class Conversation:
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
        assert isinstance(server, Connection)  # noqa: S101
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
    """Return the size of the letter in bytes, as its sender announces it (RFC 1870); 0 = not
    announced."""
    sizes = [option.removeprefix("SIZE=") for option in options if option.startswith("SIZE=")]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else 0


def is_usable(address: str) -> bool:
    """Return whether an envelope's sender can be an address at all (M67)."""
    return (
        address.isprintable()
        and len(address.encode()) <= _MAX_ADDRESS_BYTES
        and _SENDER.fullmatch(address) is not None
    )
