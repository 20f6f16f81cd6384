"""Fetches letters from a mailbox elsewhere by IMAP: `Mailbox` over one connection, `Watch` again
and again.

It commits a letter before it changes anything at the server, and moves or flags the letter
afterwards. If the connection breaks in between, the same bytes come again, and the table of letters
knows them (O01). A letter for another contest or a person stays as it is. By number it remembers
only such letters, and those that could not be fetched: if the mailbox was numbered anew
(UIDVALIDITY), it looks through all again (M68).
"""

from __future__ import annotations

import imaplib
import random
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any

from imapclient import DELETED, FLAGGED, SEEN, IMAPClient, SocketTimeout
from imapclient.exceptions import CapabilityError, IMAPClientAbortError, IMAPClientError, LoginError
from imapclient.imapclient import JUNK

from contest.errors import GiveUp, KnobelnError, TryAgain
from contest.schema.sections import Contest, Imap
from contest.util.log import log
from contest.util.sanitize import visible
from mailserver.intake import envelope, whose
from mailserver.intake.accept import AcceptFound
from mailserver.oauth import AccessToken

PROCESSED = "Processed"  # the folder of letters that were taken
FAILED = "Failed"  # the folder of letters that are too large or cannot be fetched
POLL_SECONDS = 60.0  # between two looks for letters at a server without IDLE
KEYWORD = "KnobelnTaken"  # the flag of a letter that was taken and stays where it is
SETTLE_SECONDS = 1.0
SLICE_SECONDS = 120.0
MIN_ROOM_KB = 100  # below it a mailbox counts as full
MAX_TRIES = 4  # to fetch a letter that the server does not give out
CONNECT_SECONDS = 20.0
READ_SECONDS = 60.0
_LOOK_SECONDS = 1.0  # so soon we notice that we shall stop
_HEADER_BYTES = 65_536
_FACTS = ("RFC822.SIZE", "INTERNALDATE", f"BODY.PEEK[HEADER]<0.{envelope.HEAD_BYTES}>")
_WHOSE = f"BODY.PEEK[HEADER.FIELDS ({' '.join(whose.FIELDS)})]"
_SLICE = 200  # letters whose fields are fetched together
_MAX_REPORT_BYTES = 65_536
_OUT_OF_DATE = (9, 10)  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
_MAX_REASON_CHARACTERS = 300
_LATER = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]", "temporar", "try again", "too many")


class MailboxUnreachable(TryAgain):
    """The server cannot be reached, or does not behave as usual: try again."""


class _NotGiven(Exception):
    """The server says NO to one letter."""


@dataclass(frozen=True)
class Left:
    """A letter that we leave where it is, for another contest or a person.

    `to`: its address; `since`: when we saw it first, as `time.monotonic` has it.
    """

    to: str
    since: float


@dataclass
class Known:
    """What outlives a connection, about letters by (UIDVALIDITY, UID).

    `failures`: how often each could not be fetched. Some servers hang up on a letter that they
    cannot read, at every new connection again. `left`: so we look at each of them once.
    """

    failures: Counter[tuple[int, int]] = field(default_factory=Counter)
    left: dict[tuple[int, int], Left] = field(default_factory=dict)


