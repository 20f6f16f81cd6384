"""The bracket of a double elimination: the matches and their players. Pure.

For a field of n the bracket has 2**k >= n places; the empty places are byes of the first round.
Everybody starts on the winners' side. A player that loses there goes on to the losers' side; a
loser there is out. The losers' side has two rounds for each round of the winners' side from the
second on. In one its players meet each other. In the other they meet the latest losers of the
winners' side, from the other half of the bracket, so that two who met do not meet again at once.
The last two play the final; if the player from the losers' side wins it, both have lost once, and a
second match decides.

A match with a missing player, because of a bye or a disqualification, is not played: the other one
goes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import NamedTuple


class Side(StrEnum):
    WINNERS = "winners' side"
    LOSERS = "losers' side"
    FINAL = "final"
    SECOND_FINAL = "final, second match"


class MatchPlace(NamedTuple):
    """A match's place in the bracket; rounds count from 1 on each side, matches from 0 in each
    round."""

    side: Side
    round: int
    number: int


class Source(NamedTuple):
    """Where a player of a match comes from: the winner or the loser of another match."""

    place: MatchPlace
    winner: bool


class Result(NamedTuple):
    """How a match ended. None: nobody goes on, or nobody loses here and plays on."""

    winner: str | None
    loser: str | None


FINAL, SECOND_FINAL = MatchPlace(Side.FINAL, 1, 0), MatchPlace(Side.SECOND_FINAL, 1, 0)


@dataclass
class Bracket:
    """The bracket of these places, in the order of the first round; None = a bye.

    It starts without results; `add` adds one. `players` are those of the matches whose players are
    known, `outcomes` the results as played, or by default if a player is missing.
    """

    places: Sequence[str | None]
    players: dict[MatchPlace, tuple[str | None, str | None]] = field(
        default_factory=dict, init=False
    )
    outcomes: dict[MatchPlace, Result] = field(default_factory=dict, init=False)
    _open: dict[MatchPlace, tuple[str, str]] = field(default_factory=dict, init=False)
    _tree: _Tree = field(init=False)

    def __post_init__(self) -> None:
        self._tree = _tree(len(self.places).bit_length() - 1)
        for number, players in enumerate(zip(self.places[::2], self.places[1::2], strict=True)):
            self._seat(MatchPlace(Side.WINNERS, 1, number), players)

    def add(self, place: MatchPlace, result: Result) -> None:
        """Add the result of a match, and seat the players whose next match follows from it."""
        self._open.pop(place, None)
        self.outcomes[place] = result
        for following in self._tree.followers.get(place, ()):
            one, other = self._tree.sources[following]
            if one.place in self.outcomes and other.place in self.outcomes:
                self._seat(following, (self._player(one), self._player(other)))

    def open_matches(self) -> list[tuple[MatchPlace, tuple[str, str]]]:
        """Return the matches that can be played, in the order of the bracket; without the second
        final."""
        return [
            (place, self._open[place])
            for place in sorted(self._open, key=self._tree.order.__getitem__)
        ]

    @property
    def last_of_losers(self) -> MatchPlace | None:
        """The losers' side's last match, whose loser is third; None in a field of two."""
        return _last_of_losers(len(self.places).bit_length() - 1)

    def _player(self, source: Source) -> str | None:
        result = self.outcomes[source.place]
        return result.winner if source.winner else result.loser

    def _seat(self, place: MatchPlace, players: tuple[str | None, str | None]) -> None:
        self.players[place] = players
        first, second = players
        if first is not None and second is not None:
            self._open[place] = (first, second)
        else:
            self.add(place, Result(second if first is None else first, None))


class _Tree(NamedTuple):
    """What all brackets of one size share: all matches but the second final.

    `order`: places in the order of the matches, in which they can be played. `sources`: of all
    matches after the first round. `followers`: the matches into which the players of a match go on.
    """

    order: Mapping[MatchPlace, int]
    sources: Mapping[MatchPlace, tuple[Source, Source]]
    followers: Mapping[MatchPlace, Sequence[MatchPlace]]


@cache
def _tree(rounds: int) -> _Tree:
    """Return the tree of a bracket with this many rounds on the winners' side: it has 2**rounds
    places."""
    places = list(_matches(rounds))
    sources = {
        place: _sources(place, rounds)
        for place in places
        if place.side is not Side.WINNERS or place.round > 1
    }
    followers: defaultdict[MatchPlace, list[MatchPlace]] = defaultdict(list)
    for place, two in sources.items():
        for before in {source.place for source in two}:
            followers[before].append(place)
    order = {place: index for index, place in enumerate(places)}
    return _Tree(order, sources, followers)


def _matches(rounds: int) -> Iterator[MatchPlace]:
    for number in range(1, rounds + 1):
        yield from (MatchPlace(Side.WINNERS, number, i) for i in range(1 << (rounds - number)))
    for number in range(1, 2 * (rounds - 1) + 1):
        size = 1 << (rounds - 2 - (number - 1) // 2)
        yield from (MatchPlace(Side.LOSERS, number, i) for i in range(size))
    yield FINAL


def _last_of_losers(rounds: int) -> MatchPlace | None:
    return MatchPlace(Side.LOSERS, 2 * (rounds - 1), 0) if rounds > 1 else None


def _sources(place: MatchPlace, rounds: int) -> tuple[Source, Source]:
    if place.side is Side.WINNERS:
        return _two_of(Side.WINNERS, place.round - 1, place.number, winner=True)
    if place.side is Side.LOSERS:
        return _sources_of_losers(place, rounds)
    loser = _last_of_losers(rounds)
    champion = MatchPlace(Side.WINNERS, rounds, 0)
    return Source(champion, winner=True), Source(loser or champion, winner=loser is not None)


def _sources_of_losers(place: MatchPlace, rounds: int) -> tuple[Source, Source]:
    if place.round == 1:
        return _two_of(Side.WINNERS, 1, place.number, winner=False)
    if place.round % 2:
        return _two_of(Side.LOSERS, place.round - 1, place.number, winner=True)
    stage = 1 + place.round // 2  # the round of the winners' side whose losers come in
    size = 1 << (rounds - stage)
    across = (place.number + size // 2) % size if stage % 2 else size - 1 - place.number
    return (
        Source(MatchPlace(Side.LOSERS, place.round - 1, place.number), winner=True),
        Source(MatchPlace(Side.WINNERS, stage, across), winner=False),
    )


def _two_of(side: Side, number: int, following: int, *, winner: bool) -> tuple[Source, Source]:
    """Return the two neighbours in this round whose players go on to match `following` of the
    next."""
    first, second = (MatchPlace(side, number, 2 * following + i) for i in (0, 1))
    return Source(first, winner), Source(second, winner)
