"""The loop of every contest: a round is drawn and played, and the next follows from all before it.
Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from contest.formats.format import Format
from contest.model import RoundOutcome, RoundPlan
from contest.seeds import Seeds

Bans = Callable[[], Collection[str]]
"""The entries that proceed into no further round, at the moment of a draw."""


def rounds(
    chosen: Format,
    names: Sequence[str],
    seeds: Seeds,
    history: Sequence[RoundOutcome],
    bans: Bans = frozenset,
) -> Iterator[RoundPlan]:
    """Draw round after round, until the contest is decided.

    `history`: the rounds that were played; the caller puts each round into it before it asks for
    the next. The banned do not proceed, even if they would by their results (K73).
    """
    while plan := chosen.plan(names, _without(history, bans()), seeds):
        yield plan


def ended(chosen: Format, history: Sequence[RoundOutcome]) -> tuple[RoundOutcome, ...]:
    """All rounds of a contest that is decided. Only then it shows whether its last round was the
    final."""
    *before, last = history
    final = last.plan.final or chosen.ends_in_final(last.plan)
    return (*before, replace(last, plan=replace(last.plan, final=final)))


def _without(history: Sequence[RoundOutcome], banned: Collection[str]) -> Sequence[RoundOutcome]:
    """The history, in whose last round the banned do not advance."""
    if not history or not banned:
        return history
    groups = []
    for group in history[-1].groups:
        standings = (
            replace(standing, advances=standing.advances and standing.entry not in banned)
            for standing in group.standings
        )
        groups.append(replace(group, standings=tuple(standings)))
    return (*history[:-1], replace(history[-1], groups=tuple(groups)))
