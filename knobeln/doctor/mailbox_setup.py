"""Connects a new contest with an ordinary mailbox: from its address to settings that are tried.

It finds the servers, says so, asks for the password once, logs in at both, and sends a letter to
itself and reads it back. Nothing is written but a token that the provider changed meanwhile. Every
failure says what the provider wants.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from contest.config.settings import MAX_ROBOT_NAME, Settings
from contest.errors import DeliveryDeferred, DeliveryRefused, GiveUp, KnobelnError
from contest.schema.sections import DeliveryKind, Imap, Mail, OAuth
from contest.util.plurals import plural
from knobeln.doctor.mail_checks import FULL, send_letter, wait_for
from knobeln.server.mailbox import mailbox_of
from mailserver.delivery.transports import Transport, transport_of
from mailserver.delivery.transports.smtp import SmtpTransport
from mailserver.intake import envelope, imap
from mailserver.intake.imap import PROCESSED, Mailbox
from mailserver.oauth import AccessToken, sign_in
from mailserver.providers import discovery, table
from mailserver.providers.table import Login, Provider, Server
from mailserver.reading.addresses import without_tag

PATIENCE_SECONDS = 90.0  # with the letter to the mailbox itself
TAG_PATIENCE_SECONDS = 20.0  # and with one to an address with a tag, once that one has come
_MAX_TAG = 20
_PROBE = "knobeln-trial"
_ORGANIZER = "organizer"
_UNKNOWN_NAME = (socket.EAI_NONAME, socket.EAI_NODATA)
_LATER = "the server does not take it now: give the command again in some minutes"

Say = Callable[[str], object]


@dataclass(frozen=True)
class Wishes:
    """What the organizer gave. `client`: the public client for access tokens; `organizer`: where
    people write to a person; `folder`: where the letters are; each may be empty."""

    mailbox: str
    name: str  # of the contest's folder, for its tag
    client: str = ""
    organizer: str = ""
    folder: str = ""


@dataclass(frozen=True)
class Connected:
    """Settings that work, and the secrets, by section and name, which the settings have, too."""

    settings: Settings
    secrets: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class _Account:
    """The mailbox itself, by its address without a tag, and how we got there."""

    address: str
    imap: Server
    smtp: Server
    provider: Provider | None

    def wants(self) -> str:
        """What helps if it does not let us in."""
        return (
            self.provider.wants
            if self.provider
            else (
                "give the password of the mailbox; some providers want one for programs alone (an"
                " app password), or must be told first to let programs in by IMAP"
            )
        )


def connect(
    settings: Settings, folder: Path, wishes: Wishes, say: Say, ask: Callable[[str], str]
) -> Connected:
    """The settings, completed for this mailbox. `ask`: for a secret, which is not shown.

    Raises KnobelnError.
    """
    account = _found(without_tag(wishes.mailbox), wishes, say)
    settings, secrets = _with_login(settings, account, wishes, say, ask)
    with _timed("IMAP", account, say):
        settings, mailbox = _opened(settings, folder, account)
    with closing(mailbox), closing(transport_of(settings, folder)) as transport:
        with _timed("SMTP", account, say):
            _reach(transport)
        if mailbox.is_full():
            raise GiveUp(f"the mailbox {account.address} is full", hint=FULL)
        letters = len(mailbox.waiting())
        is_shared = bool(letters) or mailbox.has_folder(PROCESSED)
        trip = _round_trip(mailbox, transport, account, say)
    if account.provider and account.provider.sent:
        say(f"{account.provider.name} puts a copy of each mail into its folder for sent letters")
    if letters and not wishes.folder:
        there = plural(letters, "letter is", "letters are")
        say(f"{there} there already, so somebody uses the mailbox: we take what names the contest")
    return Connected(_addressed(settings, account, wishes, trip, is_shared=is_shared), secrets)


# --- the servers ----------------------------------------------------------------------------------
def _found(address: str, wishes: Wishes, say: Say) -> _Account:
    """The first servers that answer."""
    say(f"Looking for the servers of {address} ...")
    tried: list[str] = []
    for servers in discovery.find(address):
        provider = servers.provider
        if provider and provider.login is Login.NOTHING:
            raise GiveUp(provider.wants)
        if provider and provider.plus is False and not wishes.organizer:
            raise _no_tags(address)
        try:
            account = _Account(
                address,
                _answering(servers.imap, _reach_imap),
                _answering(servers.smtp, _reach_smtp),
                provider,
            )
        except KnobelnError as error:
            tried.append(f"{servers.how}: {error}")
            continue
        whose = f"{provider.name}, found" if provider else "found"
        say(f"{whose} {servers.how}: letters in from {account.imap}, mails out by {account.smtp}")
        return account
    close = table.close_to(discovery.ascii_domain(address))
    meant = f" (do you mean {close}?)" if close else ""
    raise GiveUp(
        f"no mail server for {address} answers:\n  " + "\n  ".join(tried),
        hint=f"is the address right{meant}? Does a firewall let this host reach ports 993 and 465,"
        " or 587? A network that wants a login on a web page answers in place of the servers",
    )


def _answering(servers: tuple[Server, ...], reach: Callable[[Server], object]) -> Server:
    """The first of the servers that can be reached. Raises KnobelnError."""
    errors: list[KnobelnError] = []
    for server in servers:
        try:
            reach(server)
        except KnobelnError as error:
            errors.append(error)
        else:
            return server
    raise min(errors, key=_says_little)


def _says_little(error: KnobelnError) -> int:
    """How little this failure of a guess tells: a wrong certificate most, an unknown name least."""
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return 0
    return 2 if isinstance(cause, socket.gaierror) and cause.errno in _UNKNOWN_NAME else 1


def _reach_imap(server: Server) -> None:
    imap.reach(_imap(server))


def _reach_smtp(server: Server) -> None:
    with closing(SmtpTransport(_mail(server), "localhost", AccessToken(OAuth(), Path()))) as relay:
        relay.reach()


def _reach(transport: Transport) -> None:
    assert isinstance(transport, SmtpTransport), "the settings say so"  # noqa: S101
    transport.reach()


def _imap(server: Server) -> Imap:
    return Imap(
        server=f"{server.host}:{server.port}", security=server.security, username=server.username
    )


def _mail(server: Server) -> Mail:
    return Mail(smarthost=f"{server.host}:{server.port}", security=server.security)


# --- the login ------------------------------------------------------------------------------------
def _with_login(
    settings: Settings, account: _Account, wishes: Wishes, say: Say, ask: Callable[[str], str]
) -> tuple[Settings, Mapping[str, Mapping[str, str]]]:
    """The settings with servers and login, and what of them is secret."""
    provider = account.provider
    at_imap = _imap(account.imap).model_dump(exclude={"password", "folder"})
    at_smtp = {
        "listen": "",
        "delivery": DeliveryKind.SMTP,
        **_mail(account.smtp).model_dump(include={"smarthost", "security"}),
        "username": account.smtp.username,
        "limits": provider.limits if provider else (),
    }
    settings = settings.changed(imap=at_imap, mail=at_smtp)
    if wishes.folder:
        settings = settings.changed(imap={"folder": wishes.folder})
    if provider and provider.login is Login.DEVICE_CODE:
        if not wishes.client:
            raise GiveUp(provider.wants)
        issuer = provider.issuer.format(domain=discovery.ascii_domain(account.address))
        oauth = {"token_url": f"{issuer}/token", "client_id": wishes.client}
        secret = {
            "refresh_token": sign_in(issuer, wishes.client, provider.scope, _shown(say, account))
        }
        return settings.changed(oauth=oauth | secret), {"oauth": secret}
    if (
        settings.imap.password and settings.mail.password
    ):  # by the environment, which has them later, too
        return settings, {}
    wants = account.wants()
    say(f"{wants[0].upper()}{wants[1:]}")
    password = ask(f"Password for {account.address}").strip()
    if provider and provider.login is Login.APP_PASSWORD:
        password = "".join(password.split())  # as they are shown
    if not password:
        raise GiveUp("no password was given", hint=account.wants())
    secrets = {"imap": {"password": password}, "mail": {"password": password}}
    return settings.changed(**secrets), secrets


def _opened(settings: Settings, folder: Path, account: _Account) -> tuple[Settings, Mailbox]:
    """The mailbox, and the settings, with the name that it lets in: the address, or what is before
    the @."""

    def opened(settings: Settings) -> Mailbox:
        return mailbox_of(settings, folder, _take_nothing, _take_nothing)()

    try:
        return settings, opened(settings)
    except GiveUp as error:
        if account.provider or account.imap.username != account.address:
            raise
        name = {"username": account.address.rpartition("@")[0]}
        shorter = settings.changed(imap=name, mail=name)
        with suppress(GiveUp):
            return shorter, opened(shorter)
        raise error


def _shown(say: Say, account: _Account) -> Callable[[str, str], object]:
    return lambda place, code: say(f"Open {place}, sign in as {account.address}, enter {code}")


@contextmanager
def _timed(what: str, account: _Account, say: Say) -> Iterator[None]:
    """Say how long the login took; or what the provider wants."""
    begin = time.monotonic()
    try:
        yield
    except KnobelnError as error:
        raise GiveUp(f"{what}: {error.message}", hint=account.wants()) from error
    say(f"{what}: logged in, {time.monotonic() - begin:.1f} s")


# --- the letters to itself ------------------------------------------------------------------------
@dataclass(frozen=True)
class _Trip:
    """Whether letters to an address with a tag come in, and mails may go out under its name."""

    plus: bool
    verp: bool


def _round_trip(mailbox: Mailbox, transport: Transport, account: _Account, say: Say) -> _Trip:
    address, provider = account.address, account.provider
    tagged = with_tag(address, _PROBE)
    begin = time.monotonic()
    try:
        sent = {address: send_letter(transport, address, address, address)}
    except (DeliveryDeferred, DeliveryRefused) as error:
        hint = _LATER if isinstance(error, DeliveryDeferred) else account.wants()
        raise GiveUp(f"SMTP: {error.message}", hint=hint) from error
    may_verp = not (provider and provider.verp is False)
    if not (provider and provider.plus is False):
        try:
            sent[tagged] = send_letter(transport, address, tagged if may_verp else address, tagged)
        except (DeliveryDeferred, DeliveryRefused):
            may_verp = False
            sent |= _sent_plainly(transport, address, tagged)
    heads = dict[str, bytes]()

    def has_come(message_id: str) -> bool:
        if (head := mailbox.take_back(message_id)) is not None:
            heads[message_id] = head
        return message_id in heads

    seconds = wait_for(has_come, {address: sent[address]}, begin, PATIENCE_SECONDS)
    if not seconds:
        junk = mailbox.strays(sent[address])
        raise GiveUp(
            f"the letter to {address} went out, but did not come in within"
            f" {PATIENCE_SECONDS:.0f} s" + (f"; it lies in the folder {junk!r}" if junk else ""),
            hint="tell the provider that it is no spam, or look for a filter, and try again; an"
            " alias or a list has no mailbox: name the one behind it",
        )
    say(f"a letter to {address} went out and came in again, {seconds[address]:.1f} s")
    with_tags = {to: message_id for to, message_id in sent.items() if to == tagged}
    if not wait_for(has_come, with_tags, time.monotonic(), TAG_PATIENCE_SECONDS):
        return _Trip(plus=False, verp=False)
    # some providers put their own sender in place of ours, and tell nobody
    return _Trip(True, may_verp and envelope.of(heads[sent[tagged]]).sender == tagged)


def _sent_plainly(transport: Transport, address: str, tagged: str) -> Mapping[str, str]:
    try:
        return {tagged: send_letter(transport, address, address, tagged)}
    except (DeliveryDeferred, DeliveryRefused):  # it has no addresses with tags
        return {}


# --- the addresses --------------------------------------------------------------------------------
def _addressed(
    settings: Settings, account: _Account, wishes: Wishes, trip: _Trip, *, is_shared: bool
) -> Settings:
    """The settings with the contest's address and the organizer's.

    In a mailbox that somebody uses, the contest has an address with a tag, and the mailbox's own is
    the organizer's. In an empty one it is the other way round.
    """
    address = wishes.mailbox
    if is_shared and address == account.address and not wishes.folder:
        if not trip.plus:
            raise GiveUp(
                f"{account.address} is in use, and no letters to {with_tag(account.address, 'tag')}"
                " come in",
                hint="give the contest a mailbox of its own; or make a folder, with a filter at the"
                " provider that moves the contest's letters there, and name it with --mail-folder",
            )
        address = with_tag(account.address, _tag(wishes.name))
    organizer = wishes.organizer or (
        account.address if address != account.address else with_tag(address, _ORGANIZER)
    )
    if not wishes.organizer and not trip.plus:
        raise _no_tags(account.address)
    has_room = len(address.rpartition("@")[0]) <= MAX_ROBOT_NAME
    return settings.changed(
        contest={"address": address, "organizer_address": organizer},
        mail={"verp": trip.verp and has_room},
    )


def _no_tags(address: str) -> GiveUp:
    return GiveUp(
        f"{address} takes no addresses with tags, so the robot has none to write to you there",
        hint="name an address where you read mail yourself: --organizer you@home.example",
    )


def with_tag(address: str, tag: str) -> str:
    """The address with a further tag."""
    name, _, domain = address.rpartition("@")
    return f"{name}+{tag}@{domain}"


def _tag(name: str) -> str:
    """The contest's tag: its folder's name, as addresses can have it."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())[:_MAX_TAG] or "contest"


def _take_nothing(_raw: object, _arrived_at: object = None) -> None:
    """Is never called: a trial takes no letters and raises no alarms."""
