"""`knobeln status`: where the contest is, on one screen, for somebody who was woken up for it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from textwrap import wrap
from typing import Any

import click
from rich.text import Text

from contest.config.sections import Dates
from contest.model import LetterState, OutboxState, Phase, SubmissionState
from contest.plurals import plural
from contest.sanitize import printable
from contest.seeds import Seeds
from contest.store import Transaction, decisions, letters, outbox, submissions, teams
from contest.store import contest_state as contest_store
from contest.store import results as result_store
from contest.store.results import Progress
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import console, json_option, moment, print_json
from knobeln.context import ContestContext, contest_folder, who_holds
from mailserver.deadlines import open_services

LINES, COLUMNS = 23, 80  # the last line is the prompt's
JOURNAL_LINES = 5
ERRORS = 3
RECENT = timedelta(days=1)
ADVICE_LINES = 9
ADVICE = "yellow"
ENOUGH_DISK = 500_000_000
LAST_DATE = "results_published"
_SECOND = timedelta(seconds=1)


@click.command(cls=ContestCommand)
@json_option
def status(as_json: bool) -> None:
    """Show on one screen where the contest is, what waits, and what you should do."""
    facts = look(contest_folder())
    if as_json:
        print_json(facts)
        return
    for words, style in screen(facts):
        console.print(Text(printable(words), style=style), no_wrap=True, overflow="ellipsis")


# --- the facts ---------------------------------------------------------------------------------------------
def look(folder: ContestContext) -> dict[str, Any]:
    """Everything that `status` shows, and some more, as JSON has it."""
    now = folder.clock.now()
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        progress = result_store.progress_of_rounds(tx)
        stopped = outbox.stopped(tx)
        oldest = outbox.oldest_waiting(tx)
        facts: dict[str, Any] = {
            "now": now,
            "title": folder.settings.contest.title,
            "folder": str(folder.path.resolve()),
            "phase": str(state.phase),
            "at_work": {what: who_holds(folder.path, what) for what in ("serve", "run")},
            "open": open_services(folder.settings.dates, now, state.phase),
            "dates": folder.settings.dates.model_dump(),
            "next_date": next_date(folder.settings.dates, now, state.phase),
            "started_at": state.started_at,
            "finished_at": state.finished_at,
            "seed_commitment": Seeds(state.seed).commitment,
            "teams": teams.count(tx),
            "teams_pending": teams.count_pending(tx),
            "with_program": submissions.count_with_program(tx),
            "letters": _counts(LetterState, letters.count_by_state(tx)),
            "programs": _counts(SubmissionState, submissions.count_by_state(tx)),
            "mails": _counts(OutboxState, outbox.count_by_state(tx)),
            "mails_stopped": {"since": stopped[0], "reason": stopped[1]} if stopped else None,
            "oldest_mail": asdict(oldest) if oldest else None,
            "oldest_mail_waits_since": oldest.created_at if oldest else None,
            "rounds": [asdict(each) for each in progress],
            "seconds_left_in_round": None,
            "paused": _pause(tx),
            "reports_held_since": decisions.reports_held(tx),
            "waiting_summaries": list(result_store.unreported_rounds(tx)),
            "errors": [note for note in _errors(tx) if now - note[0] < RECENT],
            "journal": contest_store.journal_tail(tx, JOURNAL_LINES),
            "free_disk_bytes": shutil.disk_usage(folder.path).free,
        }
    if state.phase is Phase.RUNNING and (left := time_left(progress, now)) is not None:
        facts["seconds_left_in_round"] = round(left.total_seconds())
    facts["advice"] = advice(facts)
    return facts


def _pause(tx: Transaction) -> dict[str, Any] | None:
    pause = decisions.paused(tx)
    return None if pause is None else asdict(pause)


def _errors(tx: Transaction) -> list[tuple[datetime, str, str]]:
    return contest_store.journal_tail(tx, ERRORS, area="error")


def _counts(states: type[Any], found: dict[Any, int]) -> dict[str, int]:
    return {str(state): found.get(state, 0) for state in states}


def next_date(dates: Dates, now: datetime, phase: Phase) -> str | None:
    """The name of the date of the contest that comes next. Once it has been started, early perhaps, only the
    last one is still to come."""
    coming = [(at, name) for name, at in dates if at > now and (phase is Phase.OPEN or name == LAST_DATE)]
    return min(coming)[1] if coming else None


def time_left(rounds: Sequence[Progress], now: datetime) -> timedelta | None:
    """How long the current round will still take, at the pace of all games so far; None where there is none.

    A group counts when it is finished; what is known of it before that is only that it has begun.
    """
    taken = [(each.games_done, each.took) for each in rounds if each.games_done and each.took]
    games = sum(done for done, _ in taken)
    seconds = sum((took for _, took in taken), timedelta()) / _SECOND
    if not games or seconds <= 0:
        return None
    last = rounds[-1]
    since = max(timedelta(), now - (last.last_finished_at or last.started_at or now))
    left = (last.games - last.games_done) * seconds / games * _SECOND - since
    return max(timedelta(), left)


def advice(facts: dict[str, Any]) -> list[str]:
    """What the organizer should do something about."""
    found = []
    if facts["paused"]:
        pause = facts["paused"]
        by_itself = f"; it goes on by itself at {moment(pause['until'])}" if pause["until"] else ""
        found.append(f"the contest is paused since {moment(pause['since'])}{by_itself}: {pause['reason']}")
        found.append("`knobeln resume` lets it go on")
    elif facts["phase"] == Phase.RUNNING and facts["at_work"]["run"] is False:
        found.append("the contest has begun, but nobody plays it: `knobeln run` goes on")
    if facts["mails_stopped"]:
        found.append(
            f"no mail goes out: {facts['mails_stopped']['reason']}; see `knobeln outbox list --state ready`, "
            "then `knobeln outbox release --all`"
        )
    if facts["free_disk_bytes"] < ENOUGH_DISK:
        found.append(f"only {facts['free_disk_bytes'] / 1e6:,.0f} MB of disk are free: make room")
    if facts["at_work"]["serve"] is False and any(_waiting(facts)):
        found.append("work waits, and nobody does it: `knobeln serve`")
    if facts["letters"][LetterState.FAILED]:
        found.append("letters were set aside: `knobeln letters --state failed`, then `knobeln letters retry`")
    if facts["teams_pending"]:
        waiting = plural(facts["teams_pending"], "registration waits", "registrations wait")
        found.append(f"{waiting} for your word: `knobeln teams`, then `knobeln teams accept` or `reject`")
    if facts["programs"][SubmissionState.SET_ASIDE]:
        found.append(
            "programs were set aside by a fault of ours: see the journal, then `knobeln letters retry`"
        )
    if facts["mails"][OutboxState.FAILED]:
        found.append("mails were refused for good: `knobeln outbox list --state failed`")
    if facts["mails"][OutboxState.BOUNCED]:
        found.append("mails came back: `knobeln outbox list --state bounced`")
    if facts["reports_held_since"]:
        found.append("the reports of the contest day are held: `knobeln release`")
    elif facts["mails"][OutboxState.HELD]:
        found.append("mails are held: `knobeln outbox list --state held`, then `knobeln outbox release`")
    found += [
        f"round {number} waits for your words: `knobeln summary {number}`"
        for number in facts["waiting_summaries"]
    ]
    return found


def _waiting(facts: dict[str, Any]) -> tuple[int, ...]:
    """What `knobeln serve` would do something about."""
    mails = 0 if facts["mails_stopped"] else facts["mails"][OutboxState.READY]
    return facts["letters"][LetterState.NEW], facts["programs"][SubmissionState.QUEUED], mails


# --- the screen --------------------------------------------------------------------------------------------
Line = tuple[str, str]  # the words, and their style


def screen(facts: dict[str, Any]) -> list[Line]:
    """What is urgent, and as much of the journal as there is room for on a screen of 80 x 24."""
    lines: list[Line] = [
        (f"{facts['title']}, {moment(facts['now'])}", "bold"),
        (f"  {facts['folder']}", ""),
        _phase_line(facts),
    ]
    lines += [(f"  {words}", "") for words in (_workers(facts), _doors(facts), _next(facts)) if words]
    lines += [
        (f"  {'teams':<9} {facts['teams']}, with a program that counts {facts['with_program']}", ""),
        *((f"  {what:<9} {_in_words(facts[what])}", "") for what in ("letters", "programs", "mails")),
    ]
    if facts["oldest_mail"]:
        lines.append((f"  {'oldest':<9} {_oldest(facts)}", ""))
    lines += [(words, ADVICE) for words in _fitting(facts["advice"])]
    lines += [_note(note, "red") for note in facts["errors"]]
    room = max(0, LINES - len(lines))
    others = [_note(note, "dim") for note in facts["journal"] if note not in facts["errors"]]
    return lines + others[len(others) - min(room, len(others)) :]


def _fitting(found: Sequence[str]) -> list[str]:
    """The advice in lines, as much as there is room for: what stands first is most urgent."""
    lines: list[str] = []
    for number, words in enumerate(found):
        wrapped = wrap(words, COLUMNS, initial_indent="  ", subsequent_indent="    ")
        if len(lines) + len(wrapped) > ADVICE_LINES:
            return [*lines, f"  and {len(found) - number} more: `knobeln status --json`"]
        lines += wrapped
    return lines


def _phase_line(facts: dict[str, Any]) -> Line:
    phase, rounds = facts["phase"], facts["rounds"]
    if phase == Phase.FINISHED:
        return f"  FINISHED  since {moment(facts['finished_at'])}: `knobeln results`", "bold green"
    if phase == Phase.OPEN:
        return f"  OPEN      the contest starts on {moment(facts['dates']['contest_starts'])}", "bold"
    if not rounds:
        return "  RUNNING   the first round is being drawn", "bold"
    last = rounds[-1]
    what = "the final" if last["final"] else f"round {last['number']}"
    groups, games = plural(last["groups"], "group"), plural(last["games"], "game")
    done = f"{last['groups_done']} of {groups}, {last['games_done']:,} of {games}"
    return f"  RUNNING   {what}: {done}{_left(facts, last)}", "bold"


def _left(facts: dict[str, Any], last: dict[str, Any]) -> str:
    seconds = facts["seconds_left_in_round"]
    if seconds is not None:
        return f", about {span(seconds)} left"
    begun = last["started_at"]
    return f", begun {span((facts['now'] - begun) / _SECOND)} ago" if begun else ""


def _workers(facts: dict[str, Any]) -> str:
    words = []
    for what, holder in facts["at_work"].items():
        words.append(f"{what} is {'not ' if holder is False else ''}at work{_pid(holder)}")
    return f"{'at work':<9} {', '.join(words)}"


def _pid(holder: int | bool) -> str:
    return "" if isinstance(holder, bool) else f" (process {holder})"


def _doors(facts: dict[str, Any]) -> str:
    return f"{'doors':<9} " + ", ".join(
        f"{door} {'open' if is_open else 'closed'}" for door, is_open in facts["open"].items()
    )


def _next(facts: dict[str, Any]) -> str:
    name = facts["next_date"]
    return f"{'next':<9} {name.replace('_', ' ')} {moment(facts['dates'][name])}" if name else ""


def _in_words(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "none"


def _oldest(facts: dict[str, Any]) -> str:
    mail = facts["oldest_mail"]
    waits = span((facts["now"] - mail["created_at"]) / _SECOND)
    said = " ".join(mail["last_response"].split())
    return f"mail {mail['id']} to {mail['to']} waits {waits}{': ' if said else ''}{said}"


def _note(note: tuple[datetime, str, str], style: str) -> Line:
    at, area, text = note
    return f"  {moment(at)} {area}: {text.splitlines()[0] if text else ''}", style


def span(seconds: float) -> str:
    """In one unit, which is all that one wants to read: 40 s, 7 min, 3 h, 12 days."""
    for unit, size in (("days", 86_400 * 2), ("h", 7_200), ("min", 120)):
        if seconds >= size:
            return f"{seconds / (size / 2):.0f} {unit}"
    return f"{max(0, seconds):.0f} s"
