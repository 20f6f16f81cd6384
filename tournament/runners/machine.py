"""Games on the contest machine: KNOBELN between images, in batches, by several engine processes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import NotFound
from contest.games.knobeln import Rules, rules_of
from contest.model import GameJob, GameResult
from contest.protocols import Images, ProgressCallback, Runner, no_progress
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import EngineRequest, chunks, cores, run_requests
from sandbox.vm.engine_binary import MAX_SECONDS, START_SECONDS, engine_binary, program_seconds
from sandbox.vm.image import Image
from sandbox.vm.translation import translations
from tournament.runners.base import RunnerPlugin
from tournament.runners.knobeln_batch import Batch

KNOBELN_SOURCES = Path(__file__).parent / "knobeln_engine"
_SECONDS_PER_THROW = 1e-4  # an allowance for the referee


class MachinePlay(RunnerPlugin):
    name = "machine"

    def open(
        self, images: Images, settings: Settings, _seeds: Seeds, progress: ProgressCallback
    ) -> AbstractContextManager[Runner]:
        machine_images = {digest: Image.from_bytes(raw) for digest, raw in images.items()}
        limit, workers = settings.programs.max_instructions, settings.tournament.workers
        return nullcontext(MachineRunner(machine_images, rules_of(settings.game), limit, workers, progress))


PLUGIN = MachinePlay()


def knobeln_engine() -> Path:
    """The engine's program with the game KNOBELN, built if need be. Raises ToolMissing."""
    return engine_binary(KNOBELN_SOURCES)


class MachineRunner:
    """Plays games between images of the contest machine; implements contest.protocols.Runner.

    `images` by their digests. `max_instructions` is the limit per seat and game (K60). `workers` is the
    number of engine processes at once, 0 = one per core. `translated`: use translations if there are any.
    Neither changes a result (K76).
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
        self._program = knobeln_engine()
        self._translations = translations() if translated else None

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs.

        Raises EngineFailed when the machinery keeps failing, NotFound for an image that is not there.
        """
        if not jobs:
            return []
        batch = self._batch(jobs)
        requests = [_request(batch, chunk) for chunk in chunks(jobs, self._workers)]
        return run_requests(self._program, requests, self._workers, self._progress, batch.header())

    def _batch(self, jobs: Sequence[GameJob]) -> Batch:
        needed = sorted({digest for job in jobs for digest in job.images})
        missing = [digest for digest in needed if digest not in self._images]
        if missing:
            raise NotFound(f"there is no program image with the digest {missing[0]}")
        images = {digest: self._images[digest] for digest in needed}
        native = self._translations.found(images.values()) if self._translations else {}
        return Batch(self._rules, self._max_instructions, images, native)


def _request(batch: Batch, jobs: Sequence[GameJob]) -> EngineRequest[GameResult]:
    return EngineRequest(
        partial(batch.chunk, jobs), partial(batch.results, jobs), wall_limit(batch, len(jobs))
    )


def wall_limit(batch: Batch, games: int) -> float:
    """Seconds after which an engine with so many games must hang, on any host."""
    game = 2 * program_seconds(batch.max_instructions) + batch.rules.L * _SECONDS_PER_THROW
    return min(MAX_SECONDS, START_SECONDS + games * game)
