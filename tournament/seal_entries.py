"""Seals lists of entries: tells all teams who takes part, with which program, under a signed root.

The first list goes out when programs are no longer taken, so that teams can object before the contest starts.
With its start the list is final. Afterwards the public number is drawn.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from contest.archive.contents import published_settings, settings_digest
from contest.config.settings import Settings
from contest.interfaces.events import EntriesListed
from contest.interfaces.protocols import Reporter
from contest.ledger.entry_list import SealedList
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import Phase
from contest.public_number.draw import draw_of
from contest.store import Transaction, contest_state, entry_lists, ledger, letters, outbox, submissions, teams
from contest.util.plurals import plural
from tournament.group_workers import marked


def is_first_list_due(tx: Transaction, settings: Settings, now: datetime) -> bool:
    """Whether the first list is to go out: no program may still come, and none waits, nor any letter.

    Without time for objections between the last program and the start there is only the final list.
    """
    dates = settings.dates
    return (
        dates.compilation_closes <= now < dates.contest_starts
        and contest_state.state(tx).phase is Phase.OPEN
        and not entry_lists.count(tx)
        and not submissions.any_waiting(tx)
        and not letters.any_waiting(tx)
    )


def seal_entries(
    tx: Transaction, settings: Settings, reporter: Reporter, now: datetime, *, is_final: bool
) -> SealedList:
    """Make a list of the entries as they are now, and tell all teams, as long as there is something to tell.

    A contest without a public number, in which nobody could object, tells its list with `LAP` alone.
    """
    before = entry_lists.newest(tx)
    listed = entry_lists.add(tx, now, is_final=is_final)
    if is_final:
        digest = settings_digest(published_settings(settings))
        ledger.append(tx, LedgerEntry(Effect.SETTINGS_FROZEN, "", now, digest=digest))
    effect = Effect.ENTRIES_FINAL if is_final else Effect.ENTRIES_LISTED
    root = listed.list.root
    receipt = ledger.append(tx, LedgerEntry(effect, "", now, digest=root.hex()))
    starts = settings.dates.contest_starts
    draw = draw_of(settings.tournament.beacon, starts, now if is_final else starts)
    if is_final:
        contest_state.seal(tx, root, has_number=draw is not None)
    what = "the final list of entries" if is_final else "the list of entries"
    text = f"{what}: {plural(len(listed.list.entries), 'program')}, root {root.hex()}"
    contest_state.note(tx, "entries", text, now)
    if draw or before or not is_final:
        present = {team.name: team for team in teams.present(tx)}
        event = EntriesListed(teams=present, listed=listed, before=before, draw=draw)
        mails = (replace(mail, receipt=receipt) for mail in reporter.mails(event))
        outbox.put_all(tx, marked(mails, contest_state.mark(tx)), settings, now)
    return listed
