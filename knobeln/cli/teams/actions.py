"""`knobeln teams`: decide about teams, and write to them."""

from __future__ import annotations

from pathlib import Path

import click

from contest.actions.organizer_actions import Message
from contest.errors import NotFound
from contest.model import BanKind, Team, TeamState
from contest.store import Transaction, contest_state
from contest.store import teams as team_store
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import (
    dry_run_option,
    operator,
    organizer_actions,
    own_words,
    print_outcome,
    reason_option,
    transaction,
)
from knobeln.cli.open_contest import open_contest
from mailserver.commands.registration import accept_pending, reject_pending


@click.command(cls=ContestCommand)
@click.argument("name")
@dry_run_option
def accept(name: str, dry_run: bool) -> None:
    """Accept the pending or withdrawn registration of team NAME. The team gets its authentication string."""
    contest = open_contest()
    with transaction(contest, dry_run=dry_run) as tx:
        now = contest.clock.now()
        team = _team_in(tx, name, TeamState.PENDING, TeamState.WITHDRAWN)
        accept_pending(tx, team, contest.settings, contest.templates, now)
        contest_state.note(tx, "teams", f"{name} was accepted", now, actor=operator(), whom=name)
    print_outcome(f"{name} takes part; the answer is in the outbox.", dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.argument("name")
@reason_option
@dry_run_option
def reject(name: str, reason: str, dry_run: bool) -> None:
    """Reject the pending registration of team NAME."""
    contest = open_contest()
    with transaction(contest, dry_run=dry_run) as tx:
        now = contest.clock.now()
        team = _team_in(tx, name, TeamState.PENDING)
        reject_pending(tx, team, reason, contest.settings, contest.templates, now)
        text = f"{name} was rejected"
        contest_state.note(tx, "teams", text, now, actor=operator(), whom=name, reason=reason)
    print_outcome(f"{name} does not take part; the answer is in the outbox.", dry_run=dry_run)


def _team_in(tx: Transaction, name: str, *states: TeamState) -> Team:
    """Return the team. Raises NotFound if it does not exist or is in another state."""
    team = team_store.named(tx, name)
    if team.state not in states:
        raise NotFound(f"{name} does not wait for a decision: it is {team.state}")
    return team


@click.command(cls=ContestCommand)
@click.argument("team")
@reason_option
@dry_run_option
def disqualify(team: str, reason: str, dry_run: bool) -> None:
    """Disqualify TEAM: it plays no more games."""
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.take_out(team, BanKind.DISQUALIFIED, reason)
    print_outcome(done, dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.argument("team")
@reason_option
@dry_run_option
def drop(team: str, reason: str, dry_run: bool) -> None:
    """Take TEAM out of the contest at its own request. It plays no more games."""
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.take_out(team, BanKind.DROPPED, reason)
    print_outcome(done, dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.argument("team")
@click.option("--reason", default="", help="Why; for the log, and for the team.")
@dry_run_option
def reinstate(team: str, reason: str, dry_run: bool) -> None:
    """Let TEAM take part again after `disqualify` or `drop`, or if its program is set aside."""
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.reinstate(team, reason)
    print_outcome(done, dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True), required=False)
@click.option("--subject", required=True, help="The subject of the mail, after the contest's title.")
@click.option("--round", "number", type=int, metavar="ROUND", help="Tell only the teams of this round.")
@click.option("--without-program", is_flag=True, help="Tell only teams that have no accepted program.")
@dry_run_option
def tell(file: Path | None, subject: str, number: int | None, without_program: bool, dry_run: bool) -> None:
    """Send your own words to all registered teams, or to some of them.

    The words come from FILE, from standard input (-), or from your editor. A team gets the same words once,
    even if you give the command again.
    """
    if number is not None and without_program:
        raise click.UsageError("--round and --without-program exclude each other: only programs play a round")
    contest = open_contest()
    text = own_words(file, "Your words to the teams.")
    with organizer_actions(contest, dry_run=dry_run) as organizer:
        done = organizer.tell(Message(subject, text, number, without_program))
    print_outcome(done, dry_run=dry_run)
