"""What the desk sends to the organizer: letters for people, and word of limits that are used up.

A few letters of a kind are passed on in a day, and one mail tells of the rest, so that nobody
floods the organizer, and no letter is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from contest.config.settings import Settings
from contest.interfaces.protocols import Rendered, Renderer, to_organizer
from contest.language import speaking
from contest.model import Attachment, StoredLetter
from mailserver.command import Desk
from mailserver.limits import DAY, MAX_WAIT_DAYS
from mailserver.reading.letter import headers_alone
from store import Store, Transaction, letters, outbox

MAX_PASSED_ON_PER_DAY = 20  # of a kind
MAX_LISTED = 100  # in the mail about the rest
_LIMIT, _REST = "limit_used_up", "letters_not_passed_on"
_IGNORED = "letters_ignored"


def pass_letter_on(desk: Desk, stored: StoredLetter, template: str, mail: Rendered) -> str:
    """Queue this mail for the organizer, with the letter attached as it came, or keep it for the
    mail about the rest. Returns what was done, for the journal."""
    tx, settings, now = desk.tx, desk.settings, desk.now
    to = settings.contest.organizer_address
    if outbox.sent_within(tx, to, (template,), DAY, now) >= MAX_PASSED_ON_PER_DAY:
        letters.keep_for_list(tx, stored.id, now + DAY)
        return "kept for the list of letters that the organizer gets"
    outgoing = to_organizer(settings, f"letter/{stored.id}/{template}", template, mail)
    copy = Attachment("letter.eml", "application/octet-stream", stored.raw)
    outbox.put(tx, replace(outgoing, attachments=(copy,)), settings, now)
    return "passed on to the organizer"


def tell_of_limit(desk: Desk, limit: str) -> None:
    """Tell the organizer, once in a day, that strangers have used up a limit."""
    tx, settings, now = desk.tx, desk.settings, desk.now
    to = settings.contest.organizer_address
    if outbox.sent_within(tx, to, (_LIMIT,), DAY, now):
        return
    with speaking(settings.contest.language):
        mail = desk.renderer.render(_LIMIT, limit=limit, days=MAX_WAIT_DAYS)
    outbox.put(tx, to_organizer(settings, f"limits/{now.isoformat()}", _LIMIT, mail), settings, now)


def tidy(store: Store, settings: Settings, renderer: Renderer, now: datetime) -> None:
    """Set letters aside that have waited for too long; tell of those that were not passed on, and
    of those that were ignored."""
    oldest = now - timedelta(days=MAX_WAIT_DAYS)
    with store.read() as tx:
        if not letters.is_any_overdue(tx, oldest, now):
            return
    with store.write() as tx:
        letters.set_aside_waiting(tx, oldest)
        if not letters.is_any_overdue(tx, oldest, now):
            return
        with speaking(settings.contest.language):
            for kind, mail in _mails_of_the_day(tx, renderer):
                key = f"{kind}/{now.isoformat()}"
                outbox.put(tx, to_organizer(settings, key, kind, mail), settings, now)


def _mails_of_the_day(tx: Transaction, renderer: Renderer) -> Iterator[tuple[str, Rendered]]:
    """Yield what the organizer is told once in a day, where there is something to tell."""
    if kept := letters.kept_for_list(tx):
        listed = [(each, headers_alone(each.raw)) for each in kept[:MAX_LISTED]]
        facts = {"letters": listed, "count": len(kept), "per_day": MAX_PASSED_ON_PER_DAY}
        yield _REST, renderer.render(_REST, **facts)
    if ignored := letters.kept_for_count(tx):
        yield _IGNORED, renderer.render(_IGNORED, kinds=ignored, count=sum(ignored.values()))