class Mailbox:
    """A connection to the mailbox, logged in, with the folder selected. Not for several threads."""

    def __init__(
        self,
        settings: Imap,
        max_bytes: int,
        accept: AcceptFound,
        alarm: Callable[[str], object],
        token: AccessToken | None = None,
        known: Known | None = None,
        contest: Contest | None = None,
    ) -> None:
        """Connects. `alarm` tells the organizer; `token` takes the place of a password; `contest`:
        whose letters these are, None: all are ours.

        Raises MailboxUnreachable, and GiveUp where a person has to fix something.
        """
        self._settings = settings
        self._max_bytes = max_bytes
        self._accept = accept
        self._alarm = alarm
        # never again over this connection, even if they are still there
        self._done: set[int] = set()
        self._later: set[int] = set()  # not again in this pass
        known = known or Known()
        self._failures, self._left = known.failures, known.left
        self._contest = contest
        self._client = connected(settings, token)
        try:
            with _trouble(settings, f"cannot use the folder {settings.folder!r}", refused=True):
                selected = self._client.select_folder(settings.folder)
            self.uid_validity = int(selected.get(b"UIDVALIDITY", 0))
            self._keywords = rb"\*" in selected.get(b"PERMANENTFLAGS", ())
            with _trouble(settings, "does not answer"):
                self.can_idle = self._client.has_capability("IDLE")
                self.can_move = self._client.has_capability("MOVE")
                self._processed = self._full_name(PROCESSED)
                self._failed = self._full_name(FAILED)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Log out, if the server is still there."""
        close(self._client)

    # --- letters ----------------------------------------------------------------------------------
    def waiting(self) -> list[int]:
        """Return the letters that are to be taken, by UID: the oldest first, those that made
        trouble last."""
        with _trouble(self._settings, "cannot be searched"):
            # servers look for new letters when they like, but with this they do
            self._client.noop()
            wanted = ["UNDELETED", *(["UNKEYWORD", KEYWORD] if self._keywords else [])]
            found = set(self._client.search(wanted))
        self._forget_gone(found)
        found -= {*self._done, *self._later, *self._uids_left()}
        tries = {uid: self._failures[self.uid_validity, uid] for uid in found}
        known = (uid for uid in found if tries[uid] <= MAX_TRIES)
        return sorted(known, key=lambda uid: (tries[uid], uid))

    def _forget_gone(self, present: set[int]) -> None:
        """Forget those letters of others that somebody has taken, or that have other numbers
        now."""
        for validity, uid in list(self._left):
            if validity != self.uid_validity or uid not in present:
                del self._left[validity, uid]

    def _uids_left(self) -> set[int]:
        return {uid for _validity, uid in self._left}

    def left(self) -> tuple[Left, ...]:
        """Return the letters that we leave to others, as of the last look, but for a person's whose
        mailbox it is."""
        return tuple(letter for letter in self._left.values() if not self._is_expected(letter.to))

    def left_to_person(self) -> int:
        """Return how many letters we leave to the person whose mailbox it is."""
        return sum(self._is_expected(letter.to) for letter in self._left.values())

    def _is_expected(self, to: str) -> bool:
        return self._contest is not None and whose.is_expected(to, self._contest)

    def look(self, uids: Iterable[int]) -> None:
        """Look whose these letters are, and take none."""
        waiting = list(uids)
        self._leave_to_person(waiting)
        left = self._uids_left()
        for uid in waiting:
            if uid not in left:
                with suppress(_NotGiven):
                    facts = self._fetch(uid, *_FACTS)
                    if facts:
                        self._leave_to_others(uid, facts)

    def _leave_to_person(self, uids: Sequence[int]) -> None:
        """Note which of these letters are for the person whose mailbox it is: thousands, often."""
        if self._contest is None or not whose.owner(self._contest, self._settings.username):
            return
        for start in range(0, len(uids), _SLICE):
            with _trouble(self._settings, "broke off while we looked whose the letters are"):
                found = self._client.fetch(uids[start : start + _SLICE], [_WHOSE])
            for uid, facts in found.items():
                if not whose.is_report(_of_body(facts) or b""):
                    self._leave_to_others(uid, facts)

    def _leave_to_others(self, uid: int, facts: Mapping[bytes, Any]) -> bool:
        """Return whether the letter is for somebody else; then it stays as it is."""
        if self._contest is None:
            return False
        head = _of_body(facts) or b""
        to = whose.other_recipient(head, self._contest, self._settings.username)
        if to and not (whose.is_report(head) and self._names_us(uid)):
            self._left[self.uid_validity, uid] = Left(to, time.monotonic())
            return True
        return False

    def _names_us(self, uid: int) -> bool:
        """Return whether a bounce tells of a mail of ours. Some are sent to the account, and not to
        us."""
        assert self._contest is not None, "or nothing is left to others"  # noqa: S101
        text = _of_body(self._fetch(uid, f"BODY.PEEK[]<0.{_MAX_REPORT_BYTES}>") or {}) or b""
        return self._contest.address.casefold().encode() in text.lower()

    def take_back(self, message_id: str) -> bytes | None:
        """Return the headers of the letter with this Message-ID, which we wrote ourselves, once it
        is there; then it is put away."""
        with _trouble(self._settings, "cannot be searched"):
            self._client.noop()
            found = self._client.search(["HEADER", "Message-ID", message_id])
        if not found:
            return None
        facts = self._fetch(found[0], *_FACTS) or {}
        self._put_away(found[0], self._processed, (SEEN,))
        return _of_body(facts) or b""

    def strays(self, message_id: str) -> str:
        """Return the name of the folder for unwanted letters, if the letter is there; "" if not."""
        with suppress(IMAPClientError):
            junk = self._client.find_special_folder(JUNK)
            if junk:
                self._client.select_folder(junk, readonly=True)
                if self._client.search(["HEADER", "Message-ID", message_id]):
                    return str(junk)
        return ""

    def is_full(self) -> bool:
        """Return whether there is no room for letters, as far as the server tells."""
        if not self._client.has_capability("QUOTA"):
            return False
        with _trouble(self._settings, "does not answer"), suppress(IMAPClientError):
            _roots, quotas = self._client.get_quota_root("INBOX")
            return any(
                quota.limit - quota.usage < MIN_ROOM_KB
                for quota in quotas
                if quota.resource == "STORAGE"
            )
        return False

    def has_folder(self, name: str) -> bool:
        """Return whether the mailbox has a folder of this name."""
        with _trouble(self._settings, "does not answer"):
            return bool(self._client.folder_exists(self._full_name(name)))

    def take_all(self, stop: Event) -> int:
        """Take what waits, oldest first, until nothing is left; how many. Raises also StoreBusy."""
        taken = 0
        self._later.clear()
        while not stop.is_set() and (uids := self.waiting()):
            self._leave_to_person(uids)
            left = self._uids_left()
            for uid in uids:
                if not stop.is_set() and uid not in left:
                    taken += self._take(uid)
        return taken

    def _take(self, uid: int) -> bool:
        """Fetch, keep and put away one letter; return whether it is in the table of letters now."""
        if self._failures[self.uid_validity, uid] == MAX_TRIES:
            self._put_aside(uid)
            return False
        found = None
        with self._failures_counted(uid):
            found = self._fetched(uid)
            if found is None and uid not in self._uids_left():
                self._done.add(uid)  # somebody else took it away meanwhile
        if found is None:
            return False
        raw, arrived_at, is_complete = found
        self._accept(raw, arrived_at)
        if is_complete:
            self._put_away(uid, self._processed, (SEEN,))
        else:
            self._put_away(uid, self._failed, (SEEN, FLAGGED))
        return True

    def _fetched(self, uid: int) -> tuple[bytes, datetime, bool] | None:
        """Return the letter, when it arrived in the mailbox, and whether that is all of it; None:
        it is gone, or not for us.

        Of a letter that is too large there are only the headers.
        """
        facts = self._fetch(uid, *_FACTS)
        if facts is None or self._leave_to_others(uid, facts):
            return None
        size = int(facts.get(b"RFC822.SIZE") or 0)
        is_complete = size <= self._max_bytes
        answer = self._fetch(
            uid, "BODY.PEEK[]" if is_complete else f"BODY.PEEK[HEADER]<0.{_HEADER_BYTES}>"
        )
        if answer is None:
            return None
        raw = _of_body(answer)
        if raw is None:
            raise _NotGiven("the answer has no text")
        if not is_complete:
            raw = envelope.without_body(raw, size, self._max_bytes)
        return raw, _arrival(facts), is_complete

    def _fetch(self, uid: int, *what: str) -> dict[bytes, Any] | None:
        try:
            with _trouble(self._settings, "broke off while a letter was fetched"):
                found: dict[bytes, Any] | None = self._client.fetch([uid], what).get(uid)
        except MailboxUnreachable as error:
            if _says_no(error.__cause__):
                raise _NotGiven(_reason(error.__cause__)) from error
            raise
        return found

    @contextmanager
    def _failures_counted(self, uid: int) -> Iterator[None]:
        """If the letter cannot be fetched, count that, and go on with the next if the connection is
        good."""
        try:
            yield
        except _NotGiven as error:
            self._later.add(uid)
            self._failed_again(uid, str(error))
        except MailboxUnreachable as error:
            self._failed_again(uid, str(error))
            raise

    def _failed_again(self, uid: int, why: str) -> None:
        self._failures[self.uid_validity, uid] += 1
        log.error(
            "letter not fetched", uid=uid, tries=self._failures[self.uid_validity, uid], error=why
        )

    def _put_aside(self, uid: int) -> None:
        """Give up a letter that cannot be fetched, so that it does not stop the others."""
        self._failures[self.uid_validity, uid] += 1
        self._alarm(
            f"letter {uid} of the mailbox cannot be fetched; it is put aside there, look at it"
        )
        self._put_away(uid, self._failed, (SEEN, FLAGGED))

    # --- taken letters ----------------------------------------------------------------------------
    def _put_away(self, uid: int, folder: str, flags: tuple[bytes, ...]) -> None:
        """Move it to the folder, or flag it if the folder is missing and cannot be made."""
        self._done.add(uid)
        with _trouble(self._settings, "broke off while a letter was put away"):
            if not self._moved(uid, folder):
                marks = (*flags, KEYWORD.encode()) if self._keywords else flags
                self._client.add_flags([uid], marks, silent=True)

    def _moved(self, uid: int, folder: str) -> bool:
        for can_be_made in (True, False):
            try:
                self._move(uid, folder)
                return True
            except IMAPClientError as error:
                if not _says_no(error):
                    raise
                if not can_be_made:
                    self._alarm(
                        f"no letter can be moved to the folder {folder!r}: {_reason(error)}"
                    )
                    return False
                # it is there already; or the second try says what is wrong
                with suppress(IMAPClientError):
                    self._client.create_folder(folder)
        return False

    def _move(self, uid: int, folder: str) -> None:
        if self.can_move:
            self._client.move([uid], folder)
            return
        self._client.copy([uid], folder)
        self._client.add_flags([uid], [SEEN, DELETED], silent=True)
        self._client.expunge([uid] if self._client.has_capability("UIDPLUS") else None)

    def _full_name(self, folder: str) -> str:
        """Return the folder's full name: some servers have all folders below INBOX, as their
        NAMESPACE says."""
        if self._client.folder_exists(folder) or not self._client.has_capability("NAMESPACE"):
            return folder
        personal = self._client.namespace().personal or (("", ""),)
        prefix = personal[0][0]
        return folder if folder.startswith(prefix) else prefix + folder

    # --- waiting ----------------------------------------------------------------------------------
    def wait(self, stop: Event) -> None:
        """Wait for new letters, but not for ever, or until `stop` is set. Raises
        MailboxUnreachable."""
        if not self.can_idle:
            stop.wait(POLL_SECONDS)
            return
        with _trouble(self._settings, "broke off while we waited"):
            # The server announces a letter that came between the search and IDLE in its answer to
            # IDLE, where the library does not look. We end the first IDLE soon, so that we find it.
            for seconds in (SETTLE_SECONDS, SLICE_SECONDS):
                if stop.is_set() or self._idle(seconds, stop):
                    return

    def _idle(self, seconds: float, stop: Event) -> bool:
        """Return whether the server told us of something new."""
        self._client.idle()
        heard: list[Any] = []
        end = time.monotonic() + seconds
        while not _tells_news(heard) and not stop.is_set() and time.monotonic() < end:
            begin = time.monotonic()
            heard = self._client.idle_check(timeout=min(_LOOK_SECONDS, max(0.0, end - begin)))
            if not heard and time.monotonic() - begin < _LOOK_SECONDS / 2:
                break  # either the time is up, or the connection was closed: `idle_done` will say
        _, late = self._client.idle_done()
        return _tells_news((*heard, *late))


def _of_body(answer: Mapping[bytes, Any]) -> bytes | None:
    """Return the part of the letter in this answer."""
    found = next((value for key, value in answer.items() if key.startswith(b"BODY[")), None)
    return found if isinstance(found, bytes) else None


def _arrival(facts: Mapping[bytes, Any]) -> datetime:
    """Return when the letter came into the mailbox; now if the server does not tell."""
    arrived = facts.get(b"INTERNALDATE")
    return arrived.astimezone(UTC) if isinstance(arrived, datetime) else datetime.now(UTC)


def _tells_news(responses: Any) -> bool:
    return any(
        len(r) > 1 and r[1] in (b"EXISTS", b"RECENT") for r in responses if isinstance(r, tuple)
    )


# --- connecting -----------------------------------------------------------------------------------
def connected(settings: Imap, token: AccessToken | None) -> IMAPClient:
    """Return a client that is logged in. Raises MailboxUnreachable or GiveUp."""
    with _trouble(settings, "cannot be reached"):
        client = _connect(settings)
    try:
        _log_in(client, settings, token)
    except BaseException:
        close(client)
        raise
    return client


def reach(settings: Imap) -> None:
    """Connect without a login. Raises MailboxUnreachable, or GiveUp for a wrong certificate."""
    with _trouble(settings, "cannot be reached"):
        close(_connect(settings))


def close(client: IMAPClient) -> None:
    with suppress(Exception):
        client.logout()
    with suppress(Exception):
        client.shutdown()


def _connect(settings: Imap) -> IMAPClient:
    context = ssl.create_default_context()
    client = IMAPClient(
        settings.host,
        settings.port,
        ssl=settings.security == "tls",
        ssl_context=context,
        timeout=SocketTimeout(CONNECT_SECONDS, READ_SECONDS),
    )
    client.normalise_times = False
    try:
        if settings.security == "starttls":
            client.starttls(context)
        connection = client.socket()  # notice it if a router has forgotten a quiet one
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    except BaseException:
        close(client)
        raise
    return client


def _log_in(client: IMAPClient, settings: Imap, token: AccessToken | None) -> None:
    bearer = _Bearer(settings.username, token.get()) if token else None
    try:
        with _trouble(settings, "broke off at the login"):
            if bearer:
                client.sasl_login("XOAUTH2", bearer)
            elif client.has_capability("AUTH=PLAIN"):
                client.plain_login(settings.username, settings.password)
            else:
                client.login(settings.username, settings.password)
    except MailboxUnreachable as error:
        why = error.__cause__
        text = f"{_reason(why)} {bearer.error if bearer else ''}".strip()
        is_for_now = any(word.lower() in text.lower() for word in _LATER)
        if not isinstance(why, LoginError) or not _says_no(why.__context__) or is_for_now:
            raise
        if token:
            token.forget()
        raise GiveUp(
            f"{_where(settings)} does not let {settings.username!r} in: {text}",
            hint="see imap.username and imap.password",
        ) from error


class _Bearer:
    """How an access token is presented. After an error the server asks again, for an empty
    answer."""

    def __init__(self, name: str, token: str) -> None:
        self._answers = [f"user={name}\1auth=Bearer {token}\1\1", ""]
        self.error = ""

    def __call__(self, challenge: bytes) -> str | None:
        self.error = visible(challenge.decode("utf-8", "replace"))[:_MAX_REASON_CHARACTERS]
        return self._answers.pop(0) if self._answers else None


# --- errors ---------------------------------------------------------------------------------------
@contextmanager
def _trouble(settings: Imap, what: str, *, refused: bool = False) -> Iterator[None]:
    """Turn errors of the library and the network into ours. `refused`: a NO of the server is
    final."""
    try:
        yield
    except KnobelnError:
        raise
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in _OUT_OF_DATE:
            raise GiveUp(
                f"{_where(settings)}: its {error.verify_message} by this host's clock, which says"
                f" {datetime.now(UTC):%Y-%m-%d %H:%M} UT: if that is right, whoever runs the server"
                " must renew the certificate"
            ) from error
        raise GiveUp(
            f"{_where(settings)}: its certificate is not trusted: {error.verify_message};"
            " imap.server must be a name in it, and this host must know who signed it (put an"
            " authority of your own into /usr/local/share/ca-certificates and run"
            " update-ca-certificates)"
        ) from error
    except CapabilityError as error:
        raise GiveUp(f"{_where(settings)}: {_reason(error)} (see imap.security)") from error
    except (IMAPClientError, OSError, ValueError, LookupError, TypeError, AssertionError) as error:
        text = f"{_where(settings)} {what}: {_reason(error)}"
        for_good = refused and (_says_no(error) or isinstance(error, imaplib.IMAP4.readonly))
        raise (GiveUp(text) if for_good else MailboxUnreachable(text)) from error


def _says_no(error: BaseException | None) -> bool:
    """Return whether the server answered, NO or BAD; otherwise the connection is not usable any
    more."""
    return isinstance(error, IMAPClientError) and not isinstance(error, IMAPClientAbortError)


def _where(settings: Imap) -> str:
    return f"the mail server {settings.host}:{settings.port}"


def _reason(error: BaseException | None) -> str:
    return visible(str(error))[:_MAX_REASON_CHARACTERS] or type(error).__name__


# --- the watch ------------------------------------------------------------------------------------
MAX_PAUSE_SECONDS = 300.0
_WELL = "letters are fetched from the mailbox"
_FULL = (
    "the mailbox is full, so no letter can come in: remove letters, such as those in the folder"
    f" {PROCESSED}"
)
_MAX_QUIET_FAILURES = 2  # a connection that breaks once in a while is not worth an alarm


TellLeft = Callable[[Iterable[Left]], object]


class Watch(Thread):
    """Runs until `stop` is set. Calls `alarm` once when a trouble lasts, and once when it is over
    (M70)."""

    def __init__(
        self,
        open_mailbox: Callable[[], Mailbox],
        alarm: Callable[[str], object],
        stop: Event,
        tell_left: TellLeft = lambda _letters: None,
    ) -> None:
        """`tell_left` hears after each look which letters we leave to others."""
        super().__init__(name="imap", daemon=True)
        self._tell_left = tell_left
        self._open = open_mailbox
        self._alarm = alarm
        self._stop_event = stop
        self._failures = 0  # in a row
        self._told = ""  # what the organizer heard last

    def run(self) -> None:
        while not self._stop_event.is_set():
            try:
                self._session()
            except KnobelnError as error:
                self._trouble(str(error), isinstance(error, GiveUp))
            except Exception:
                log.exception("unexpected", loop="imap")
                self._trouble("a fault of ours, see the log", lasting=False)

    def _session(self) -> None:
        """Take letters over one connection, until it ends."""
        with closing(self._open()) as mailbox:
            log.info("mailbox opened", uid_validity=mailbox.uid_validity, idle=mailbox.can_idle)
            while not self._stop_event.is_set():
                mailbox.take_all(self._stop_event)
                self._failures = 0
                self._tell(_FULL if mailbox.is_full() else _WELL)
                self._tell_left(mailbox.left())
                mailbox.wait(self._stop_event)

    def _trouble(self, why: str, lasting: bool) -> None:
        self._failures += 1
        pause = pause_seconds(self._failures, lasting, random.random())  # noqa: S311 - no secret
        log.error(why, loop="imap", failures=self._failures, again_in=round(pause, 1))
        if (lasting or self._failures >= _MAX_QUIET_FAILURES) and self._told in ("", _WELL, _FULL):
            self._tell(f"no letters can be fetched: {why}")
        self._stop_event.wait(pause)

    def _tell(self, text: str) -> None:
        if text == self._told:
            return
        try:
            self._alarm(text)
            self._told = text
        except KnobelnError as error:
            log.error(str(error), loop="imap")


def pause_seconds(failures: int, lasting: bool, draw: float) -> float:
    """Seconds to wait after this many failures in a row: 1, 2, 4 ... 300.

    `draw` (0..1) makes it a little more or less, so that not all clients come back together. If
    only a person can help (`lasting`), it is the longest pause at once: servers lock out clients
    with a wrong password.
    """
    doublings = min(failures - 1, 30)
    usual = MAX_PAUSE_SECONDS if lasting else min(2.0**doublings, MAX_PAUSE_SECONDS)
    return usual * (0.75 + 0.5 * draw)
