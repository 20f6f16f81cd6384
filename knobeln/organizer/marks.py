"""What became of each member of each team, as a row for a lecturer's list of marks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from contest.games.registry import game_of
from contest.model import EvolutionRank, Member, Phase, RoundOutcome, Standing, Team, TeamState
from contest.store import contest_state, decisions, results, submissions
from contest.store import teams as team_store
from knobeln.context import ContestContext
from tournament.derived_settings import format_of


class Mark(NamedTuple):
    """A member's row. What has not happened, or not yet, is None; the numbers are the team's.

    `version`: that takes part, or would now. `accepted`, `first_accepted`, `last_accepted`: how many programs
    were accepted, and when. `reached`: the last round in which the team played. `share`: of the evolution's
    last generation, from 0 to 1.
    """

    member: str
    team: str
    mail: str
    organization: str
    state: str
    sent: int
    accepted: int
    first_accepted: datetime | None
    last_accepted: datetime | None
    version: int | None
    reached: int | None
    rank: int | None
    points: float | None
    failures: int | None
    evolution_rank: int | None
    share: float | None


def marks_of(contest: ContestContext) -> tuple[Mark, ...]:
    """Return the rows by team and member. Rank and points are there after the contest's end."""
    with contest.store.read() as tx:
        history = results.finished_rounds(tx)
        is_over = contest_state.state(tx).phase is Phase.FINISHED
        ranked = format_of(contest.settings).ranking(history) if is_over and history else ()
        ranking = {line.entry: line for line in ranked}
        evolution = results.get_evolution(tx)
        evolved = {line.entry: line for line in evolution.ranking} if evolution else {}
        bans = decisions.all_bans(tx)
        point = game_of(contest.settings.game, contest.settings.programs).info.point
        rows: list[Mark] = []
        for team in sorted(team_store.all_teams(tx), key=lambda each: each.name.casefold()):
            ban = bans.get(team.name)
            state = str(ban.kind if ban else team.state)
            good = submissions.latest_good(tx, team.id) if team.state is not TeamState.PENDING else None
            rows += _rows(
                team,
                state,
                submissions.versions(tx, team.id),
                good.number if good else None,
                _reached(history, team.name),
                ranking.get(team.name),
                evolved.get(team.name),
                point,
            )
    return tuple(rows)


def _rows(
    team: Team,
    state: str,
    versions: tuple[submissions.Version, ...],
    version: int | None,
    reached: int | None,
    standing: Standing | None,
    evolved: EvolutionRank | None,
    point: int,
) -> Iterator[Mark]:
    accepted = sorted(
        each.submission.received_at for each in versions if each.report and each.report.accepted
    )
    counts = standing is not None and not standing.disqualified
    points = standing.half_points / (2 * point) if standing and counts else None
    people: tuple[Member | None, ...] = team.registration.members or (None,)
    for member in people:
        yield Mark(
            member=member.name if member else "",
            team=team.name,
            mail=team.address,
            organization=team.registration.organization,
            state=state,
            sent=len(versions),
            accepted=len(accepted),
            first_accepted=accepted[0] if accepted else None,
            last_accepted=accepted[-1] if accepted else None,
            version=version,
            reached=reached,
            rank=standing.rank if standing else None,
            points=points,
            failures=standing.failures if standing else None,
            evolution_rank=evolved.rank if evolved else None,
            share=evolved.share if evolved else None,
        )


def _reached(history: tuple[RoundOutcome, ...], name: str) -> int | None:
    played = [each.plan.number for each in history if any(name in g.plan.members for g in each.groups)]
    return played[-1] if played else None
