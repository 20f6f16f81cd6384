"""Waits for the public number of a contest whose list of entries is final, and fetches it from
drand."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException

from contest.errors import GiveUp, KnobelnError, NumberAwaited
from contest.public_number import drand
from contest.public_number.beacon import BeaconKind
from contest.public_number.draw import Draw, draw_awaited
from contest.util.log import log
from knobeln.context import ContestContext
from knobeln.services import SoleDelivery, tell_about_run
from mailserver.command import Desk
from mailserver.delivery.transports import transport_of
from mailserver.write_action import act
from store import contest_state

POLL_SECONDS = 0.5  # between two looks whether the organizer has handed the number in
RETRY_SECONDS = 15.0  # between two rounds of questions to all servers
TELL_AFTER_SECONDS = 120.0  # without an answer from any of them
_TIMEOUT_SECONDS = 10.0
_MAX_ANSWER_BYTES = 4_000


def wait_for_number(contest: ContestContext, tell: Callable[[str], None], *, patient: bool) -> None:
    """Return when the contest has its number. Meanwhile the mails with the final list go out.

    Raises NumberAwaited unless `patient`.
    """
    draw = awaited(contest)
    if draw is None:
        return
    tell(f"The list of entries is final. {draw.sentence}")
    tried_at: list[float] = []  # by a clock that nobody sets
    has_told = False
    delivery = SoleDelivery(contest, transport_of(contest.settings, contest.path))
    while awaited(contest) is not None:
        delivery.insist()
        now = time.monotonic()
        is_there = draw.beacon.kind is BeaconKind.DRAND and contest.clock.now() >= draw.at
        if is_there and (not tried_at or now >= tried_at[-1] + RETRY_SECONDS):
            tried_at.append(now)
            if (reason := _fetched(contest, draw)) is None:
                return
            if not has_told and now >= tried_at[0] + TELL_AFTER_SECONDS:
                has_told = True
                tell(f"{reason}. {HOW_TO_HAND_IN}")
                _tell_organizer(contest, draw, reason)
        if not patient:
            raise NumberAwaited(draw.sentence)
        time.sleep(POLL_SECONDS)


HOW_TO_HAND_IN = (
    "Until it is there, the contest waits. You can hand it in yourself: `knobeln run number VALUE`,"
    " or a letter with the subject `organizer beacon`"
)


def awaited(contest: ContestContext) -> Draw | None:
    """The draw that the contest waits for; None if it does not wait."""
    with contest.store.read() as tx:
        settings, state = contest.settings, contest_state.state(tx)
        return draw_awaited(settings.tournament.beacon, settings.dates.contest_starts, state)


def _fetched(contest: ContestContext, draw: Draw) -> str | None:
    """Fetch drand's round from the first server that has it, signed. Returns why that failed, or
    None.

    The journal tells what was wrong with the servers before.
    """
    reasons: list[str] = []
    for url in drand.URLS:
        address = f"{url.rstrip('/')}/{draw.chain.hash}/public/{draw.round}"
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310 - ours
                text = answer.read(_MAX_ANSWER_BYTES + 1).decode()
            _hand_in(contest, text, "; ".join([f"fetched from {url}", *reasons]))
            return None
        except (OSError, HTTPException, ValueError, GiveUp) as error:
            reasons.append(f"{url} does not give round {draw.round} of drand: {error}")
            log.warning(reasons[-1])
    return "; ".join(reasons)


def _hand_in(contest: ContestContext, text: str, source: str) -> None:
    with contest.store.write() as tx:
        desk = Desk(tx, contest.settings, contest.templates, contest.clock.now())
        act(desk, "", lambda organizer: organizer.hand_in_number(text, source))


def _tell_organizer(contest: ContestContext, draw: Draw, reason: str) -> None:
    """Write to the organizer and into the journal, once for each draw."""
    text = f"{reason}. {draw.sentence} {HOW_TO_HAND_IN}."
    try:
        with contest.store.write() as tx:
            contest_state.note(tx, "error", text, contest.clock.now())
            tell_about_run(contest, tx, f"number/{draw.round}", text, done=False)
    except KnobelnError as error:  # the run must go on waiting
        log.error(str(error))
