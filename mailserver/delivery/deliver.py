"""Delivers mails from the outbox: takes what is due, sends it, records the attempt (K98).

Each attempt is written before it is made. If that cannot be written, nothing is sent, so a full
disk or a busy database repeats no mail. What became of a mail is written in the transaction that
begins the next one. So there is one transaction for each mail, and a kill leaves one mail in doubt.
To begin several together would save their commits, which take less time than a relay, and leave all
of them in doubt. Into a Maildir a mail comes only once, however often it is sent, so there several
are begun together.

A mail in doubt goes out once more, under the same Message-ID. If we are killed with it again and
again, or if our own code fails with it, it is set aside, and the others go on. If it cannot be
written what became of a mail, we remember it and write it first of all; until then nobody else may
deliver (`Delivery.is_behind`).

After a 4xx, or if the relay cannot be reached, we try again, later and later. Where it hangs up
over a mail, the next one is tried on a fresh connection before the relay is judged. A mail whose
answer takes long keeps its connection, and those behind it go out by another one; until its answer
comes it is in doubt, and it is not offered again before every patience has ended. A mail fails
after a 5xx or when it has waited too long; the organizer sees it. Each mail has an envelope sender
of its own, to which its bounces come. Several processes may deliver: each holds the database's lock
for the mails that it sends, until it is written what became of them. On SQLite, where there are no
such locks, the caller sees to it that only one process delivers. Where PostgreSQL ends all
connections, the mails that are being sent are in doubt, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from threading import Thread

from contest.config.settings import Settings
from contest.errors import DeliveryDeferred, DeliveryRefused, KnobelnError
from contest.schema.sections import DeliveryKind
from contest.util.clock import Clock
from contest.util.log import log
from mailserver.bounces import bounce_address
from mailserver.delivery import pace
from mailserver.delivery.transports import (
    LimitReached,
    RelayHungUp,
    RelayUnreachable,
    Transport,
)
from store import Store, Transaction, contest_state, outbox
from store.outbox import DueMail, End, OutboxItem, Outcome

BATCH = 100
MAX_FAILURES_IN_A_ROW = 10  # from here on the relay or this program is to blame, not the mails
PATIENCE_SECONDS = 20.0  # with a mail, before the others go out by another connection
MAX_SLOW = 5  # mails whose answers are waited for while others go out
# When a mail is offered again whose answer did not come; by then no transport waits for it.
SLOW_AGAIN_AFTER = timedelta(minutes=20)
MAX_UNFINISHED = 3  # attempts of which nobody knows how they ended, before a mail is set aside
LIMIT_PAUSE = timedelta(minutes=15)  # where the relay says that we have sent enough
BACK_OFF_MINUTES = (1, 2, 5, 15, 30, 60)
MIN_ATTEMPTS = len(BACK_OFF_MINUTES)  # before a mail is given up
GIVE_UP_AFTER = timedelta(hours=72)  # if the relay keeps deferring a mail
_MAX_RESPONSE_CHARACTERS = 500


@dataclass(frozen=True)
class Delivered:
    """What one call did."""

    sent: int = 0
    deferred: int = 0
    failed: int = 0

    def __add__(self, other: Delivered) -> Delivered:
        return Delivered(
            self.sent + other.sent, self.deferred + other.deferred, self.failed + other.failed
        )


def senders(tx: Transaction, settings: Settings) -> Callable[[int], str]:
    """Return a function that gives the envelope sender of a mail by its id."""
    robot, secret = settings.contest.address, contest_state.secret(tx)
    return lambda item_id: bounce_address(robot, item_id, secret) if settings.mail.verp else robot


class _OwnError(Exception):
    """Our own code or host failed with a mail: it may have gone out."""


Failure = tuple[DueMail, DeliveryRefused | RelayHungUp | _OwnError]


class _Sending(Thread):
    """Sends one mail in a thread of its own, so that the others need not wait for its answer."""

    def __init__(self, mail: DueMail, transport: Transport, send: Callable[[], str]) -> None:
        super().__init__(name=f"mail {mail.id}", daemon=True)
        self.mail = mail
        self.transport = transport
        self._send = send
        self._response = ""
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._response = self._send()
        except BaseException as error:
            self._error = error

    def result(self) -> str:
        """Return the relay's reply, when it has ended. Raises what the transport raised."""
        if self._error is not None:
            raise self._error
        return self._response


