"""The compile service: takes the mailed programs from the queue, builds them, and queues the reports.

A build and its report are one transaction; a program that was being compiled when the power went is compiled
again. What is wrong with a program is its team's report; what is wrong with us sets the program aside for the
organizer, and the queue goes on.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import timedelta

import structlog

from compiler.build import Built, build
from compiler.toolchain import Toolchain
from compiler.trial import with_trial
from knobeln.clock import Clock
from knobeln.config import Settings
from knobeln.errors import KnobelnError
from knobeln.model import Outgoing, Submission, Team
from knobeln.ports import CompileReporter
from knobeln.store import Store, Transaction, contest, outbox, submissions, teams
from sandbox.jail import Jail
from sandbox.machine.translation import NotTranslated, translations

log = structlog.get_logger()


@dataclass(frozen=True)
class CompileService:
    store: Store
    settings: Settings
    clock: Clock
    toolchain: Toolchain
    write_report: CompileReporter

    def build_next(self, *, at_once: bool = False) -> bool:
        """Build the program whose turn it is. False: none waits.

        A team that has had its number of compilations in the last hour rests, unless `at_once` (before the
        contest starts). Raises ToolMissing, EngineFailed or StoreBusy, with the program still in the queue.
        """
        with self.store.read() as tx:
            if submissions.next_queued(tx) is None:
                return False
        with self.store.write() as tx:
            submission = self._next(tx, at_once)
        if submission is None:
            return False
        try:
            built = with_trial(
                build(submission.source, self.settings.programs, self.toolchain), self.settings
            )
            self._translate(built)
            with self.store.write() as tx:
                self._keep(tx, submission, built)
            log.info("program", letter=submission.letter_id, accepted=built.report.accepted)
        except KnobelnError:
            raise
        except Exception:
            self._set_aside(submission, traceback.format_exc())
        return True

    def _next(self, tx: Transaction, at_once: bool) -> Submission | None:
        """Whose turn it is: of the teams that wait, the one that has had least (S22)."""
        limit = self.settings.programs.max_compiles_per_hour
        built = submissions.built_since(tx, self.clock.now() - timedelta(hours=1))
        waiting = submissions.waiting_teams(tx)
        able = [team_id for team_id in waiting if at_once or built.get(team_id, 0) < limit]
        if not able:
            return None
        chosen = min(able, key=lambda team_id: built.get(team_id, 0))
        queue = submissions.queued_of(tx, chosen)
        if built.get(chosen, 0) + len(queue) <= limit:
            return queue[0]
        submissions.replace(tx, queue[:-1])  # too many for an hour: only the newest is worth the work
        return queue[-1]

    def _translate(self, built: Built) -> None:
        """So that contest day finds the program as native code; without it, the interpreter plays."""
        if built.image is None:
            return
        try:
            translations().add(built.image, Jail(self.settings.jail))
        except NotTranslated as reason:
            log.warning("a program stays without native code", image=built.image.digest, reason=str(reason))

    def _keep(self, tx: Transaction, submission: Submission, built: Built) -> None:
        now = self.clock.now()
        previous = submissions.latest_good(tx, submission.team_id)
        image = built.image.to_bytes() if built.image else None
        if not submissions.add_build(tx, submission.id, built.report, image, now):
            return  # another process was quicker; its report is on the way
        team = teams.get(tx, submission.team_id)
        outbox.put(tx, self._mail(tx, team, submission, built, previous), self.settings, now)

    def _mail(
        self, tx: Transaction, team: Team, submission: Submission, built: Built, previous: Submission | None
    ) -> Outgoing:
        text = self.write_report(
            team.name,
            submission.number,
            built.report,
            previous_good=previous.number if previous else None,
            repairs=submissions.repairs_of(tx, submission.id),
            replaced=submissions.replaced_by(tx, submission),
        )
        return Outgoing(
            key=f"compile report/{submission.id}",
            kind="compile report",
            to=team.address,
            subject=text.subject,
            body=text.body,
            team_id=team.id,
            in_reply_to=submissions.reply_to_of(tx, submission.id),
        )

    def _set_aside(self, submission: Submission, trace: str) -> None:
        log.error("a program was set aside", submission=submission.id, trace=trace)
        with self.store.write() as tx:
            submissions.set_aside(tx, submission.id)
            text = f"submission {submission.id} broke the compile service and was set aside:\n{trace}"
            contest.note(tx, "compiler", text, self.clock.now())
