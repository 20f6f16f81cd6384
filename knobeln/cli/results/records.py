"""Results as `--json` prints them: the records of the archive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap

from contest.archive.contents import Seal
from contest.model import EvolutionOutcome, GroupOutcome, Phase, RoundPlan, Standing
from contest.store import contest_state, results, submissions
from contest.store.results import Games
from knobeln.cli.results.tables import contest_ranking
from knobeln.context import ContestContext
from reports.prizes import PrizeList, grand_prize, prize_lists


@dataclass(frozen=True)
class Round:
    """A round and its groups. A group has no standings until it is finished, and no matches unless they are
    asked for, or its members play one game together."""

    number: int
    final: bool
    groups: tuple[GroupOutcome, ...]

    @classmethod
    def of(cls, plan: RoundPlan, outcomes: Iterable[GroupOutcome]) -> Round:
        done = {outcome.plan.number: outcome for outcome in outcomes}
        groups = (done.get(group.number) or GroupOutcome(group, (), ()) for group in plan.groups)
        return cls(plan.number, plan.final, tuple(groups))


@dataclass(frozen=True)
class Results:
    """All results. `secret`: in hex, null before the contest's end, as is `seal`."""

    phase: Phase
    seed_commitment: str
    secret: str | None
    seal: Seal | None
    rounds: tuple[Round, ...]
    ranking: tuple[Standing, ...]
    prizes: tuple[PrizeList, ...]
    grand_prize: tuple[Standing, ...]
    evolution: EvolutionOutcome | None


def all_results(contest: ContestContext, *, games: bool) -> Results:
    """Return the results of all rounds; `games`: with all games of the groups."""
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        is_over = state.phase is Phase.FINISHED
        ranking = contest_ranking(tx, contest.settings)
        prizes = prize_lists(ranking, submissions.participants(tx), contest.settings.teams)
        return Results(
            phase=state.phase,
            seed_commitment=state.seed.commitment,
            secret=state.seed.secret.hex() if is_over else None,
            seal=Seal.of(state.seed, contest_state.number(tx)) if is_over else None,
            rounds=tuple(starmap(Round.of, results.all_rounds(tx, Games.ALL if games else Games.NONE))),
            ranking=ranking,
            prizes=prizes,
            grand_prize=grand_prize(prizes),
            evolution=results.get_evolution(tx),
        )
