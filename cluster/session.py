"""The organizer's side: shares the work of a contest day out among dask's workers, and checks some
of it.

dask finds a free worker for each piece of work, and another one if the first is lost. This host
does a piece itself if no worker is there, if none gives a result in time, or if dask fails; so
nothing waits for ever. It also repeats the first piece of each worker and one in a hundred later
ones. After one difference, or if it has other files than this host, a worker is dismissed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Condition, Lock
from typing import Any

import distributed

from cluster import work
from contest.config.settings import Settings, hide_secrets
from contest.errors import Differs
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, ProgressCallback, Runner, no_progress
from contest.language import speaking
from contest.model import GameJob, GameResult
from contest.seeds import Seeds
from contest.util.plurals import plural
from tournament.group_workers import (
    FrozenContest,
    GroupJob,
    GroupResult,
    GroupWorker,
    Workers,
    limited,
)
from tournament.runners import runner_of

AHEAD = 32
"""So many groups are started before the one in front of them is finished."""
CONNECT_SECONDS = 10.0
FIRST_WORKERS_SECONDS = 15.0  # so long we wait for the first worker before we play alone
LOOK_SECONDS = 1.0
MIN_SECONDS = 180.0  # a new worker may have to build our engine, and to unpack images
GAME_SECONDS = 60.0  # for each game besides
CHECK_EVERY = 100  # pieces of work, of each worker
_CHUNKS_AT_ONCE = 64  # of a group
_CHUNKS = 16  # pieces of a group's games for each worker, so that none waits long for the last
_MAX_CHUNK, _MAX_QUICK_CHUNK = 20, 1_000


class Session:
    """The workers of one contest day, while it plays."""

    def __init__(
        self,
        client: distributed.Client,
        contest: FrozenContest,
        archive_of: Callable[[str], bytes],
        tell: Callable[[str], None],
        progress: ProgressCallback,
    ) -> None:
        self._client, self._archive_of, self._tell = client, archive_of, tell
        self._contest = hide_secrets(contest.settings), contest.seeds
        self._plugin = runner_of(contest.settings)
        self._changed, self._home, self._bringing = Condition(), Lock(), Lock()
        self._busy = 0
        self._pieces = Counter[str]()  # by the address of the worker, once its first one was right
        self._dismissed: set[str] = set()
        # the contest, programs and archives, by key
        self._brought: dict[str, distributed.Future] = {}
        self._with_archive: set[str] = set()  # container images that some worker lacks
        self._alone = GroupWorker(contest, progress)
        self._shared = replace(contest, make_runner=self._runner), progress

    def play_group(self, job: GroupJob) -> GroupResult:
        """Play the group: some games at a time, or all of them here, if programs live through many
        games."""
        is_shared = self._plugin.splits(self._contest[0])
        return GroupWorker(*self._shared)(job) if is_shared else self._alone(job)

    @contextmanager
    def _runner(
        self,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback = no_progress,
    ) -> Iterator[Runner]:
        """Implements contest.interfaces.protocols.RunnerFactory."""
        play = game_of(settings.game, settings.programs).info.play
        most = _MAX_QUICK_CHUNK if play.is_quick else _MAX_CHUNK

        def play_chunk(chunk: Sequence[GameJob]) -> Sequence[GameResult]:
            played = self.play_games(images, settings, chunk)
            progress(len(chunk))
            return played

        def play_all(jobs: Sequence[GameJob]) -> Sequence[GameResult]:
            size = min(most, max(1, len(jobs) // (_CHUNKS * max(1, len(self.workers())))))
            chunks = [jobs[start : start + size] for start in range(0, len(jobs), size)]
            with ThreadPoolExecutor(_CHUNKS_AT_ONCE, thread_name_prefix="chunk") as pool:
                return [result for results in pool.map(play_chunk, chunks) for result in results]

        yield play_all

    def play_games(
        self, images: Images, settings: Settings, games: Sequence[GameJob]
    ) -> Sequence[GameResult]:
        """The results, from whichever worker gives them, or from this host."""
        used = {digest: images[digest] for job in games for digest in job.images}
        host_files = {file: work.digest_of(file) for file in self._plugin.host_files(used)}
        order = work.Order({**work.facts(), **host_files}, tuple(games), settings.programs.seconds)
        while True:
            with self._slot() as is_free:
                answer = self._asked(order, used) if is_free else None
            if answer is None:
                with self._home:
                    return work.done(order, self._contest, used)
            if answer.worker in self._dismissed:
                continue
            if answer.lacking:
                self._with_archive.add(answer.lacking)
            elif answer.refusal:
                self._dismiss(answer.worker, answer.refusal)
            else:
                try:
                    return self._checked(order, used, answer)
                except (Differs, ValueError) as difference:
                    self._dismiss(
                        answer.worker, f"it gave a wrong result for {order.name}: {difference}"
                    )

    def workers(self) -> Sequence[str]:
        """The addresses of the workers that are connected, without those that were dismissed."""
        with suppress(Exception):  # dask's own errors have no common class
            return [host for host in self._client.nthreads() if host not in self._dismissed]
        return ()

    @contextmanager
    def _slot(self) -> Iterator[bool]:
        """Wait until a worker has nothing to do. False: there is no worker."""
        with self._changed:
            while (workers := self.workers()) and self._busy >= len(workers):
                self._changed.wait(LOOK_SECONDS)
            self._busy += bool(workers)
        try:
            yield bool(workers)
        finally:
            with self._changed:
                self._busy -= bool(workers)
                self._changed.notify_all()

    def _asked(self, order: work.Order, images: Images) -> work.Answer | None:
        """A worker's answer; None if no worker gives one."""
        seconds = MIN_SECONDS + GAME_SECONDS * len(order.games)
        future = None
        try:
            contest = self._there("contest", lambda: self._contest)
            programs = {
                digest: self._there(digest, partial(images.get, digest)) for digest in images
            }
            archives = {
                digest: self._there(f"archive-{digest}", partial(self._archive_of, digest))
                for digest in self._with_archive & images.keys()
            }
            future = self._client.submit(
                work.do, order, contest, programs, archives, workers=self.workers(), pure=False
            )
            answer = work.Answer(*self._waited_for(future, time.monotonic() + seconds))
        except Exception as error:  # of dask or of the network: they have no common class
            self._tell(f"no worker gave a result for {order.name}, which is done here: {error!r}")
            if future is not None:
                self._restart_worker_of(future)
            return None
        return answer

    def _waited_for(self, future: distributed.Future, deadline: float) -> Sequence[Any]:
        while True:
            try:
                answer: Sequence[Any] = future.result(LOOK_SECONDS)
                return answer
            except TimeoutError:
                if time.monotonic() > deadline or not self.workers():
                    raise

    def _there(self, key: str, value: Callable[[], object]) -> distributed.Future:
        """The value on the workers; dask sends it once to each that needs it."""
        with self._bringing:
            if key not in self._brought or self._brought[key].status in (
                "cancelled",
                "lost",
                "error",
            ):
                self._brought[key] = self._client.submit(work.same, value(), pure=False)
            return self._brought[key]

    def _restart_worker_of(self, future: distributed.Future) -> None:
        """Restart the worker, which may be stuck with work that nobody waits for any more."""
        with suppress(Exception):
            stuck = [
                worker for worker, keys in self._client.processing().items() if future.key in keys
            ]
            future.cancel()
            if stuck:
                self._client.restart_workers(stuck, CONNECT_SECONDS, raise_for_error=False)

    def _checked(
        self, order: work.Order, images: Images, answer: work.Answer
    ) -> Sequence[GameResult]:
        """The results. Raises Differs if they are found to be wrong, ValueError if they are
        none."""
        results = work.read_results(answer.result)
        if len(results) != len(order.games):
            raise Differs(f"{len(order.games)} games have {len(results)} results")
        is_new = answer.worker not in self._pieces
        if is_new or self._pieces[answer.worker] % CHECK_EVERY == 0:
            settings, seeds = self._contest
            with self._home, speaking(settings.contest.language):
                self._plugin.check_results(
                    images, limited(settings, order.seconds), seeds, order.games, results
                )
        with self._changed:
            self._pieces[answer.worker] += 1
        if is_new:
            self._tell(f"worker {answer.worker} has joined")
        return results

    def _dismiss(self, worker: str, reason: str) -> None:
        """Give the worker no more work, and let dask end it. Others get its values from here."""
        with self._changed:
            if worker in self._dismissed:
                return
            self._dismissed.add(worker)
        with self._bringing:
            self._brought.clear()
        others = self._pieces[worker]
        before = (
            f" It did {plural(others, 'other piece')} of work before; check them by `knobeln"
            " verify`."
        )
        self._tell(f"worker {worker} is dismissed: {reason}.{before if others else ''}")
        with suppress(Exception):
            self._client.retire_workers([worker], close_workers=True, remove=True)


