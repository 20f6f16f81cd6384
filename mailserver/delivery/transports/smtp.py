"""A relay (smarthost) by SMTP: encrypted, logged in, each connection for many mails."""

from __future__ import annotations

import base64
import re
import smtplib
import ssl
from collections.abc import Iterator

from contest.errors import ConfigError, DeliveryDeferred, DeliveryRefused, KnobelnError
from contest.schema.sections import Mail
from contest.util.sanitize import visible
from mailserver.delivery.transports.local import LimitReached, RelayHungUp, RelayUnreachable
from mailserver.oauth import AccessToken

_ANSWER_SECONDS = 60.0  # for each answer but the last
# RFC 5321, 4.5.3.2.6: some relays read the complete mail first. With less patience we would send it
# twice.
_DATA_ANSWER_SECONDS = 600.0
_HANGING_UP = 421
_WANTS_LOGIN = (530, 534, 535, 538)
_TOO_LARGE = 552
# Enhanced codes (RFC 3463) that blame the sender's address; 5.7.60 is Exchange's for "you may not
# send as".
_BLAMES_SENDER = re.compile(r"\b5\.(?:1\.[78]|7\.60)\b")

# That we have sent enough: Gmail says 550 5.4.5, others 450 and words.
_LIMIT = re.compile(
    r"\b5\.4\.5\b|(?:limit|quota|rate)\W{0,3}(?:exceed|reach)|too (?:many|much) (?:mail|messages)"
    r"|(?:reached|exceeded) (?:a|your)[a-z ]{0,40}(?:limit|quota)",
    re.IGNORECASE,
)
# The reader's mailbox is full or busy, or this mail is too large.
_NO_LIMIT_OF_OURS = re.compile(
    r"\b[45]\.2\.[12]\b|\b5\.3\.4\b|mailbox(?! unavail)|\bsize\b", re.IGNORECASE
)


class _Stale(RelayHungUp):
    """The relay hung up before we offered it the mail, so we may offer it again at once."""


