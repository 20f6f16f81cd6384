"""Where games are played: batches of them, in engine processes, several at once (see `engine_pool`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from contest.errors import NotFound
from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult
from contest.protocols import ProgressCallback, no_progress
from contest.subprocesses.engine_pool import EngineRequest, chunks, cores, run_requests
from sandbox.vm.batch import Batch
from sandbox.vm.engine_binary import engine_binary
from sandbox.vm.image import Image
from sandbox.vm.translation import translations

_SLOWEST = 20_000_000  # instructions per second that even a loaded computer does
START_SECONDS = 20.0
_SECONDS_PER_THROW = 1e-4  # an allowance for the referee
LONGEST = 7 * 86_400.0  # whatever the limits: the system calls that wait cannot count much further


class MachineRunner:
    """Plays games between images of the contest machine; implements contest.protocols.Runner.

    `images` by their digests. `max_instructions` is the limit per seat and game (K60). `workers` is the
    number of engine processes at once, 0 = one per core; it never changes a result (K76). Neither does it
    whether there are translations, and whether they are used (`translated`).
    """

    def __init__(
        self,
        images: Mapping[str, Image],
        rules: Rules,
        max_instructions: int,
        workers: int = 1,
        progress: ProgressCallback = no_progress,
        *,
        translated: bool = True,
    ) -> None:
        self._images = images
        self._rules = rules
        self._max_instructions = max_instructions
        self._workers = workers or cores()
        self._progress = progress
        self._program = engine_binary()
        self._translations = translations() if translated else None

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs.

        Raises EngineFailed when the machinery keeps failing, NotFound for an image that is not there.
        """
        batch = self._batch(jobs)
        requests = [_order(batch, chunk) for chunk in chunks(jobs, self._workers)]
        return (
            run_requests(self._program, requests, self._workers, self._progress, batch.opening())
            if requests
            else []
        )

    def _batch(self, jobs: Sequence[GameJob]) -> Batch:
        needed = sorted({digest for job in jobs for digest in job.images})
        missing = [digest for digest in needed if digest not in self._images]
        if missing:
            raise NotFound(f"there is no program image with the digest {missing[0]}")
        images = {digest: self._images[digest] for digest in needed}
        native = self._translations.found(images.values()) if self._translations else {}
        return Batch(self._rules, self._max_instructions, images, native)


def _order(batch: Batch, jobs: Sequence[GameJob]) -> EngineRequest[GameResult]:
    return EngineRequest(
        partial(batch.portion, jobs), partial(batch.results, jobs), wall_limit(batch, len(jobs))
    )


def wall_limit(batch: Batch, games: int) -> float:
    """Seconds after which an engine with so many games must hang, on any computer."""
    game = 2 * program_seconds(batch.max_instructions) + batch.rules.L * _SECONDS_PER_THROW
    return min(LONGEST, START_SECONDS + games * game)


def program_seconds(instructions: int) -> float:
    """How long so many instructions take at the most, on any computer."""
    return instructions / _SLOWEST
