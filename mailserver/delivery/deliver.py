"""Delivers mails from the outbox: takes what is due, sends it, records the attempt (K98).

After a 4xx, or if the relay cannot be reached, we try again, later and later. A mail fails after a 5xx or
when it has waited too long; the organizer sees it. Each mail has an envelope sender of its own, to which its
bounces come. Several processes may deliver: each holds the database's lock for the mails that it sends. On
SQLite, where there are no such locks, the caller sees to it that only one process delivers. If we are killed
between the relay's 250 and our commit, that mail goes out twice with one Message-ID. Into a Maildir it comes
only once, so several that went there are marked together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from contest.config.settings import Settings
from contest.errors import DeliveryDeferred, DeliveryRefused
from contest.store import Store, Transaction, contest_state, outbox
from contest.store.outbox import OutboxItem
from contest.util.clock import Clock
from contest.util.log import log
from mailserver.bounces import bounce_address
from mailserver.delivery.transports import RelayUnreachable, Transport

BATCH = 100
MAX_REFUSALS_IN_A_ROW = 10  # from here on the relay refuses us, not the recipients
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
        return Delivered(self.sent + other.sent, self.deferred + other.deferred, self.failed + other.failed)


def deliver_due(store: Store, settings: Settings, clock: Clock, transport: Transport) -> Delivered:
    """Send what is due, at most BATCH mails; mark together what the transport allows. Raises StoreBusy.

    If the relay cannot be reached, or refuses so many in a row that it must mean us, no mail fails: all wait
    (O11).
    """
    with store.read() as tx:
        if outbox.stopped(tx):
            return Delivered()
        items = outbox.due(tx, clock.now(), BATCH)
        delivery = _Delivery(store, settings, clock, transport, senders(tx, settings))
    try:
        return delivery.send_all(items)
    finally:
        transport.close()


def senders(tx: Transaction, settings: Settings) -> Callable[[int], str]:
    """A function that gives the envelope sender of a mail by its id."""
    robot, secret = settings.contest.address, contest_state.secret(tx)
    return lambda item_id: bounce_address(robot, item_id, secret) if settings.mail.verp else robot


Refusal = tuple[OutboxItem, DeliveryRefused]


@dataclass(frozen=True)
class _Delivery:
    """Sends mails, and records what became of them. `sender`: see `senders`."""

    store: Store
    settings: Settings
    clock: Clock
    transport: Transport
    sender: Callable[[int], str]

    def send_all(self, items: Sequence[OutboxItem]) -> Delivered:
        """Send these one after the other, until the relay cannot be reached."""
        done = Delivered()
        # Consecutive refusals; the next result shows whether the mail or the relay is to blame.
        refused: list[Refusal] = []
        for number, together in groupby(items, lambda item: item.id // self.transport.batch):
            with self._claimed(number, list(together)) as (ready, responses):
                for item in ready:
                    try:
                        response = self.transport.send(self.sender(item.id), item.to, item.raw)
                    except DeliveryRefused as error:
                        refused.append((item, error))
                        if len(refused) < MAX_REFUSALS_IN_A_ROW:
                            continue
                        everything = RelayUnreachable(f"the relay refuses everything: {error}")
                        return done + self._wait_for_relay([one for one, _ in refused], everything)
                    except RelayUnreachable as error:
                        return done + self._wait_for_relay([one for one, _ in refused] or [item], error)
                    except DeliveryDeferred as error:
                        done += self._defer(item, error)
                    else:
                        responses[item.id] = _short(response)
                        done += Delivered(sent=1)
                    done += self._fail(refused)
                    refused = []
        return done + self._fail(refused)

    @contextmanager
    def _claimed(
        self, number: int, items: Sequence[OutboxItem]
    ) -> Iterator[tuple[Sequence[OutboxItem], dict[int, str]]]:
        """The mails that nobody else sends, and a list for the responses; at the end those are marked as
        sent.

        All processes that deliver put the same mails into the batch of this number.
        """
        responses: dict[int, str] = {}
        with self.store.only_one(f"mail/{number}") as alone:
            if not alone:  # a process on another computer sends them
                yield (), responses
                return
            with self.store.read() as tx:  # the organizer may have been quicker, or such a process
                ready = outbox.still_ready(tx, items)
            try:
                yield ready, responses
            finally:
                if responses:
                    with self.store.write() as tx:
                        outbox.mark_sent(tx, responses, self.clock.now())

    def _fail(self, refused: Sequence[Refusal]) -> Delivered:
        """Give these up: their recipients are to blame."""
        if not refused:
            return Delivered()
        with self.store.write() as tx:
            for item, error in refused:
                outbox.mark_failed(tx, item.id, self.clock.now(), _short(str(error)))
        return Delivered(failed=len(refused))

    def _wait_for_relay(self, tried: Sequence[OutboxItem], error: RelayUnreachable) -> Delivered:
        """Let the tried mails wait as after any failure, and the others a little: the relay is away."""
        log.error("delivery waits", why=str(error))
        total = Delivered()
        for item in tried:
            total += self._defer(item, error)
        with self.store.write() as tx:
            outbox.wait_until(tx, self.clock.now() + back_off(0))
        return total

    def _defer(self, item: OutboxItem, error: DeliveryDeferred) -> Delivered:
        now = self.clock.now()
        with self.store.write() as tx:
            too_old = now - item.ready_at >= GIVE_UP_AFTER
            # Not at the first try after a long pause, nor because the clock has jumped: that says nothing.
            if too_old and item.attempts >= MIN_ATTEMPTS:
                outbox.mark_failed(tx, item.id, now, _short(f"given up: {error}"))
                return Delivered(failed=1)
            outbox.mark_deferred(tx, item.id, now + back_off(item.attempts), _short(str(error)))
        return Delivered(deferred=1)


def back_off(attempts: int) -> timedelta:
    """How long a mail waits after a failure; `attempts` counts the attempts before it."""
    return timedelta(minutes=BACK_OFF_MINUTES[min(attempts, len(BACK_OFF_MINUTES) - 1)])


def _short(response: str) -> str:
    return " ".join(response.split())[:_MAX_RESPONSE_CHARACTERS]
