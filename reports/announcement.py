"""The results for the public, to be posted (K79, K90, K99)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from knobeln.model import EvolutionOutcome, RoundOutcome
from knobeln.ports import Rendered, Renderer
from reports import results
from reports.evolution_table import condensed


def announcement(
    rounds: Sequence[RoundOutcome],
    evolution: EvolutionOutcome | None,
    seed: bytes,
    templates: Renderer,
) -> Rendered:
    """The posting about a finished contest; `rounds` from the first to the final, one or more."""
    final = rounds[-1]
    figures = [_figures(outcome) for outcome in rounds]
    return templates.render(
        "announcement",
        final=final,
        teams=figures[0][1],
        games=sum(figure[3] for figure in figures),
        rounds=figures,
        failures=results.failures_of_round(final),
        evolution=evolution,
        generations=condensed(evolution) if evolution else None,
        seed=seed.hex(),
        seed_commitment=hashlib.sha256(seed).hexdigest(),
    )


def _figures(outcome: RoundOutcome) -> tuple[int, int, int, int, int, int]:
    """Round, teams, groups, completed games, failures, disqualified."""
    return (
        outcome.plan.number,
        sum(len(group.plan.members) for group in outcome.groups),
        len(outcome.groups),
        sum(not match.is_discarded for group in outcome.groups for match in group.matches),
        sum(map(len, results.failures_of_round(outcome).values())),
        sum(len(results.disqualified(group)) for group in outcome.groups),
    )
