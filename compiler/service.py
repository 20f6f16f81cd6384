"""The compile service: takes the mailed programs from the queue, builds them, and queues the reports.

A build and its report are one transaction; a program that was being compiled when the power went is compiled
again. What is wrong with a program is its team's report; what is wrong with us sets the program aside for the
organizer, and the queue goes on.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from compiler.build_result import Builder, BuildResult, Serializable
from compiler.leaderboard import Pairs, rates_of
from contest.clock import Clock
from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.log import log
from contest.model import BoardPlace, Outgoing, Submission, Team, TeamState
from contest.protocols import CompileReporter
from contest.store import Store, Transaction, contest_state, leaderboard, outbox, submissions, teams
from contest.store.leaderboard import Entrant
from sandbox.sandbox import Sandbox
from sandbox.vm.image import Image
from sandbox.vm.translation import NotTranslated, translations


class _RatesMissing(Exception):
    """Our transaction must roll back: there are win rates to be computed first."""

    def __init__(self, pairs: Pairs, images: Mapping[str, bytes]) -> None:
        super().__init__(f"{len(pairs)} win rates")
        self.pairs = pairs
        self.images = images


@dataclass(frozen=True)
class CompileService:
    store: Store
    settings: Settings
    clock: Clock
    build: Builder
    write_report: CompileReporter

    def build_next(self, *, at_once: bool = False) -> bool:
        """Build the program whose turn it is. False: none waits.

        A team that has had its number of compilations in the last hour rests, unless `at_once` (before the
        contest starts). Raises ToolMissing, EngineFailed or StoreBusy, with the program still in the queue.
        """
        with self.store.read() as tx:
            if not submissions.waiting_teams(tx):
                return False
        with self.store.write() as tx:
            submission = self._next(tx, at_once)
        if submission is None:
            return False
        try:
            built = self.build(submission.files, submission.description)
            self._translate(built)
            self._keep(submission, built)
            log.info("program", letter=submission.letter_id, accepted=built.report.accepted)
        except KnobelnError:
            raise
        except Exception:
            self._set_aside(submission, traceback.format_exc())
        return True

    def _next(self, tx: Transaction, at_once: bool) -> Submission | None:
        """Whose turn it is: of the teams that wait, the one that has had least (S22)."""
        limit = self.settings.programs.max_compiles_per_hour
        now = self.clock.now()
        built = submissions.built_between(tx, now - timedelta(hours=1), now)
        waiting = submissions.waiting_teams(tx)
        able = [team_id for team_id in waiting if at_once or built.get(team_id, 0) < limit]
        if not able:
            return None
        chosen = min(able, key=lambda team_id: built.get(team_id, 0))
        queue = submissions.queued_of(tx, chosen)
        if built.get(chosen, 0) + len(queue) <= limit:
            return submissions.get(tx, queue[0])
        submissions.replace(tx, queue[:-1])  # too many for an hour: only the newest is worth the work
        return submissions.get(tx, queue[-1])

    def _translate(self, built: BuildResult[Serializable]) -> None:
        """So that contest day finds the program as native code; without it, the interpreter plays."""
        if not isinstance(built.image, Image):
            return
        try:
            translations().add(built.image, Sandbox(self.settings.jail))
        except NotTranslated as reason:
            log.warning("a program stays without native code", image=built.image.digest, reason=str(reason))

    def _keep(self, submission: Submission, built: BuildResult[Serializable]) -> None:
        """Build and report in one transaction; in a contest that is computed, with the team's new place.

        Which win rates are missing shows when the build is in its place; they take too long to let everybody
        else wait for them. So it is taken back, they are computed, and it is put there again.
        """
        rates: dict[tuple[str, str], float] = {}
        while True:
            try:
                with self.store.write() as tx:
                    self._keep_in(tx, submission, built, rates)
                return
            except _RatesMissing as lacking:
                workers = self.settings.tournament.workers
                rates |= rates_of(lacking.pairs, lacking.images, workers)

    def _keep_in(
        self,
        tx: Transaction,
        submission: Submission,
        built: BuildResult[Serializable],
        rates: Mapping[tuple[str, str], float],
    ) -> None:
        now = self.clock.now()
        previous = submissions.latest_good(tx, submission.team_id)
        image = built.image.to_bytes() if built.image else None
        if not submissions.add_build(tx, submission.id, built.report, image, now, built.program):
            return  # another process was quicker; its report is on the way
        team = teams.get(tx, submission.team_id)
        place = _place(tx, team, rates) if built.report.goal and built.image else None
        outbox.put(tx, self._mail(tx, team, submission, built, previous, place), self.settings, now)

    def _mail(
        self,
        tx: Transaction,
        team: Team,
        submission: Submission,
        built: BuildResult[Serializable],
        previous: Submission | None,
        place: BoardPlace | None,
    ) -> Outgoing:
        text = self.write_report(
            team.name,
            submission.number,
            built.report,
            previous_good=previous.number if previous else None,
            repairs=submissions.repairs_of(tx, submission.id),
            replaced=submissions.replaced_by(tx, submission),
            place=place,
        )
        return Outgoing(
            key=f"compile report/{submission.id}",
            kind="compile report",
            to=team.address,
            subject=text.subject,
            body=text.body,
            team_id=team.id,
            in_reply_to=submissions.reply_to_of(tx, submission.id),
            letter_id=submission.letter_id,
        )

    def _set_aside(self, submission: Submission, trace: str) -> None:
        log.error("a program was set aside", submission=submission.id, trace=trace)
        with self.store.write() as tx:
            submissions.set_aside(tx, submission.id)
            text = f"submission {submission.id} broke the compile service and was set aside:\n{trace}"
            contest_state.note(tx, "compiler", text, self.clock.now())


def _place(tx: Transaction, team: Team, rates: Mapping[tuple[str, str], float]) -> BoardPlace | None:
    """Where the team stands now, None where it has withdrawn meanwhile.

    Raises _RatesMissing where `rates` (by digests) lack one.
    """
    pairs = leaderboard.missing(tx)
    unknown = [pair for pair in pairs if _digests(pair) not in rates]
    if unknown:
        digests = [digest for pair in unknown for digest in _digests(pair)]
        raise _RatesMissing(unknown, submissions.load_images(tx, digests))
    leaderboard.put(
        tx, {(first.build_id, second.build_id): rates[_digests((first, second))] for first, second in pairs}
    )
    return None if team.state is TeamState.WITHDRAWN else leaderboard.board(tx).place(team.name)


def _digests(pair: tuple[Entrant, Entrant]) -> tuple[str, str]:
    return pair[0].image_digest, pair[1].image_digest
