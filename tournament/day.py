"""The contest day as a state machine. The store holds what has happened; `run` goes on from there.

    what the store holds                    what happens next, each line one transaction
    ------------------------------------    ----------------------------------------------------
    phase open                              settings and entries are frozen; LAP mails, list of
                                            entries
    the public number is missing            nothing: it comes from outside (NumberAwaited)
    all rounds finished                     the next round is drawn, or the contest is finished
    a group drawn, not started              it is started; LGP mails
    a group started, not finished           it is played (no transaction), then its games, its
                                            ranking, what decided everybody's worst game, and its
                                            DGP, GRP, GRG and GRR mails are kept together
    all groups of the last round finished   how sure the ranking is (no transaction), then it is
                                            kept
    all groups of a round finished          the round is finished, in the final with the
                                            evolution; BRK, OWN and RSM mails; the last may wait
                                            for the organizer's words

After a kill at any point the unfinished step is done again, from the same seeds and with the same
results. A mail that was queued before is recognised by its key.

The organizer changes the store from other processes, and every transaction looks at these
decisions. While the contest is paused nothing new is started (Paused). A banned team plays no games
from then on. Results that no longer hold are dropped: somebody was banned or a program was set
aside meanwhile, or the round is to be played again. The day goes on from what the store holds.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

from contest.config.settings import Settings, without_secrets
from contest.errors import NotFound, NotNow, NumberAwaited, Paused
from contest.games.game import KindOfPlay
from contest.games.registry import game_of
from contest.interfaces.events import (
    ContestStarted,
    Event,
    GroupStarted,
    RoundFinished,
    RoundPlayed,
)
from contest.interfaces.protocols import Images, Reporter, RunnerFactory
from contest.model import (
    Certainty,
    GroupOutcome,
    GroupPlan,
    Pause,
    Phase,
    RoundOutcome,
    RoundPlan,
    Standing,
    Team,
)
from contest.seeds import Seeds
from contest.util.clock import Clock
from contest.util.plurals import plural
from sandbox.executable import ASIDE, ASIDE_DIGEST, without
from store import (
    Store,
    Transaction,
    decisions,
    engine_failures,
    ledger,
    outbox,
    results,
    submissions,
    teams,
)
from store import contest_state as contest_store
from store.results import Games, GroupState
from tournament.certainty import Watcher, certainty, default_contests, why_unknown
from tournament.derived_settings import format_of, frozen_settings
from tournament.evolution import evolve, score_matrix
from tournament.field import Field, field_of
from tournament.group_workers import (
    FrozenContest,
    GroupJob,
    GroupResult,
    Mark,
    OpenWorkers,
    Workers,
    mark_of,
    marked,
    open_workers,
)
from tournament.rounds import rounds
from tournament.runners import open_runner, runner_of
from tournament.seal_entries import seal_entries


class Spectator(Watcher):
    """Watches the contest day; this one does nothing."""

    def round_drawn(self, plan: RoundPlan) -> None:
        """Also of a round that goes on after an interruption."""

    def games_played(self, games: int) -> None:
        """`games` more were played in a group; called from any thread."""

    def group_finished(self, outcome: GroupOutcome) -> None:
        """Its result is stored."""

    def playing_with_other_chance(self, contests: int, rounds: int) -> None:
        """The number of contests that are played after the last round, to tell how sure the ranking
        is, and the rounds of each, if it is as long as this one."""


class PlayedAhead(NamedTuple):
    """A group that is played before its round is drawn, and its result to come."""

    job: GroupJob
    result: Future[GroupResult]


class StaleState(Exception):
    """The organizer has changed the premises of this step: look at the store again."""


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Collect garbage after 50,000 new objects: Python's usual 700 cost a contest day a tenth of
    its time."""
    usual = gc.get_threshold()
    gc.set_threshold(50_000)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class ContestDay:
    """Plays the contest of one store from wherever it is to its end."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        reporter: Reporter,
        spectator: Spectator,
        make_runner: RunnerFactory = open_runner,
        open_workers: OpenWorkers = open_workers,
        redraws: int | None = None,
    ) -> None:
        """`redraws`: at most so many contests with other random numbers tell how sure the ranking
        is; None: as many as is usual."""
        self._store = store
        self._settings = settings
        self._clock = clock
        self._reporter = reporter
        self._spectator = spectator
        self._make_runner = make_runner
        self._open_workers = open_workers
        self._redraws = redraws
        # The first groups of a round that is not drawn yet, by its number and theirs.
        self._ahead: dict[tuple[int, int], PlayedAhead] = {}
        # A round that was played does not change, unless the organizer orders it to be played
        # again.
        self._past: dict[tuple[int, int, Games], RoundOutcome] = {}

    @_rarely_collected()
    def run(self) -> None:
        """Play on to the end of the contest. It can be run again after any error.

        Raises NotNow when nobody takes part, Paused when the contest is paused, NumberAwaited as
        long as the public number is missing, EngineFailed after repeated failures of our machinery.
        """
        self._start()
        with self._store.read() as tx:
            if contest_store.state(tx).seed.is_open:
                raise NumberAwaited(
                    "the list of entries is final, and the public number is not known yet"
                )
        with self._open_workers(self._contest, self._spectator.games_played) as workers:
            self._ahead = {}
            while not self._is_over():
                with suppress(StaleState):
                    self._play_next_round(workers)

    @cached_property
    def _contest(self) -> FrozenContest:
        """For use after the start."""
        with self._store.read() as tx:
            frozen = frozen_settings(contest_store.started_settings(tx), self._settings)
            return FrozenContest(
                settings=frozen,
                mail=self._settings,
                secret=contest_store.secret(tx),
                clock=self._clock,
                seeds=Seeds(contest_store.state(tx).seed.value),
                format=format_of(frozen),
                entries={entry.name: entry for entry in submissions.all_entries(tx)},
                teams=submissions.participants(tx),
                reporter=self._reporter,
                make_runner=self._make_runner,
            )

    @cached_property
    def _play(self) -> KindOfPlay:
        """For use after the start."""
        settings = self._contest.settings
        return game_of(settings.game, settings.programs).info.play

    def _play_next_round(self, workers: Workers) -> None:
        """Raises StaleState."""
        drawn = self._next_round()
        if drawn is None:
            return
        self._play_groups(workers, drawn)
        self._tell_certainty(drawn.plan)
        if workers.are_processes:
            self._play_ahead(workers, drawn.plan)
        self._finish_round(drawn.plan)

    def _is_over(self) -> bool:
        with self._store.read() as tx:
            return contest_store.state(tx).phase is Phase.FINISHED

    # --- the start --------------------------------------------------------------------------------
    def _start(self) -> None:
        with self._store.write() as tx:
            state = contest_store.state(tx)
            if state.phase is not Phase.OPEN:
                return
            self._must_go_on(tx)
            now = self._clock.now()
            entries = submissions.freeze(tx)
            if not entries:
                raise NotNow("no team has a program that compiled: there is nobody to play")
            most = game_of(self._settings.game, self._settings.programs).info.max_seats
            if format_of(self._settings).seats is None and len(entries) > most:
                raise NotNow(
                    f"{len(entries)} programs take part, but at most {most} can play at once"
                )
            contest_store.start(tx, without_secrets(self._settings), now)
            sealed = seal_entries(tx, self._settings, self._reporter, now, is_final=True).list
            event = ContestStarted(
                teams=submissions.participants(tx),
                without_program=_without_program(tx),
                seed=contest_store.state(tx).seed,
                sealed=sealed,
            )
            contest_store.note(
                tx, "run", f"the contest started with {plural(len(entries), 'program')}", now
            )
            self._queue(tx, 0, event)

    # --- rounds -----------------------------------------------------------------------------------
    def _next_round(self) -> RoundOutcome | None:
        """The round that is being played, or else a new one. None when the contest is decided and
        therefore finished."""
        with self._store.write() as tx:
            self._must_go_on(tx)
            rounds, played = results.count_rounds(tx)
            if played < rounds:
                return results.drawn_round(tx, rounds)
            now = self._clock.now()
            drawn = self._drawn(tx, self._history(tx, played))
            if drawn is None:
                contest_store.finish(tx, now)
                contest_store.note(tx, "run", "the contest is finished", now)
                return None
            results.add_round(tx, drawn, now)
            text = f"round {drawn.number} was drawn: {plural(len(drawn.groups), 'group')}"
            contest_store.note(tx, "run", text, now)
            return RoundOutcome(drawn, ())

    def _play_groups(self, workers: Workers, drawn: RoundOutcome) -> None:
        """Play the groups of the round in order, but for the finished ones; while results of one
        are stored, the next are already being played.

        A group is started when exactly so many before it are not finished, so that the mails are in
        the same order however fast the workers are. Only if the contest is paused before a group
        starts, those before it are finished without it.
        """
        self._spectator.round_drawn(drawn.plan)
        for outcome in drawn.groups:
            self._spectator.group_finished(outcome)
        done = {outcome.plan.number for outcome in drawn.groups}
        waiting = [group for group in drawn.plan.groups if group.number not in done]
        running: deque[Future[GroupResult]] = deque()
        for group in waiting:
            try:
                job = self._start_group(group, drawn.plan.final)
            except Paused:
                self._finish_groups(workers, running)
                raise
            running.append(self._submit(workers, job))
            self._finish_groups(workers, running, leave=workers.ahead)
        self._finish_groups(workers, running)

    def _play_ahead(self, workers: Workers, plan: RoundPlan) -> None:
        """Let the first groups of the next round be played while the mails about this one are
        written. The store hears nothing of it: their results are taken if the groups are drawn and
        started as they are now."""
        with self._store.read() as tx:
            _must_be_complete(tx, plan)
            history = self._history(tx, plan.number, self._known(plan))
            drawn = None if plan.final else self._drawn(tx, history)
            if drawn is None:
                return
            jobs = [self._job(tx, group, drawn.final) for group in drawn.groups[: workers.ahead]]
        self._ahead = {
            (job.plan.round, job.plan.number): PlayedAhead(job, workers.submit(job)) for job in jobs
        }

    def _submit(self, workers: Workers, job: GroupJob) -> Future[GroupResult]:
        """The result to come of a group that has been started."""
        ahead = self._ahead.pop((job.plan.round, job.plan.number), None)
        return ahead.result if ahead and ahead.job == job else workers.submit(job)

    def _start_group(self, group: GroupPlan, final: bool) -> GroupJob:
        """Members who are banned play no games in it; a game of all is played without them.
        Programs that are set aside are not asked.

        Raises Paused, and StaleState if the group is no longer as it was drawn.
        """
        with self._store.write() as tx:
            self._must_go_on(tx)
            if results.progress(tx, group) not in (GroupState.DRAWN, GroupState.STARTED):
                raise StaleState
            job = self._job(tx, group, final)
            if results.start_group(tx, group, self._clock.now()):
                event = GroupStarted(
                    teams=self._contest.teams, plan=group, out=job.banned, final=final
                )
                self._queue(tx, group.round, event)
            if self._contest.format.seats is None:
                job = replace(job, plan=results.seat(tx, group, job.banned))
        # The archives are in the store, so that any host can play.
        runner_of(self._contest.settings).prepare(job.images, partial(archive_of, self._store))
        return job

    def _job(self, tx: Transaction, group: GroupPlan, final: bool) -> GroupJob:
        """What it takes to play the group as the organizer has decided up to now."""
        digests = {name: self._contest.entries[name].image_digest for name in group.members}
        images = submissions.load_images(tx, tuple(digests.values()))
        aside = self._aside(tx, group)
        if aside:  # under a digest of its own, as workers on other hosts keep programs by digest
            digests |= dict.fromkeys(aside, ASIDE_DIGEST)
            images = {**images, ASIDE_DIGEST: ASIDE}
        return GroupJob(
            plan=group,
            final=final,
            banned=_banned(tx, group),
            aside=aside,
            digests=digests,
            images=images,
            mark=_mark(tx, group.round, self._settings),
            seconds=decisions.programs_now(tx, self._contest.settings.programs).seconds,
        )

    def _finish_groups(
        self, workers: Workers, running: deque[Future[GroupResult]], leave: int = 0
    ) -> None:
        """Store the results of all these groups but the last `leave`, in order."""
        while len(running) > leave:
            result = running.popleft().result()
            if workers.are_processes:  # they could not tell
                self._spectator.games_played(len(result.games))
            self._finish_group(result)

    def _finish_group(self, result: GroupResult) -> None:
        outcome = result.outcome
        played_with = result.banned, result.aside
        with self._store.write() as tx:
            is_started = results.progress(tx, outcome.plan) is GroupState.STARTED
            now = _banned(tx, outcome.plan), self._aside(tx, outcome.plan)
            if not is_started or now != played_with:
                raise StaleState
            results.finish_group(tx, outcome, result.games, self._clock.now())
            results.add_worst_games(tx, outcome.plan, result.worst_games)
            outbox.keep_all(tx, result.mails, self._settings, self._clock.now())
        self._spectator.group_finished(outcome)

    def _tell_certainty(self, plan: RoundPlan) -> None:
        """After the contest's last round, compute how sure its ranking is, if anybody can tell it
        and it does not take too long. It changes no result."""
        contest = self._contest
        digests = {name: entry.image_digest for name, entry in contest.entries.items()}
        with self._store.read() as tx:
            _must_be_complete(tx, plan)
            history = self._history(tx, plan.number, self._known(plan))
            if not plan.final and self._drawn(tx, history) is not None:
                return
            images = submissions.load_images(tx, tuple(digests.values()))
            images = without(images, engine_failures.aside(tx))
            if why_unknown(contest.settings, images) is not None:
                return
            field = field_of(contest.settings, contest.format, digests, contest.seeds, history)
            # quick games are not looked at, and are many
            known = history if self._play.is_quick else self._with_all_games(tx, history)
            contests = default_contests(field, known)
            if contests is None:
                return
            played = self._with_all_games(tx, history)
        facts = self._how_sure(field, played, images, contests)
        with self._store.write() as tx:
            _must_be_complete(tx, plan)
            results.set_certainty(tx, facts)

    def _with_all_games(
        self, tx: Transaction, history: Sequence[RoundOutcome]
    ) -> tuple[RoundOutcome, ...]:
        return tuple(
            results.round_outcome(tx, outcome.plan.number, Games.ALL, self._known(outcome.plan))
            for outcome in history
        )

    def _how_sure(
        self, field: Field, played: Sequence[RoundOutcome], images: Images, contests: int
    ) -> Certainty:
        if self._redraws is not None:
            contests = min(contests, self._redraws)
        self._spectator.playing_with_other_chance(contests, len(played))
        settings, seeds = self._contest.settings, self._contest.seeds
        progress = self._spectator.pool_games_played
        with self._make_runner(images, settings, seeds, progress) as runner:
            return certainty(field, played, contests, runner, self._spectator)

    def _finish_round(self, plan: RoundPlan) -> None:
        with self._store.write() as tx:
            self._must_go_on(tx)
            if results.is_played(tx, plan.number) or not results.is_complete(tx, plan.number):
                raise StaleState
            known = self._known(plan)
            before = self._history(tx, plan.number, known)
            is_last = plan.final or self._drawn(tx, before) is None
            final = plan.final or (is_last and self._contest.format.ends_in_final(plan))
            results.finish_round(tx, plan.number, final, self._clock.now())
            evolved = None
            if final and self._contest.settings.evolution.enabled:
                outcome = results.round_outcome(tx, plan.number, Games.ALL)
                evolved = evolve(score_matrix(outcome.groups[0]), self._contest.settings.evolution)
                results.set_evolution(tx, evolved)
            history, ranking = self._played(tx, plan.number, is_last, known)
            teams = self._contest.teams
            event = RoundPlayed(teams=teams, history=history, ranking=ranking, evolution=evolved)
            self._queue(tx, plan.number, event)
            if self._settings.reports.summary == "automatic" or results.words_of(tx, plan.number):
                self._report_round(tx, plan.number, history, ranking)
            else:
                text = (
                    f"the summary of round {plan.number} waits for your words: "
                    f"knobeln run summary {plan.number} FILE"
                )
                contest_store.note(tx, "run", text, self._clock.now())

    def report_round(self, tx: Transaction, number: int) -> int:
        """Queue the summary (RSM) of a played round, with the organizer's words. Returns the number
        of mails.

        Raises NotFound if the round is not finished, NotNow if the summary went out before.
        """
        if not results.is_played(tx, number):
            raise NotFound(f"round {number} has not been played to its end")
        if number not in results.unreported_rounds(tx):
            raise NotNow(f"the summary of round {number} has gone out")
        drawn, _ = results.count_rounds(tx)
        is_last = number == drawn and self._drawn(tx, self._history(tx, number)) is None
        return self._report_round(tx, number, *self._played(tx, number, is_last))

    def _report_round(
        self,
        tx: Transaction,
        number: int,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
    ) -> int:
        final = history[-1].plan.final
        event = RoundFinished(
            teams=self._contest.teams,
            without_program=_without_program(tx),
            history=history,
            ranking=ranking,
            evolution=results.get_evolution(tx) if final else None,
            words=results.words_of(tx, number) or "",
            seed=contest_store.state(tx).seed if ranking else None,
            certainty=results.get_certainty(tx) if ranking else None,
            worst_games=results.get_worst_games(tx) if ranking else {},
        )
        results.mark_reported(tx, number, self._clock.now())
        return self._queue(tx, number, event)

    def _played(
        self,
        tx: Transaction,
        number: int,
        is_last: bool,
        known: Mapping[int, GroupPlan] | None = None,
    ) -> tuple[Sequence[RoundOutcome], Sequence[Standing]]:
        """The rounds up to this one, and, if it was the contest's last, the contest's ranking."""
        history = self._history(tx, number, known)
        return history, self._contest.format.ranking(history) if is_last else ()

    def _history(
        self, tx: Transaction, number: int, known: Mapping[int, GroupPlan] | None = None
    ) -> tuple[RoundOutcome, ...]:
        """The rounds up to this one, with the games that formats and reports look at. `known`: the
        last round's groups by number, if the caller has them."""
        which = Games.ALL if self._contest.format.seats is None else Games.FAILED
        return tuple(
            self._round(tx, earlier, which, known if earlier == number else None)
            for earlier in range(1, number + 1)
        )

    def _round(
        self,
        tx: Transaction,
        number: int,
        which: Games,
        known: Mapping[int, GroupPlan] | None = None,
    ) -> RoundOutcome:
        key = (number, results.times_ordered(tx, number), which)
        if key in self._past:
            return self._past[key]
        outcome = results.round_outcome(tx, number, which, known)
        if results.is_played(tx, number):
            self._past[key] = outcome
        return outcome

    def _queue(self, tx: Transaction, number: int, event: Event) -> int:
        """Queue the mails about an event of a round (0 = the start). Returns their number.

        Their receipts cover what the ledger has by then, such as the public number and bans.
        """
        receipt = ledger.newest_without_letter(tx)
        mails = (replace(mail, receipt=receipt) for mail in self._reporter.mails(event))
        return outbox.put_all(
            tx, marked(mails, _mark(tx, number, self._settings)), self._settings, self._clock.now()
        )

    def _must_go_on(self, tx: Transaction) -> None:
        """Raises Paused if the contest is. A pause whose time is over ends here."""
        pause, now = decisions.paused(tx), self._clock.now()
        if pause is None:
            return
        if not pause.is_over(now):
            raise Paused(pause_text(pause))
        decisions.resume(tx)
        contest_store.note(tx, "resume", "the run goes on by itself, as its pause is over", now)

    def _aside(self, tx: Transaction, group: GroupPlan) -> frozenset[str]:
        """The members whose programs are set aside, because our engine fails with them."""
        aside = engine_failures.aside(tx)
        return frozenset(
            name for name in group.members if self._contest.entries[name].image_digest in aside
        )

    def _known(self, plan: RoundPlan) -> Mapping[int, GroupPlan]:
        """The round's groups by number, which need not be read again.

        None of a game of all: the banned were taken out of its plan.
        """
        return (
            {}
            if self._contest.format.seats is None
            else {group.number: group for group in plan.groups}
        )

    def _drawn(self, tx: Transaction, history: Sequence[RoundOutcome]) -> RoundPlan | None:
        contest, bans = self._contest, decisions.all_bans(tx)
        return next(
            rounds(contest.format, tuple(contest.entries), contest.seeds, history, lambda: bans),
            None,
        )


