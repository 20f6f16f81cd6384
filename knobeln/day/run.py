"""Plays the contest day of a contest folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any

from contest.errors import KnobelnError, NotNow, NumberAwaited, Paused, StoreBusy
from contest.model import Phase
from contest.util.clock import TIME_FORMAT
from contest.util.log import log
from contest.util.plugins import by_name
from knobeln.context import ContestContext
from knobeln.day.run_with_retries import RetryingRun
from knobeln.day.wait_for_number import wait_for_number
from knobeln.native_code import translate_programs
from knobeln.season import go_on
from knobeln.services import Services, note_limits_of_sandboxes
from reports.contest_reporter import ContestReporter
from store import contest_state, languages
from tournament.day import ContestDay, Spectator, archive_of
from tournament.group_workers import OpenWorkers, open_workers


def play_contest(
    contest: ContestContext,
    *,
    early: bool,
    patient: bool = False,
    spectator: Callable[[], AbstractContextManager[Spectator]],
    tell: Callable[[str], None],
    redraws: int | None = None,
) -> None:
    """Handle what came in before the start, then play to the end.

    `spectator` is opened whenever the day starts or goes on; `tell` gets sentences for the
    organizer; `redraws`: as in ContestDay. Raises NotNow before the date unless `early`. Raises
    Paused and NumberAwaited unless `patient`: then it waits for the end of the pause and for the
    public number.
    """
    if not early and go_on(contest):
        contest = contest.current()
        tell("The season has gone on: `knobeln log` tells how.")
    with contest.store.read() as tx:
        phase = contest_state.state(tx).phase
    start = contest.settings.dates.contest_starts
    if phase is Phase.OPEN and contest.clock.now() < start and not early:
        raise NotNow(f"the contest starts on {start:{TIME_FORMAT}}", hint="--now starts it at once")
    note_limits_of_sandboxes(contest)
    if phase is Phase.OPEN:
        handle_everything(contest)
        with contest.store.read() as tx:
            waiting = languages.waiting(tx)
        for program in waiting:
            tell(program.sentence(contest.clock.now()))
    translate_programs(contest)
    retrying_run = RetryingRun(contest)
    while True:
        try:
            with spectator() as watching:
                retrying_run.play(contest_day(contest.current(), watching, redraws))
            return
        except NumberAwaited:
            wait_for_number(contest.current(), tell, patient=patient)
        except Paused as pause:
            if not patient:
                raise
            tell(f"{pause}.")
            retrying_run.wait_for_the_end_of_the_pause()
            tell("The contest goes on.")


@contextmanager
def noted_errors(contest: ContestContext) -> Iterator[None]:
    """Note in the journal, for `knobeln status`, why the day stopped, unless it only waits."""
    try:
        yield
    except (NotNow, NumberAwaited, Paused):
        raise
    except KnobelnError as error:
        # it may be the database that fails
        with suppress(KnobelnError), contest.store.write() as tx:
            contest_state.note(tx, "error", f"run: {error}", contest.clock.now())
        raise


def handle_everything(contest: ContestContext) -> None:
    """Handle the letters that have arrived, and compile the programs that wait."""
    services = Services(contest)
    services.handle_letters()
    services.compile_programs(at_once=True)


def contest_day(
    contest: ContestContext, spectator: Spectator | None = None, redraws: int | None = None
) -> ContestDay:
    reporter = ContestReporter(contest.settings, contest.templates)
    return ContestDay(
        contest.store,
        contest.settings,
        contest.clock,
        reporter,
        spectator or Spectator(),
        open_workers=_workers(contest),
        redraws=redraws,
    )


def _workers(contest: ContestContext) -> OpenWorkers:
    """The workers of this host, or of several hosts by a plug-in of the group `knobeln.workers`."""
    scheduler = contest.settings.cluster.scheduler
    if not scheduler:
        return open_workers

    def tell(text: str) -> None:
        log.info(text)
        with suppress(StoreBusy), contest.store.write() as tx:
            contest_state.note(tx, "workers", text, contest.clock.now())

    plugins: Mapping[str, Any] = by_name("knobeln.workers", ())
    return partial(plugins["dask"].open, scheduler, partial(archive_of, contest.store), tell)
