"""The contest day as a state machine. Whatever happened before is in the store; `run` goes on from there.

    what the store holds                    what happens next, each line one transaction
    ------------------------------------    ----------------------------------------------------------------
    phase open                              settings and entries are frozen; LAP mails
    all rounds finished                     the next round is drawn, or the contest is closed
    a group drawn, not started              it is started; LGP mails
    a group started, not finished           it is played (no transaction), then its games, its ranking and
                                            its DGP, GRP, GRG and GRR mails are kept together
    all groups of a round finished          the round is finished, in the final with the evolution; RSM mails,
                                            unless they wait for the organizer's words

Killed at any point, the unfinished step is done again from the same seeds with the same results; a mail
that was queued before is recognised by its key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from knobeln.clock import Clock, Seeds
from knobeln.config import Evolution, Programs, Settings, Tournament, game_settings
from knobeln.errors import ConfigError, NotFound, NotNow
from knobeln.games import game_of
from knobeln.model import (
    Entry,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    MailPreference,
    Outgoing,
    Phase,
    RoundPlan,
    Team,
)
from knobeln.ports import Format, Reporter
from knobeln.store import Store, Transaction, outbox, results, submissions, teams
from knobeln.store import contest as contest_store
from knobeln.store.results import Games
from tournament import referee
from tournament.arenas import ArenaMaker, open_arena
from tournament.evolution import evolve, score_matrix
from tournament.formats import make_format


class Spectator(Protocol):
    """Is told what happens, as it happens."""

    def round_drawn(self, plan: RoundPlan) -> None: ...

    def group_finished(self, outcome: GroupOutcome) -> None: ...

    def evolution_finished(self, outcome: EvolutionOutcome) -> None: ...


@dataclass(frozen=True)
class _Field:
    """What stays the same for the whole day."""

    settings: Settings
    seeds: Seeds
    format: Format
    entries: Mapping[str, Entry]
    teams: Mapping[str, Team]


class ContestDay:
    """Plays the contest of one store from wherever it is to its end."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        reporter: Reporter,
        spectator: Spectator,
        make_arena: ArenaMaker = open_arena,
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._reporter = reporter
        self._spectator = spectator
        self._make_arena = make_arena

    def run(self) -> None:
        """Play on to the end of the contest. Raises NotNow when there is nobody to play, EngineFailed after
        repeated failures of ours; in both cases it can be run again."""
        self._start()
        with self._store.read() as tx:
            if contest_store.state(tx).phase is Phase.FINISHED:
                return
            field = _field(tx, self._settings)
        while (plan := self._next_round(field)) is not None:
            self._play_round(field, plan)
            self._finish_round(field, plan)
        self._close()

    # --- start and end ----------------------------------------------------------------------------------
    def _start(self) -> None:
        with self._store.write() as tx:
            state = contest_store.state(tx)
            if state.phase is not Phase.OPEN:
                return
            now = self._clock.now()
            entries = submissions.freeze(tx)
            if not entries:
                raise NotNow("no team has a program that compiled: there is nobody to play")
            _must_seat(format_of(self._settings), self._settings, len(entries))
            contest_store.start(tx, self._settings.model_dump(mode="json", exclude={"mail"}), now)
            playing = submissions.participants(tx)
            idle = [team for team in teams.all_teams(tx) if team.name not in playing]
            contest_store.note(tx, "run", f"the contest started with {len(entries)} programs", now)
            self._queue(tx, self._reporter.contest_started(playing, idle, Seeds(state.seed).commitment))

    def _close(self) -> None:
        with self._store.write() as tx:
            now = self._clock.now()
            contest_store.finish(tx, now)
            contest_store.note(tx, "run", "the contest is finished", now)

    # --- rounds -----------------------------------------------------------------------------------------
    def _next_round(self, field: _Field) -> RoundPlan | None:
        """The round that is being played, or else a newly drawn one; None when the contest is decided."""
        with self._store.write() as tx:
            for plan, _ in results.all_rounds(tx):
                if not results.is_played(tx, plan.number):
                    return plan
            drawn = field.format.plan(tuple(field.entries), results.finished_rounds(tx), field.seeds)
            if drawn is not None:
                results.add_round(tx, drawn, self._clock.now())
                number = len(drawn.groups)
                text = f"round {drawn.number} was drawn: {number} group{'s' * (number > 1)}"
                contest_store.note(tx, "run", text, self._clock.now())
            return drawn

    def _play_round(self, field: _Field, plan: RoundPlan) -> None:
        self._spectator.round_drawn(plan)
        with self._store.read() as tx:
            _, finished = results.drawn_round(tx, plan.number)
        for outcome in finished:
            self._spectator.group_finished(outcome)
        done = {outcome.plan.number for outcome in finished}
        waiting = [group for group in plan.groups if group.number not in done]
        for outcome in self._outcomes(field, waiting, plan.final):
            self._finish_group(field, outcome)

    def _outcomes(self, field: _Field, groups: list[GroupPlan], final: bool) -> Iterator[GroupOutcome]:
        """The groups' outcomes in order; a group is already played while the reports of the last are written.

        A group is started before its predecessor is finished, never sooner or later, so that the mails stand
        in the same order however fast the engine is.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="referee") as ahead:
            before: Future[GroupOutcome] | None = None
            for group in groups:
                self._start_group(field, group)
                coming = ahead.submit(self._play_group, field, group, final)
                if before is not None:
                    yield before.result()
                before = coming
            if before is not None:
                yield before.result()

    def _start_group(self, field: _Field, group: GroupPlan) -> None:
        with self._store.write() as tx:
            if results.start_group(tx, group, self._clock.now()):
                self._queue(tx, self._reporter.group_started(group, field.teams))

    def _play_group(self, field: _Field, group: GroupPlan, final: bool) -> GroupOutcome:
        images = {name: field.entries[name].image_digest for name in group.members}
        with self._store.read() as tx:
            raw = submissions.load_images(tx, tuple(images.values()))
        with self._make_arena(raw, field.settings, field.seeds) as arena:
            return referee.play_group(
                group,
                images=images,
                seeds=field.seeds,
                arena=arena,
                protocols_for={name for name in group.members if _wants_protocols(field.teams[name])},
                standings=partial(field.format.standings, group, final),
                ruling=game_of(field.settings.game, field.settings.programs).info.ruling,
            )

    def _finish_group(self, field: _Field, outcome: GroupOutcome) -> None:
        with self._store.write() as tx:
            if results.finish_group(tx, outcome, self._clock.now()):
                self._queue(tx, self._reporter.group_finished(outcome, field.teams))
        self._spectator.group_finished(outcome)

    def _finish_round(self, field: _Field, plan: RoundPlan) -> None:
        with self._store.write() as tx:
            history = results.finished_rounds(tx)
            final = plan.final or field.format.plan(tuple(field.entries), history, field.seeds) is None
            results.finish_round(tx, plan.number, final, self._clock.now())
            if final and field.settings.evolution.enabled:
                outcome = results.round_outcome(tx, plan.number, Games.ALL)
                evolved = evolve(score_matrix(outcome.groups[0]), field.settings.evolution)
                results.set_evolution(tx, evolved)
                self._spectator.evolution_finished(evolved)
            if self._settings.reports.summary == "automatic" or results.words_of(tx, plan.number):
                self.report_round(tx, plan.number)
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
        outcome = results.round_outcome(tx, number, Games.FAILED)
        seed = contest_store.state(tx).seed if outcome.plan.final else None
        evolved = results.get_evolution(tx) if outcome.plan.final else None
        playing = submissions.participants(tx)
        mails = self._reporter.round_finished(
            outcome, playing, results.words_of(tx, number) or "", evolved, seed
        )
        results.mark_reported(tx, number, self._clock.now())
        return self._queue(tx, mails)

    def _queue(self, tx: Transaction, mails: Iterable[Outgoing]) -> int:
        return outbox.put_all(tx, mails, self._settings, self._clock.now())


def _wants_protocols(team: Team) -> bool:
    return MailPreference.DGP in team.registration.preferences


def _field(tx: Transaction, settings: Settings) -> _Field:
    frozen = frozen_settings(tx, settings)
    return _Field(
        frozen,
        Seeds(contest_store.state(tx).seed),
        format_of(frozen),
        {entry.name: entry for entry in submissions.all_entries(tx)},
        submissions.participants(tx),
    )


def format_of(settings: Settings) -> Format:
    """The format of these settings. Raises ConfigError where its game, or the evolution, does not fit it."""
    chosen = make_format(settings.tournament, game_of(settings.game, settings.programs).info)
    if settings.evolution.enabled and not chosen.everyone_meets:
        raise ConfigError(f"evolution.enabled: there is no evolution in {chosen.name}; set it to false")
    return chosen


def _must_seat(chosen: Format, settings: Settings, entries: int) -> None:
    """Raises NotNow where more take part than there are seats in a game of all."""
    most = game_of(settings.game, settings.programs).info.max_seats
    if chosen.seats is None and entries > most:
        raise NotNow(f"{entries} programs take part, but at most {most} can play at once")


def frozen_settings(tx: Transaction, settings: Settings) -> Settings:
    """The settings with everything that decides results as it was when the contest started.

    The number of workers never changes a result, and may be changed on contest day.
    """
    kept = contest_store.started_settings(tx)
    if kept is None:
        return settings
    tournament = Tournament.model_validate({**kept["tournament"], "workers": settings.tournament.workers})
    return settings.model_copy(
        update={
            "game": game_settings(kept["game"]),
            "programs": Programs.model_validate(kept["programs"]),
            "evolution": Evolution.model_validate(kept["evolution"]),
            "tournament": tournament,
        }
    )
