"""The compile service: takes submissions from the queue, builds them, and queues the reports.

Several processes, also on several computers, may build for one contest. Each claims a submission,
in a transaction that ends before it builds. A build and its report are one transaction: after a
power cut a service builds the submission again. Faults of a program are in its team's report. If
our own code fails, or our machinery again and again, the service sets the submission aside for the
organizer and goes on with the queue: no program can keep the others waiting.

If this host has lost a language (a compiler, a guest, the sandbox), programs in it wait outside of
the queue, and the organizer is told once. Any host on which the language works puts them back
(`try_languages`).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compiler.builders.base import ProgramBuilder
from compiler.built import (
    Built,
    DigestPair,
    RatesMissing,
    place_of,
    rank_of,
    record,
    replace_programs,
    report_mail,
)
from compiler.queue_of_programs import ProgramQueue, is_too_late
from compiler.repeated_failures import EngineFailures
from compiler.waiting_programs import tell
from contest.config.settings import Settings
from contest.errors import EngineFailed, HostBusy, KnobelnError, ToolMissing
from contest.interfaces.protocols import (
    BuildResult,
    Renderer,
    Serializable,
    to_organizer,
)
from contest.language import speaking
from contest.model import (
    Submission,
    Team,
    Wait,
    WaitingProgram,
)
from contest.util.clock import Clock
from contest.util.log import log
from store import (
    Store,
    Transaction,
    contest_state,
    languages,
    outbox,
    submissions,
    teams,
)
from store.claimant import Claimant
from store.claims import HOPELESS, Claims
from store.engine_failures import MAX_FAILURES, MAX_WHEN_BUSY, work_on


@dataclass(frozen=True)
class CompileService:
    """`accepted` is called with the digest of each program whose report is queued."""

    store: Store
    settings: Settings
    clock: Clock
    builder: ProgramBuilder[Any]
    renderer: Renderer
    failures: EngineFailures
    claimant: Claimant = field(default_factory=Claimant)
    accepted: Callable[[str], None] = lambda digest: None

    def build_next(self, *, at_once: bool = False) -> bool:
        """Build the submission whose turn it is. False: none waits, or others build those that do.

        A team that has used up its compilations of the last hour waits, unless `at_once` (before
        the contest starts). Raises StoreBusy, or EngineFailed at the first failures with a
        submission, which stays in the queue.
        """
        submission = self._queue.claim(at_once)
        if submission is None:
            return False
        with self._claims.kept(self.store, submission.id) as is_hopeless:
            if is_hopeless:
                self._set_aside(submission, HOPELESS)
            else:
                self._build(submission)
        return True

    def try_languages(self) -> bool:
        """Try the languages that programs wait for, and note which languages teams can use here.

        True: a language works again, so its programs are in the queue.
        """
        with self.store.read() as tx:
            is_new = not self.builder.offered() <= languages.offered(tx)
            waiting = languages.waiting(tx)
        if is_new:
            with self.store.write() as tx:
                languages.offer(tx, self.builder.offered())
        is_mended = False
        for each in waiting:
            if not self._why_lost(each.language):
                with self.store.write() as tx:
                    is_mended |= languages.works_again(tx, each.language, self.clock.now())
        return is_mended

    def _why_lost(self, language: str) -> str:
        """Return why this host cannot build the language; "" if it can."""
        try:
            self.builder.try_language(language)
        except ToolMissing as missing:
            return str(missing)
        return ""

    def _build(self, submission: Submission) -> None:
        with self.store.read() as tx:
            team = teams.get(tx, submission.team_id)
        try:
            with speaking(team.language or self.settings.contest.language):
                result = self._built(submission)
                self._keep(submission, result)
            if result.report.image_digest:
                self.accepted(result.report.image_digest)
            log.info("program", letter=submission.letter_id, accepted=result.report.accepted)
        except EngineFailed as error:
            is_aside = self.failures.of_program(error) >= MAX_FAILURES
            if not is_aside and not self._is_hopeless(submission, self._most(error)):
                raise
            self._set_aside(submission, traceback.format_exc(), error if is_aside else None)
        except ToolMissing:
            language = self.builder.language_of(submission.files)
            if reason := self._why_lost(language):
                self._wait_for(submission, language, reason)
            elif self._is_hopeless(submission):  # not its language: the program itself
                self._set_aside(submission, traceback.format_exc())
        except KnobelnError:
            raise
        except Exception:
            self._set_aside(submission, traceback.format_exc())

    def _built(self, submission: Submission) -> BuildResult[Any]:
        """Return the build. Raises ToolMissing if the refusal may be this host's fault and not the
        program's."""
        result = self.builder.build(submission.files, submission.description)
        if not result.image:
            with self.store.read() as tx:
                offered = languages.offered(tx)
            self.builder.check_host(submission.files, offered)
        return result

    def _is_hopeless(self, submission: Submission, most: int = MAX_FAILURES) -> bool:
        """Count one more failure of our machinery with the submission. True: it is not tried
        again."""
        return self.failures.of_task(work_on(submission.id)) >= most

    def _most(self, error: EngineFailed) -> int:
        """After how many such failures a program is set aside. While there is time, one waits for a
        host that is less busy."""
        is_open = not is_too_late(self.settings, self.clock.now())
        return MAX_WHEN_BUSY if isinstance(error, HostBusy) and is_open else MAX_FAILURES

    def _wait_for(self, submission: Submission, language: str, reason: str) -> None:
        """Let the submission wait for its language. The first one that waits is told to the
        organizer."""
        log.error(
            "a program waits for its language",
            submission=submission.id,
            language=language,
            why=reason,
        )
        now = self.clock.now()
        with self.store.write() as tx:
            if languages.wait_for(tx, submission.id, language, reason, now):
                text = self.renderer.render("programs_wait", language=language, reason=reason)
                mail = to_organizer(
                    self.settings, f"waiting/{submission.id}", "programs_wait", text
                )
                outbox.put(tx, mail, self.settings, now)

    @property
    def _claims(self) -> Claims:
        return submissions.claims(self.claimant, self.clock)

    @property
    def _queue(self) -> ProgramQueue:
        return ProgramQueue(self.store, self.settings, self.clock, self._claims, self._replace)

    def _keep(self, submission: Submission, result: BuildResult[Serializable]) -> None:
        """Keep build and report in one transaction, with the team's new place on the ladder, if
        any.

        The missing win rates are known only once the build is in the database, and computing them
        takes too long to keep others waiting. So we roll back, compute them, and store the build
        again.
        """
        rates: dict[DigestPair, float] = {}
        while True:
            try:
                with self.store.write() as tx:
                    self._keep_in(tx, submission, result, rates)
                return
            except RatesMissing as missing:
                if self.builder.win_rates is None:
                    raise
                workers = self.settings.tournament.workers
                rates |= self.builder.win_rates(missing.images, missing.pairs, workers)

    def _keep_in(
        self,
        tx: Transaction,
        submission: Submission,
        result: BuildResult[Serializable],
        rates: Mapping[DigestPair, float],
    ) -> None:
        """Write what follows from the build: program, ladder, ledger, mail."""
        settings, now = self.settings, self.clock.now()
        previous = submissions.latest_good(tx, submission.team_id)
        team = teams.get(tx, submission.team_id)
        rank_before = rank_of(tx, settings, team)
        image = result.image.to_bytes() if result.image else None
        if not submissions.add_build(
            tx, submission.id, report=result.report, image=image, now=now, program=result.program
        ):
            return  # another process was quicker and has queued its report
        built = Built(submission, team, result, previous, is_too_late(settings, now))
        place = place_of(tx, settings, team, rates, rank_before) if result.image else None
        if built.is_closed and result.image:
            self._replace(tx, submissions.queued_before(tx, submission), team)
        receipt, digest = record(tx, built.effect, submission, team, self.builder)
        mail = report_mail(
            tx,
            built,
            place=place,
            receipt=receipt,
            digest=digest,
            settings=settings,
            renderer=self.renderer,
        )
        outbox.put(tx, mail, settings, now)

    def _replace(self, tx: Transaction, old: Sequence[int], team: Team) -> None:
        replace_programs(tx, old, team, self.builder)

    def _set_aside(
        self, submission: Submission, trace: str, error: EngineFailed | None = None
    ) -> None:
        """`error`: with the program, if our engine fails with it alone."""
        log.error("a program was set aside", submission=submission.id, trace=trace)
        with self.store.write() as tx:
            is_aside = submissions.set_aside(tx, submission.id)
            if is_aside and error:
                self.failures.tell(tx, teams.get(tx, submission.team_id), error, submission.number)
            text = (
                f"submission {submission.id} broke the compile service and was set aside:\n{trace}"
            )
            contest_state.note(tx, "compiler", text, self.clock.now())
        if is_aside and not error:
            self._tell_set_aside(submission)

    def _tell_set_aside(self, submission: Submission) -> None:
        """For this a transaction of its own: it may be the templates that fail."""
        program = WaitingProgram(
            submission=submission.id,
            team=submission.team_id,
            number=submission.number,
            since=submission.received_at,
            reply_to=submission.reply_to,
            waits_for=Wait.ORGANIZER,
        )
        with self.store.write() as tx:
            tell(tx, program, self.settings, self.renderer, self.clock.now())
