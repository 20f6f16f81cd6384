"""The organizer's side of a cluster: which workers there are, what each does, and what is done without them.

Every piece of work is a pure function, so it does not matter who does it, or how often. A worker gets one
piece at a time, and loses it when it ends, is silent, takes too long, fails, or gives another result than
this computer. Then another worker gets the piece, or this computer if there is none. Nothing waits for ever.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import distributed

from contest.config.settings import Settings
from contest.errors import Differs, EngineFailed, KnobelnError
from contest.model import GameJob, GameResult, Pairing
from contest.plurals import plural
from contest.protocols import Images, ProgressCallback, Runner, no_progress
from contest.seeds import Seeds
from tournament.cluster import tasks
from tournament.cluster.options import scheduler_url, security, set_up
from tournament.group_workers import (
    MAX_AHEAD_IN_CLUSTER,
    GroupJob,
    GroupResult,
    GroupWorker,
    SubmitGroup,
    WorkerContext,
)
from tournament.referee import Fixture, game_job
from tournament.runners import runner_of

R = TypeVar("R")

LOOK_SECONDS = 1.0
CONNECT_SECONDS = 10.0
RECONNECT_SECONDS = 5.0
FIRST_WORKERS_SECONDS = 15.0  # so long we wait for the first worker before we play alone
ENGAGE_SECONDS = 120.0  # a new worker may have to build our engine
KEEP_SECONDS = 120.0  # for each program: it may be translated, or unpacked
MIN_SECONDS = 60.0
FIRST_GAME_SECONDS = 60.0  # for a game, as long as we do not know better
SLOWNESS = 10  # a worker may take so many times as long as the slowest so far
MAX_FAILURES = 2  # of workers with a piece of work; then this computer does it
MAX_RETURNS = 3  # of a worker that fails
CHECK_EVERY = 100  # pieces of work, of each worker; its first is checked, too
MAX_CHUNKS_AT_ONCE = 64  # of a group
_PROOF_PROGRAMS = 3
_CHUNKS = 16  # pieces of a group's games for each worker, so that none waits long for the last
_MAX_CHUNK = 20
_FILES_AT_ONCE = 100  # programs that are loaded together


class _WorkerFailed(Exception):
    """Its text goes on after the worker's name."""


class _Silent(_WorkerFailed):
    """The worker did not answer in time."""


class _WrongResult(_WorkerFailed):
    """The worker's result cannot be true."""


@dataclass(frozen=True)
class Work(Generic[R]):
    """A piece of work. `there` is a function of `tasks`, which takes the token, `arguments` and the digests.

    `check` raises Differs if a result of a worker cannot be true; it may take as long as the work.
    """

    name: str
    games: int
    images: Images
    there: Callable[..., R]
    arguments: tuple[object, ...]
    at_home: Callable[[], R]
    check: Callable[[R], None]


@dataclass(eq=False)
class _Worker:
    address: str
    name: str
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    is_engaged: bool = False
    is_dismissed: bool = False
    is_gone: bool = False
    is_busy: bool = False
    pieces: int = 0  # that it has done
    has: set[str] = field(default_factory=set)  # digests of programs


class ProgramStore(Protocol):
    """Where the programs of the contest are. For any thread."""

    @property
    def digests(self) -> Collection[str]:
        """Of the images of all entries."""

    def load_images(self, digests: Sequence[str]) -> Images: ...

    def archive_of(self, digest: str) -> bytes:
        """The archive of a container image, as a team mailed it."""


class _WantedProof(NamedTuple):
    """What a new worker is asked, the programs for it, and what this computer answers."""

    test: tasks.ProofTest
    images: Images
    proof: tasks.Proof


