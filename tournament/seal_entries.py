"""Closes the entries: notes which letters still wait, and tells all teams who takes part, with
which program, under a signed root.

At the deadline the ledger gets the letters that have had no effect yet, so that no other can be
dated back. The first list goes out when none waits, so that teams can object before the contest
starts; settings, title, dates and rules are frozen with it. With the start the list is final. Then
the public number is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from contest.config.settings import Settings, frozen_digest
from contest.interfaces.events import EntriesListed
from contest.interfaces.protocols import Renderer, Reporter, to_all
from contest.ledger.entry_list import SealedList
from contest.ledger.receipts import Effect, LedgerEntry, Receipt, prize_digest
from contest.model import Phase
from contest.public_number.draw import draw_of
from contest.util.plurals import plural
from store import (
    Transaction,
    contest_state,
    entry_lists,
    ledger,
    letters,
    outbox,
    submissions,
    teams,
)
from tournament.group_workers import mark_of, marked

_ON_ITS_WAY = timedelta(seconds=10)  # a letter, from its arrival into the database
Step = Callable[[Transaction, Settings, Renderer, Reporter, datetime], None]


def next_step(tx: Transaction, settings: Settings, now: datetime) -> Step | None:
    """What is due between the last program and the start; None: nothing is."""
    dates = settings.dates
    if contest_state.state(tx).phase is not Phase.OPEN:
        return None
    if entry_lists.count(tx) and ledger.is_changed(tx, settings):
        return _tell_of_change
    time_left = dates.contest_starts - dates.compilation_closes
    if not min(_ON_ITS_WAY, time_left / 2) <= now - dates.compilation_closes < time_left:
        return None
    if not _is_closed(tx, settings):
        return _close_programs
    # Without time for objections between the last program and the start there is only the final
    # list.
    waits = submissions.any_waiting(tx) or letters.any_waiting(tx, dates.compilation_closes)
    return None if waits or entry_lists.count(tx) else _send_first_list


def _tell_of_change(
    tx: Transaction, settings: Settings, renderer: Renderer, _reporter: Reporter, now: datetime
) -> None:
    receipt = ledger.note_settings(tx, settings, now)
    text = "settings, title, dates or rules are not those of the list of entries"
    contest_state.note(tx, "entries", text, now)
    key = f"changed/{now.isoformat()}"
    mails = to_all(teams.present(tx), key, "settings_changed", settings, renderer, receipt)
    outbox.put_all(tx, mails, settings, now)


def _is_closed(tx: Transaction, settings: Settings) -> bool:
    """Whether the ledger says that programs are no longer taken. The deadline may have moved
    since."""
    closed = ledger.newest_of(tx, Effect.PROGRAMS_CLOSED)
    return closed is not None and closed.at >= settings.dates.compilation_closes


def _close_programs(
    tx: Transaction, settings: Settings, renderer: Renderer, reporter: Reporter, now: datetime
) -> None:
    """Tell all teams at once which letters wait. The list of entries follows at once, unless it
    must wait."""
    waiting = submissions.letters_without_effect(tx, settings.dates.compilation_closes)
    receipt = _enter_close(tx, waiting, now)
    if waiting:
        key, readers = f"closed/{now.isoformat()}", teams.present(tx)
        mails = to_all(
            readers, key, "programs_closed", settings, renderer, receipt, waiting=waiting
        )
        outbox.put_all(tx, mails, settings, now)
    if next_step(tx, settings, now) is _send_first_list:
        _send_first_list(tx, settings, renderer, reporter, now)


def _enter_close(
    tx: Transaction, waiting: Sequence[tuple[datetime, str]], now: datetime
) -> Receipt:
    for received_at, letter in waiting:
        ledger.append(tx, LedgerEntry(Effect.LETTER_WAITS, "", received_at, letter))
    text = "programs are no longer taken"
    if waiting:
        text += f"; letters that wait: {len(waiting)}"
    contest_state.note(tx, "entries", text, now)
    return ledger.append(tx, LedgerEntry(Effect.PROGRAMS_CLOSED, "", now))


def _send_first_list(
    tx: Transaction, settings: Settings, _renderer: Renderer, reporter: Reporter, now: datetime
) -> None:
    seal_entries(tx, settings, reporter, now, is_final=False)


def seal_entries(
    tx: Transaction, settings: Settings, reporter: Reporter, now: datetime, *, is_final: bool
) -> SealedList:
    """Make a list of the entries as they are now, and tell all teams, as long as there is something
    to tell.

    A contest without a public number, in which nobody could object, tells its list with `LAP`
    alone.
    """
    closes = settings.dates.compilation_closes
    if now >= closes and not _is_closed(tx, settings):
        _enter_close(tx, submissions.letters_without_effect(tx, closes), now)
    before = entry_lists.newest(tx)
    is_changed = ledger.note_settings(tx, settings, now) is not None
    listed = entry_lists.add(tx, now, is_final=is_final)
    effect = Effect.ENTRIES_FINAL if is_final else Effect.ENTRIES_LISTED
    root = listed.list.root
    if is_final and settings.teams.prizes_by:
        _fix_prizes(tx, settings.teams.prizes_by, listed, now)
    receipt = ledger.append(tx, LedgerEntry(effect, "", now, frozen_digest(settings), root.hex()))
    starts = settings.dates.contest_starts
    draw = draw_of(settings.tournament.beacon, starts, now if is_final else starts)
    if is_final:
        contest_state.seal(tx, root, has_number=draw is not None)
    what = "the final list of entries" if is_final else "the list of entries"
    text = f"{what}: {plural(len(listed.list.entries), 'program')}, root {root.hex()}"
    contest_state.note(tx, "entries", text, now)
    if draw or before or not is_final:
        # Who did not withdraw, but somebody else in its name, must hear of it, too.
        readers = {team.name: team for team in (*teams.present(tx), *submissions.withdrawn(tx))}
        event = EntriesListed(
            teams=readers, listed=listed, before=before, draw=draw, is_changed=is_changed
        )
        mails = (replace(mail, receipt=receipt) for mail in reporter.mails(event))
        outbox.put_all(tx, marked(mails, mark_of(tx, settings)), settings, now)
    return listed


def _fix_prizes(tx: Transaction, field: str, listed: SealedList, now: datetime) -> None:
    """Put the field of the form by which there are prizes under the receipts of all teams."""
    playing = listed.list.by_team
    values = {
        team.name: team.registration.field(field)
        for team in teams.all_teams(tx)
        if team.name in playing
    }
    ledger.append(tx, LedgerEntry(Effect.PRIZES_FIXED, "", now, digest=prize_digest(values)))
