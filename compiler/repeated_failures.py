"""Counts failures of our engine, and sets a program aside with which it fails again and again.

The compile service, practice, the ladder and the contest day all count here, in the database: so it
does not matter which process fails, or how often it is started anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.errors import EngineFailed
from contest.interfaces.protocols import Renderer, to_organizer, to_team
from contest.language import speaking
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import Team
from contest.util.clock import Clock
from contest.util.log import log
from store import (
    Store,
    Transaction,
    contest_state,
    engine_failures,
    ledger,
    outbox,
    submissions,
    teams,
)
from store.engine_failures import MAX_FAILURES

AREA = "aside"  # of the journal


@dataclass(frozen=True)
class EngineFailures:
    """`is_engine_well`: whether a program that does nothing runs on this host."""

    store: Store
    settings: Settings
    clock: Clock
    renderer: Renderer
    is_engine_well: Callable[[], bool]

    def of_program(self, error: EngineFailed) -> int:
        """Return how often the engine has failed so, at the same move of the same program.

        0: nothing says that the program has to do with it, for no worker ran one, or the engine
        fails with every program. At MAX_FAILURES the program is set aside, and its teams and the
        organizer are told. One that was too slow alone on the host is set aside at once.
        """
        if not self.is_of_program(error):
            return 0
        times = MAX_FAILURES if error.pace else 1
        with self.store.write() as tx:
            failures = engine_failures.count(tx, error.program, error.move, self.clock.now(), times)
            if failures - times < MAX_FAILURES <= failures:
                self._set_aside(tx, error)
        return failures

    def is_of_program(self, error: EngineFailed) -> bool:
        return bool(error.program) and self.is_engine_well()

    def of_task(self, task: str) -> int:
        """Return how often our machinery has failed with this piece of work, whatever the
        reason."""
        with self.store.write() as tx:
            return engine_failures.count(tx, task, "", self.clock.now())

    def tell(
        self, tx: Transaction, team: Team, error: EngineFailed, version: int | None = None
    ) -> None:
        """Tell a team that its program is set aside, and note it in the ledger.

        `version`: the team's number of a program that is not accepted for that; None: it is
        accepted, or was only tried.
        """
        now = self.clock.now()
        ledger.append(
            tx, LedgerEntry(Effect.PROGRAM_SET_ASIDE, team.name, now, digest=error.program)
        )
        with speaking(team.language or self.settings.contest.language):
            text = self.renderer.render(
                "program_aside", team=team, version=version, pace=error.pace
            )
        what = "" if version is None else f"/{version}"
        key = f"aside/{now.isoformat()}/{team.name}{what}"
        outbox.put(tx, to_team(team, key, "program_aside", text), self.settings, now)

    def _set_aside(self, tx: Transaction, error: EngineFailed) -> None:
        log.error("a program is set aside", program=error.program, error=str(error))
        now = self.clock.now()
        owned = submissions.owned(tx)
        owners = [team for team in teams.all_teams(tx) if (team.id, error.program) in owned]
        for team in owners:
            self.tell(tx, team, error)
        names = ", ".join(team.name for team in owners)
        what = f"the program {error.program[:12]}{f' of {names}' if names else ''} is set aside"
        contest_state.note(tx, AREA, what, now, whom=names, reason=str(error))
        facts = {
            "program": error.program[:12],
            "names": names,
            "reason": str(error),
            "pace": error.pace,
        }
        text = self.renderer.render("engine_failed", **facts)
        key = f"aside/{now.isoformat()}/{error.program}"
        outbox.put(tx, to_organizer(self.settings, key, "engine_failed", text), self.settings, now)