class Session:
    """The workers of one contest day, while it plays."""

    def __init__(
        self,
        url: str,
        keys: Path,
        context: WorkerContext,
        programs: ProgramStore,
        tell: Callable[[str], None],
        progress: ProgressCallback,
    ) -> None:
        """`keys`: a folder. `tell` gets sentences for the organizer. Raises ConfigError."""
        set_up()
        self._url, self._security = scheduler_url(url), security(keys)
        self._context = context
        self._programs = programs
        self._tell = tell
        self._progress = progress
        self._plugin = runner_of(context.settings)
        self._changed = Condition()
        self._workers: dict[str, _Worker] = {}
        self._home_is_busy = False
        self._slowest: float | None = None  # seconds for a game
        self._patient_until = time.monotonic() + FIRST_WORKERS_SECONDS
        self._stop = Event()
        self._client: distributed.Client | None = None
        self._failures = Counter[str]()  # by the name of the worker
        self._wanted: _WantedProof | None = None
        self._proving = Lock()

    @contextmanager
    def running(self) -> Iterator[SubmitGroup]:
        """Groups may be submitted while this context lasts."""
        watch = Thread(target=self._watch, name="cluster", daemon=True)
        watch.start()
        with ThreadPoolExecutor(MAX_AHEAD_IN_CLUSTER + 1, thread_name_prefix="group") as pool:
            try:
                yield lambda job: pool.submit(self._play_group, job)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                self._stop.set()
                with self._changed:
                    self._changed.notify_all()
                watch.join()
                # After an error they would go on with work that nobody waits for.
                self._restart([worker.address for worker in self._workers.values() if worker.is_busy])
                self._disconnect()

    # --- what is played ------------------------------------------------------------------------------------
    def _play_group(self, job: GroupJob) -> GroupResult:
        """Play the group, as a whole or match by match."""
        if self._plugin.splits(self._context.settings):
            context = replace(self._context, make_runner=self._runner)
            return GroupWorker(context, self._progress)(job)
        played: GroupResult = self.do(
            Work(
                name=f"round {job.plan.round}, group {job.plan.number}",
                games=sum(pairing.games for pairing in job.plan.pairings),
                images=job.images,
                there=tasks.play_group,
                arguments=(replace(job, images={}),),
                at_home=partial(tasks.group_result, self._context, job),
                check=partial(self._check_group, job),
            )
        )
        self._progress(len(played.games))
        return played

    def _check_group(self, job: GroupJob, result: GroupResult) -> None:
        if len(self._plugin.computed(job.images, self._context.settings)) < len(job.images):
            return  # programs that decide by the clock do not play the same game twice
        ours = tasks.group_result(self._context, job)
        for what, there, here in (
            ("the ranking", result.outcome, ours.outcome),
            ("the games", result.games, ours.games),
            ("the mails", [each.content for each in result.mails], [each.content for each in ours.mails]),
        ):
            if there != here:
                raise Differs(f"{what} would be another here")

    @contextmanager
    def _runner(
        self, images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback = no_progress
    ) -> Iterator[Runner]:
        """Implements contest.protocols.RunnerFactory."""
        yield _ClusterRunner(self, images, settings, seeds, progress)

    def count_workers(self) -> int:
        """How many there are, after waiting for the first."""
        with self._changed:
            while True:
                engaged = sum(worker.is_engaged for worker in self._workers.values())
                if engaged or self._stop.is_set() or not self._expects_workers():
                    return engaged
                self._changed.wait(LOOK_SECONDS)

    # --- one piece of work ---------------------------------------------------------------------------------
    def do(self, work: Work[R]) -> R:
        """The result of this piece of work, from whichever worker gives it, or from this computer.

        Raises EngineFailed when the session ends.
        """
        failures = 0
        while True:
            worker = self._take(at_home=failures == MAX_FAILURES)
            try:
                if worker is None:
                    return work.at_home()
                result = self._asked(worker, work)
                if (worker.pieces - 1) % CHECK_EVERY == 0:
                    _check(work, result)
                return result
            except _WorkerFailed as failure:
                if self._stop.is_set():
                    raise EngineFailed("the contest day broke off") from failure
                failures += 1
                if worker is not None:
                    self._dismiss(worker, failure)
            finally:
                self._give_back(worker)

    def _take(self, *, at_home: bool) -> _Worker | None:
        """Wait for a worker that has nothing to do. None: this computer does the work, as there is no worker.

        Raises EngineFailed when the session ends.
        """
        with self._changed:
            while not self._stop.is_set():
                engaged = [worker for worker in self._workers.values() if worker.is_engaged]
                free = [worker for worker in engaged if not worker.is_busy]
                if free and not at_home:
                    free[0].is_busy = True
                    return free[0]
                if (at_home or not (engaged or self._expects_workers())) and not self._home_is_busy:
                    self._home_is_busy = True
                    return None
                self._changed.wait(LOOK_SECONDS)
        raise EngineFailed("the contest day broke off")

    def _expects_workers(self) -> bool:
        in_proof = any(not worker.is_dismissed for worker in self._workers.values())
        return in_proof or time.monotonic() < self._patient_until

    def _give_back(self, worker: _Worker | None) -> None:
        with self._changed:
            if worker is None:
                self._home_is_busy = False
            else:
                worker.is_busy = False
            self._changed.notify_all()

    def _asked(self, worker: _Worker, work: Work[R]) -> R:
        self._bring(worker, work.images)
        began = time.monotonic()
        slowest = FIRST_GAME_SECONDS if self._slowest is None else SLOWNESS * self._slowest
        seconds = MIN_SECONDS + slowest * work.games
        digests = tuple(sorted(work.images))
        result: R = self._call(worker, seconds, work.there, *work.arguments, digests)
        with self._changed:
            worker.pieces += 1
            self._slowest = max(self._slowest or 0.0, (time.monotonic() - began) / max(1, work.games))
        return result

    def _bring(self, worker: _Worker, images: Images) -> None:
        """Give the worker the programs that it does not have yet."""
        missing = {digest: raw for digest, raw in images.items() if digest not in worker.has}
        archives: dict[str, bytes] = {}
        while missing:
            seconds = KEEP_SECONDS * len(missing)
            kept: tasks.Kept = self._call(worker, seconds, tasks.keep, missing, archives)
            for warning in kept.warnings:
                self._tell(f"worker {worker.name}: {warning}")
            worker.has |= missing.keys() - set(kept.lacking)
            missing = {digest: missing[digest] for digest in kept.lacking}
            if missing.keys() & archives.keys():
                raise _WorkerFailed("does not take a container image")
            archives = {digest: self._programs.archive_of(digest) for digest in kept.lacking}

    def _call(self, worker: _Worker, seconds: float, function: Callable[..., Any], *arguments: object) -> Any:
        """What the worker answers. Raises _WorkerFailed; its own errors are reasons, not ours."""
        client, deadline = self._client, time.monotonic() + seconds
        if client is None:
            raise _WorkerFailed("cannot be reached")
        token = (worker.token,) if function is not tasks.facts else ()
        try:
            future = client.submit(
                function, *token, *arguments, workers=[worker.address], allow_other_workers=False, pure=False
            )
            while True:
                with suppress(TimeoutError):
                    return future.result(LOOK_SECONDS)
                if future.done():  # just now, or it raised a TimeoutError of its own
                    return future.result(CONNECT_SECONDS)
                if worker.is_gone or self._stop.is_set():
                    raise _WorkerFailed("has gone")
                if time.monotonic() > deadline:
                    future.cancel()
                    raise _Silent(f"has not answered within {seconds:.0f} s")
        except _WorkerFailed:
            raise
        except (distributed.KilledWorker, CancelledError) as error:  # the worker, or the scheduler
            raise _WorkerFailed("has gone") from error
        except KnobelnError as error:
            raise _WorkerFailed(f"cannot play: {error}") from error
        except Exception as error:  # of dask, of the network, or of code that is not ours
            raise _WorkerFailed(f"failed: {error!r}") from error

    def _dismiss(self, worker: _Worker, failure: _WorkerFailed) -> None:
        """Give the worker no more work. One that had proved itself, or is stuck, is started anew and may
        come back, unless it gave a wrong result or fails again and again."""
        with self._changed:
            if worker.is_dismissed:
                return
            self._failures[worker.name] += 1
            is_stuck = isinstance(failure, _Silent)  # maybe with work of a day that broke off
            may_return = (worker.is_engaged or is_stuck) and self._failures[worker.name] < MAX_RETURNS
            worker.is_dismissed, worker.is_engaged = True, False
            self._changed.notify_all()
        is_wrong = isinstance(failure, _WrongResult)
        others = plural(worker.pieces - 1, "other piece") if is_wrong and worker.pieces > 1 else ""
        about_others = f" It did {others} of work before; check them by `knobeln verify`." if others else ""
        self._tell(f"worker {worker.name} {failure}. Its work is done elsewhere.{about_others}")
        if may_return and not is_wrong and not worker.is_gone:
            Thread(target=self._restart, args=([worker.address],), daemon=True).start()

    def _restart(self, addresses: Sequence[str]) -> None:
        client = self._client
        if client and addresses:
            _try(partial(client.restart_workers, list(addresses), CONNECT_SECONDS, raise_for_error=False))

    # --- workers come and go -------------------------------------------------------------------------------
    def _watch(self) -> None:
        is_lost = False
        while not self._stop.is_set():
            try:
                if self._client is None:
                    self._client = distributed.Client(
                        self._url, security=self._security, timeout=CONNECT_SECONDS, set_as_default=False,
                    )  # fmt: skip
                    self._tell(f"connected to the scheduler {self._url}")
                    is_lost = False
                self._look(self._client)
            except Exception as error:  # dask's own errors have no common class
                if not is_lost:
                    self._tell(f"the scheduler {self._url} cannot be reached: {error!r}. We play without it.")
                is_lost = True
                self._look_at({})
                self._disconnect()
                self._stop.wait(RECONNECT_SECONDS)
            self._stop.wait(LOOK_SECONDS)

    def _look(self, client: distributed.Client) -> None:
        answer = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=CONNECT_SECONDS)
        self._look_at({address: str(facts["name"]) for address, facts in answer["workers"].items()})

    def _look_at(self, there: Mapping[str, str]) -> None:
        """Note who has gone, and engage who has come. `there`: names by address."""
        with self._changed:
            gone = [worker for address, worker in self._workers.items() if address not in there]
            new = [_Worker(address, name) for address, name in there.items() if address not in self._workers]
            for worker in gone:
                worker.is_gone = True
                del self._workers[worker.address]
            self._workers |= {worker.address: worker for worker in new}
            self._changed.notify_all()
        for worker in gone:
            if not worker.is_dismissed:
                self._dismiss(worker, _WorkerFailed("has gone"))
        for worker in new:
            Thread(target=self._engage, args=(worker,), name="engage", daemon=True).start()

    def _engage(self, worker: _Worker) -> None:
        """Let the worker prove that it plays as this computer does."""
        try:
            ours, theirs = tasks.facts(), self._call(worker, ENGAGE_SECONDS, tasks.facts)
            for name, here, there in zip(tasks.Facts._fields, ours, theirs, strict=True):
                if here != there:
                    raise _WorkerFailed(_another(name, here, there))
            wanted = self._wanted_proof()
            self._call(worker, ENGAGE_SECONDS, tasks.engage, self._context)
            self._bring(worker, wanted.images)
            proof: tasks.Proof = self._call(
                worker, ENGAGE_SECONDS, tasks.prove, wanted.test, tuple(wanted.images)
            )
            for file, digest in wanted.proof.host_files.items():
                if proof.host_files.get(file) != digest:
                    raise _WorkerFailed(f"has not the same {file} as this computer")
            if proof.games != wanted.proof.games:
                raise _WorkerFailed("plays the test games with another result")
        except _WorkerFailed as failure:
            self._dismiss(worker, failure)
        except Exception as error:
            self._dismiss(worker, _WorkerFailed(f"cannot be asked to prove itself: {error!r}"))
        else:
            with self._changed:
                worker.is_engaged = not worker.is_dismissed
                self._changed.notify_all()
            self._tell(f"worker {worker.name} has joined")

    def _wanted_proof(self) -> _WantedProof:
        with self._proving:
            if self._wanted is None:
                self._wanted = self._made_proof()
            return self._wanted

    def _made_proof(self) -> _WantedProof:
        context, digests = self._context, sorted(set(self._programs.digests))
        images = dict(self._programs.load_images(digests[:_PROOF_PROGRAMS]))
        files: set[str] = set()
        for start in range(0, len(digests), _FILES_AT_ONCE):
            files |= self._plugin.host_files(
                self._programs.load_images(digests[start : start + _FILES_AT_ONCE])
            )
        known = {digest: digest for digest in images}
        jobs = [
            game_job(0, Fixture(Pairing((first, second)), 1), known, context.seeds, frozenset())
            for first in known
            for second in known
        ]
        test = tasks.ProofTest(jobs, sorted(files))
        return _WantedProof(test, images, tasks.proof(images, context.settings, context.seeds, test))

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _try(partial(client.close, timeout=CONNECT_SECONDS))


