"""`knobeln teams`: the teams, and what the organizer decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contest.errors import NotFound
from contest.model import Ban, BanKind, Participation, Team, TeamState
from contest.util.plurals import plural
from contest.util.sanitize import sanitize
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest
from knobeln.cli.dry_run import (
    carry_out,
    dry_run_option,
    own_words,
    reason_option,
)
from knobeln.cli.output import below, moment, print_facts, table
from store import decisions, outbox, participation, submissions
from store import teams as team_store
from store.submissions import Version

if TYPE_CHECKING:
    from mailserver.decision import OrganizerDecision
    from mailserver.organizer_actions import OrganizerActions


@dataclass(frozen=True)
class ListedTeam:
    """A team. `state`: whether it takes part; `versions`: how many programs it sent; `latest_good`:
    the version that plays, or would if the contest started now; `undelivered`: the mails that it
    did not get."""

    name: str
    state: Participation
    team: Team
    versions: int
    latest_good: int | None
    undelivered: outbox.Trouble | None


@click.group(cls=NounGroup)
@answers(list[ListedTeam])
def teams() -> None:
    """Show the teams; decide about them, write to them."""
    contest = open_contest()
    with contest.store.read() as tx:
        versions, troubles = submissions.count_versions(tx), outbox.troubles(tx)
        participating, counting = participation.of_all(tx), submissions.counting_numbers(tx)
        lines = [
            ListedTeam(
                name=team.name,
                state=participating[team.id],
                team=team,
                versions=versions.get(team.id, 0),
                latest_good=counting.get(team.id),
                undelivered=troubles.get(team.id),
            )
            for team in team_store.all_teams(tx)
        ]
    own = [field.name for field in contest.settings.teams.fields]
    answer(lines, lambda lines: _show_teams(lines, own))


def _show_teams(lines: Sequence[ListedTeam], own: Sequence[str]) -> None:
    """`own`: the names of the contest's own fields of the form."""
    columns = ("team", "address", *own, "preferences", "state", "#sent", "#counts")
    rows = [
        (
            line.name,
            line.team.address,
            *map(line.team.registration.field, own),
            ",".join(line.team.registration.preferences),
            line.state + (" *" if line.team.flags else "") + (" !" if line.undelivered else ""),
            line.versions,
            line.latest_good or "-",
        )
        for line in lines
    ]
    drop = ("preferences", *own, "#sent", "address")
    table(plural(len(rows), "team"), columns, rows, drop=drop, is_list=True)
    if any(line.team.flags for line in lines):
        below("* has people of other teams; `knobeln teams show TEAM` names them")
    for line in lines:
        if line.undelivered:
            below(f"! {line.name}: {_undelivered(line.undelivered)}")


def _undelivered(trouble: outbox.Trouble) -> str:
    """Tell how many mails a team did not get, and why the newest failed."""
    newest = (
        f"`knobeln mail show {trouble.item_id}` {trouble.state}:"
        f" {' '.join(trouble.response.split())}"
    )
    return f"{plural(trouble.count, 'mail')} did not arrive; {newest}"


@teams.command("show")
@click.argument("name", metavar="TEAM")
@answers(ListedTeam)
def show_team(name: str) -> None:
    """Show one team: its registration, its members, and what became of its programs."""
    with open_contest().store.read() as tx:
        team = team_store.named(tx, name)
        versions = submissions.versions(tx, team.id)
        ban = decisions.ban_of(tx, team.id)
        line = ListedTeam(
            name=team.name,
            state=participation.of_team(tx, team.id),
            team=team,
            versions=len(versions),
            latest_good=submissions.counting_numbers(tx).get(team.id),
            undelivered=outbox.troubles(tx).get(team.id),
        )
    answer(line, lambda line: _show_team(line, versions, ban))


