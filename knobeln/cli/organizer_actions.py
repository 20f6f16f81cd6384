"""The organizer's levers: pause, resume, disqualify, reinstate, drop, rerun, hold, release, dates, log."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from contest.config.sections import Dates
from contest.model import BanKind
from contest.organizer import read_date, read_time
from contest.sanitize import sanitize
from contest.store import contest_state as contest_store
from contest.store import decisions as store_levers
from contest.store import outbox
from knobeln.cli.contest_option import ContestCommand, ContestGroup
from knobeln.cli.dry_run import dry_run_option, operator, organizer_actions, print_mails, reason_option, tell
from knobeln.cli.output import json_option, moment, print_json, table
from knobeln.context import contest_folder
from mailserver.team_secret import digest, new_string

USUAL_COUNT = 50


# --- the run -----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@reason_option
def pause(reason: str) -> None:
    """Let the contest day rest. What is being played is finished, nothing new is started until `resume`."""
    with organizer_actions(contest_folder()) as organizer:
        done = organizer.pause(reason)
    tell(done)


@click.command(cls=ContestCommand)
@click.option("--reason", default="", help="Why; for the log.")
def resume(reason: str) -> None:
    """Let the contest day go on. A `knobeln run` that waits does so at once."""
    with organizer_actions(contest_folder()) as organizer:
        done = organizer.resume(reason)
    tell(done)


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("group", type=int, metavar="[GROUP]", required=False)
@reason_option
@dry_run_option
def rerun(number: int, group: int | None, reason: str, dry_run: bool) -> None:
    """Have a round, or one group of it, played again, and then all that comes after it.

    The random numbers are the same, so only what has changed comes out differently. The old results are kept;
    the teams are told.
    """
    with organizer_actions(contest_folder(), dry_run=dry_run) as organizer:
        done = organizer.rerun(number, group, reason)
    tell(done, dry_run=dry_run)


# --- teams -------------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.argument("team")
@reason_option
@dry_run_option
def disqualify(team: str, reason: str, dry_run: bool) -> None:
    """Take TEAM out of the contest: it plays no more games."""
    _take_out(team, BanKind.DISQUALIFIED, reason, dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.argument("team")
@reason_option
@dry_run_option
def drop(team: str, reason: str, dry_run: bool) -> None:
    """Take TEAM out of the contest at its own request: it plays no more games."""
    _take_out(team, BanKind.DROPPED, reason, dry_run=dry_run)


def _take_out(team: str, kind: BanKind, reason: str, *, dry_run: bool) -> None:
    with organizer_actions(contest_folder(), dry_run=dry_run) as organizer:
        done = organizer.take_out(team, kind, reason)
    tell(done, dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.argument("team")
@click.option("--reason", default="", help="Why; for the log, and for the team.")
@dry_run_option
def reinstate(team: str, reason: str, dry_run: bool) -> None:
    """Let TEAM, which was disqualified or dropped, take part again."""
    with organizer_actions(contest_folder(), dry_run=dry_run) as organizer:
        done = organizer.reinstate(team, reason)
    tell(done, dry_run=dry_run)


# --- reports -----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@reason_option
def hold(reason: str) -> None:
    """Keep back the reports of the contest day, those that wait and those that come."""
    with organizer_actions(contest_folder()) as organizer:
        done = organizer.hold(reason)
    tell(done)


@click.command(cls=ContestCommand)
@click.option("--reason", default="", help="Why; for the log.")
@dry_run_option
def release(reason: str, dry_run: bool) -> None:
    """Let the reports of the contest day go that are held, and those that come."""
    folder = contest_folder()
    with organizer_actions(folder, dry_run=dry_run) as organizer:
        if dry_run:
            print_mails(folder, organizer.tx, outbox.held_reports(organizer.tx))
        done = organizer.release(reason)
    tell(done, dry_run=dry_run)


# --- dates -------------------------------------------------------------------------------------------------
@click.group(cls=ContestGroup, invoke_without_command=True)
@json_option
@click.pass_context
def dates(context: click.Context, as_json: bool) -> None:
    """Show the dates, as they are in contest.toml and as they were moved."""
    if context.invoked_subcommand is not None:
        return
    folder = contest_folder()
    facts = [
        {"name": name, "written": getattr(folder.written, name), "now": getattr(folder.settings.dates, name)}
        for name in Dates.model_fields
    ]
    if as_json:
        print_json(facts)
        return
    rows = [
        (f["name"], moment(f["now"]), moment(f["written"]) if f["written"] != f["now"] else "") for f in facts
    ]
    table("dates", ("date", "now", "in contest.toml"), rows)


@dates.command("move")
@click.argument("changes", nargs=-1, required=True, metavar="NAME=WHEN...")
@reason_option
@dry_run_option
def move_dates(changes: tuple[str, ...], reason: str, dry_run: bool) -> None:
    """Move dates, and tell all registered teams: contest_starts=1994-05-15T12:00, in Universal Time.

    It counts at once, for a `knobeln serve` at work, too. If contest.toml has another time for such a date
    later, that one counts.
    """
    folder = contest_folder()
    moved = dict(_moved(change) for change in changes)
    with organizer_actions(folder, dry_run=dry_run) as organizer:
        done = organizer.move_dates(folder.written, moved, reason)
    tell(done, dry_run=dry_run)


def _moved(change: str) -> tuple[str, datetime]:
    name, mark, when = change.partition("=")
    if not mark:
        raise click.UsageError(f"{change!r}: write NAME=WHEN, as in contest_starts=1994-05-15T12:00")
    return read_date(name, when)


# --- commands by mail ---------------------------------------------------------------------------------------
@click.command("organizer-string", cls=ContestCommand)
@click.option("--off", is_flag=True, help="No string: nobody can give commands by mail.")
def organizer_string(off: bool) -> None:
    """Make a new authentification string for your own commands by mail; the old one is worth nothing then.

    Only its sha256 is kept.
    """
    folder, string = contest_folder(), new_string()
    with folder.store.write() as tx:
        store_levers.set_organizer_digest(tx, None if off else digest(string))
        text = "the organizer has no string any more" if off else "the organizer has a new string"
        contest_store.note(tx, "organizer", text, folder.clock.now(), actor=operator())
    if off:
        click.echo("There are no commands by mail any more.")
        return
    click.echo(f"<<FROM>> organizer {string}")
    click.echo(
        "This line goes into your letters; the robot asks back at "
        f"{folder.settings.contest.organizer_address}. It is not shown again.",
        err=True,
    )


# --- log ---------------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.option("--what", default=None, help="Only this: pause, disqualify, rerun, run, delivery ...")
@click.option("--whom", default=None, help="Only what was done to this team, round or date.")
@click.option(
    "--by",
    type=click.Choice(["anybody", "organizer", "machine"]),
    default="anybody",
    show_default=True,
    help="Only what the organizer did, or what the machine did by itself.",
)
@click.option("--since", default=None, metavar="TIME", help="Only from this time on: 1994-05-14T12:00.")
@click.option("--count", default=USUAL_COUNT, show_default=True, help="How many, the newest.")
@json_option
def log(what: str | None, whom: str | None, by: str, since: str | None, count: int, as_json: bool) -> None:
    """Show who did what to whom, when and why: the organizer, and the machine by itself."""
    start = read_time(since) if since else None
    mine = {"anybody": None, "organizer": True, "machine": False}[by]
    with contest_folder().store.read() as tx:
        lines = contest_store.log(tx, count, area=what, whom=whom, by_somebody=mine, since=start)
    if as_json:
        print_json([asdict(line) for line in lines])
        return
    for line in lines:
        who = f"  [{line.actor}]" if line.actor else ""
        why = f"  Why: {line.reason}" if line.reason else ""
        first = " ".join(line.text.split("\n")[:1])
        click.echo(sanitize(f"{moment(line.at)}  {line.area}: {first}{who}{why}"))
