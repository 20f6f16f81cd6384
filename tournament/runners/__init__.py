"""Where the games of a contest are played: the contest machine, the jail, or a computation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from contest.config.settings import Settings
from contest.games.base import TABLE
from contest.games.hog import WIN_RATE_UNIT, HogEntry
from contest.games.knobeln import Knobeln
from contest.games.registry import game_of
from contest.model import GameJob, GameResult, SeatResult, Verdict
from contest.protocols import Images, ProgressCallback, Runner, no_progress
from contest.seeds import Seeds
from contest.subprocesses.hog_solver import win_rates
from sandbox.vm.engine import MachineRunner
from sandbox.vm.image import Image


@contextmanager
def open_runner(
    images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback = no_progress
) -> Iterator[Runner]:
    """The arena of the contest's game, with these programs; what it has started ends with the context."""
    rules = game_of(settings.game, settings.programs)
    if isinstance(rules, Knobeln):
        machine_images = {digest: Image.from_bytes(raw) for digest, raw in images.items()}
        limit, workers = settings.programs.max_instructions, settings.tournament.workers
        yield MachineRunner(machine_images, rules.rules, limit, workers, progress)
    elif rules.info.play == TABLE:
        entries = {digest: HogEntry.from_bytes(raw) for digest, raw in images.items()}
        yield TableRunner(entries, settings, progress)
    else:
        # The jail, its players and images are more than all else here, and most contests do without.
        from tournament.runners.text import open_text_runner

        # Only games of the machine are asked without words.
        with open_text_runner(images, rules, settings, seeds, progress) as runner:  # type: ignore[arg-type]
            yield runner


class TableRunner:
    """Hog: a game is the win rate of one strategy against another, computed (H10); contest.protocols.Runner.

    Points are trillionths: what a seat wins of WIN_RATE_UNIT games when a coin says who begins.
    """

    def __init__(
        self, entries: Mapping[str, HogEntry], settings: Settings, progress: ProgressCallback = no_progress
    ) -> None:
        self._progress = progress
        self._entries = entries
        self._workers = settings.tournament.workers

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises EngineFailed when the machinery keeps failing."""
        digests = sorted({digest for job in jobs for digest in job.images})
        number = {digest: place for place, digest in enumerate(digests)}
        pairs = [(number[job.images[0]], number[job.images[1]]) for job in jobs]
        rates = win_rates([self._entries[digest] for digest in digests], pairs, self._workers, self._progress)
        return [_exact(rate) for rate in rates]


def _exact(rate: float) -> GameResult:
    first = round(rate * WIN_RATE_UNIT)
    seats = tuple(SeatResult(points, Verdict.OK, None) for points in (first, WIN_RATE_UNIT - first))
    return GameResult(seats, 0, hashlib.sha256(rate.hex().encode()).hexdigest()[:16])
