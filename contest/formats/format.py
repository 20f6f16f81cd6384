"""What a format is: pure rules by which a winner is found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations, combinations_with_replacement
from typing import ClassVar

from contest.formats.standings import standing_list
from contest.games.game import GameInfo
from contest.language import noted
from contest.model import GroupPlan, Match, Pairing, RoundOutcome, RoundPlan, Standing
from contest.schema.sections import Tournament
from contest.seeds import Seeds


class Format(ABC):
    """How a winner is found. `tests/support/format_promises.py` checks what every format promises.

    A round is a set of groups that share no member. An entry that sits out (a bye) is in no group,
    or in a group without pairings. The complete history is handed in, so a format may look back
    further than the last round's survivors (a losers' bracket). To meet again, two entries need
    another round. The pairing says how often its players meet in the round.
    """

    name: ClassVar[str]  # what `tournament.format` says in contest.toml
    summary: ClassVar[str] = ""  # a line for the comment in contest.toml
    first_place: ClassVar[str] = noted("The first place goes to the team with the most points.")
    """What it takes to be the first, in a sentence for spectators."""
    # of a game in this format; None = one for every entry that is left
    seats: ClassVar[int | None] = 2
    everyone_meets: ClassVar[bool] = False  # in the final, as an evolution needs (K80)
    # False: one group of all, so mails name no round and no group
    has_rounds: ClassVar[bool] = True
    # divides the field into groups of `group_min` to `group_max`
    has_groups: ClassVar[bool] = False
    counts_match_points: ClassVar[bool] = False  # the points of its tables are match points
    ranks_by_points: ClassVar[bool] = True  # False: a team with fewer points may be ahead

    def __init__(self, settings: Tournament, game: GameInfo) -> None:
        self._settings = settings
        self._game = game

    @abstractmethod
    def plan(
        self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds
    ) -> RoundPlan | None:
        """Return the round after these; None when the contest is decided. Every draw comes from
        `seeds`, by name."""

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """Return the table of a finished group: the ranked best first, then the disqualified, who
        never advance.

        By default the table by points, from which nobody advances.
        """
        return standing_list(plan.members, matches, failures, disqualified, frozenset())

    def ends_in_final(self, last: RoundPlan) -> bool:
        """Return whether the contest's last round was its final. By default it always was."""
        return True

    def ranking(self, history: Sequence[RoundOutcome]) -> tuple[Standing, ...]:
        """Return the contest's result, given all its rounds: the ranked best first, then the
        disqualified.

        Entries that the format gives no place, because they were out before, are missing. By
        default the table of the last round's first group.
        """
        return history[-1].groups[0].standings


def everyone_meets_everyone(members: Iterable[str], settings: Tournament) -> tuple[Pairing, ...]:
    """Every pair of members, and each with itself if the contest has self-play (K65, K78)."""
    meet = combinations_with_replacement if settings.self_play else combinations
    return tuple(Pairing(pair, settings.games) for pair in meet(sorted(members), 2))
