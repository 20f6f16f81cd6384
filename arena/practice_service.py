"""The practice service: plays programs that are only tried.

It rests while a submission waits for the compiler and while the contest runs. The limits of a game
and the number of our own programs bound its work. Its results count for nothing. A practice with
which our code or our machinery fails is set aside for the organizer, so that the others do not wait
for it.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from arena.practice_games import practice_games
from compiler.builders.base import ProgramBuilder
from compiler.repeated_failures import EngineFailures
from contest.config.settings import Settings
from contest.errors import EngineFailed, KnobelnError, ToolMissing
from contest.interfaces.protocols import (
    Images,
    ProgressCallback,
    Renderer,
    Runner,
    RunnerFactory,
    no_progress,
)
from contest.language import speaking
from contest.model import Outgoing, Phase, Practice, PracticeGame, PracticeState
from contest.seeds import Seeds
from contest.util.clock import Clock
from contest.util.log import log
from reports.practice_report import practice_report
from sandbox.executable import without
from store import (
    Store,
    contest_state,
    engine_failures,
    languages,
    outbox,
    practices,
    submissions,
    teams,
)
from store.claimant import Claimant
from store.claims import HOPELESS, Claims
from store.engine_failures import MAX_FAILURES, MAX_WITH_PROGRAMS
from tournament.runners import open_runner


@dataclass(frozen=True)
class PracticeService:
    store: Store
    settings: Settings
    clock: Clock
    builder: ProgramBuilder[Any]
    open_runner: RunnerFactory
    templates: Renderer
    failures: EngineFailures
    claimant: Claimant = field(default_factory=Claimant)

    def play_next(self) -> bool:
        """Play the practice that has waited longest. False: none waits, or practice is closed now.

        Raises StoreBusy, or EngineFailed at the first failures with a practice. It then stays in
        the queue. So does one for which this host lacks a tool, without an error.
        """
        practice = self._claimed()
        if practice is None:
            return False
        with self._claims.kept(self.store, practice.id) as is_hopeless:
            if is_hopeless:
                self._set_aside(practice, HOPELESS)
            else:
                self._play(practice)
        return True

    @property
    def _claims(self) -> Claims:
        return practices.claims(self.claimant, self.clock)

    def _claimed(self) -> Practice | None:
        """Claim the practice that waits longest. Other processes do so at the same time."""
        while True:
            with self.store.read() as tx:
                if contest_state.state(tx).phase is Phase.RUNNING or submissions.any_waiting(tx):
                    return None
                practice_id = practices.next_free(tx, self._claims)
            if practice_id is None:
                return None
            with self.store.write() as tx:
                if self._claims.take(tx, practice_id):
                    return practices.get(tx, practice_id)

    def _play(self, practice: Practice) -> None:
        try:
            mail = self._played(practice)
        except EngineFailed as error:
            self._after_failure(practice, error)
            return
        except ToolMissing as missing:
            # We keep the claim, and nobody renews it: until it ends, the others have their turn.
            self._note_waiting(practice, missing)
            return
        except KnobelnError:
            raise
        except Exception:
            self._set_aside(practice, traceback.format_exc())
            return
        with self.store.write() as tx:
            if practices.finish(tx, practice.id, PracticeState.PLAYED):
                outbox.put(tx, mail, self.settings, self.clock.now())
        log.info("practice", letter=practice.letter_id)

    def _played(self, practice: Practice) -> Outgoing:
        with self.store.read() as tx:
            team = teams.get(tx, practice.team_id)
        result = self.builder.build(practice.files, practice.description)
        if not result.image:
            with self.store.read() as tx:
                offered = languages.offered(tx)
            self.builder.check_host(practice.files, offered)
        games: Sequence[PracticeGame] = ()
        if result.image and result.report.image_digest:
            program = (result.report.image_digest, result.image.to_bytes())
            opponents = self.builder.sparring_opponents()
            games = practice_games(program, opponents, self.settings, self.open_runner)
        with speaking(team.language or self.settings.contest.language):
            return practice_report(
                practice,
                team,
                report=result.report,
                games=games,
                settings=self.settings,
                templates=self.templates,
            )

    def _after_failure(self, practice: Practice, error: EngineFailed) -> None:
        """Raise the error, or set the practice aside if it is hopeless.

        A program that is set aside is not asked in games any more, so then the practice can be
        played. If the engine fails with it all the same, that was before the games, as in a check
        of its syntax.
        """
        failures = self.failures.of_program(error)
        tries = self.failures.of_task(f"practice/{practice.id}")
        if failures > MAX_FAILURES:
            self._set_aside(practice, traceback.format_exc(), error)
        elif tries >= (MAX_WITH_PROGRAMS if failures else MAX_FAILURES):
            self._set_aside(practice, traceback.format_exc())
        else:
            raise error

    def _note_waiting(self, practice: Practice, missing: ToolMissing) -> None:
        log.error("a practice waits", practice=practice.id, why=str(missing))
        if self.failures.of_task(f"practice/{practice.id}/waits") == 1:
            with self.store.write() as tx:
                contest_state.note(
                    tx, "error", f"practice {practice.id} waits: {missing}", self.clock.now()
                )

    def _set_aside(self, practice: Practice, trace: str, error: EngineFailed | None = None) -> None:
        """`error` names the program if our engine fails with it alone; then the team is told."""
        log.error("a practice was set aside", practice=practice.id, trace=trace)
        with self.store.write() as tx:
            if practices.finish(tx, practice.id, PracticeState.SET_ASIDE) and error:
                self.failures.tell(tx, teams.get(tx, practice.team_id), error)
            text = f"practice {practice.id} broke the practice service and was set aside:\n{trace}"
            contest_state.note(tx, "compiler", text, self.clock.now())


def open_without_aside(store: Store) -> RunnerFactory:
    """`open_runner`, but a program that is set aside by then is not asked."""

    def opened(
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback = no_progress,
        /,
    ) -> AbstractContextManager[Runner]:
        with store.read() as tx:
            aside = engine_failures.aside(tx)
        return open_runner(without(images, aside), settings, seeds, progress)

    return opened