def archive_of(store: Store, digest: str) -> bytes:
    """The archive of a container image, as a team mailed it. Raises NotFound."""
    with store.read() as tx:
        return submissions.archive_of(tx, digest)


def pause_text(pause: Pause) -> str:
    """The sentence about a pause for the organizer."""
    by_itself = f" by itself at {pause.until:%H:%M} UT, or" if pause.until else ""
    return (
        f"the contest is paused since {pause.since:%Y-%m-%d %H:%M} UT: {pause.reason}; it goes"
        f" on{by_itself} after `knobeln run resume`"
    )


def _mark(tx: Transaction, number: int, settings: Settings) -> Mark:
    """The mark of mails about this round: a round that is played again has new mails."""
    again = results.times_ordered(tx, number)
    mark = mark_of(tx, settings)
    return mark._replace(prefix=f"{mark.prefix}again/{again}/") if again else mark


def _banned(tx: Transaction, group: GroupPlan) -> frozenset[str]:
    return frozenset(decisions.all_bans(tx)) & frozenset(group.members)


def _without_program(tx: Transaction) -> tuple[Team, ...]:
    """The registered teams that take no part because none of their programs was accepted."""
    banned = decisions.all_bans(tx)
    return tuple(team for team in teams.without_entry(tx) if team.name not in banned)


def _must_be_complete(tx: Transaction, plan: RoundPlan) -> None:
    """Raises StaleState unless all groups of the round have finished: it is to be played again."""
    if not results.is_complete(tx, plan.number):
        raise StaleState
