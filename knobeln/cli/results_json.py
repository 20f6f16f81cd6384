"""Results as `--json` prints them: the field names are its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from contest.games.base import GameInfo
from contest.games.registry import game_of
from contest.model import EvolutionOutcome, GroupOutcome, GroupPlan, Phase, Rerun, RoundPlan, Standing
from contest.store import contest_state, results, submissions
from contest.store.results import Games
from knobeln.cli.result_tables import contest_ranking, no_such_round
from knobeln.context import ContestContext
from reports.prizes import grand_prize, prize_lists
from reports.results import own_games
from reports.scores import scores


@dataclass(frozen=True)
class StandingJson:
    """One line of a ranking. `points`: None for a team that was disqualified."""

    team: str
    points: float | None
    rank: int | None
    failures: int
    disqualified: bool
    advances: bool


@dataclass(frozen=True)
class GameJson:
    """An attempt at a game; teams, points, verdicts and instructions are by seat.

    `counted`: False if it was discarded, or if a player was disqualified. `instructions`: units of fuel if
    the program's time is counted so, 0 if processor time limits it.
    """

    teams: tuple[str, ...]
    game: int
    attempt: int
    points: list[float]
    verdicts: list[str]
    turns: int
    instructions: list[int]
    counted: bool


@dataclass(frozen=True)
class GroupJson:
    """A group. `standings`: None until it is finished; `games`: None unless they are asked for."""

    number: int
    title: str
    members: tuple[str, ...]
    standings: list[StandingJson] | None
    games: list[GameJson] | None


@dataclass(frozen=True)
class CrossJson:
    """The points that each team of a group won against each other one: by team, by opponent."""

    group: int
    points: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class RoundJson:
    """A round and its groups."""

    number: int
    final: bool
    groups: list[GroupJson]


@dataclass(frozen=True)
class RoundStandings(RoundJson):
    """A round and its groups. `cross`: None unless the cross tables are asked for."""

    cross: list[CrossJson] | None


@dataclass(frozen=True)
class FormerGroupJson:
    """A group before it was played again."""

    round: int
    group: int
    members: tuple[str, ...]
    standings: list[StandingJson]
    games: list[GameJson] | None


@dataclass(frozen=True)
class FormerJson:
    """A rerun, and the results that it replaced."""

    id: int
    at: datetime
    round: int
    group: int | None
    reason: str
    groups: list[FormerGroupJson]


@dataclass(frozen=True)
class EvolutionRankJson:
    """One line of the evolution's ranking. `fraction`: numerator and denominator."""

    team: str
    rank: int | None
    fraction: tuple[int, int]
    extinct_in: int | None


@dataclass(frozen=True)
class EvolutionJson:
    """The evolution. `generations`: the counts of `entries` in each generation."""

    ending: str
    cycle_start: int | None
    entries: tuple[str, ...]
    generations: tuple[tuple[int, ...], ...]
    ranking: list[EvolutionRankJson]


@dataclass(frozen=True)
class PlaceJson:
    """A place in a list of prizes."""

    place: int
    team: str


@dataclass(frozen=True)
class ResultsJson:
    """All results. The seed and what it was made of are in hex, and None before the end; `entries_root` also
    in contests without a ledger, `public_number` also in those that use none."""

    phase: str
    seed_commitment: str
    seed: str | None
    secret: str | None
    entries_root: str | None
    public_number: str | None
    rounds: list[RoundJson]
    ranking: list[StandingJson] | None
    prizes: Mapping[str, list[PlaceJson]]
    grand_prize: list[str]
    evolution: EvolutionJson | None