class Plugin:
    """The workers behind a scheduler of dask."""

    name = "dask"

    @contextmanager
    def open(
        self,
        scheduler: str,
        archive_of: Callable[[str], bytes],
        tell: Callable[[str], None],
        contest: FrozenContest,
        progress: ProgressCallback,
    ) -> Iterator[Workers]:
        """The workers, until the day ends or breaks off. `tell` is called with sentences for the
        organizer.

        The certificates are those of dask's own settings. Results are never unpickled.
        """
        with ThreadPoolExecutor(AHEAD + 1, thread_name_prefix="group") as pool:
            client = None
            try:
                client = distributed.Client(
                    scheduler,
                    security=distributed.Security(require_encryption=True),
                    timeout=CONNECT_SECONDS,
                    set_as_default=False,
                    deserializers=["msgpack"],
                )
                with suppress(TimeoutError):
                    client.wait_for_workers(1, timeout=FIRST_WORKERS_SECONDS)
                session = Session(client, contest, archive_of, tell, progress)
                play = session.play_group
            except Exception as error:  # dask's own errors have no common class
                tell(
                    f"the scheduler {scheduler} cannot be reached: {error!r}. This host plays"
                    " alone."
                )
                play = GroupWorker(contest, progress)
            try:
                yield Workers(lambda job: pool.submit(play, job), AHEAD)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                if client is not None:
                    with suppress(Exception):
                        client.close(CONNECT_SECONDS)


PLUGIN = Plugin()
