"""The list of the teams, and the page of each. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.model import EvolutionRank, Team, points_text
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.groups import GroupView, own_table, round_title, title_of
from reports.site.page import Page
from reports.site.tables import Column, Table, cell, name_cell
from reports.site.untold import about_results
from reports.text import percent


def teams(facts: SiteFacts) -> Page:
    """Make the page of all teams. It leaves out people and addresses, which are not for the public."""
    rows = tuple(
        (
            name_cell(team.name, paths.team(team.name)),
            cell(team.registration.organization),
            *([cell(_last(facts, team))] if facts.shows.rankings else []),
        )
        for team in _by_name(facts.teams)
    )
    columns = (
        Column("team", "team"),
        Column("organization", "organization"),
        *([Column("reached", "reached")] if facts.shows.rankings else []),
    )
    table = Table("teams", "Teams", columns, rows)
    return Page(paths.TEAMS, "teams", "Teams", {"table": table}, (table,))


def _by_name(found: Mapping[str, Team]) -> list[Team]:
    return sorted(found.values(), key=lambda team: team.name.casefold())


def _last(facts: SiteFacts, team: Team) -> str:
    """Return the title of the last released round in which the team played."""
    there = [r for r in facts.rounds if any(team.name in g.plan.members for g in r.outcome.groups)]
    return round_title(there[-1]).lower() if there else ""


@dataclass(frozen=True)
class TeamRound:
    """How a team did in a round."""

    title: str
    link: str
    sentence: str
    games: Table | None


def team_pages(facts: SiteFacts, views: Sequence[Sequence[GroupView]]) -> Iterator[Page]:
    """Make a page for each team; `views` are the groups of the released rounds, round by round."""
    groups = [{name: view for view in of_round for name in view.plan.members} for of_round in views]
    for team in _by_name(facts.teams):
        rounds = [
            _team_round(facts, number, of_round[team.name], team.name)
            for number, of_round in enumerate(groups)
            if team.name in of_round
        ]
        yield _team_page(facts, team, rounds)


def _team_page(facts: SiteFacts, team: Team, rounds: Sequence[TeamRound]) -> Page:
    program = facts.programs.get(team.name) if facts.is_over and facts.shows.programs else None
    evolved = facts.evolution if facts.shows.rankings else None
    line = next((r for r in evolved.ranking if r.entry == team.name), None) if evolved else None
    return Page(
        paths.team(team.name),
        "team",
        team.name,
        {
            "team": team.name,
            "organization": team.registration.organization,
            "rounds": rounds,
            "place": next((s for s in facts.ranking if s.entry == team.name), None)
            if facts.shows.rankings
            else None,
            "evolved": line,
            "share": percent(line.fraction) if line else "",
            "program": program,
            "no_results": about_results(facts) or "There are no results yet.",
            "in_bracket": not facts.shows.rankings and bool(facts.told_rounds),
        },
        tuple(each.games for each in rounds if each.games),
        summary=_summary(facts, team, line),
    )


def _summary(facts: SiteFacts, team: Team, evolved: EvolutionRank | None) -> str:
    """What a link to the team's page shows: where it is from, and how it did."""
    place = next((s.rank for s in facts.ranking if s.entry == team.name), None)
    parts = [f"rank {place} in the contest"] if place and facts.shows.rankings else []
    parts += [f"{percent(evolved.fraction)} of the evolution"] if evolved and evolved.rank else []
    return ": ".join(filter(None, (team.registration.organization, ", ".join(parts))))


def _team_round(facts: SiteFacts, at: int, view: GroupView, name: str) -> TeamRound:
    released = facts.rounds[at]
    page = paths.round_page(released.number) if view.plan.title else paths.group(view.plan)
    return TeamRound(
        title_of(released, view.plan),
        page if view.plan.pairings else "",
        _sentence(view, name),
        own_table(view, name, f"round-{released.number}")
        if facts.shows.games and view.plan.pairings
        else None,
    )


def _sentence(view: GroupView, name: str) -> str:
    """Say the rank and the points in the group, and whether the team proceeds."""
    if not view.plan.pairings:
        return "A bye."
    own = next(line for line in view.outcome.standings if line.entry == name)
    if own.disqualified:
        return f"{own.fate.capitalize()}."
    points = points_text(own.half_points, view.game.point)
    rank = f"Rank {own.rank} of {len(view.plan.members)}"
    return f"{rank} with {points} points{'; proceeds' if own.advances else ''}."
