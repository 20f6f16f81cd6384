"""Games on the contest machine: KNOBELN between images, in batches, by several engine processes at
once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import Differs, NotFound, ToolMissing
from contest.games.knobeln import Rules, rules_of
from contest.interfaces.protocols import Images, ProgressCallback, Runner, no_progress
from contest.model import GameJob, GameResult, GroupOutcome, Verdict
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import EngineRequest, chunks, cores, run_requests
from sandbox.sandbox import Sandbox
from sandbox.vm.engine_binary import MAX_SECONDS, START_SECONDS, engine_binary, program_seconds
from sandbox.vm.image import Image
from sandbox.vm.translation import translations
from tournament.behaviour import probe_source, twins_against_probes
from tournament.runners.knobeln_batch import Batch
from tournament.runners.plugin import RunnerPlugin
from tournament.runners.recorded import job_of

KNOBELN_SOURCES = Path(__file__).parent / "knobeln_engine"
_MIN_INSTRUCTIONS = 1_000  # the least that settings may allow
_SECONDS_PER_THROW = 1e-4  # an allowance for the referee


class MachinePlay(RunnerPlugin):
    def open(
        self, images: Images, settings: Settings, _seeds: Seeds, progress: ProgressCallback
    ) -> AbstractContextManager[Runner]:
        return nullcontext(_runner(images, settings, settings.programs.max_instructions, progress))

    def open_checking(
        self,
        recorded: GroupOutcome,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback,
    ) -> AbstractContextManager[Runner]:
        """Plays the recorded games with only as many instructions as the longest of them is said to
        have.

        So programs that do not play these games at all cannot go on for ever. A player that is said
        to have used up its time has the contest's limit.
        """
        limit = settings.programs.max_instructions
        seats = [seat for match in recorded.matches for seat in match.result.seats]
        if any(seat.verdict is Verdict.TIME for seat in seats):
            return self.open(images, settings, seeds, progress)
        claimed = max((seat.instructions for seat in seats), default=0)
        limited = _runner(
            images, settings, max(_MIN_INSTRUCTIONS, min(limit, claimed + 1)), progress
        )
        others = _runner(images, settings, limit, progress)
        known = {job_of(match, recorded.plan.round, seeds).streams for match in recorded.matches}

        def play(jobs: Sequence[GameJob]) -> Sequence[GameResult]:
            """Raises Differs if a player needs more instructions than are recorded of any game."""
            if any(job.streams not in known for job in jobs):
                return others(jobs)
            results = limited(jobs)
            for job, result in zip(jobs, results, strict=True):
                for name, seat in zip(job.names, result.seats, strict=True):
                    if seat.verdict is Verdict.TIME:
                        raise Differs(
                            f"the program of {name} needs more instructions than the archive has of"
                            " any game of this group"
                        )
            return results

        return nullcontext(play)

    def speed_up(self, images: Images, settings: Settings) -> Sequence[str]:
        """Translate programs that have no translation here; without one the interpreter plays."""
        slow = []
        for digest, raw in images.items():
            try:
                translations().add(Image.from_bytes(raw), Sandbox())
            except ToolMissing as reason:
                slow.append(f"the program {digest[:12]} plays without native code: {reason}")
        return slow

    def behaviour_twins(
        self, images: Images, settings: Settings, build_c: Callable[[str], tuple[str, bytes]]
    ) -> tuple[tuple[str, ...], ...]:
        """By their throws against fixed probes."""
        probe, probe_image = build_c(probe_source(rules_of(settings.game)))
        limit = settings.programs.max_instructions
        runner = _runner({**images, probe: probe_image}, settings, limit, no_progress)
        return twins_against_probes(images, probe, runner)


def _runner(images: Images, settings: Settings, limit: int, progress: ProgressCallback) -> Runner:
    machine_images = {digest: Image.from_bytes(raw) for digest, raw in images.items()}
    return MachineRunner(
        machine_images, rules_of(settings.game), limit, settings.tournament.workers, progress
    ).play


PLUGIN = MachinePlay()


def knobeln_engine() -> Path:
    """The engine's program with the game KNOBELN, built if need be. Raises ToolMissing."""
    return engine_binary(KNOBELN_SOURCES)


class MachineRunner:
    """Plays games between images of the contest machine.

    `images` by their digests. `max_instructions` is the limit per seat and game (K60). `workers` is
    the number of engine processes at once, 0 = one per core. `translated`: use translations if
    there are any. Neither changes a result (K76).
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

        Raises EngineFailed when the machinery keeps failing, NotFound for an image that is not
        there.
        """
        if not jobs:
            return []
        needed = sorted({digest for job in jobs for digest in job.images})
        missing = [digest for digest in needed if digest not in self._images]
        if missing:
            raise NotFound(f"there is no program image with the digest {missing[0]}")
        images = {digest: self._images[digest] for digest in needed}
        native = self._translations.found(images.values()) if self._translations else {}
        batch = Batch(self._rules, self._max_instructions, images, native)
        requests = [
            EngineRequest(
                partial(batch.chunk, some),
                partial(batch.results, some),
                wall_limit(batch, len(some)),
            )
            for some in chunks(jobs, self._workers)
        ]
        return run_requests(self._program, requests, self._workers, self._progress, batch.header())


def wall_limit(batch: Batch, games: int) -> float:
    """Seconds after which an engine with this many games must hang, on any host."""
    game = 2 * program_seconds(batch.max_instructions) + batch.rules.L * _SECONDS_PER_THROW
    return min(MAX_SECONDS, START_SECONDS + games * game)