class SmtpTransport:
    """One connection to the relay: opened when it is needed, and again when it broke.

    `name` is how we greet the relay. Nothing is sent without the encryption that the settings want.
    """

    batch = 1

    def __init__(self, mail: Mail, name: str, token: AccessToken) -> None:
        self._mail = mail
        self._name = name
        self._token = token
        self._connection: smtplib.SMTP | None = None

    def send(self, sender: str, to: str, raw: bytes) -> str:
        is_fresh = self._connection is None
        text = re.sub(rb"\r?\n", b"\r\n", raw)
        try:
            return self._transaction(sender, to, text)
        except _Stale:  # many relays take only so many mails in one conversation
            if is_fresh:
                raise
        except KnobelnError:
            raise
        except BaseException:
            # the relay may wait for the rest of this mail, so the next one needs another
            self._forget()
            raise
        return self._transaction(sender, to, text)

    def another(self) -> SmtpTransport:
        return SmtpTransport(self._mail, self._name, self._token)

    def probe(self, sender: str, to: str) -> str:
        """Try everything but sending a mail; describes the relay for people. Raises as `send`
        does."""
        connection = self._connected()
        try:
            self._envelope(connection, sender, to, 0)
        finally:
            self._undo(connection)
        how = (
            connection.sock.version()
            if isinstance(connection.sock, ssl.SSLSocket)
            else "no encryption"
        )
        login = f"logged in as {self._mail.username}" if self._mail.username else "no login"
        return f"{self._where} would take our mails ({how}, {login})"

    def reach(self) -> None:
        """Connect, and log in if there is a name for that. Raises RelayUnreachable."""
        self._connected()

    def close(self) -> None:
        if self._connection is not None:
            try:
                self._connection.quit()
            except OSError:
                self._connection.close()
            self._connection = None

    @property
    def _where(self) -> str:
        return f"{self._mail.relay_host}:{self._mail.relay_port}"

    # --- the connection ---------------------------------------------------------------------------
    def _connected(self) -> smtplib.SMTP:
        if self._connection is None:
            try:
                self._connection = self._connect()
            except Exception as error:
                # such as a host whose name cannot be encoded: no mail is to blame
                raise RelayUnreachable(
                    f"cannot use the relay {self._where}: {_words(error)}"
                ) from error
        return self._connection

    def _connect(self) -> smtplib.SMTP:
        mail = self._mail
        # Looked at only here, because the secrets may be in the environment of `serve` alone.
        if mail.username and not mail.password and not self._token.is_set:
            raise ConfigError(
                "mail.username needs mail.password, or oauth.token_command, or oauth.token_url,"
                " client_id and refresh_token"
            )
        relay = (mail.relay_host, mail.relay_port, self._name)
        connection: smtplib.SMTP
        # to read the system's certificates takes as long as twenty mails
        if mail.security == "tls":
            context = ssl.create_default_context()
            connection = smtplib.SMTP_SSL(*relay, timeout=_ANSWER_SECONDS, context=context)
        else:
            connection = smtplib.SMTP(*relay, timeout=_ANSWER_SECONDS)
        try:
            if mail.security == "starttls":
                connection.starttls(context=ssl.create_default_context())
            connection.ehlo_or_helo_if_needed()
            if mail.username:
                self._log_in(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _log_in(self, connection: smtplib.SMTP) -> None:
        """By hand, because the library can only do it in ASCII."""
        offered = connection.esmtp_features.get("auth", "").upper().split()
        steps = self._steps(offered)
        code, text = connection.docmd("AUTH", next(steps))
        for step in steps:
            if code == 334:
                code, text = connection.docmd(step)
        # what is wrong with a token is told in a challenge, which wants an empty answer
        if code == 334:
            code, text = connection.docmd("")
        if code != 235:
            self._token.forget()
            raise smtplib.SMTPAuthenticationError(code, text)

    def _steps(self, offered: list[str]) -> Iterator[str]:
        user, password = self._mail.username, self._mail.password
        if not password:
            yield "XOAUTH2 " + _base64(f"user={user}\1auth=Bearer {self._token.get()}\1\1")
        elif "PLAIN" in offered:
            yield "PLAIN " + _base64(f"\0{user}\0{password}")
        elif "LOGIN" in offered:
            yield "LOGIN " + _base64(user)
            yield _base64(password)
        else:
            raise smtplib.SMTPNotSupportedError(
                f"it offers no login by password, but {offered or 'none'}"
            )

    # --- one mail ---------------------------------------------------------------------------------
    def _transaction(self, sender: str, to: str, raw: bytes) -> str:
        connection = self._connected()
        self._envelope(connection, sender, to, len(raw))
        try:
            code, text = self._data(connection, raw)
        except OSError as error:  # it may have taken the mail, or not: nobody can know
            self._forget()
            raise RelayHungUp(f"the connection to {self._where} broke: {_words(error)}") from error
        if code != 250:
            self._undo(connection)
            raise _verdict(code, text, sender, to)
        return _reply(code, text)

    def _envelope(self, connection: smtplib.SMTP, sender: str, to: str, size: int) -> None:
        """Send MAIL and RCPT. If the relay refuses MAIL, the recipient is not at fault."""
        options = [f"size={size}"] if connection.has_extn("size") else []
        try:
            code, text = connection.mail(sender, options)
            if code >= 500 and code != _TOO_LARGE:
                raise RelayUnreachable(
                    f"{self._where} takes no mails from {sender}: {_reply(code, text)}"
                )
            if code == 250:
                code, text = connection.rcpt(to)
        except OSError as error:
            self._forget()
            raise _Stale(f"the connection to {self._where} broke: {_words(error)}") from error
        except RelayUnreachable:
            self._undo(connection)
            raise
        if code == _HANGING_UP:
            self._forget()
            raise _Stale(_reply(code, text))
        if code not in (250, 251):
            self._undo(connection)
            raise _verdict(code, text, sender, to)

    def _data(self, connection: smtplib.SMTP, raw: bytes) -> tuple[int, bytes]:
        """Return the relay's answer to the mail, or to DATA where it does not even want to see
        it."""
        assert connection.sock is not None, "an envelope was sent on it"  # noqa: S101
        connection.sock.settimeout(_DATA_ANSWER_SECONDS)
        try:
            return connection.data(raw)
        except smtplib.SMTPDataError as error:
            text = error.smtp_error
            return error.smtp_code, text if isinstance(text, bytes) else text.encode()
        finally:
            if connection.sock is not None:
                connection.sock.settimeout(_ANSWER_SECONDS)

    def _undo(self, connection: smtplib.SMTP) -> None:
        """Make the connection ready for the next mail, or give it up."""
        try:
            connection.rset()
        except OSError:
            self._forget()

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _verdict(code: int, text: bytes, sender: str, to: str) -> DeliveryDeferred | DeliveryRefused:
    """Return whether the relay refuses us or the recipient."""
    reply = _reply(code, text)
    if _LIMIT.search(reply) and not _NO_LIMIT_OF_OURS.search(reply):
        return LimitReached(f"the relay takes no more mails for now: {reply}")
    names_sender = sender in reply and sender != to
    if code in _WANTS_LOGIN or (code >= 500 and (names_sender or _BLAMES_SENDER.search(reply))):
        return RelayUnreachable(f"the relay does not want mails from us: {reply}")
    return DeliveryRefused(reply) if code >= 500 else DeliveryDeferred(reply)


def _reply(code: int, text: bytes) -> str:
    return f"{code} {text.decode('utf-8', 'replace')}"


def _words(error: Exception) -> str:
    """Return the words of an error, which the library shows as a tuple."""
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error
        return _reply(error.smtp_code, text if isinstance(text, bytes) else text.encode())
    return visible(str(error)) or type(error).__name__


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
