"""Rehearsal: the complete contest day, played in a copy of the contest. It sends and changes
nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace

from contest.errors import NotNow
from contest.model import Participation, Phase, RoundPlan
from contest.public_number.beacon import BeaconKind
from contest.util.folders import scratch_folder
from contest.util.plurals import form
from knobeln.context import ContestContext
from knobeln.day.run import contest_day, handle_everything
from knobeln.native_code import translate_programs
from store import (
    Store,
    Transaction,
    contest_state,
    decisions,
    migrate,
    participation,
    results,
    submissions,
    teams,
)
from store.backup import copy_contest
from store.results import RoundLog
from tournament.day import Spectator

MAX_TEAMS_NAMED = 10  # in one warning


@dataclass(frozen=True)
class Rehearsal:
    """The rehearsed contest day. `rounds`: which round, its programs, its groups and their sizes,
    games, and seconds on this host."""

    programs: int
    rounds: tuple[tuple[object, ...], ...]
    seconds: float
    warnings: tuple[str, ...]


def rehearsal_of(
    contest: ContestContext, spectator: Callable[[], AbstractContextManager[Spectator]]
) -> Rehearsal:
    """Play the contest day in a copy with another seed. Raises NotNow if the contest has started.

    The copy is in a temporary folder, is not paused, and waits for no public number.
    """
    with contest.store.read() as tx:
        if contest_state.state(tx).phase is not Phase.OPEN:
            raise NotNow("the contest has started already, so it cannot be rehearsed")
    with scratch_folder() as path, closing(Store(f"sqlite:///{path / 'contest.db'}")) as store:
        migrate.upgrade(store)
        copy_contest(contest.store, store)
        with store.write() as tx:
            contest_state.reseed(tx)
            decisions.resume(tx)
        settings = contest.settings.changed(tournament={"beacon": BeaconKind.NONE.value})
        return _play(replace(contest, path=path, store=store, settings=settings), spectator)


def _play(
    contest: ContestContext, spectator: Callable[[], AbstractContextManager[Spectator]]
) -> Rehearsal:
    with spectator() as watching:
        handle_everything(contest)
        translate_programs(contest)
        start = time.monotonic()
        contest_day(contest, watching).run()
        seconds = time.monotonic() - start
    with contest.store.read() as tx:
        entries = submissions.all_entries(tx)
        played = zip(results.all_rounds(tx), results.round_log(tx), strict=True)
        rounds = tuple(_line(outcome.plan, log) for outcome, log in played)
        warnings = tuple(_warnings(contest, tx, len(entries)))
        return Rehearsal(len(entries), rounds, seconds, warnings)


def _line(plan: RoundPlan, log: RoundLog) -> tuple[object, ...]:
    sizes = sorted(len(group.members) for group in plan.groups)
    seconds = ((log.played_at or log.planned_at) - log.planned_at).total_seconds()
    size = " to ".join(map(str, sorted({sizes[0], sizes[-1]})))
    name = "final" if plan.final else plan.number
    return name, len(plan.members), len(sizes), size, plan.planned_games, f"{seconds:.1f}"


def _warnings(contest: ContestContext, tx: Transaction, entries: int) -> Iterator[str]:
    """Return what the rehearsed day showed."""
    tournament = contest.settings.tournament
    if tournament.format == "group-elimination" and entries < tournament.group_min:
        yield (
            f"only {entries} {form(entries, 'program takes', 'programs take')} part, fewer than the"
            f" {tournament.group_min} of a group: one smaller group plays"
        )
    playing, participating = submissions.participants(tx), participation.of_all(tx)
    taking_part = [
        team for team in teams.all_teams(tx) if participating[team.id] is Participation.ACTIVE
    ]
    idle = [team.name for team in taking_part if team.name not in playing]
    if idle:
        yield f"{_some_of(idle)}: there is no accepted program, so they would not play"
    lines = (
        line
        for outcome in results.all_rounds(tx)
        for group in outcome.groups
        for line in group.standings
    )
    failed = sorted({line.entry for line in lines if line.disqualified})
    if failed:
        yield f"{_some_of(failed)}: the program failed twice in a round, and was disqualified"


def _some_of(names: list[str]) -> str:
    more = f" and {len(names) - MAX_TEAMS_NAMED} more" if len(names) > MAX_TEAMS_NAMED else ""
    return ", ".join(names[:MAX_TEAMS_NAMED]) + more
