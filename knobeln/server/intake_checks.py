"""Checks of incoming mail for `knobeln doctor`. They take no letter and change nothing."""

from __future__ import annotations

import smtplib
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import ConfigError, GiveUp, TryAgain
from contest.util.plurals import plural
from contest.util.sanitize import sanitize
from knobeln.server.intakes import mailbox_of
from mailserver.intake.imap import POLL_SECONDS, OthersLetter
from mailserver.intake.smtp import Certificate, is_answered

_TIMEOUT_SECONDS = 10.0
_MAX_NAMED = 5
_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
_NOT_OURS = "nobody@not-here.invalid"


def checks(settings: Settings, path: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of each check, and the check: it returns what it found, or raises what is wrong."""
    mail = settings.mail
    if mail.listen_host:
        yield "letters at the port", lambda: _port(settings)
    if mail.listen_socket:
        yield "letters at the Unix socket", lambda: _unix_socket(settings, path / mail.listen_socket)
    if mail.tls_certificate:
        yield "the certificate", lambda: _certificate(settings, path)
    if settings.imap.host:
        yield "letters by IMAP", lambda: _imap(settings, path)
    if not (mail.listen or settings.imap.host):
        yield "letters", lambda: "they come in only if a mail system calls `knobeln receive`"


def _port(settings: Settings) -> str:
    host, port = settings.mail.listen_host, settings.mail.listen_port
    if port == 0:
        return f"`knobeln serve` listens at any free port of {host}"
    try:
        reached = socket.create_connection((_LOOPBACK_OF.get(host, host), port), _TIMEOUT_SECONDS)
    except ConnectionRefusedError:
        return _free(host, port)
    except OSError as error:
        raise TryAgain(f"{host}:{port} does not answer ({error}); see mail.listen") from error
    return f"{host}:{port}: {_conversation(settings, reached)}"


def _free(host: str, port: int) -> str:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        raise ConfigError(
            f"`knobeln serve` will not be able to listen at {host}:{port}: {error}",
            hint="see mail.listen (ports below 1024 are root's)",
        ) from error
    return f"{host}:{port} is free for `knobeln serve`, which is not running"


def _unix_socket(settings: Settings, path: Path) -> str:
    if not path.parent.is_dir():
        raise ConfigError(
            f"mail.listen: there is no folder {path.parent}",
            hint="make it, for your mail system's group",
        )
    if not is_answered(path):
        return f"{path} is free for `knobeln serve`, which is not running"
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(_TIMEOUT_SECONDS)
    client.connect(str(path))
    return f"{path}: {_conversation(settings, client)}"


def _conversation(settings: Settings, reached: socket.socket) -> str:
    """Ask `knobeln serve` for the contest's mailbox and for a foreign one, without sending a letter."""
    address = settings.contest.address
    try:
        with _client(settings, reached) as client:
            greeting = client.getreply()
            if greeting[0] != 220 or not greeting[1].endswith(b" knobeln"):
                raise ConfigError("another program listens there", hint="see mail.listen")
            client.ehlo_or_helo_if_needed()
            codes = client.mail("")[0], client.rcpt(address)[0], client.rcpt(_NOT_OURS)[0]
            encrypted = client.has_extn("starttls")
    except (OSError, EOFError) as error:  # also all of smtplib's own
        raise TryAgain(f"`knobeln serve` does not answer correctly: {error}; see its log") from error
    if codes != (250, 250, 550):
        raise GiveUp(
            f"`knobeln serve` answers {codes} and not (250, 250, 550)",
            hint="it may run with other settings: restart it",
        )
    protocol = settings.mail.listen_protocol.upper()
    return f"`knobeln serve` takes letters for {address} ({protocol}, {'' if encrypted else 'no '}STARTTLS)"


def _client(settings: Settings, reached: socket.socket) -> smtplib.SMTP:
    kind = smtplib.LMTP if settings.mail.listen_protocol == "lmtp" else smtplib.SMTP
    client = kind(local_hostname="localhost")
    client.sock = reached
    return client


def _certificate(settings: Settings, path: Path) -> str:
    mail = settings.mail
    certificate = Certificate.of(mail, path)
    certificate.load()
    return f"{mail.tls_certificate} is good until {certificate.good_until():%Y-%m-%d}"


def _imap(settings: Settings, path: Path) -> str:
    with closing(mailbox_of(settings, path, _take_nothing, _take_nothing)()) as mailbox:
        count = len(mailbox.waiting())
        if nobodys := mailbox.of_nobody(datetime.now(UTC)):
            raise GiveUp(_of_nobody(nobodys, settings))
        news = f"the server is asked every {POLL_SECONDS:g} s"
        if mailbox.can_idle:
            news = "the server reports new letters at once"
    waiting = f"{plural(count, 'letter waits', 'letters wait')} in {settings.imap.folder}"
    return f"the login at {settings.imap.host} works: {waiting}; {news}"


def _of_nobody(letters: Sequence[OthersLetter], settings: Settings) -> str:
    addresses = sorted({address for each in letters for address in each.recipients})[:_MAX_NAMED]
    return sanitize(
        f"{plural(len(letters), 'letter', 'letters')} to {', '.join(addresses) or 'nobody'} waited in "
        f"{settings.imap.folder} for more than a day, and no contest takes them: start the contest that has "
        "this address, list the address in contest.aliases, or move the letters to another folder",
        one_line=True,
    )


def _take_nothing(raw: object, arrived_at: object = None) -> None:
    """Is never called: a check takes no letters and raises no alarms."""
