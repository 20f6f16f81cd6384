"""`knobeln log`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from contest.actions.organizer_actions import read_time
from contest.errors import NotFound
from contest.model import LogLine
from contest.store import contest_state
from contest.util.sanitize import sanitize
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, open_contest
from knobeln.cli.output import count_option, moment, on_terminal, table, tell_of_more


@click.command(cls=ContestCommand)
@click.option("--what", default=None, help="Only this kind of entry: pause, rerun, run, delivery ...")
@click.option("--whom", default=None, help="Only entries about this team, round or date.")
@click.option(
    "--by",
    type=click.Choice(["anybody", "organizer", "machine"]),
    default="anybody",
    show_default=True,
    help="Only what the organizer did, or what the program did by itself.",
)
@click.option("--since", default=None, metavar="TIME", help="Only from this time on: 1994-05-14T12:00.")
@count_option
@answers(tuple[LogLine, ...])
def log(what: str | None, whom: str | None, by: str, since: str | None, count: int) -> None:
    """Show the journal: what the organizer and the server did, when and why."""
    start = read_time(since) if since else None
    by_somebody = {"anybody": None, "organizer": True, "machine": False}[by]
    with open_contest().store.read() as tx:
        areas = contest_state.areas_of_log(tx)
        if what is not None and what not in areas:
            raise NotFound(f"the log has no entry of the kind {what!r}", hint=f"it has: {', '.join(areas)}")
        lines = contest_state.log(tx, count, area=what, whom=whom, by_somebody=by_somebody, since=start)
        total = contest_state.count_log(tx, area=what, whom=whom, by_somebody=by_somebody, since=start)
    tell_of_more(lines, total)
    answer(lines, _show)


def _show(lines: Sequence[LogLine]) -> None:
    if not on_terminal():
        rows = [(moment(line.at), line.area, line.text, line.actor, line.reason) for line in lines]
        table("log", ("when", "what", "how", "by", "why"), rows, is_list=True)
        return
    for line in lines:
        who = f"  [{line.actor}]" if line.actor else ""
        why = f"  Why: {line.reason}" if line.reason else ""
        first = " ".join(line.text.split("\n")[:1])
        click.echo(sanitize(f"{moment(line.at)}  {line.area}: {first}{who}{why}"))
