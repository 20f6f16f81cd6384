"""Win rates for the leaderboard: computed when a strategy is accepted, and only for new pairs (H12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contest.games.hog import HogEntry
from contest.store.leaderboard import Entrant
from contest.subprocesses.hog_solver import win_rates

Pairs = Sequence[tuple[Entrant, Entrant]]


def rates_of(pairs: Pairs, images: Mapping[str, bytes], workers: int) -> dict[tuple[str, str], float]:
    """How often the first of each pair beats the second, by the digests of their images.

    Raises EngineFailed when the machinery keeps failing.
    """
    digests = sorted(images)
    number = {digest: place for place, digest in enumerate(digests)}
    wanted = sorted({(first.image_digest, second.image_digest) for first, second in pairs})
    entries = [HogEntry.from_bytes(images[digest]) for digest in digests]
    rates = win_rates(entries, [(number[first], number[second]) for first, second in wanted], workers)
    return dict(zip(wanted, rates, strict=True))
