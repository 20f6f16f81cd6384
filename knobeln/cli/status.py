"""`knobeln status`: where the contest is, on one screen, for an organizer in a hurry; and
`knobeln log`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import click

from contest.errors import NotFound
from contest.model import LogLine, Phase
from contest.util.plurals import plural, span
from contest.util.sanitize import sanitize
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, open_contest
from knobeln.cli.output import count_option, moment, on_terminal, print_line, table, tell_of_more
from knobeln.server.status import Status, status_of
from store import contest_state

LINES, COLUMNS = 23, 80  # the last line is for the prompt
MAX_ADVICE_LINES = 9

StyledLine = tuple[str, str]  # the text, and its style


@click.command(cls=ContestCommand)
@answers(Status)
def status() -> None:
    """Show on one screen where the contest is, what waits, and what you should do."""
    answer(status_of(open_contest()), _show)


def _show(status: Status) -> None:
    """Print what is urgent, and as much of the journal as fits on a screen of 80 x 24."""
    is_open = (
        f"{service}: {'yes' if is_open else 'no'}" for service, is_open in status.open.items()
    )
    unheard = f", {status.teams_unheard} more not heard from" if status.teams_unheard else ""
    lines: list[StyledLine] = [
        (f"{status.title}, {moment(status.now)}", "bold"),
        (f"  {status.folder}", ""),
        _phase(status),
        (f"  at work   {', '.join(_worker(*worker) for worker in status.at_work.items())}", ""),
        (f"  open      {', '.join(is_open)}", ""),
    ]
    if status.limits_of_sandboxes:
        lines.append((f"  sandbox   {status.limits_of_sandboxes}", ""))
    if name := status.next_date:
        lines.append((f"  next      {name.replace('_', ' ')} {moment(status.dates[name])}", ""))
    lines += [
        (
            (
                f"  teams     {status.teams}{unheard}, with a program that counts"
                f" {status.with_program}"
            ),
            "",
        ),
        (f"  letters   {_by_state(status.letters)}", ""),
        (f"  programs  {_by_state(status.programs)}", ""),
        (f"  mails     {_by_state(status.mails)}", ""),
    ]
    if mail := status.oldest_mail:
        waits = span((status.now - mail.created_at).total_seconds())
        response = " ".join(mail.last_response.split())
        text = (
            f"  oldest    mail {mail.id} to {mail.to} waits"
            f" {waits}{': ' if response else ''}{response}"
        )
        lines.append((text, ""))
    lines += [(text, "yellow") for text in _advice_that_fits(status.advice)]
    lines += [(_journal_line(line), "red") for line in status.errors]
    room = max(0, LINES - len(lines))
    others = [(_journal_line(line), "dim") for line in status.journal if line not in status.errors]
    for text, style in lines + others[len(others) - min(room, len(others)) :]:
        print_line(text, style)


def _phase(status: Status) -> StyledLine:
    if status.phase is Phase.FINISHED:
        return f"  FINISHED  since {moment(status.finished_at)}: `knobeln results`", "bold green"
    if status.phase is Phase.OPEN:
        return f"  OPEN      the contest starts on {moment(status.dates['contest_starts'])}", "bold"
    head = "PAUSED " if status.paused else "RUNNING"
    if status.awaited_number:
        return f"  {head}   the contest waits for its public number", "bold"
    if not status.rounds:
        return f"  {head}   the first round is being drawn", "bold"
    last = status.rounds[-1]
    what = "the final" if last.final else f"round {last.number}"
    groups, games = plural(last.groups, "group"), plural(last.games, "game")
    time = last.started_at and f", begun {span((status.now - last.started_at).total_seconds())} ago"
    done = f"{last.groups_done} of {groups}, {last.games_done:,} of {games}"
    return f"  {head}   {what}: {done}{time or ''}", "bold"


def _worker(what: str, holder: int | bool) -> str:
    if isinstance(holder, bool):
        return f"{what} is at work" if holder else f"{what} is not at work"
    return f"{what} is at work (process {holder})"


def _by_state(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "none"


def _advice_that_fits(advice: Sequence[str]) -> list[str]:
    """Wrap the advice. The most urgent comes first; the advice that does not fit is only
    counted."""
    lines: list[str] = []
    for number, text in enumerate(advice):
        wrapped = wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ")
        if len(lines) + len(wrapped) > MAX_ADVICE_LINES:
            return [*lines, f"  and {len(advice) - number} more: `knobeln status --json`"]
        lines += wrapped
    return lines


def _journal_line(line: LogLine) -> str:
    return f"  {moment(line.at)} {line.area}: {line.text.splitlines()[0] if line.text else ''}"


@click.command(cls=ContestCommand)
@click.option(
    "--what", default=None, help="Only this kind of entry: pause, rerun, run, delivery ..."
)
@click.option("--whom", default=None, help="Only entries about this team, round or date.")
@count_option
@answers(tuple[LogLine, ...])
def log(what: str | None, whom: str | None, count: int) -> None:
    """Show the journal: what the organizer and the server did, when and why."""
    with open_contest().store.read() as tx:
        areas = contest_state.areas_of_log(tx)
        if what is not None and what not in areas:
            raise NotFound(
                f"the log has no entry of the kind {what!r}", hint=f"it has: {', '.join(areas)}"
            )
        lines = contest_state.log(tx, count, area=what, whom=whom)
        total = contest_state.count_log(tx, area=what, whom=whom)
    tell_of_more(lines, total)
    answer(lines, _show_log)


def _show_log(lines: Sequence[LogLine]) -> None:
    if not on_terminal():
        rows = [(moment(line.at), line.area, line.text, line.actor, line.reason) for line in lines]
        table("log", ("when", "what", "how", "by", "why"), rows, is_list=True)
        return
    for line in lines:
        who = f"  [{line.actor}]" if line.actor else ""
        why = f"  Why: {line.reason}" if line.reason else ""
        first = " ".join(line.text.split("\n")[:1])
        click.echo(sanitize(f"{moment(line.at)}  {line.area}: {first}{who}{why}"))
