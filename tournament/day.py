"""The contest day as a state machine. Whatever happened before is in the store; `run` goes on from there.

    what the store holds                    what happens next, each line one transaction
    ------------------------------------    ----------------------------------------------------------------
    phase open                              settings and entries are frozen; LAP mails
    all rounds finished                     the next round is drawn, or the contest is finished
    a group drawn, not started              it is started; LGP mails
    a group started, not finished           it is played (no transaction), then its games, its ranking and
                                            its DGP, GRP, GRG and GRR mails are kept together
    all groups of a round finished          the round is finished, in the final with the evolution; BRK, OWN
                                            and RSM mails; the last may wait for the organizer's words

Killed at any point, the unfinished step is done again from the same seeds with the same results; a mail
that was queued before is recognised by its key.

The organizer's levers change the store from other processes. Every transaction looks at them: where the
contest is paused nothing new is started (Paused); who is banned plays no games from then on; and what was
played on a premise that no longer holds, because somebody was banned meanwhile or the round was ordered to
be played again, is not kept: the day goes on from what the store holds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Protocol

from contest.clock import Clock
from contest.config.settings import Settings, without_secrets
from contest.errors import GiveUp, NotFound, NotNow, Paused
from contest.games.registry import game_of
from contest.model import (
    Entry,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    Outgoing,
    Pause,
    Phase,
    RoundOutcome,
    RoundPlan,
    Standing,
    Team,
)
from contest.plurals import plural
from contest.protocols import Format, Images, Reporter, RunnerFactory, no_progress
from contest.seeds import Seeds
from contest.store import Store, Transaction, decisions, outbox, results, submissions, teams
from contest.store import contest_state as contest_store
from contest.store.results import DrawnRound, Games, GroupState
from tournament.derived_settings import format_of, frozen_settings, starts_for_each_move
from tournament.evolution import evolve, score_matrix
from tournament.group_workers import (
    Contest,
    GroupWorkerPool,
    Played,
    Started,
    Tables,
    crew_for,
    is_large,
    marked,
    open_tables,
)
from tournament.runners import open_runner
from tournament.standings import banned_in
from tournament.statistics import replay_final, score_table

_AHEAD = 1
_AHEAD_IF_LARGE = 4
"""So many groups are started before the one in front of them is finished; a pause waits for all of them."""


class Spectator(Protocol):
    """Is told what happens, as it happens."""

    def round_drawn(self, plan: RoundPlan) -> None: ...

    def games_played(self, games: int) -> None:
        """So many more, in a group that is being played; from any thread."""

    def group_finished(self, outcome: GroupOutcome) -> None: ...

    def evolution_finished(self, outcome: EvolutionOutcome) -> None: ...


class StaleState(Exception):
    """The organizer has changed what this step was about: look at the store again."""


@dataclass(frozen=True)
class _Field:
    """What stays the same for the whole day."""

    settings: Settings
    seeds: Seeds
    format: Format
    entries: Mapping[str, Entry]
    teams: Mapping[str, Team]


_History = tuple[tuple[RoundOutcome, ...], tuple[Standing, ...]]
"""The rounds that were played, and the contest's ranking, () before its end."""


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
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._reporter = reporter
        self._spectator = spectator
        self._make_runner = make_runner
        # Rounds that were played stay as they are, unless they are ordered to be played again.
        self._past: dict[tuple[int, int, Games], RoundOutcome] = {}

    def run(self) -> None:
        """Play on to the end of the contest. Raises NotNow when there is nobody to play, Paused when it is
        paused, EngineFailed after repeated failures of ours; in each case it can be run again."""
        with self._store.read() as tx:
            number = teams.count(tx)
        with (
            crew_for(self._settings, number, self._reporter, self._make_runner) as worker_pool,
        ):
            self._start()
            self._play(worker_pool)

    def _play(self, worker_pool: GroupWorkerPool | None) -> None:
        with self._store.read() as tx:
            field = _field(tx, self._settings)
        with open_tables(self._contest(field), worker_pool, self._spectator.games_played) as tables:
            while not self._is_over():
                try:
                    drawn = self._next_round(field)
                    if drawn is not None:
                        self._play_round(field, tables, *drawn)
                        self._replay_final(field, drawn[0])
                        self._finish_round(field, drawn[0])
                except StaleState:
                    continue

    def _contest(self, field: _Field) -> Contest:
        return Contest(
            field.settings,
            self._settings,
            self._clock,
            field.seeds,
            field.format,
            field.teams,
            self._reporter,
            self._make_runner,
        )

    def _is_over(self) -> bool:
        with self._store.read() as tx:
            return contest_store.state(tx).phase is Phase.FINISHED

    # --- the start --------------------------------------------------------------------------------------
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
            _must_seat(format_of(self._settings), self._settings, len(entries))
            contest_store.start(tx, without_secrets(self._settings), now)
            playing = submissions.participants(tx)
            out = decisions.all_bans(tx)
            idle = [t for t in teams.present(tx) if t.name not in playing and t.name not in out]
            contest_store.note(tx, "run", f"the contest started with {plural(len(entries), 'program')}", now)
            self._queue(tx, 0, self._reporter.contest_started(playing, idle, Seeds(state.seed).commitment))

    # --- rounds -----------------------------------------------------------------------------------------
    def _next_round(self, field: _Field) -> DrawnRound | None:
        """The round that is being played, or else a newly drawn one. None when the contest is decided: then
        it is finished."""
        with self._store.write() as tx:
            self._must_go_on(tx)
            rounds, played = results.count_rounds(tx)
            if played < rounds:
                return results.drawn_round(tx, rounds)
            now = self._clock.now()
            drawn = _drawn(tx, field, self._history(tx, field, played))
            if drawn is None:
                contest_store.finish(tx, now)
                contest_store.note(tx, "run", "the contest is finished", now)
                return None
            results.add_round(tx, drawn, now)
            text = f"round {drawn.number} was drawn: {plural(len(drawn.groups), 'group')}"
            contest_store.note(tx, "run", text, now)
            return DrawnRound(drawn, ())

    def _play_round(
        self, field: _Field, tables: Tables, plan: RoundPlan, finished: Sequence[GroupOutcome]
    ) -> None:
        self._spectator.round_drawn(plan)
        for outcome in finished:
            self._spectator.group_finished(outcome)
        done = {outcome.plan.number for outcome in finished}
        waiting = [group for group in plan.groups if group.number not in done]
        for played in self._played_groups(field, tables, waiting, plan.final):
            self._finish_group(field, played)

    def _played_groups(
        self, field: _Field, tables: Tables, groups: Sequence[GroupPlan], final: bool
    ) -> Iterator[Played]:
        """The groups in order; the next ones are already played while the results of the last are kept.

        A group is started when so many before it are not finished, never sooner or later, so that the mails
        stand in the same order however fast the tables are. Only where the contest is paused before it is
        started, those before it are finished without it.
        """
        ahead = _AHEAD_IF_LARGE if is_large(field.settings, len(field.teams)) else _AHEAD
        coming: deque[Future[Played]] = deque()
        for place, group in enumerate(groups):
            try:
                coming.append(tables(self._start_group(field, group, len(groups) - place, final)))
            except Paused:
                yield from _results(coming)
                raise
            if len(coming) > ahead:
                yield coming.popleft().result()
        yield from _results(coming)

    def _start_group(self, field: _Field, group: GroupPlan, left: int, final: bool) -> Started:
        """Who is banned plays no games in it; a game of all is without them. `left`: as of `Started`.

        Raises Paused, and StaleState where it is no longer as it was drawn.
        """
        digests = {name: field.entries[name].image_digest for name in group.members}
        with self._store.write() as tx:
            self._must_go_on(tx)
            if results.progress(tx, group) not in (GroupState.DRAWN, GroupState.STARTED):
                raise StaleState
            banned = _banned(tx, group)
            if results.start_group(tx, group, self._clock.now()):
                self._queue(tx, group.round, self._reporter.group_started(group, field.teams, banned))
            seated = results.seat(tx, group, banned) if field.format.seats is None else group
            mark = _mark(tx, group.round)
            images = submissions.load_images(tx, tuple(digests.values()))
        if starts_for_each_move(field.settings):
            self._unpack(images)
        return Started(seated, left, final, banned, digests, images, mark)

    def _unpack(self, images: Images) -> None:
        """What this computer lacks. The archives are in the store, so that any computer can play."""
        # Only here: of all that opens a contest, few have to do with images.
        from sandbox.oci.refusal import ImageProblem
        from sandbox.oci.unpack import unpack
        from tournament.runners.text import not_unpacked

        for image in not_unpacked(images):
            with self._store.read() as tx:
                archive = submissions.archive_of(tx, image.digest)
            found = unpack(archive, image.cache)
            if isinstance(found, ImageProblem):
                raise GiveUp(f"an image that was accepted cannot be unpacked any more: {found.text}")

    def _finish_group(self, field: _Field, played: Played) -> None:
        outcome = played.outcome
        with self._store.write() as tx:
            is_started = results.progress(tx, outcome.plan) is GroupState.STARTED
            if not is_started or _banned(tx, outcome.plan) != played.banned:
                raise StaleState
            results.finish_group(tx, outcome, played.games, self._clock.now())
            outbox.keep_all(tx, played.mails, self._clock.now())
        self._spectator.group_finished(outcome)

    def _replay_final(self, field: _Field, plan: RoundPlan) -> None:
        """Where the contest wants to know how much of its result was chance; nothing depends on it."""
        times = field.settings.tournament.final_replays
        if not (plan.final and times):
            return
        images = {name: field.entries[name].image_digest for name in plan.groups[0].members}
        with self._store.read() as tx:
            banned = banned_in(_complete(tx, plan).groups[0].standings)
            raw = submissions.load_images(tx, tuple(images.values()))
        with self._make_runner(raw, field.settings, field.seeds, no_progress) as runner:
            replays = replay_final(
                plan.groups[0], images, field.seeds, runner, field.settings, field.format, banned
            )
        with self._store.write() as tx:
            _complete(tx, plan)
            results.set_final_replays(tx, replays)

    def _finish_round(self, field: _Field, plan: RoundPlan) -> None:
        with self._store.write() as tx:
            self._must_go_on(tx)
            if results.is_played(tx, plan.number) or not results.is_complete(tx, plan.number):
                raise StaleState
            # In a game of all, who was banned was taken out of the plan.
            known = {} if field.format.seats is None else {group.number: group for group in plan.groups}
            before = self._history(tx, field, plan.number, known)
            final = plan.final or _drawn(tx, field, before) is None
            results.finish_round(tx, plan.number, final, self._clock.now())
            if final and field.settings.evolution.enabled:
                outcome = results.round_outcome(tx, plan.number, Games.ALL)
                evolved = evolve(score_matrix(outcome.groups[0]), field.settings.evolution)
                results.set_evolution(tx, evolved)
                self._spectator.evolution_finished(evolved)
            played = self._played(tx, field, plan.number, known)
            self._queue(tx, plan.number, self._reporter.round_played(*played, field.teams))
            if self._settings.reports.summary == "automatic" or results.words_of(tx, plan.number):
                self._report_round(tx, field, plan.number, played)
            else:
                text = (
                    f"the summary of round {plan.number} waits for your words: knobeln summary {plan.number}"
                )
                contest_store.note(tx, "run", text, self._clock.now())

    def report_round(self, tx: Transaction, number: int) -> int:
        """Queue the summary (RSM) of a played round with the organizer's words, if any; how many mails.

        Raises NotFound when the round is not finished, NotNow when the summary went out before.
        """
        if not results.is_played(tx, number):
            raise NotFound(f"round {number} has not been played to its end")
        if number not in results.unreported_rounds(tx):
            raise NotNow(f"the summary of round {number} has gone out")
        field = _field(tx, self._settings)
        return self._report_round(tx, field, number, self._played(tx, field, number, {}))

    def _report_round(self, tx: Transaction, field: _Field, number: int, played: _History) -> int:
        history, ranking = played
        final = history[-1].plan.final
        seed = contest_store.state(tx).seed if final else None
        evolved = results.get_evolution(tx) if final else None
        words = results.words_of(tx, number) or ""
        replays = results.get_final_replays(tx) if final else None
        scores = self._scores(tx, field, number) if final else ""
        mails = self._reporter.round_finished(
            history, ranking, field.teams, words, evolved, seed, replays, scores
        )
        results.mark_reported(tx, number, self._clock.now())
        return self._queue(tx, number, mails)

    def _scores(self, tx: Transaction, field: _Field, number: int) -> str:
        """The final's score matrix, where it is a group whose members meet two by two; "" otherwise."""
        final = results.round_outcome(tx, number, Games.ALL).groups[0]
        if field.format.seats != 2 or final.plan.title or not final.plan.pairings:
            return ""
        return score_table(final, game_of(field.settings.game, field.settings.programs).info.point)

    def _played(
        self, tx: Transaction, field: _Field, number: int, known: Mapping[int, GroupPlan]
    ) -> _History:
        """The rounds up to this one, and, if it was the last, the contest's ranking."""
        history = self._history(tx, field, number, known)
        return history, field.format.ranking(history) if history[-1].plan.final else ()

    def _history(
        self, tx: Transaction, field: _Field, number: int, known: Mapping[int, GroupPlan] | None = None
    ) -> tuple[RoundOutcome, ...]:
        """The rounds up to this one, with those of their games that formats and reports look at; of the last,
        these groups are known."""
        which = Games.ALL if field.format.seats is None else Games.FAILED
        return tuple(
            self._round(tx, each, which, known if each == number else None) for each in range(1, number + 1)
        )

    def _round(
        self, tx: Transaction, number: int, which: Games, known: Mapping[int, GroupPlan] | None = None
    ) -> RoundOutcome:
        key = (number, results.times_ordered(tx, number), which)
        if key in self._past:
            return self._past[key]
        outcome = results.round_outcome(tx, number, which, known)
        if results.is_played(tx, number):
            self._past[key] = outcome
        return outcome

    def _queue(self, tx: Transaction, number: int, mails: Iterable[Outgoing]) -> int:
        """Queue the mails about a round (0 = about the start); how many."""
        return outbox.put_all(tx, marked(mails, _mark(tx, number)), self._settings, self._clock.now())

    def _must_go_on(self, tx: Transaction) -> None:
        """Raises Paused. A pause whose time is over ends here."""
        pause, now = decisions.paused(tx), self._clock.now()
        if pause is None:
            return
        if pause.until is None or now < pause.until:
            raise Paused(pause_words(pause))
        decisions.resume(tx)
        contest_store.note(tx, "resume", "the run goes on by itself, as its pause is over", now)


