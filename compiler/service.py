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
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from compiler.builders.base import ProgramBuilder
from compiler.repeated_failures import EngineFailures
from compiler.waiting_programs import tell
from contest.config.settings import Settings
from contest.errors import EngineFailed, HostBusy, KnobelnError, ToolMissing
from contest.games.hog import WIN_RATE_UNIT
from contest.interfaces.protocols import (
    BuildResult,
    Renderer,
    Serializable,
    to_organizer,
    to_team,
)
from contest.ladder_ranking import is_exact, is_ladder_told, rank_in
from contest.language import speaking
from contest.ledger.receipts import Effect, LedgerEntry, Receipt, program_digest
from contest.mail import knobeln_json
from contest.model import (
    Attachment,
    BuildReport,
    LadderEntry,
    LadderGame,
    LadderPlace,
    LadderRank,
    Participation,
    Submission,
    Team,
    Wait,
    WaitingProgram,
)
from contest.model.mail_records import CompileRecord, FindingPlace, QuotedBuild
from contest.util.clock import Clock
from contest.util.log import log
from store import (
    Store,
    Transaction,
    contest_state,
    ladder,
    languages,
    ledger,
    letters,
    outbox,
    participation,
    submissions,
    teams,
)
from store.claimant import Claimant
from store.claims import HOPELESS, Claims
from store.engine_failures import MAX_FAILURES, MAX_WHEN_BUSY, failed_work, work_on
from store.submissions import Waiting

DigestPair = tuple[str, str]


class _RatesMissing(Exception):
    """Rolls our transaction back, because win rates must be computed first."""

    def __init__(self, pairs: Sequence[DigestPair], images: Mapping[str, bytes]) -> None:
        super().__init__(f"{len(pairs)} win rates")
        self.pairs = pairs
        self.images = images


TRIED_WHEN_CLOSED = 3
"""Programs of a team that are compiled when programs are no longer taken, so that nobody can hold
up the list of entries: the newest first, older ones only if it is refused."""


class _Turn(NamedTuple):
    """The team whose program is compiled next.

    `kept`: of its programs the newest ones, which may be compiled; older ones are replaced.
    `newest_first`: whether the newest of these is compiled now, or the oldest.
    """

    team: Waiting
    kept: int
    newest_first: bool

    def of(self, queue: Sequence[int]) -> int:
        """The one that is compiled, of these ids, oldest first."""
        return queue[-1 if self.newest_first else 0]


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
        submission = self._claimed(at_once)
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
        """Why this host cannot build the language; "" if it can."""
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
        """The build. Raises ToolMissing if the refusal may be this host's fault and not the
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
        is_patient = isinstance(error, HostBusy) and not self._is_closed(self.clock.now())
        return MAX_WHEN_BUSY if is_patient else MAX_FAILURES

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

    def _claimed(self, at_once: bool) -> Submission | None:
        """Claim the submission whose turn it is; None: there is none.

        Other processes choose and claim at the same time. If one was quicker, we look at the other
        teams.
        """
        taken: set[int] = set()
        while turn := self._turn(at_once, taken):
            submission = self._claimed_of(turn)
            if submission is not None:
                return submission
            taken.add(turn.team.team_id)
        return None

    def _turn(self, at_once: bool, taken: Collection[int]) -> _Turn | None:
        """Choose, among the waiting teams, the one with the fewest compilations of the last hour,
        or since programs are no longer taken (S22). Images come after all programs: to unpack one
        may take a minute. What our machinery has failed with comes last, when nothing else runs.

        A team whose program is being compiled waits, so that its reports come in order. But with
        `at_once` we compile that program, too, when no other is left: whoever is first stores the
        build.
        """
        now = self.clock.now()
        is_closed = self._is_closed(now)
        limit = self.settings.programs.MAX_COMPILES_PER_HOUR
        since = self.settings.dates.compilation_closes if is_closed else now - timedelta(hours=1)
        with self.store.read() as tx:
            waiting = submissions.waiting_teams(tx, self._claims)
            built = Counter(submissions.built_between(tx, since, now))
            late = self._late(tx, waiting)
        able = [
            each
            for each in waiting
            if each.team_id not in taken and (at_once or is_closed or built[each.team_id] < limit)
        ]
        free = [each for each in able if not each.is_claimed]
        if not free:
            return _Turn(able[0], able[0].programs, is_closed) if able and at_once else None
        chosen = min(
            free, key=lambda each: (each.team_id in late, each.has_image, built[each.team_id])
        )
        kept = self._kept(chosen.programs, built[chosen.team_id], is_closed)
        return _Turn(chosen, kept, is_closed)

    @staticmethod
    def _late(tx: Transaction, waiting: Sequence[Waiting]) -> frozenset[int]:
        """The teams with a program in the queue that our machinery has failed with."""
        failed = failed_work(tx)
        if not failed:
            return frozenset()
        return frozenset(
            team.team_id
            for team in waiting
            if not failed.isdisjoint(map(work_on, submissions.queued_of(tx, team.team_id)))
        )

    def _kept(self, programs: int, already: int, is_closed: bool) -> int:
        """How many of a team's waiting programs may be compiled, if so many were already."""
        if is_closed:
            return max(1, TRIED_WHEN_CLOSED - already)
        return programs if already + programs <= self.settings.programs.MAX_COMPILES_PER_HOUR else 1

    def _is_closed(self, now: datetime) -> bool:
        return now >= self.settings.dates.compilation_closes

    def _claimed_of(self, turn: _Turn) -> Submission | None:
        """Claim the submission of this turn; None: another process was quicker."""
        team_id = turn.team.team_id
        if turn.team.is_claimed:
            with self.store.read() as tx:
                queue = submissions.queued_of(tx, team_id)
                return submissions.get(tx, turn.of(queue)) if queue else None
        with self.store.write() as tx:
            queue = submissions.unclaimed_queue(tx, team_id, self._claims)
            kept = queue[-turn.kept :]
            if not kept or not self._claims.take(tx, turn.of(kept)):
                return None
            self._replace(tx, queue[: -turn.kept], teams.get(tx, team_id))
            return submissions.get(tx, turn.of(kept))

    def _replace(self, tx: Transaction, old: Sequence[int], team: Team) -> None:
        for each in old:
            self._record(tx, Effect.PROGRAM_REPLACED, submissions.get(tx, each), team)
        submissions.replace(tx, old)

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
            except _RatesMissing as missing:
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
        now = self.clock.now()
        previous = submissions.latest_good(tx, submission.team_id)
        team = teams.get(tx, submission.team_id)
        rank_before = _rank_on_ladder(tx, self.settings, team)
        image = result.image.to_bytes() if result.image else None
        if not submissions.add_build(tx, submission.id, result.report, image, now, result.program):
            return  # another process was quicker and has queued its report
        place = _place(tx, self.settings, team, rates, rank_before) if result.image else None
        is_closed = self._is_closed(now)
        if is_closed and result.image:
            self._replace(tx, submissions.queued_before(tx, submission), team)
        effect = Effect.PROGRAM_ACCEPTED if result.image else Effect.PROGRAM_REFUSED
        receipt, digest = self._record(tx, effect, submission, team)
        own = submissions.program_of(tx, team.id)
        text = self.renderer.render(
            "compile_report",
            team=team.name,
            number=submission.number,
            report=result.report,
            previous_good=previous.number if previous else None,
            own=own,
            repairs=submission.repairs,
            replaced=submissions.replaced_by(tx, submission),
            is_closed=is_closed,
            place=place,
            digest=digest,
        )
        mail = replace(
            to_team(team, f"compile report/{submission.id}", "compile report", text),
            in_reply_to=submission.reply_to,
            letter_id=submission.letter_id,
            receipt=receipt,
            attachments=self._json(team, submission, result.report, own.counts),
        )
        outbox.put(tx, mail, self.settings, now)

    def _json(
        self, team: Team, submission: Submission, report: BuildReport, counts: int | None
    ) -> tuple[Attachment, ...]:
        """The report for the team's own programs. `counts`: the version that counts now."""
        if not knobeln_json.is_wanted(team, self.settings):
            return ()
        record = CompileRecord(
            team=knobeln_json.number_of(team),
            number=submission.number,
            accepted=report.accepted,
            counts=counts,
            findings=tuple(
                FindingPlace(each.rule, each.severity, each.line) for each in report.findings
            ),
            trial=report.trial.result.seats[0].verdict if report.trial else None,
            quoted=knobeln_json.quoted(QuotedBuild, self.settings, [team], build=report),
        )
        return (knobeln_json.file(record),)

    def _record(
        self, tx: Transaction, effect: Effect, submission: Submission, team: Team
    ) -> tuple[Receipt, str]:
        """Append what became of the submission to the ledger, with the digest of its published
        files.

        Returns the receipt and the digest.
        """
        letter = letters.digest_of(tx, submission.letter_id)
        program = program_digest(self.builder.published_files(submission.files))
        entry = LedgerEntry(effect, team.name, submission.received_at, letter, program)
        return ledger.append(tx, entry), program

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


