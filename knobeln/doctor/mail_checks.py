"""Checks of incoming and outgoing mail for `knobeln doctor`, up to a letter that must come back to
us."""

from __future__ import annotations

import re
import smtplib
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import (
    ConfigError,
    DeliveryDeferred,
    DeliveryRefused,
    GiveUp,
    KnobelnError,
    TryAgain,
)
from contest.schema.sections import DeliveryKind
from contest.util.plurals import plural
from knobeln.context import ContestContext, who_holds
from knobeln.server.letters_left import ADVICE, by_address, sentence
from knobeln.server.mailbox import mailbox_of
from knobeln.server.parts import LISTENER, Part
from mailserver.delivery.deliver import senders
from mailserver.delivery.transports import MAILDIRS, Transport, transport_of
from mailserver.delivery.transports.smtp import SmtpTransport
from mailserver.intake.certificate import Certificate
from mailserver.intake.sockets import is_answered
from store import letters

_TIMEOUT_SECONDS = 10.0
_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
_NOT_OURS = "nobody@not-here.invalid"


class Note(str):
    """What a check found that is well, with something to think about."""


def checks(settings: Settings, path: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of each check, and the check: it returns what it found, or raises what is
    wrong."""
    mail = settings.mail
    if mail.listen_host:
        yield "letters at the port", lambda: _port(settings, path)
    if mail.listen_socket:
        yield "letters at the Unix socket", lambda: _unix_socket(settings, path)
    if mail.tls_certificate:
        yield "the certificate", lambda: _certificate(settings, path)
    if settings.imap.host:
        yield "letters by IMAP", lambda: _imap(settings, path)
    if not (mail.listen or settings.imap.host):
        yield "letters", lambda: "they come in only if a mail system calls `knobeln receive`"


def _port(settings: Settings, path: Path) -> str:
    host, port = settings.mail.listen_host, settings.mail.listen_port
    if port == 0:
        return f"`knobeln serve` listens at any free port of {host}"
    try:
        reached = socket.create_connection((_LOOPBACK_OF.get(host, host), port), _TIMEOUT_SECONDS)
    except ConnectionRefusedError:
        return _free(host, port)
    except OSError as error:
        raise TryAgain(f"{host}:{port} does not answer ({error}); see mail.listen") from error
    return f"{host}:{port}: {_conversation(settings, path, reached)}"


def _free(host: str, port: int) -> str:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        raise ConfigError(
            f"`knobeln serve` will not be able to listen at {host}:{port}: {error}",
            hint="see mail.listen (ports below 1024 are root's)",
        ) from error
    return Note(f"{host}:{port} is free for `knobeln serve`, which is not running")


def _unix_socket(settings: Settings, path: Path) -> str:
    door = path / settings.mail.listen_socket
    if not door.parent.is_dir():
        raise ConfigError(
            f"mail.listen: there is no folder {door.parent}",
            hint="make it, for your mail system's group",
        )
    if not is_answered(door):
        return Note(f"{door} is free for `knobeln serve`, which is not running")
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(_TIMEOUT_SECONDS)
    client.connect(str(door))
    return f"{door}: {_conversation(settings, path, client)}"


def _conversation(settings: Settings, path: Path, reached: socket.socket) -> str:
    """Ask `knobeln serve` for the contest's mailbox and for a foreign one, without sending a
    letter."""
    address = settings.contest.address
    try:
        kind = smtplib.LMTP if settings.mail.listen_protocol == "lmtp" else smtplib.SMTP
        with kind(local_hostname="localhost") as client:
            client.sock = reached
            greeting = client.getreply()
            if greeting[0] != 220 or not greeting[1].endswith(b" knobeln"):
                raise ConfigError("another program listens there", hint="see mail.listen")
            if not who_holds(path, LISTENER):
                raise ConfigError(
                    "the `knobeln serve` of another contest listens there",
                    hint="give one of the two another mail.listen",
                )
            client.ehlo_or_helo_if_needed()
            codes = client.mail("")[0], client.rcpt(address)[0], client.rcpt(_NOT_OURS)[0]
            encrypted = client.has_extn("starttls")
    except (OSError, EOFError) as error:  # also all of smtplib's own
        raise TryAgain(
            f"`knobeln serve` does not answer correctly: {error}; see its log"
        ) from error
    if codes != (250, 250, 550):
        raise GiveUp(
            f"`knobeln serve` answers {codes} and not (250, 250, 550)",
            hint="it may run with other settings: restart it",
        )
    protocol = settings.mail.listen_protocol.upper()
    return (
        f"`knobeln serve` takes letters for {address} ({protocol},"
        f" {'' if encrypted else 'no '}STARTTLS)"
    )


def _certificate(settings: Settings, path: Path) -> str:
    mail = settings.mail
    certificate = Certificate.of(mail, path)
    certificate.load()
    return f"{mail.tls_certificate} is good until {certificate.good_until():%Y-%m-%d}"


def _imap(settings: Settings, path: Path) -> str:
    with closing(mailbox_of(settings, path, _take_nothing, _take_nothing)()) as mailbox:
        uids = mailbox.waiting()
        mailbox.look(uids[:_MAX_LOOKED_AT])
        is_full = mailbox.is_full()
        left, of_person = by_address(mailbox.left()), mailbox.left_to_person()
    if is_full:
        raise GiveUp(f"the mailbox at {settings.imap.host} is full", hint=FULL)
    count = len(uids) - of_person - sum(letters for _address, letters in left)
    waiting = plural(count, "letter waits", "letters wait")
    text = f"the login at {settings.imap.host} works: {waiting} in {settings.imap.folder}"
    if of_person:
        others = plural(of_person, "letter that is", "letters that are")
        text += f", which also has {others} yours; we leave them unread"
        if settings.mail.limits:
            text += ", and what you and other contests send from there counts in mail.limits, too"
    if not left:
        return text
    return Note(f"{text}. We leave there {sentence(left)}; {ADVICE}")


def _take_nothing(raw: object, arrived_at: object = None) -> None:
    """Is never called: a check takes no letters and raises no alarms."""


FULL = "no letter can come in: remove letters, such as those in the folder Processed"
LOOP_ITEM = 0  # no mail of the outbox has this number

_POLL_SECONDS = 0.5
_MAX_LOOKED_AT = 1_000  # letters whose address is looked at; the others count as ours

_LOCAL = ("localhost", "127.0.0.1", "::1")

# Patterns of error messages, and advice. The first match counts.
_ADVICE = (
    (
        "certificate has expired|certificate is not yet valid",
        "whoever runs the relay must renew it, unless this host's clock is wrong: see `date`",
    ),
    (
        "certificate verify failed",
        (
            "mail.smarthost must be a name in the relay's certificate, and this host must know who"
            " signed it (a university's own authority: put it into /usr/local/share/ca-certificates"
            " and run update-ca-certificates)"
        ),
    ),
    (
        "WRONG_VERSION_NUMBER|wrong version",
        'this port begins unencrypted: try mail.security = "starttls"',
    ),
    ("STARTTLS", 'try mail.security = "tls" with port 465, or "none" for a relay on this host'),
    (
        "needs mail.password",
        (
            "KNOBELN_SET_MAIL__PASSWORD, or KNOBELN_SET_OAUTH__REFRESH_TOKEN, must be in the"
            " environment of `serve`, and of this command too"
        ),
    ),
    ("oauth|gives no token", "see the settings oauth.*; a refresh token can end or be revoked"),
    (
        "no login by password",
        (
            "set oauth and leave mail.password empty, or another port in mail.smarthost: most"
            " expect logins at 587 or 465"
        ),
    ),
    (
        r"\b535\b",
        (
            "check mail.username and KNOBELN_SET_MAIL__PASSWORD; some providers want an app"
            " password, others an access token, see the section oauth"
        ),
    ),
    (r"\b53[0-8]\b", "the relay wants a login: set mail.username and KNOBELN_SET_MAIL__PASSWORD"),
    (
        "takes no mails from|does not want mails from us",
        (
            "the relay must let you send from contest.address, and from the address with +b- that"
            " bounces come to; if it cannot do the latter, set mail.verp = false"
        ),
    ),
    ("", "check mail.smarthost, its port, the relay's rules, and the firewall"),
)


def check_delivery(contest: ContestContext) -> str:
    """Try delivery without sending a mail. Return what was found; raises KnobelnError with
    advice."""
    settings = contest.settings
    match settings.mail.delivery:
        case DeliveryKind.SMTP:
            return _relay(contest)
        case DeliveryKind.MAILDIR:
            stored = contest.path / MAILDIRS
            return Note(f"they are only stored in {stored}; for a contest set mail.delivery")


def _relay(contest: ContestContext) -> str:
    mail = contest.settings.mail
    if mail.username and mail.security == "none" and mail.relay_host not in _LOCAL:
        raise ConfigError(
            "the login would cross the network in the clear: set mail.security = "
            '"starttls" (port 587) or "tls" (port 465)'
        )
    transport = transport_of(contest.settings, contest.path)
    assert isinstance(transport, SmtpTransport), "the settings say so"  # noqa: S101
    try:
        return transport.probe(_bounce_address(contest), contest.settings.contest.organizer_address)
    except KnobelnError as error:
        raise _advised(error) from error
    finally:
        transport.close()


def _bounce_address(contest: ContestContext) -> str:
    with contest.store.read() as tx:
        return senders(tx, contest.settings)(LOOP_ITEM)


def advice_on(problem: str) -> str:
    """Return what helps against a delivery problem, given its error message."""
    return next(advice for pattern, advice in _ADVICE if re.search(pattern, problem))


def _advised(error: KnobelnError) -> KnobelnError:
    return type(error)(f"{error}\n     FIX: {advice_on(str(error))}")


def check_loop(contest: ContestContext, timeout_seconds: float) -> str:
    """Send a letter to the robot, and one to the bounce address. Raises KnobelnError if one is
    lost.

    `serve` takes them in; while it does not run, we fetch them from the mailbox ourselves.
    """
    settings, robot = contest.settings, contest.settings.contest.address
    if settings.mail.delivery is DeliveryKind.MAILDIR:
        raise ConfigError('no letter leaves this host: set mail.delivery = "smtp"')
    bounces = _bounce_address(contest)
    is_served = contest.who_holds(Part.INTAKE.lock) or not settings.imap.host

    def is_known(message_id: str) -> bool:
        with contest.store.read() as tx:
            return letters.is_known(tx, message_id)

    with ExitStack() as opened:
        transport = opened.enter_context(closing(transport_of(settings, contest.path)))
        has_come: Callable[[str], object] = is_known
        if not is_served:
            mailbox = mailbox_of(settings, contest.path, _take_nothing, _take_nothing)()
            has_come = opened.enter_context(closing(mailbox)).take_back
        begin = time.monotonic()
        try:
            sent = {robot: send_letter(transport, robot, bounces, robot)}
            if bounces != robot:
                try:
                    sent[bounces] = send_letter(transport, robot, bounces, bounces)
                except DeliveryRefused as error:
                    why = f"the relay takes letters to {robot}, but none to {bounces}: {error}"
                    raise _no_bounces(why) from error
        except (DeliveryDeferred, DeliveryRefused) as error:
            raise _advised(error) from error
        seconds = wait_for(has_come, sent, begin, timeout_seconds)
    if robot not in seconds:
        raise KnobelnError(
            f"the relay took a letter to {robot}, but it did not come in within"
            f" {timeout_seconds:.0f} s: does `knobeln serve` run, and does your mail system hand us"
            " the letters to this address?"
        )
    if len(seconds) < len(sent):
        raise _no_bounces(f"letters to {robot} come in, but none to {bounces}")
    times = " and ".join(f"{to} ({seconds[to]:.1f} s)" for to in sent)
    return f"went out to {times}, and came in again"


def _no_bounces(why: str) -> KnobelnError:
    return KnobelnError(
        f"{why}; so no bounce would reach us. FIX: let your mail system treat the text after the +"
        " as a tag (Postfix: recipient_delimiter = +), or set mail.verp = false"
    )


def send_letter(transport: Transport, robot: str, sender: str, to: str) -> str:
    """Send a letter to ourselves, and return its Message-ID."""
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"] = robot, to
    letter["Subject"] = "knobeln doctor: a letter to itself"
    letter["Date"] = formatdate()
    letter["Message-ID"] = message_id = make_msgid(domain=robot.rpartition("@")[2])
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content("If you read this, letters to the robot come to you and not to the robot.\n")
    transport.send(sender, to, letter.as_bytes())
    return message_id


def wait_for(
    has_come: Callable[[str], object],
    sent: Mapping[str, str],
    begin: float,
    timeout_seconds: float,
) -> dict[str, float]:
    """Return how many seconds after `begin` each letter came in, those that did, by its address.

    `sent`: their Message-IDs.
    """
    seconds = dict[str, float]()
    while True:
        for to, message_id in sent.items():
            if to not in seconds and has_come(message_id):
                seconds[to] = time.monotonic() - begin
        if len(seconds) == len(sent) or time.monotonic() - begin > timeout_seconds:
            return seconds
        time.sleep(_POLL_SECONDS)
