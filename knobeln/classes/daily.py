"""The lecturer's mail: once in a day how far the class is, if something has changed."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from contest.interfaces.protocols import to_organizer
from contest.language import speaking
from contest.model import Phase
from knobeln.classes.class_view import view
from knobeln.context import ContestContext
from store import class_people, contest_state, outbox

_KIND = "class_news"
_DAY = timedelta(hours=24)
_MAX_TOLD = 100


def tell_of_class(contest: ContestContext) -> None:
    """Queue the mail, unless one was made within a day, or nothing has changed, or there is no
    class."""
    settings, now = contest.settings, contest.clock.now()
    to = settings.contest.organizer_address
    with contest.store.read() as tx:
        is_over = contest_state.state(tx).phase is Phase.FINISHED
        is_told = outbox.sent_within(tx, to, (_KIND,), _DAY, now) > 0
        if is_over or is_told or not class_people.is_any(tx):
            return
    with speaking(settings.contest.language):
        shown = view(contest)
        mail = contest.templates.render(
            _KIND,
            **shown.counts._asdict(),
            troubled=shown.troubled[:_MAX_TOLD],
            more=max(0, len(shown.troubled) - _MAX_TOLD),
        )
    key = f"class/{hashlib.sha256(repr(shown).encode()).hexdigest()}"
    with contest.store.write() as tx:
        outbox.put(tx, to_organizer(settings, key, _KIND, mail), settings, now)