@dataclass(frozen=True)
class _ClusterRunner:
    """Implements contest.protocols.Runner."""

    session: Session
    images: Images
    settings: Settings
    seeds: Seeds
    progress: ProgressCallback

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs."""
        size = min(_MAX_CHUNK, max(1, len(jobs) // (_CHUNKS * max(1, self.session.count_workers()))))
        chunks = [jobs[start : start + size] for start in range(0, len(jobs), size)]
        with ThreadPoolExecutor(MAX_CHUNKS_AT_ONCE, thread_name_prefix="chunk") as pool:
            return [result for results in pool.map(self._play, chunks) for result in results]

    def _play(self, chunk: Sequence[GameJob]) -> Sequence[GameResult]:
        images = {digest: self.images[digest] for job in chunk for digest in job.images}
        check = runner_of(self.settings).check_results
        played: Sequence[GameResult] = self.session.do(
            Work(
                name=f"a game of {' and '.join(chunk[0].names)}",
                games=len(chunk),
                images=images,
                there=tasks.play_games,
                arguments=(tuple(chunk), self.settings.programs.seconds),
                at_home=partial(tasks.game_results, images, self.settings, self.seeds, chunk),
                check=partial(check, images, self.settings, self.seeds, chunk),
            )
        )
        self.progress(len(chunk))
        return played


def _check(work: Work[R], result: R) -> None:
    try:
        work.check(result)
    except Differs as difference:
        raise _WrongResult(f"gave a wrong result for {work.name}: {difference}") from difference


def _another(fact: str, here: str, there: str) -> str:
    """Why a worker with another of the Facts cannot take part."""
    words = {
        "version": f"runs version {there} of knobeln; here is {here}",
        "sources": "runs other files of knobeln than this computer, though of the same version",
        "python": f"has Python {there}; here is {here}",
        "libc": f"has the C library {there}; here is {here}",
    }
    return words[fact]


def _try(work: Callable[[], object]) -> None:
    """Do what may fail without harm: dask's own errors have no common class."""
    with suppress(Exception):
        work()
