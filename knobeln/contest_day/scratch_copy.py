"""A temporary copy of a contest, to try something without consequences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from contest.beacon import BeaconKind
from contest.scratch import scratch_folder
from contest.store import Store, contest_state, decisions, migrate
from contest.store.backup import copy_contest
from knobeln.context import ContestContext


@contextmanager
def scratch_copy(contest: ContestContext) -> Iterator[ContestContext]:
    """Copy the contest to a temporary folder, with another seed, not paused; delete it at the end.

    It waits for no public number.
    """
    with scratch_folder() as path:
        store = Store(f"sqlite:///{path / 'contest.db'}")
        try:
            migrate.upgrade(store)
            copy_contest(contest.store, store)
            with store.write() as tx:
                contest_state.reseed(tx)
                decisions.resume(tx)
            chosen = contest.settings.tournament.model_copy(update={"beacon": BeaconKind.NONE.value})
            settings = contest.settings.model_copy(update={"tournament": chosen})
            yield replace(contest, path=path, store=store, settings=settings)
        finally:
            store.close()
