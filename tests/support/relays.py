"""Relays of our own for tests: real SMTP servers on loopback that do what the recipient's name
says."""

import asyncio
import os
import signal
import ssl
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.schema.sections import Contest, DeliveryKind, Mail
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from store import session
from tests.support.servers import free_port

USER, PASSWORD, TOKEN = "knobeln", "pässword", "ya29.token"


class Sink:
    """The relay's conscience: what it took, and what it has against us."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, bytes]] = []
        self.logins: list[tuple[str, bool]] = []  # by which mechanism, and whether encrypted
        self.token = TOKEN
        self.conversations = 0
        self.blocks_us = False
        self.mails_in_a_conversation = 1_000
        self.mails_in_a_day = 1_000
        self.checks_sender_of: str | None = None
        self.may_answer = Event()  # what silent and mute wait for

    async def _wait(self) -> None:
        while not self.may_answer.is_set():
            await asyncio.sleep(0.02)

    async def handle_EHLO(  # noqa: N802 - the library's name
        self,
        server: SMTP,
        session: Session,
        _envelope: Envelope,
        hostname: str,
        responses: list[str],
    ) -> list[str]:
        session.host_name = hostname
        session.mails = 0
        self.conversations += 1
        return responses

    async def handle_MAIL(  # noqa: N802
        self, _server: SMTP, session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        envelope.mail_from = address
        session.mails += 1
        if session.mails > self.mails_in_a_conversation:
            return "421 4.7.0 too many mails in one conversation"
        return "550 not from you" if address.startswith("banned") else "250 ok"

    async def handle_RCPT(  # noqa: N802
        self,
        server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        envelope.rcpt_tos.append(address)
        if address.startswith("mute"):
            await self._wait()
        if address.startswith("hangup"):
            server.transport.close()
        if address.startswith("reset"):
            server.transport.abort()
        if address.startswith("421now"):
            return "421 4.3.2 not this one"
        if self.checks_sender_of and envelope.mail_from != self.checks_sender_of:
            return (
                f"553 5.7.1 <{envelope.mail_from}>: Sender address rejected: not owned by user"
                f" {USER}"
            )
        if len(self.taken) >= self.mails_in_a_day:
            return "550 5.4.5 Daily user sending quota exceeded"
        codes = {"full": "452 mailbox full", "gone": "550 no such user"}
        name = address.partition("@")[0].rstrip("0123456789")
        return "554 your host is blocked" if self.blocks_us else codes.get(name, "250 ok")

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        name = str(envelope.rcpt_tos[0]).partition("@")[0]
        if name == "silent":
            await self._wait()
        if name == "die":
            server.transport.abort()
        codes = {"later": "451 try later", "spam": "554 looks like spam"}
        if name not in codes:
            self.taken.append(
                (str(envelope.mail_from), str(envelope.rcpt_tos[0]), envelope.content or b"")
            )
        if name == "cut":
            server.transport.abort()
        return codes.get(name, "250 taken as 4711")

    def login(
        self,
        server: SMTP,
        _session: Session,
        _envelope: Envelope,
        mechanism: str,
        data: LoginPassword,
    ) -> AuthResult:
        self.logins.append((mechanism, is_encrypted(server)))
        return AuthResult(
            success=data == LoginPassword(USER.encode(), PASSWORD.encode()), handled=False
        )

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        """As Google and Microsoft do it: what is wrong is said in a challenge, answered by an empty
        line."""
        self.logins.append(("XOAUTH2", is_encrypted(server)))
        wanted = f"user={USER}\1auth=Bearer {self.token}\1\1".encode()
        if b64decode(args[1]) == wanted:
            return AuthResult(success=True)
        assert await server.challenge_auth('{"status":"401"}') == b""
        return AuthResult(success=False, handled=False)

    def messages_to(self, name: str) -> list[bytes]:
        return [content for _, to, content in self.taken if to.partition("@")[0] == name]


@contextmanager
def relay(
    sink: Sink, port: int | None = None, implicit: ssl.SSLContext | None = None, **options: object
) -> Iterator[int]:
    """The relay's port. `implicit`: encrypted from the first byte (as at port 465)."""
    controller = Controller(
        sink,
        hostname="127.0.0.1",
        port=port or free_port(),
        ssl_context=implicit,
        authenticator=sink.login,
        ready_timeout=60.0,
        **options,
    )
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def is_encrypted(server: SMTP) -> bool:
    return server.transport.get_extra_info("ssl_object") is not None


def server_context(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*(names or ("127.0.0.1",))).configure_cert(context)
    return context


class KillsSender(Sink):
    """Takes a mail, and kills the process that sends it before that can know."""

    def __init__(self) -> None:
        super().__init__()
        self.victim: int | None = None

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        if self.victim is not None:
            os.kill(self.victim, signal.SIGKILL)
        return answer


@contextmanager
def sending_contest(
    folder: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ContestContext]:
    """A contest that sends its mails to the relay at this port, and waits for no lock."""
    monkeypatch.setattr(session, "_BUSY_TIMEOUT", "busy_timeout=0")
    monkeypatch.setattr(session, "_SHORT_WAITS", 2)
    mail = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}")
    contest = Contest(address="knobeln@contest.example")
    settings = Settings(contest=contest, dates=usual_dates(SystemClock().now()), mail=mail)
    made = create_contest(folder, settings)
    yield made
    made.store.close()