class _TakesLong(Exception):
    """The relay has not answered yet."""

    def __init__(self, sending: _Sending) -> None:
        super().__init__("the relay has not answered yet")
        self.sending = sending


class Delivery:
    """Delivers the mails of one contest by one transport, and remembers what it could not write."""

    def __init__(
        self, store: Store, settings: Settings, clock: Clock, transport: Transport
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._transport = transport
        self._slow: list[_Sending] = []
        self._unwritten: list[Outcome] = []
        self._untried: dict[int, DueMail] = {}  # begun, and not yet given to the transport
        # of mails of which it is not written what became of them
        self._locks: dict[int, ExitStack] = {}

    @property
    def is_behind(self) -> bool:
        """Whether it is not yet written what became of a mail. Until then nobody else may
        deliver."""
        return bool(self._unwritten)

    def deliver_due(self) -> Delivered:
        """Send what is due, at most BATCH mails. Raises StoreBusy: then call it again.

        If the relay cannot be reached, or refuses so many in a row that it must mean us, no mail
        fails: all wait (O11).
        """
        done = self._collect()
        self._write()
        with self._store.read() as tx:
            if outbox.stopped(tx) or len(self._slow) >= MAX_SLOW:
                return done
            mails = self._due(tx)
            sender = senders(tx, self._settings)
        try:
            done += self._send_all(mails, sender)
            self._write()
        finally:
            self._transport.close()
        return done

    def finish(self) -> Delivered:
        """Wait for the answers that take long. Raises StoreBusy: then call `deliver_due`."""
        for sending in self._slow:
            sending.join()
        done = self._collect()
        self._write()
        return done

    def _due(self, tx: Transaction) -> Sequence[DueMail]:
        """Return what is due, at most BATCH mails, within the limits of the smarthost."""
        now, limits = self._clock.now(), self._settings.mail.sending_limits
        if not limits or self._settings.mail.delivery is not DeliveryKind.SMTP:
            return outbox.due(tx, now, BATCH)
        sent = outbox.sent_since(tx, now - pace.longest(limits))
        with_reports = pace.room(pace.for_reports(limits), sent, now) > 0
        most = pace.room(pace.for_reports(limits) if with_reports else limits, sent, now)
        if most <= 0:
            return ()
        return outbox.due_answers_first(tx, now, min(most, BATCH), with_reports=with_reports)

    # --- sending ----------------------------------------------------------------------------------
    def _send_all(self, mails: Sequence[DueMail], sender: Callable[[int], str]) -> Delivered:
        """Send these one after the other, until the relay cannot be reached."""
        done = Delivered()
        # in a row; the next result shows whether the mails are to blame
        failures: list[Failure] = []
        for mail, item in self._begun(mails):
            try:
                response = self._send(mail, item, sender)
            except _TakesLong as error:
                self._set_apart(error.sending)
                if len(self._slow) >= MAX_SLOW:
                    break
                continue
            except (DeliveryRefused, RelayHungUp, _OwnError) as error:
                failures.append((mail, error))
                self._put_off(mail, error)
                if len(failures) == MAX_FAILURES_IN_A_ROW:
                    return done + self._wait_for_relay(
                        [each for each, _ in failures], _of_everything(error)
                    )
                continue
            except RelayUnreachable as error:
                refused = [each for each, why in failures if not isinstance(why, _OwnError)]
                return done + self._wait_for_relay([*refused, mail], error)
            except DeliveryDeferred as error:
                done += self._defer(mail, error)
            else:
                self._ended(mail, End.SENT, response)
                done += Delivered(sent=1)
            done += self._fail(failures)
            failures = []
        return done + self._fail(failures)

    def _send(
        self, mail: DueMail, item: OutboxItem | _OwnError, sender: Callable[[int], str]
    ) -> str:
        """Send the mail; the relay's reply. Raises _OwnError for what is no error of a relay, and
        _TakesLong."""
        if isinstance(item, _OwnError):
            raise item
        del self._untried[mail.id]
        transport = self._transport
        another = transport.another()
        sending = _Sending(
            mail, transport, partial(transport.send, sender(mail.id), item.to, item.raw)
        )
        if another is None:
            sending.run()
        else:
            sending.start()
            sending.join(PATIENCE_SECONDS)
            if sending.is_alive():
                self._transport = another
                raise _TakesLong(sending)
        return _result(sending)

    # --- mails whose answers take long ------------------------------------------------------------
    def _set_apart(self, sending: _Sending) -> None:
        """Leave this mail in doubt until its answer is there."""
        log.warning("a mail takes long, and those behind it go out", mail=sending.mail.id)
        self._slow.append(sending)
        again = self._clock.now() + SLOW_AGAIN_AFTER
        self._ended(sending.mail, End.UNKNOWN, "the relay has not answered yet", again)

    def _collect(self) -> Delivered:
        """Note what became of those whose answers have come."""
        done = Delivered()
        answered = [sending for sending in self._slow if not sending.is_alive()]
        self._slow = [sending for sending in self._slow if sending.is_alive()]
        for sending in answered:
            sending.transport.close()
            done += self._judge_alone(sending)
        return done

    def _judge_alone(self, sending: _Sending) -> Delivered:
        try:
            response = _result(sending)
        except RelayHungUp as error:
            return self._defer(sending.mail, error)
        except RelayUnreachable as error:
            return self._wait_for_relay([sending.mail], error)
        except DeliveryDeferred as error:
            return self._defer(sending.mail, error)
        except (DeliveryRefused, _OwnError) as error:
            self._put_off(sending.mail, error)
            return self._fail([(sending.mail, error)])
        self._ended(sending.mail, End.SENT, response)
        return Delivered(sent=1)

    # --- beginning, and the mails that nobody else sends ------------------------------------------
    def _begun(self, mails: Sequence[DueMail]) -> Iterator[tuple[DueMail, OutboxItem | _OwnError]]:
        """Yield those that we have begun to send, with their bytes; that is written when they come
        out."""
        for number, batch in _batches(mails, self._transport.batch):
            if not self._lock(number):  # a process on another computer sends them
                continue
            with self._writing() as tx:
                begun = outbox.begin(tx, batch, self._clock.now())
            self._untried = {mail.id: mail for mail in begun}
            self._release(but=number)
            if begun:
                yield from zip(begun, self._read(begun), strict=True)

    def _read(self, begun: Sequence[DueMail]) -> list[OutboxItem | _OwnError]:
        """Return the mails with their bytes: together, or if that fails each alone, to know which
        is to blame."""
        if begun[0].unfinished >= MAX_UNFINISHED:  # it is alone
            return [_OwnError("sending it was begun again and again, and never ended")]
        try:
            with self._store.read() as tx:
                return [outbox.with_bytes(tx, mail) for mail in begun]
        except KnobelnError:
            raise
        except Exception as error:
            if len(begun) == 1:
                return [_own_error(begun[0], error)]
            return [item for mail in begun for item in self._read([mail])]

    def _lock(self, number: int) -> bool:
        """Hold the lock of this number; False if another process does."""
        if number not in self._locks:
            with ExitStack() as lock:
                if not lock.enter_context(self._store.only_one(f"mail/{number}")):
                    return False
                self._locks[number] = lock.pop_all()
        return True

    def _release(self, but: int | None = None) -> None:
        """Release all locks but this one: it is written what became of their mails."""
        for number in [number for number in self._locks if number != but]:
            self._locks.pop(number).close()

    # --- what became of them ----------------------------------------------------------------------
    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """A transaction that first notes what became of mails."""
        with self._store.write() as tx:
            if self._unwritten:
                outbox.mark(tx, self._unwritten)
            outbox.take_back(tx, self._untried.values())
            yield tx
        self._unwritten.clear()
        self._untried.clear()

    def _write(self) -> None:
        if self._unwritten or self._untried:
            with self._writing():
                pass
        self._release()

    def _ended(self, mail: DueMail, end: End, response: str, at: datetime | None = None) -> None:
        """Remember what became of the attempt at this mail. `at`: when it is tried again."""
        self._untried.pop(mail.id, None)
        now = self._clock.now()
        self._unwritten.append(
            Outcome(mail.id, mail.attempts + 1, end, at or now, _short(response))
        )

    def _put_off(self, mail: DueMail, error: DeliveryRefused | RelayHungUp | _OwnError) -> None:
        """Try this mail again, unless the next result shows that it is to blame."""
        end = End.UNKNOWN if isinstance(error, _OwnError) else End.DEFERRED
        self._ended(mail, end, str(error), self._clock.now() + back_off(mail.attempts))

    def _fail(self, failures: Sequence[Failure]) -> Delivered:
        """These are to blame themselves: give up what was refused, and what has failed too
        often."""
        done = Delivered()
        for mail, error in failures:
            if isinstance(error, DeliveryRefused):
                self._ended(mail, End.FAILED, str(error))
                done += Delivered(failed=1)
            elif isinstance(error, RelayHungUp):
                done += self._defer(mail, error)
            elif mail.unfinished + 1 >= MAX_UNFINISHED:
                self._set_aside(mail, error)
                done += Delivered(failed=1)
            else:
                done += Delivered(deferred=1)
        return done

    def _set_aside(self, mail: DueMail, error: _OwnError) -> None:
        """Give up a mail that our own code or host fails with, and tell the organizer."""
        text = f"it was set aside, and may have arrived: {error}"
        log.error("a mail was set aside", mail=mail.id, why=str(error))
        self._ended(mail, End.FAILED, text)
        with self._writing() as tx:
            contest_state.note(tx, "error", f"mail {mail.id}: {_short(text)}", self._clock.now())

    def _wait_for_relay(self, tried: Sequence[DueMail], error: RelayUnreachable) -> Delivered:
        """Let the tried mails wait as after any failure, and the others a little: the relay is
        away."""
        log.error("delivery waits", why=str(error))
        total = Delivered()
        for mail in tried:
            total += self._defer(mail, error)
        pause = LIMIT_PAUSE if isinstance(error, LimitReached) else back_off(0)
        with self._writing() as tx:
            outbox.wait_until(tx, self._clock.now() + pause)
        return total

    def _defer(self, mail: DueMail, error: DeliveryDeferred) -> Delivered:
        now = self._clock.now()
        too_old = now - mail.ready_at >= GIVE_UP_AFTER
        # Not at the first try after a long pause, nor because the clock has jumped: that says
        # nothing.
        if too_old and mail.attempts >= MIN_ATTEMPTS:
            self._ended(mail, End.FAILED, f"given up: {error}")
            return Delivered(failed=1)
        self._ended(mail, End.DEFERRED, str(error), now + back_off(mail.attempts))
        return Delivered(deferred=1)


def _batches(mails: Sequence[DueMail], size: int) -> Iterator[tuple[int, list[DueMail]]]:
    """Yield the mails that are begun together, with the number of their lock, which all processes
    agree on.

    A mail in doubt is alone: if we are killed with it, it leaves no other one in doubt.
    """

    def batch_of(mail: DueMail) -> tuple[int, int]:
        return mail.id // size, mail.id if mail.unfinished else 0

    for (number, _), batch in groupby(mails, batch_of):
        yield number, list(batch)


def _result(sending: _Sending) -> str:
    """Return the relay's reply. Raises KnobelnError, or _OwnError for what is no error of a
    relay."""
    try:
        return sending.result()
    except KnobelnError:
        raise
    except Exception as error:
        raise _own_error(sending.mail, error) from error


def _own_error(mail: DueMail, error: Exception) -> _OwnError:
    log.exception("a mail could not be sent", mail=mail.id)
    return _OwnError(f"our own error: {error!r}")


def _of_everything(error: DeliveryRefused | RelayHungUp | _OwnError) -> RelayUnreachable:
    if isinstance(error, RelayHungUp):
        return RelayUnreachable(f"the relay hangs up over everything: {error}")
    whose = "the relay refuses" if isinstance(error, DeliveryRefused) else "this program fails with"
    return RelayUnreachable(f"{whose} everything: {error}")


def back_off(attempts: int) -> timedelta:
    """Return how long a mail waits after a failure; `attempts` counts the attempts before it."""
    return timedelta(minutes=BACK_OFF_MINUTES[min(attempts, len(BACK_OFF_MINUTES) - 1)])


def _short(response: str) -> str:
    return " ".join(response.split())[:_MAX_RESPONSE_CHARACTERS]