def pause_words(pause: Pause) -> str:
    """What an organizer is told about it."""
    by_itself = f" by itself at {pause.until:%H:%M} UT, or" if pause.until else ""
    return (
        f"the contest is paused since {pause.since:%Y-%m-%d %H:%M} UT: {pause.reason}; it goes on{by_itself} "
        "after `knobeln resume`"
    )


def _results(coming: deque[Future[Played]]) -> Iterator[Played]:
    """In order; what was given out is gone."""
    while coming:
        yield coming.popleft().result()


def _mark(tx: Transaction, number: int) -> str:
    """How the keys of mails about this round begin: those about what was played again are others than those
    that went out before."""
    again = results.times_ordered(tx, number)
    return f"again/{again}/" if again else ""


def _banned(tx: Transaction, group: GroupPlan) -> frozenset[str]:
    return frozenset(decisions.all_bans(tx)) & frozenset(group.members)


def _complete(tx: Transaction, plan: RoundPlan) -> RoundOutcome:
    """The round, whose groups have all finished. Raises StaleState where it is to be played again."""
    if not results.is_complete(tx, plan.number):
        raise StaleState
    return results.round_outcome(tx, plan.number, Games.NONE)


def _drawn(tx: Transaction, field: _Field, history: Sequence[RoundOutcome]) -> RoundPlan | None:
    """The next round; of those who proceeded, who is banned does not (K73)."""
    return next_plan(field.format, tuple(field.entries), history, field.seeds, decisions.all_bans(tx))