def _rank_on_ladder(tx: Transaction, settings: Settings, team: Team) -> LadderRank | None:
    """The rank of the team's version that counts; where games are played, in the newest ranking
    that has all games."""
    if not is_ladder_told(settings):
        return None
    if is_exact(settings):
        return rank_in(ladder.now(tx, settings).lines, team.name)
    newest = ladder.rankings(tx, 1)
    return rank_in(newest[0].lines, team.name) if newest else None


def _place(
    tx: Transaction,
    settings: Settings,
    team: Team,
    rates: Mapping[DigestPair, float],
    before: LadderRank | None,
) -> LadderPlace | None:
    """The place of the team's new version on the ladder; None if there is no ladder, or if the team
    takes no part.

    Raises _RatesMissing where games are computed, and `rates` lack one.
    """
    if not is_ladder_told(settings):
        return None
    if is_exact(settings):
        _compute_games(tx, rates)
    if participation.of_team(tx, team.id) is not Participation.ACTIVE:
        return None
    if is_exact(settings):
        return ladder.now(tx, settings).place(team.name, before)
    return LadderPlace(None, before)


def _compute_games(tx: Transaction, rates: Mapping[DigestPair, float]) -> None:
    """Put the missing games of a ladder that is exact into it. Raises _RatesMissing."""
    pairs = ladder.missing(tx, all_teams=True)
    unknown = [_digests(pair) for pair in pairs if _digests(pair) not in rates]
    if unknown:
        digests = [digest for pair in unknown for digest in pair]
        raise _RatesMissing(unknown, submissions.load_images(tx, digests))
    ladder.delete_outdated_games(tx)
    ladder.put(tx, [_game(pair, rates[_digests(pair)]) for pair in pairs])


def _game(pair: tuple[LadderEntry, LadderEntry], rate: float) -> LadderGame:
    points = round(rate * WIN_RATE_UNIT)
    return LadderGame(pair[0].build_id, pair[1].build_id, (points, WIN_RATE_UNIT - points))


def _digests(pair: tuple[LadderEntry, LadderEntry]) -> DigestPair:
    return pair[0].image_digest, pair[1].image_digest
