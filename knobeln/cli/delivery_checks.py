"""What `knobeln doctor` finds out about mails going out, up to a letter that must come back to us."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from pathlib import Path

from contest.config.sections import DeliveryKind
from contest.config.settings import Settings
from contest.errors import ConfigError, DeliveryDeferred, DeliveryRefused, KnobelnError
from contest.store import letters
from knobeln.context import ContestContext
from mailserver.delivery.deliver import senders
from mailserver.delivery.transports import Transport, transport_of
from mailserver.delivery.transports.smtp import SmtpTransport

LOOP_ITEM = 0  # no mail of the outbox has this number
_LOOK_SECONDS = 0.5
_LOCAL = ("localhost", "127.0.0.1", "::1")

# What is said when it goes wrong, and what then helps; the first that fits.
_ADVICE = (
    (
        "certificate verify failed",
        "mail.smarthost must be a name in the relay's certificate, and this computer must know who signed it "
        "(a university's own authority: put it into /usr/local/share/ca-certificates and run "
        "update-ca-certificates)",
    ),
    ("WRONG_VERSION_NUMBER|wrong version", 'this port begins unencrypted: try mail.security = "starttls"'),
    ("STARTTLS", 'try mail.security = "tls" with port 465, or "none" for a relay on this computer'),
    (
        "needs mail.username",
        "what is given as KNOBELN_SET_OAUTH__REFRESH_TOKEN must be in the environment of `serve`, and of "
        "this command too",
    ),
    ("oauth|gives no token", "see the settings oauth.*; a refresh token can end or be revoked"),
    (
        "no login by password",
        'set mail.login = "xoauth2", or another mail.smarthost_port: most want logins at 587 or 465',
    ),
    (
        r"\b535\b",
        "check mail.username and KNOBELN_SET_MAIL__PASSWORD; some providers want an app password, others "
        'mail.login = "xoauth2"',
    ),
    (r"\b53[0-8]\b", "the relay wants a login: set mail.username and KNOBELN_SET_MAIL__PASSWORD"),
    (
        "takes no mails from|does not want mails from us",
        "the relay must let you send from contest.address, and from the address with +b- that bounces come "
        "to; if it cannot do the latter, set mail.verp = false",
    ),
    ("sendmail", "install a mail system with the command sendmail (Postfix, Exim, msmtp), or name its path"),
    ("cannot write", "the folder of mail.maildir_root must be one that this user can write to"),
    ("", "check mail.smarthost and mail.smarthost_port, the relay's rules, and the firewall"),
)


def check_way_out(folder: ContestContext) -> str:
    """What becomes of mails, tried as far as it goes without sending one. Raises KnobelnError with advice."""
    settings = folder.settings
    match settings.mail.delivery:
        case DeliveryKind.SMTP:
            return _relay(folder)
        case DeliveryKind.SENDMAIL:
            return _command(settings)
        case DeliveryKind.STDOUT:
            return "they are printed and reach nobody; for a contest set mail.delivery"
        case DeliveryKind.MAILDIR:
            return _maildirs(folder.path / settings.mail.maildir_root)


def _relay(folder: ContestContext) -> str:
    mail = folder.settings.mail
    if mail.username and mail.security == "none" and mail.smarthost not in _LOCAL:
        raise ConfigError(
            "the login would go over the network for everybody to read: set mail.security = "
            '"starttls" (port 587) or "tls" (port 465)'
        )
    way = transport_of(folder.settings, folder.path)
    assert isinstance(way, SmtpTransport), "the settings say so"  # noqa: S101
    try:
        return way.probe(_bounce_address(folder), folder.settings.contest.organizer_address)
    except KnobelnError as error:
        raise _advised(error) from error
    finally:
        way.close()


def _bounce_address(folder: ContestContext) -> str:
    with folder.store.read() as tx:
        return senders(tx, folder.settings)(LOOP_ITEM)


def _command(settings: Settings) -> str:
    try:
        name = shlex.split(settings.mail.sendmail)[0]
    except (ValueError, IndexError):
        raise ConfigError(f"mail.sendmail is no command: {settings.mail.sendmail!r}") from None
    found = shutil.which(name)
    if found is None:
        raise _advised(ConfigError(f"mail.sendmail: there is no command {name}"))
    return f"{found} gets them"


def _maildirs(root: Path) -> str:
    existing = next(folder for folder in (root, *root.absolute().parents) if folder.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        raise _advised(ConfigError(f"cannot write to {existing}"))
    return f"they are kept in {root} and reach nobody; for a contest set mail.delivery"


def advice_on(problem: str) -> str:
    """What helps when mails do not get out, by the words in which the problem is told."""
    return next(advice for pattern, advice in _ADVICE if re.search(pattern, problem))


def _advised(error: KnobelnError) -> KnobelnError:
    return type(error)(f"{error}\n     {advice_on(str(error))}")


# --- a letter to itself ------------------------------------------------------------------------------------
def check_loop(folder: ContestContext, patience: float) -> str:
    """Send a letter to the robot, and one to where bounces come; both must come in. Raises KnobelnError."""
    settings, robot = folder.settings, folder.settings.contest.address
    if settings.mail.delivery in (DeliveryKind.MAILDIR, DeliveryKind.STDOUT):
        raise ConfigError('no letter leaves this computer: set mail.delivery = "smtp" or "sendmail"')
    bounces = _bounce_address(folder)
    way = transport_of(settings, folder.path)
    try:
        sent = {robot: _send(way, robot, bounces, robot)}
        if bounces != robot:
            sent[bounces] = _send_tagged(way, robot, bounces)
    except (DeliveryDeferred, DeliveryRefused) as error:
        raise _advised(error) from error
    finally:
        way.close()
    missing = _wait_for(folder, sent, time.monotonic() + patience)
    if robot in missing:
        raise KnobelnError(
            f"the relay took a letter to {robot}, but it did not come in within {patience:.0f} s: does "
            "`knobeln serve` run, and does your mail system hand us what comes to this address?"
        )
    if missing:
        raise _no_bounces(f"letters to {robot} come in, but none to {bounces}")
    return f"went out to {' and to '.join(sent)}, and came in again"


def _send_tagged(way: Transport, robot: str, bounces: str) -> str:
    try:
        return _send(way, robot, bounces, bounces)
    except DeliveryRefused as error:
        raise _no_bounces(f"the relay takes letters to {robot}, but none to {bounces}: {error}") from error


def _no_bounces(why: str) -> KnobelnError:
    return KnobelnError(
        f"{why}; so no bounce would reach us. Your mail system must take what follows the + for a tag "
        "(Postfix: recipient_delimiter = +), or set mail.verp = false"
    )


def _send(way: Transport, robot: str, sender: str, to: str) -> str:
    """The Message-ID of the letter that was sent."""
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"] = robot, to
    letter["Subject"] = "knobeln doctor: a letter to itself"
    letter["Date"] = formatdate()
    letter["Message-ID"] = message_id = make_msgid(domain=robot.rpartition("@")[2])
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content("If you read this, letters to the robot come to you and not to it.\n")
    way.send(sender, to, letter.as_bytes())
    return message_id


def _wait_for(folder: ContestContext, sent: dict[str, str], end: float) -> list[str]:
    """The addresses whose letters have not come in by then."""
    while True:
        with folder.store.read() as tx:
            missing = [to for to, message_id in sent.items() if not letters.is_known(tx, message_id)]
        if not missing or time.monotonic() > end:
            return missing
        time.sleep(_LOOK_SECONDS)
