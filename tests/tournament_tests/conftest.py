"""An arena in the engine's place: what happens in a game is a pure function of its job, as
there."""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import pytest

from contest.model import Fault, GameJob, GameResult, SeatResult, Verdict
from contest.seeds import Seeds

Script = Mapping[bytes, Verdict]


class ScriptedArena:
    """A program whose digest ends in "-30" crashes in 30 % of its games, decided by its random
    stream.

    `script` says of single streams how their game ends, for the seats that a test names. A game
    stops at the first crash, so a seat that would crash later than the other has not crashed.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or {}
        self.batches: list[list[GameJob]] = []

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        self.batches.append(list(jobs))
        return [self.result(job) for job in jobs]

    def result(self, job: GameJob) -> GameResult:
        ends = [
            self._end(image, stream) for image, stream in zip(job.images, job.streams, strict=True)
        ]
        last = min(throw for throw, _ in ends)
        verdicts = [verdict if throw == last else Verdict.OK for throw, verdict in ends]
        seats = tuple(map(_seat, verdicts, job.streams, (last, last)))
        digest = hashlib.sha256(b"".join(job.streams)).hexdigest()[:16]
        throws = tuple((1, 2) for _ in range(last)) if job.protocol else None
        return GameResult(tuple(seats), last, digest, throws)

    def _end(self, image: str, stream: bytes) -> tuple[int, Verdict]:
        if stream in self.script:
            return 17, self.script[stream]
        crashes = stream[0] * 100 < int(image.partition("-")[2] or 0) * 256
        return (1 + stream[1] % 4, Verdict.CRASH) if crashes else (1000, Verdict.OK)


def _seat(verdict: Verdict, stream: bytes, throw: int) -> SeatResult:
    fault = None if verdict is Verdict.OK else Fault(throw, "as the script says")
    return SeatResult(int.from_bytes(stream[2:4], "big") % 40, verdict, fault, 1_000, 4_096)


@pytest.fixture(scope="session")
def scripted_arena() -> Callable[..., ScriptedArena]:
    return ScriptedArena


@pytest.fixture(scope="session")
def seeds() -> Seeds:
    return Seeds(bytes(range(32)))
