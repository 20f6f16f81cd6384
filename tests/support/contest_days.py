"""The contest day in this process: what it leaves in the database, and how it is interrupted."""

from typing import Any

import pytest
from sqlalchemy import select

from contest.model import GroupOutcome, RoundPlan
from knobeln.context import ContestContext
from reports.contest_reporter import ContestReporter
from store import contest_state
from store.tables import metadata, outbox
from tournament.day import ContestDay, RunnerFactory, Spectator


def dump(folder: ContestContext) -> dict[str, list[Any]]:
    """Every row of every table, but for how many workers the settings name, for the key, and for
    how often mails were tried."""
    with folder.store.read() as tx:
        rows = {}
        for table in metadata.sorted_tables:
            columns = [column for column in table.c if column is not outbox.c.attempts]
            rows[table.name] = [tuple(row) for row in tx.execute(select(*columns))]
        frozen = contest_state.started_settings(tx)
    # The key is in the first entry, and so in all hashes.
    rows["ledger"] = [(number, *facts) for number, _leaf, _peaks, *facts in rows["ledger"][1:]]
    if frozen is not None:
        frozen["tournament"].pop("workers")
        rows["contest"], rows["tournaments"] = [], [(frozen,)]
    return rows


class Stumbling(Spectator):
    """Stops the run after so many groups, as a power cut would between two transactions."""

    def __init__(self, after: int) -> None:
        self.left = after

    def group_finished(self, outcome: GroupOutcome) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


class AfterADraw(Spectator):
    """Stops the run before the first game of a round."""

    def round_drawn(self, plan: RoundPlan) -> None:
        raise KeyboardInterrupt


def until(folder: ContestContext, spectator: Spectator) -> None:
    """Play the day up to where this spectator stops it."""
    with pytest.raises(KeyboardInterrupt):
        stumbling_day(folder, spectator).run()


def stumbling_day(
    folder: ContestContext, spectator: Spectator, *make_runner: RunnerFactory
) -> ContestDay:
    reporter = ContestReporter(folder.settings, folder.templates)
    return ContestDay(
        folder.store, folder.settings, folder.clock, reporter, spectator, *make_runner
    )
