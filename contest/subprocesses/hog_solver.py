"""Compute how often Hog strategies beat each other, in engine processes.

No foreign program runs here: strategies are tables. hog_engine/main.c documents the input and
output.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from contest.games.hog import SCORES, HogEntry, Pair
from contest.interfaces.protocols import ProgressCallback, no_progress
from contest.subprocesses.c_programs import c_program
from contest.subprocesses.engine_pool import EngineRequest, chunks, cores, run_requests

SOURCES = Path(__file__).parent / "hog_engine"
FLAGS = (
    "-std=gnu11",
    "-O2",
    "-ffp-contract=off",  # so that all processors round in the same way
)
_MAGIC = 0x31474F48
_HEAD = struct.Struct("<III")
_GOAL = struct.Struct("<I")
_PAIR = struct.Struct("<II")
_RATE = struct.Struct("<d")
_START_SECONDS = 20.0
_SECONDS_PER_PAIR = 2.0  # a hundred times the time that the highest goals take


def solver_binary() -> Path:
    """Return the path of the engine, built if need be. Raises ToolMissing if that is impossible."""
    return c_program(SOURCES, FLAGS, name="hog-engine")


def win_rates(
    entries: Sequence[HogEntry],
    pairs: Sequence[Pair],
    workers: int = 1,
    progress: ProgressCallback = no_progress,
) -> list[float]:
    """Return how often the first of each pair beats the second if a fair coin decides who begins.

    Pairs are indexes into `entries`. The rates are right to about 1e-14, and the same to the last
    bit on every host and with any number of `workers` (processes at once; 0 = one per core). Raises
    EngineFailed if the engine keeps failing, IndexError for an entry that does not exist.
    """
    workers = workers or cores()
    requests = [_request(entries, chunk) for chunk in chunks(pairs, workers)]
    return run_requests(solver_binary(), requests, workers, progress)


def win_rates_by_digest(
    images: Mapping[str, bytes], pairs: Sequence[tuple[str, str]], workers: int
) -> dict[tuple[str, str], float]:
    """Return the same for stored entries: `images` by digest, each pair (once) as two digests."""
    number = {digest: place for place, digest in enumerate(images)}
    wanted = sorted(set(pairs))
    entries = [HogEntry.from_bytes(raw) for raw in images.values()]
    rates = win_rates(
        entries, [(number[first], number[second]) for first, second in wanted], workers
    )
    return dict(zip(wanted, rates, strict=True))


def _request(entries: Sequence[HogEntry], pairs: Sequence[Pair]) -> EngineRequest[float]:
    numbers = sorted(set(chain.from_iterable(pairs)))
    used = {number: entries[number] for number in numbers}
    seconds = _START_SECONDS + len(pairs) * _SECONDS_PER_PAIR
    return EngineRequest(partial(to_bytes, used, pairs), partial(rates_in, len(pairs)), seconds)


def to_bytes(entries: Mapping[int, HogEntry], pairs: Sequence[Pair]) -> bytes:
    """Return the engine's input. `entries`: by their numbers in the pairs."""
    places = {number: place for place, number in enumerate(entries)}
    parts = [_HEAD.pack(_MAGIC, len(entries), len(pairs))]
    parts += [
        _GOAL.pack(entry.goal) + entry.table[: entry.goal * SCORES] for entry in entries.values()
    ]
    parts += [_PAIR.pack(places[first], places[second]) for first, second in pairs]
    return b"".join(parts)


def rates_in(pairs: int, raw: bytes) -> list[float]:
    """Return the win rates in the engine's answer. Raises ValueError for an impossible answer."""
    if len(raw) != pairs * _RATE.size:
        raise ValueError(f"{len(raw)} bytes for {pairs} pairs")
    rates = [rate for (rate,) in _RATE.iter_unpack(raw)]
    if not all(0 <= rate <= 1 for rate in rates):
        raise ValueError("a win rate outside 0..1")
    return rates
