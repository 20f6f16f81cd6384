"""`knobeln teams`: show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import click

from contest.model import Ban, Member, Team
from contest.store import Transaction, decisions, outbox, submissions
from contest.store import teams as team_store
from contest.store.submissions import Version
from contest.util.plurals import listed, plural
from contest.util.sanitize import sanitize
from knobeln.cli.answers import answer, answers
from knobeln.cli.lazy import LazyNounGroup
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import moment, print_facts, table


@dataclass(frozen=True)
class TeamLine:
    """A team. `versions`: how many programs it sent; `latest_good`: the version that counts."""

    name: str
    requested_name: str
    address: str
    organization: str
    preferences: tuple[str, ...]
    fields: Mapping[str, str]
    members: tuple[Member, ...]
    state: str
    registered_at: datetime
    flags: tuple[str, ...]
    versions: int
    latest_good: int | None
    undelivered: outbox.Trouble | None


@click.group(cls=LazyNounGroup)
@answers(list[TeamLine])
def teams() -> None:
    """Show the teams; decide about them, write to them."""
    contest = open_contest()
    with contest.store.read() as tx:
        counts, troubles, bans = submissions.count_versions(tx), outbox.troubles(tx), decisions.all_bans(tx)
        lines = [
            _line(tx, team, counts.get(team.id, 0), troubles.get(team.id), bans.get(team.name))
            for team in team_store.all_teams(tx)
        ]
    own = [field.name for field in contest.settings.teams.fields]
    answer(lines, lambda lines: _show_teams(lines, own))


def _show_teams(lines: Sequence[TeamLine], own: Sequence[str]) -> None:
    """`own`: the names of the contest's own fields of the form."""
    columns = ("team", "address", *own, "preferences", "state", "#sent", "#counts")
    rows = [
        (
            line.name,
            line.address,
            *(line.fields.get(name, "") for name in own),
            ",".join(line.preferences),
            line.state + (" *" if line.flags else "") + (" !" if line.undelivered else ""),
            line.versions,
            line.latest_good or "-",
        )
        for line in lines
    ]
    table(plural(len(rows), "team"), columns, rows, drop=("preferences", *own, "#sent"))
    for people, names in _shared_people(lines).items():
        click.echo(f"* {listed(people)}: in {listed(names)}")
    for line in lines:
        if line.undelivered:
            click.echo(f"! {line.name}: {_undelivered(line.undelivered)}")


def _shared_people(lines: Sequence[TeamLine]) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return the people who are in several teams, with these teams, people of the same teams together.

    Only teams that are flagged, or that a flagged one shares people with.
    """
    teams_of: dict[str, list[TeamLine]] = {}
    spelled: dict[str, str] = {}
    for line in lines:
        names_here = {" ".join(m.name.casefold().split()): m.name for m in line.members}
        for key, name in names_here.items():
            spelled.setdefault(key, name)
            teams_of.setdefault(key, []).append(line)
    people: dict[tuple[str, ...], list[str]] = {}
    for key, of_them in teams_of.items():
        if len(of_them) > 1 and any(line.flags for line in of_them):
            people.setdefault(tuple(line.name for line in of_them), []).append(spelled[key])
    return {tuple(names): of_them for of_them, names in people.items()}


def _undelivered(trouble: outbox.Trouble) -> str:
    """Tell how many mails a team did not get, and why the newest failed."""
    response = " ".join(trouble.response.split())
    return (
        f"{plural(trouble.count, 'mail')} did not arrive; `knobeln mail show {trouble.item_id}` "
        f"{trouble.state}: {response}"
    )


def _line(
    tx: Transaction, team: Team, versions: int, trouble: outbox.Trouble | None, ban: Ban | None
) -> TeamLine:
    good, registration = submissions.latest_good(tx, team.id), team.registration
    return TeamLine(
        name=team.name,
        requested_name=team.requested_name,
        address=team.address,
        organization=registration.organization,
        preferences=tuple(map(str, registration.preferences)),
        fields=dict(registration.fields),
        members=registration.members,
        state=str(ban.kind if ban else team.state),
        registered_at=team.registered_at,
        flags=tuple(team.flags),
        versions=versions,
        latest_good=good.number if good else None,
        undelivered=trouble,
    )


@teams.command("show")
@click.argument("name", metavar="TEAM")
@answers(TeamLine)
def show_team(name: str) -> None:
    """Show one team: its registration, its members, and what became of its programs."""
    with open_contest().store.read() as tx:
        team = team_store.named(tx, name)
        versions = submissions.versions(tx, team.id)
        ban = decisions.ban_of(tx, team.id)
        line = _line(tx, team, len(versions), outbox.troubles(tx).get(team.id), ban)
    answer(line, lambda line: _show_team(line, versions, ban))


def _show_team(line: TeamLine, versions: Sequence[Version], ban: Ban | None) -> None:
    print_facts(
        {
            "team": line.name if line.name == line.requested_name else f"{line.name} ({line.requested_name})",
            "address": line.address,
            "organization": line.organization,
            **line.fields,
            "preferences": ",".join(line.preferences),
            "state": f"{line.state}, because: {ban.reason}" if ban else line.state,
            "registered": moment(line.registered_at),
            "programs": ", ".join(
                f"{each.submission.number} {each.verdict} (submission {each.submission.id})"
                for each in versions
            )
            or "none",
            "counts": f"version {line.latest_good}" if line.latest_good else "none",
        }
    )
    for member in line.members:
        about = (member.name, member.age, member.occupation, member.background)
        text = ", ".join(str(each) for each in about if each not in (None, ""))
        click.echo(f"member: {sanitize(text, one_line=True)}")
    for flag in line.flags:
        click.echo(f"* {sanitize(flag, one_line=True)}")
    if line.undelivered:
        click.echo(f"! {_undelivered(line.undelivered)}")


teams.add_lazy_commands(
    "knobeln.cli.teams.actions",
    {
        "accept": "Accept the pending or withdrawn registration of team NAME.",
        "reject": "Reject the pending registration of team NAME.",
        "disqualify": "Disqualify TEAM: it plays no more games.",
        "drop": "Take TEAM out of the contest at its own request.",
        "reinstate": "Let TEAM take part again after `disqualify` or `drop`, or if its program is set aside.",
        "tell": "Send your own words to all registered teams, or to some of them.",
    },
)
