"""Who meets whom in a group."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement

from knobeln.model import Pairing


def everyone_meets_everyone(members: Iterable[str], self_play: bool) -> tuple[Pairing, ...]:
    """Every pair of members once, and each with itself where the contest has self-play (K65, K78)."""
    meet = combinations_with_replacement if self_play else combinations
    return tuple(Pairing(first, second) for first, second in meet(sorted(members), 2))
