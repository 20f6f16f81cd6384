"""Find the prizes for the best of each value of the field `teams.prizes_by`, such as a school
(B20). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contest.model import Standing, Team
from contest.schema.sections import Teams


@dataclass(frozen=True)
class PrizeList:
    """The places with a prize among the teams whose field has this value; equal ranks share a
    place."""

    value: str
    places: tuple[tuple[int, Standing], ...]  # place from 1, best first

    @property
    def winners(self) -> tuple[Standing, ...]:
        return tuple(standing for place, standing in self.places if place == 1)


def prize_fields(teams: Mapping[str, Team], settings: Teams) -> dict[str, str]:
    """Return what each team has in the field `teams.prizes_by`; {} if the contest has no such
    prizes."""
    by = settings.prizes_by
    return {name: team.registration.field(by) for name, team in teams.items()} if by else {}


def prize_lists(
    ranking: Sequence[Standing], fields: Mapping[str, str], settings: Teams
) -> tuple[PrizeList, ...]:
    """Return a list for each value of the field `teams.prizes_by`, in the order of the form's
    choices.

    A team without a rank, or with an empty field, gets no prize, so a list may be empty. Returns ()
    if the contest has no such prizes.
    """
    if not settings.prizes_by:
        return ()
    choices = next(
        (field.choices for field in settings.fields if field.name == settings.prizes_by), ()
    )
    by_value: dict[str, list[Standing]] = {value: [] for value in choices}
    for standing in ranking:
        value = fields[standing.entry]
        if value and standing.rank is not None:
            by_value.setdefault(value, []).append(standing)
    return tuple(
        PrizeList(value, _places(entries, settings.prizes)) for value, entries in by_value.items()
    )


def _places(best_first: Sequence[Standing], most: int) -> tuple[tuple[int, Standing], ...]:
    ranks = [_rank(standing) for standing in best_first]
    numbered = ((1 + ranks.index(_rank(standing)), standing) for standing in best_first)
    return tuple((place, standing) for place, standing in numbered if place <= most)


def _rank(standing: Standing) -> int:
    return standing.rank or 0


def grand_prize(lists: Sequence[PrizeList]) -> tuple[Standing, ...]:
    """Return the best among the winners of all lists; several if they are equal."""
    winners = [standing for prizes in lists for standing in prizes.winners]
    best = min(map(_rank, winners), default=0)
    return tuple(standing for standing in winners if _rank(standing) == best)