def _show_team(line: ListedTeam, versions: Sequence[Version], ban: Ban | None) -> None:
    team, registration = line.team, line.team.registration
    print_facts(
        {
            "team": team.name
            if team.name == team.requested_name
            else f"{team.name} ({team.requested_name})",
            "address": team.address,
            "organization": registration.organization,
            **dict(registration.fields),
            "preferences": ",".join(registration.preferences),
            "state": f"{line.state}, because: {ban.reason}" if ban else line.state,
            "registered": moment(team.registered_at),
            "programs": ", ".join(
                f"{version.submission.number} {version.verdict}"
                f" (submission {version.submission.id})"
                for version in versions
            )
            or "none",
            "counts": f"version {line.latest_good}" if line.latest_good else "none",
        }
    )
    for member in registration.members:
        about = (member.name, member.age, member.occupation, member.background)
        text = ", ".join(str(fact) for fact in about if fact not in (None, ""))
        click.echo(f"member: {sanitize(text, one_line=True)}")
    for flag in team.flags:
        click.echo(f"* {sanitize(flag, one_line=True)}")
    if line.undelivered:
        click.echo(f"! {_undelivered(line.undelivered)}")


# --- decisions ------------------------------------------------------------------------------------
@teams.command()
@click.argument("name")
@dry_run_option
def accept(name: str, dry_run: bool) -> None:
    """Accept team NAME, which is pending, withdrawn or unheard. It gets its authentification
    string."""

    def decide(organizer: OrganizerActions) -> OrganizerDecision:
        team = team_store.named(organizer.tx, name)
        if team.state is TeamState.ACTIVE and team.is_proved:
            raise NotFound(f"{name} does not wait for a decision: it is {team.state}")
        return organizer.accept(team)

    carry_out(decide, dry_run=dry_run)


@teams.command()
@click.argument("name")
@reason_option
@dry_run_option
def reject(name: str, reason: str, dry_run: bool) -> None:
    """Reject the pending registration of team NAME."""

    def decide(organizer: OrganizerActions) -> OrganizerDecision:
        team = team_store.named(organizer.tx, name)
        if team.state is not TeamState.PENDING:
            raise NotFound(f"{name} does not wait for a decision: it is {team.state}")
        return organizer.reject(team, reason)

    carry_out(decide, dry_run=dry_run)


@teams.command()
@click.argument("team")
@reason_option
@dry_run_option
def disqualify(team: str, reason: str, dry_run: bool) -> None:
    """Disqualify TEAM: it plays no more games."""
    carry_out(
        lambda organizer: organizer.take_out(team, BanKind.DISQUALIFIED, reason), dry_run=dry_run
    )


@teams.command()
@click.argument("team")
@reason_option
@dry_run_option
def drop(team: str, reason: str, dry_run: bool) -> None:
    """Take TEAM out of the contest at its own request. It plays no more games."""
    carry_out(lambda organizer: organizer.take_out(team, BanKind.DROPPED, reason), dry_run=dry_run)


@teams.command()
@click.argument("team")
@click.option("--reason", default="", help="Why; for the log, and for the team.")
@dry_run_option
def reinstate(team: str, reason: str, dry_run: bool) -> None:
    """Let TEAM take part again after `disqualify` or `drop`, or if its program is set aside."""
    carry_out(lambda organizer: organizer.reinstate(team, reason), dry_run=dry_run)


@teams.command()
@click.argument("team")
@reason_option
@dry_run_option
def forget(team: str, reason: str, dry_run: bool) -> None:
    """Delete the names and addresses of TEAM's people, their letters, and the mails that name them.

    The contest must be over, or the team have withdrawn. Its name, programs and results stay. This
    cannot be taken back.
    """
    contest = open_contest()
    carry_out(lambda organizer: organizer.forget(team, reason), contest, dry_run=dry_run)
    if not dry_run:
        contest.store.wipe()


@teams.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True))
@click.option(
    "--subject", required=True, help="The subject of the mail, after the contest's title."
)
@click.option(
    "--round", "number", type=int, metavar="ROUND", help="Tell only the teams of this round."
)
@click.option(
    "--without-program", is_flag=True, help="Tell only teams that have no accepted program."
)
@dry_run_option
def tell(
    file: Path, subject: str, number: int | None, without_program: bool, dry_run: bool
) -> None:
    """Send your own words to all registered teams, or to some of them.

    The words come from FILE, or from standard input (-). A team gets the same words once,
    even if you give the command again.
    """
    from mailserver.organizer_actions import Message

    if number is not None and without_program:
        raise click.UsageError(
            "--round and --without-program exclude each other: only programs play a round"
        )
    contest = open_contest()
    text = own_words(file)
    message = Message(subject, text, number, without_program)
    carry_out(lambda organizer: organizer.tell(message), contest, dry_run=dry_run)
