"""The bracket of a double elimination: the matches and their players. Pure.

For a field of n the bracket has 2**k >= n places; the empty places are byes of the first round. Everybody
starts on the winners' side. A player that loses there goes on to the losers' side; a loser there is out. The
losers' side has two rounds for each round of the winners' side from the second on. In one its players meet
each other. In the other they meet the latest losers of the winners' side, from the other half of the bracket,
so that two who met do not meet again at once. The last two play the final; if the player from the losers'
side wins it, both have lost once, and a second match decides.

A match with a missing player, because of a bye or a disqualification, is not played: the other one goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Side(StrEnum):
    WINNERS = "winners' side"
    LOSERS = "losers' side"
    FINAL = "final"
    SECOND_FINAL = "final, second match"


@dataclass(frozen=True, order=True)
class MatchPlace:
    """A match's place in the bracket; rounds count from 1 on each side, matches from 0 in each round."""

    side: Side
    round: int
    number: int


@dataclass(frozen=True)
class Source:
    """Where a player of a match comes from: the winner or the loser of another match."""

    place: MatchPlace
    winner: bool


@dataclass(frozen=True)
class Result:
    """How a match ended. None: nobody goes on, or nobody loses here and plays on."""

    winner: str | None
    loser: str | None


Players = tuple[str | None, str | None]


@dataclass
class Bracket:
    """The bracket of these places, in the order of the first round; None = a bye.

    `results` are those known so far, to which others may be added; `players` gives the players of a match as
    far as they follow from them.
    """

    places: Sequence[str | None]
    results: Mapping[MatchPlace, Result]
    _known: dict[MatchPlace, Players] = field(default_factory=dict, init=False)

    @property
    def rounds(self) -> int:
        """Rounds of the winners' side; the number of places is a power of two."""
        return len(self.places).bit_length() - 1

    def matches(self) -> list[MatchPlace]:
        """All matches but the second final, in an order in which they can be played."""
        found = []
        for number in range(1, self.rounds + 1):
            found += [MatchPlace(Side.WINNERS, number, i) for i in range(len(self.places) >> number)]
        for number in range(1, 2 * (self.rounds - 1) + 1):
            size = len(self.places) >> (2 + (number - 1) // 2)
            found += [MatchPlace(Side.LOSERS, number, i) for i in range(size)]
        return [*found, MatchPlace(Side.FINAL, 1, 0)]

    @property
    def last_of_losers(self) -> MatchPlace | None:
        """The losers' side's last match, whose loser is third; None in a field of two."""
        last = 2 * (self.rounds - 1)
        return MatchPlace(Side.LOSERS, last, 0) if last else None

    def players(self, place: MatchPlace) -> Players | None:
        """The players of this match; None as long as they are not known."""
        if place not in self._known:
            players = self._players(place)
            if players is None:
                return None
            self._known[place] = players
        return self._known[place]

    def outcome(self, place: MatchPlace) -> Result | None:
        """The match's result: as played, or by default if a player is missing; None if still open."""
        players = self.players(place)
        if players is None:
            return None
        there = [player for player in players if player is not None]
        if len(there) < 2:
            return Result(there[0] if there else None, None)
        return self.results.get(place)

    def _players(self, place: MatchPlace) -> Players | None:
        if place.side is Side.WINNERS and place.round == 1:
            return self.places[2 * place.number], self.places[2 * place.number + 1]
        one, other = self._sources(place)
        before = self.outcome(one.place)
        beside = self.outcome(other.place) if before else None
        if before is None or beside is None:
            return None
        return (
            before.winner if one.winner else before.loser,
            beside.winner if other.winner else beside.loser,
        )

    def _sources(self, place: MatchPlace) -> tuple[Source, Source]:
        if place.side is Side.WINNERS:
            before = (MatchPlace(Side.WINNERS, place.round - 1, 2 * place.number + i) for i in (0, 1))
            first, second = (Source(match, winner=True) for match in before)
            return first, second
        if place.side is Side.LOSERS:
            return self._sources_of_losers(place)
        loser = self.last_of_losers
        champion = MatchPlace(Side.WINNERS, self.rounds, 0)
        return Source(champion, winner=True), Source(loser or champion, winner=loser is not None)

    def _sources_of_losers(self, place: MatchPlace) -> tuple[Source, Source]:
        if place.round == 1:
            before = (MatchPlace(Side.WINNERS, 1, 2 * place.number + i) for i in (0, 1))
            first, second = (Source(match, winner=False) for match in before)
            return first, second
        if place.round % 2:
            before = (MatchPlace(Side.LOSERS, place.round - 1, 2 * place.number + i) for i in (0, 1))
            first, second = (Source(match, winner=True) for match in before)
            return first, second
        stage = 1 + place.round // 2  # the round of the winners' side whose losers come in
        size = len(self.places) >> stage
        across = (place.number + size // 2) % size if stage % 2 else size - 1 - place.number
        return (
            Source(MatchPlace(Side.LOSERS, place.round - 1, place.number), winner=True),
            Source(MatchPlace(Side.WINNERS, stage, across), winner=False),
        )