def next_plan(
    chosen: Format,
    names: Sequence[str],
    history: Sequence[RoundOutcome],
    seeds: Seeds,
    banned: Container[str],
) -> RoundPlan | None:
    """The round after these; of those who proceeded, the banned do not (K73)."""
    history = (*history[:-1], _without(history[-1], banned)) if history else history
    return chosen.plan(names, history, seeds)


def _without(outcome: RoundOutcome, banned: Container[str]) -> RoundOutcome:
    groups = (
        replace(
            group,
            standings=tuple(
                replace(s, advances=s.advances and s.entry not in banned) for s in group.standings
            ),
        )
        for group in outcome.groups
    )
    return replace(outcome, groups=tuple(groups))


def _field(tx: Transaction, settings: Settings) -> _Field:
    frozen = frozen_settings(contest_store.started_settings(tx), settings)
    return _Field(
        frozen,
        Seeds(contest_store.state(tx).seed),
        format_of(frozen),
        {entry.name: entry for entry in submissions.all_entries(tx)},
        submissions.participants(tx),
    )


def _must_seat(chosen: Format, settings: Settings, entries: int) -> None:
    """Raises NotNow where more take part than there are seats in a game of all."""
    most = game_of(settings.game, settings.programs).info.max_seats
    if chosen.seats is None and entries > most:
        raise NotNow(f"{entries} programs take part, but at most {most} can play at once")