def results_json(contest: ContestContext, number: int | None, *, games: bool) -> ResultsJson:
    """Return the results with this round, or with all rounds; `games`: with all games of the groups."""
    settings = contest.settings
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        rounds = results.all_rounds(tx, Games.ALL if games else Games.NONE)
        evolution = results.get_evolution(tx)
        ranking = contest_ranking(tx, settings)
        playing = submissions.participants(tx)
    if rounds and number is not None and all(plan.number != number for plan, _ in rounds):
        raise no_such_round(number, rounds)
    point = game_of(settings.game, settings.programs).info.point
    is_over = state.phase is Phase.FINISHED
    lists = prize_lists(ranking, playing, settings.teams)
    return ResultsJson(
        phase=str(state.phase),
        seed_commitment=state.seed.commitment,
        seed=state.seed.value.hex() if is_over else None,
        secret=state.seed.secret.hex() if is_over else None,
        entries_root=state.seed.entries_root.hex() if is_over and state.seed.entries_root else None,
        public_number=state.seed.number.hex() if is_over and state.seed.number else None,
        rounds=[
            _round(plan, done, point, games=games) for plan, done in rounds if number in (None, plan.number)
        ],
        ranking=_standings(ranking, point) or None,
        prizes={prizes.value: [PlaceJson(place, s.entry) for place, s in prizes.places] for prizes in lists},
        grand_prize=[s.entry for s in grand_prize(lists)],
        evolution=None if evolution is None else evolution_json(evolution),
    )


def round_standings(
    plan: RoundPlan, outcomes: Sequence[GroupOutcome], info: GameInfo, *, cross: bool
) -> RoundStandings:
    found = _round(plan, outcomes, info.point, games=False)
    return RoundStandings(
        found.number,
        found.final,
        found.groups,
        [_cross(outcome, info.point) for outcome in outcomes] if cross else None,
    )


def _cross(outcome: GroupOutcome, point: int) -> CrossJson:
    if any(len(pairing.players) > 2 for pairing in outcome.plan.pairings):
        return CrossJson(outcome.plan.number, {})
    won = {
        team: {score.opponent: score.own / (2 * point) for score in scores(games)}
        for team, games in own_games(outcome).items()
    }
    return CrossJson(outcome.plan.number, won)


def former_json(rerun: Rerun, outcomes: Sequence[GroupOutcome], point: int, *, games: bool) -> FormerJson:
    groups = [
        FormerGroupJson(
            o.plan.round,
            o.plan.number,
            o.plan.members,
            _standings(o.standings, point),
            _games(o, point) if games else None,
        )
        for o in outcomes
    ]
    return FormerJson(rerun.id, rerun.at, rerun.round, rerun.group, rerun.reason, groups)


def evolution_json(evolution: EvolutionOutcome) -> EvolutionJson:
    return EvolutionJson(
        ending=str(evolution.ending),
        cycle_start=evolution.cycle_start,
        entries=tuple(evolution.entries),
        generations=tuple(map(tuple, evolution.generations)),
        ranking=[EvolutionRankJson(r.entry, r.rank, r.fraction, r.extinct_in) for r in evolution.ranking],
    )


def _round(plan: RoundPlan, outcomes: Sequence[GroupOutcome], point: int, *, games: bool) -> RoundJson:
    done = {outcome.plan.number: outcome for outcome in outcomes}
    return RoundJson(
        plan.number, plan.final, [_group(g, done.get(g.number), point, games=games) for g in plan.groups]
    )


def _group(plan: GroupPlan, outcome: GroupOutcome | None, point: int, *, games: bool) -> GroupJson:
    return GroupJson(
        plan.number,
        plan.title,
        plan.members,
        _standings(outcome.standings, point) if outcome else None,
        _games(outcome, point) if outcome and games else None,
    )


def _games(outcome: GroupOutcome, point: int) -> list[GameJson]:
    return [
        GameJson(
            teams=match.players,
            game=match.game,
            attempt=match.attempt,
            points=[seat.points / point for seat in match.result.seats],
            verdicts=[str(seat.verdict) for seat in match.result.seats],
            turns=match.result.turns,
            instructions=[seat.instructions for seat in match.result.seats],
            counted=match.counted,
        )
        for match in outcome.matches
    ]


def _standings(standings: Iterable[Standing], point: int) -> list[StandingJson]:
    return [
        StandingJson(
            team=standing.entry,
            points=None if standing.disqualified else standing.half_points / (2 * point),
            rank=standing.rank,
            failures=standing.failures,
            disqualified=standing.disqualified,
            advances=standing.advances,
        )
        for standing in standings
    ]
