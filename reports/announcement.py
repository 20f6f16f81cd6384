"""Write the results for a public posting (K79, K90, K99)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.interfaces.protocols import Rendered, Renderer
from contest.model import EvolutionOutcome, RoundOutcome, Standing
from contest.seeds import ContestSeed
from reports import results, summary
from reports.kinds import disclosed_by
from reports.kinds.base import Disclosed
from reports.scores import shape_of
from reports.site.facts import disclosure

_RANKINGS = {Disclosed.RANKINGS, Disclosed.BRACKET}


def announcement(
    history: Sequence[RoundOutcome],
    ranking: Sequence[Standing],
    evolution: EvolutionOutcome | None,
    seed: ContestSeed,
    prize_fields: Mapping[str, str],
    settings: Settings,
    templates: Renderer,
) -> Rendered:
    """Write the posting about a finished contest. `history`: all rounds in order, with all games.
    `prize_fields`: what each team has in the form's field by which there are prizes.

    Where the contest tells its teams nothing but their own results (B23), the winners are named,
    and no more.
    """
    final, game = history[-1], game_of(settings.game, settings.programs).info
    figures = [_figures(outcome) for outcome in history]
    return templates.render(
        "announcement",
        final=final,
        shows_ranking=not _RANKINGS.isdisjoint(disclosed_by(settings.reports.offered)),
        tells_archive=disclosure(settings.reports.offered, programs=settings.site.programs).archive,
        shape=shape_of(final.groups[0].plan, game),
        teams=figures[0][1],
        games=sum(map(results.games_played, history)),
        rounds=figures,
        **summary.facts_of_contest(
            history,
            ranking,
            evolution=evolution,
            seed=seed,
            prize_fields=prize_fields,
            settings=settings,
        ),
    )


def _figures(outcome: RoundOutcome) -> tuple[int, int, int, int, int, int]:
    """The numbers of a round: its own, its teams, groups, completed games, failures, disqualified
    teams."""
    return (
        outcome.plan.number,
        sum(len(group.plan.members) for group in outcome.groups),
        sum(bool(group.plan.pairings) for group in outcome.groups),
        results.games_played(outcome),
        sum(map(len, results.failures_of_round(outcome).values())),
        sum(len(results.disqualified(group)) for group in outcome.groups),
    )
