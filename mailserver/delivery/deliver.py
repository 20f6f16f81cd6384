"""Delivers mails from the outbox: takes what is due, sends it, records the attempt (K98).

After a 4xx, or if the relay cannot be reached, we try again, later and later. A mail fails after a 5xx or
when it has waited too long; the organizer sees it. Each mail has an envelope sender of its own, to which its
bounces come. Several processes may deliver: each holds the database's lock for the mails that it sends. On
SQLite, where there are no such locks, the caller sees to it that only one process delivers. If we are killed
between the relay's 250 and our commit, the mail goes out twice with one Message-ID. This can hit one mail for
each connection. Into a Maildir it comes only once, so several that went there are marked together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import groupby
from threading import Event, Thread
from typing import NamedTuple

from contest.config.settings import Settings
from contest.errors import DeliveryDeferred, DeliveryRefused
from contest.store import Store, Transaction, contest_state, outbox
from contest.store.outbox import OutboxItem
from contest.util.clock import Clock
from contest.util.log import log
from mailserver.bounces import bounce_address
from mailserver.delivery.transports import RelayUnreachable, Transport

BATCH = 100
MAILS_PER_CONNECTION = 20  # each further connection takes this many
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
    (O11). If that holds for some connections only, their mails are tried again over one.
    """
    with store.read() as tx:
        if outbox.stopped(tx):
            return Delivered()
        items = outbox.due(tx, clock.now(), BATCH)
        delivery = _Delivery(store, settings, clock, transport, senders(tx, settings))
    first, *others = _shares(items, transport.connections)
    stop = Event()
    try:
        further = [_in_background(partial(delivery.send_all, share, stop)) for share in others]
        outcomes = [delivery.send_all(first, stop), *(each.result() for each in further)]
        total = sum((each.done for each in outcomes), Delivered())
        broken = [each for each in outcomes if each.unreachable]
        if total.sent and broken and others:  # the relay is there, but may not want so many connections
            if any(each.done == Delivered() for each in broken):
                log.info("the relay takes no mails over several connections", why=str(broken[0].unreachable))
                transport.connections = 1
            transport.close()
            again = delivery.send_all([item for each in broken for item in each.left], stop)
            total += again.done
            outcomes = [*(each for each in outcomes if not each.unreachable), again]
        for each in outcomes:
            if each.unreachable:
                return total + delivery.wait_for_relay(each.tried, each.unreachable)
        return total + delivery.fail([one for each in outcomes for one in each.refused])
    finally:
        stop.set()
        transport.close()


def _shares(items: Sequence[OutboxItem], connections: int) -> list[list[OutboxItem]]:
    """The mails for each connection; there is at least one. All mails to one recipient are in one share."""
    count = min(connections, 1 + len(items) // MAILS_PER_CONNECTION)
    shares: list[list[OutboxItem]] = [[] for _ in range(count)]
    share_of: dict[str, list[OutboxItem]] = {}
    for item in items:
        share_of.setdefault(item.to, shares[len(share_of) % count]).append(item)
    return shares


def _in_background(work: Callable[[], _Outcome]) -> Future[_Outcome]:
    """Run it in a thread that does not keep the process from ending."""
    future: Future[_Outcome] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, name="delivery", daemon=True).start()
    return future


def senders(tx: Transaction, settings: Settings) -> Callable[[int], str]:
    """A function that gives the envelope sender of a mail by its id."""
    robot, secret = settings.contest.address, contest_state.secret(tx)
    return lambda item_id: bounce_address(robot, item_id, secret) if settings.mail.verp else robot


Refusal = tuple[OutboxItem, DeliveryRefused]


class _Outcome(NamedTuple):
    """What became of the mails of one connection.

    `refused`: the last of those offered, if refused; it is not clear yet whether they or the relay are to
    blame. `unreachable`: why the relay does not take the mails `unsent`; at most the first was offered.
    """

    done: Delivered
    refused: Sequence[Refusal] = ()
    unsent: Sequence[OutboxItem] = ()
    unreachable: RelayUnreachable | None = None

    @property
    def left(self) -> list[OutboxItem]:
        return [*(item for item, _ in self.refused), *self.unsent]

    @property
    def tried(self) -> list[OutboxItem]:
        """The mails that were offered to a relay that was unreachable, or refused us."""
        return [item for item, _ in self.refused] or list(self.unsent[:1])


@dataclass(frozen=True)
class _Delivery:
    """Sends mails, and records what became of them. `sender`: see `senders`."""

    store: Store
    settings: Settings
    clock: Clock
    transport: Transport
    sender: Callable[[int], str]

    def send_all(self, items: Sequence[OutboxItem], stop: Event) -> _Outcome:
        """Send these one after the other, until the relay cannot be reached, or `stop` is set."""
        done = Delivered()
        # Consecutive refusals; the next result shows whether the mail or the relay is to blame.
        refused: list[Refusal] = []
        for number, together in groupby(items, lambda item: item.id // self.transport.batch):
            with self._claimed(number, list(together)) as (ready, responses):
                for item in ready:
                    if stop.is_set():
                        return _Outcome(done, refused)
                    try:
                        response = self.transport.send(self.sender(item.id), item.to, item.raw)
                    except DeliveryRefused as error:
                        refused.append((item, error))
                        if len(refused) == MAX_REFUSALS_IN_A_ROW:
                            everything = RelayUnreachable(f"the relay refuses everything: {error}")
                            return _Outcome(done, refused, items[items.index(item) + 1 :], everything)
                        continue
                    except RelayUnreachable as error:
                        return _Outcome(done, refused, items[items.index(item) :], error)
                    except DeliveryDeferred as error:
                        done += self._defer(item, error)
                    else:
                        responses[item.id] = _short(response)
                        done += Delivered(sent=1)
                    done += self.fail(refused)
                    refused = []
        return _Outcome(done, refused)

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

    def fail(self, refused: Sequence[Refusal]) -> Delivered:
        """Give these up: their recipients are to blame."""
        if not refused:
            return Delivered()
        with self.store.write() as tx:
            for item, error in refused:
                outbox.mark_failed(tx, item.id, self.clock.now(), _short(str(error)))
        return Delivered(failed=len(refused))

    def wait_for_relay(self, tried: Sequence[OutboxItem], error: RelayUnreachable) -> Delivered:
        """Let the tried mails wait as after any failure, and the others a little: the relay is
        unreachable."""
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
