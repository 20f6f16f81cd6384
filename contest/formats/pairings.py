"""The pairings of a group."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement

from contest.model import Pairing
from contest.schema.sections import Tournament


def everyone_meets_everyone(members: Iterable[str], settings: Tournament) -> tuple[Pairing, ...]:
    """Every pair of members, and each with itself if the contest has self-play (K65, K78)."""
    meet = combinations_with_replacement if settings.self_play else combinations
    return tuple(Pairing(pair, settings.games) for pair in meet(sorted(members), 2))
