"""Delivers mails from the outbox: takes what is due, sends it, records the attempt (K98).

After a 4xx, or if the relay cannot be reached, we try again, later and later. A mail fails after a 5xx or
when it has waited too long; the organizer sees it. Each mail has an envelope sender of its own, to which its
bounces come. Several processes may deliver: each holds the database's lock for the mail that it sends. On
SQLite, where there are no such locks, the caller sees to it that only one process delivers. If we are killed
between the relay's 250 and our commit, the mail goes out twice with one Message-ID; into a Maildir only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from contest.clock import Clock
from contest.config.settings import Settings
from contest.errors import DeliveryDeferred, DeliveryRefused
from contest.log import log
from contest.store import Store, Transaction, contest_state, outbox
from contest.store.outbox import OutboxItem
from mailserver.delivery.transports import RelayUnreachable, Transport
from mailserver.delivery.verp import bounce_address

BATCH = 100
MAX_REFUSALS_IN_A_ROW = 10  # from here on the relay refuses us, not the recipients
BACK_OFF_MINUTES = (1, 2, 5, 15, 30, 60)
MIN_ATTEMPTS = len(BACK_OFF_MINUTES)  # before a mail is given up
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
    """Send what is due, at most BATCH mails, each in a transaction of its own. Raises StoreBusy.

    If the relay cannot be reached, or refuses so many in a row that it must mean us, no mail fails: all wait
    (O11).
    """
    with store.read() as tx:
        if outbox.stopped(tx):
            return Delivered()
        items = outbox.due(tx, clock.now(), BATCH)
        sender = senders(tx, settings)
    total = Delivered()
    # Consecutive refusals; the next result shows whether the mail or the relay is to blame.
    refused: list[tuple[OutboxItem, DeliveryRefused]] = []
    try:
        for item in items:
            try:
                total += _deliver(store, settings, clock, transport, item, sender(item.id))
            except DeliveryRefused as error:
                refused.append((item, error))
                if len(refused) == MAX_REFUSALS_IN_A_ROW:
                    raise RelayUnreachable(f"the relay refuses everything: {error}") from error
            else:
                total += _fail(store, clock, refused)
                refused = []
    except RelayUnreachable as error:
        total += _wait_for_relay(store, settings, clock, [r[0] for r in refused] or [item], error)
    else:
        total += _fail(store, clock, refused)
    finally:
        transport.close()
    return total


def senders(tx: Transaction, settings: Settings) -> Callable[[int], str]:
    """A function that gives the envelope sender of a mail by its id."""
    robot, secret = settings.contest.address, contest_state.secret(tx)
    return lambda item_id: bounce_address(robot, item_id, secret) if settings.mail.verp else robot


def _deliver(
    store: Store, settings: Settings, clock: Clock, transport: Transport, item: OutboxItem, sender: str
) -> Delivered:
    with store.only_one(f"mail/{item.id}") as alone:
        if not alone:  # a process on another computer sends it
            return Delivered()
        with store.read() as tx:
            if not outbox.is_still_ready(tx, item):  # the organizer was quicker, or such a process
                return Delivered()
        try:
            response = transport.send(sender, item.to, item.raw)
        except RelayUnreachable:
            raise
        except DeliveryDeferred as error:
            return _defer(store, settings, clock, item, error)
        with store.write() as tx:
            outbox.mark_sent(tx, item.id, clock.now(), _short(response))
        return Delivered(sent=1)


def _fail(store: Store, clock: Clock, refused: Sequence[tuple[OutboxItem, DeliveryRefused]]) -> Delivered:
    if not refused:
        return Delivered()
    with store.write() as tx:
        for item, error in refused:
            outbox.mark_failed(tx, item.id, clock.now(), _short(str(error)))
    return Delivered(failed=len(refused))


def _wait_for_relay(
    store: Store, settings: Settings, clock: Clock, tried: Sequence[OutboxItem], error: RelayUnreachable
) -> Delivered:
    """The tried mails wait as after any failure, the others a little too: the relay would not take them."""
    log.error("delivery waits", why=str(error))
    total = Delivered()
    for item in tried:
        total += _defer(store, settings, clock, item, error)
    with store.write() as tx:
        outbox.wait_until(tx, clock.now() + back_off(0))
    return total


def _defer(
    store: Store, settings: Settings, clock: Clock, item: OutboxItem, error: DeliveryDeferred
) -> Delivered:
    now = clock.now()
    with store.write() as tx:
        too_old = now - item.ready_at >= timedelta(hours=settings.mail.give_up_after_hours)
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
