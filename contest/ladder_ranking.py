"""The ladder: how the games between all accepted programs rank them, outside the contest. Pure.

Where games are computed exactly, it is always complete, and ranks as the contest does: by match
points. Where games are played, it ranks by mean points, as far as they have been played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from contest.config.settings import Settings
from contest.games.game import MATCH_POINT, GameInfo
from contest.games.registry import game_of
from contest.language import noted
from contest.model import (
    ExactPlace,
    LadderEntry,
    LadderGame,
    LadderLine,
    LadderRank,
    LadderRanking,
)

RANKINGS = frozenset({"GRR", "RSM"})
"""The reports with which teams ask for rankings, and so for the ladder."""


def is_exact(settings: Settings) -> bool:
    """Return whether the ladder's games are computed, as soon as there are programs."""
    return not game_of(settings.game, settings.programs).info.play.has_moves


def has_ladder(settings: Settings) -> bool:
    return settings.ladder.enabled or is_exact(settings)


def is_ladder_told(settings: Settings) -> bool:
    """Return whether anybody may ask for the ladder: games are computed, or the contest offers
    rankings."""
    offers = not RANKINGS.isdisjoint(settings.reports.offered)
    return is_exact(settings) or (settings.ladder.enabled and offers)


@dataclass(frozen=True)
class Ladder:
    """The versions that count, and the games between them; others are ignored."""

    entries: tuple[LadderEntry, ...]
    games: Iterable[LadderGame]
    game: GameInfo

    @property
    def lines(self) -> tuple[LadderLine, ...]:
        """The ranking, best first; equal scores share a rank. Where games are played, who has none
        is missing."""
        scores = {
            entry: self._score(won)
            for entry in self.entries
            if (won := self._won[entry.build_id]) or not self.game.play.has_moves
        }
        ordered = sorted(scores, key=lambda entry: (-scores[entry], entry.team.casefold()))
        lines: list[LadderLine] = []
        for place, entry in enumerate(ordered, start=1):
            is_tied = place > 1 and scores[entry] == scores[ordered[place - 2]]
            lines.append(
                LadderLine(
                    rank=lines[-1].rank if is_tied else place,
                    team=entry.team,
                    version=entry.version,
                    games=len(self._won[entry.build_id]),
                    points=round(float(scores[entry]), 3),
                    failures=self._failures[entry.build_id],
                    strategy=entry.strategy,
                )
            )
        return tuple(lines)

    def share(self, first: LadderEntry, second: LadderEntry) -> Fraction:
        """Return the share of the points that `first` won against `second`; its win rate, if that
        is computed."""
        own, theirs = self._won[first.build_id][second.build_id]
        return Fraction(own, own + theirs)

    def place(self, team: str, before: LadderRank | None) -> ExactPlace:
        """Return the team's place, and the teams that beat it. The game is computed exactly."""
        own = next(entry for entry in self.entries if entry.team == team)
        line = next(line for line in self.lines if line.team == team)
        others = [entry for entry in self.entries if entry is not own]
        winners = tuple(other.team for other in others if self.share(other, own) > MATCH_POINT)
        now = LadderRank(line.rank, len(self.entries))
        return ExactPlace(now, before, match_points=int(line.points), beaten_by=winners)

    def _score(self, won: Mapping[int, tuple[int, int]]) -> Fraction:
        if self.game.play.has_moves:
            return Fraction(sum(own for own, _ in won.values()), len(won) * self.game.point)
        return Fraction(sum(own > MATCH_POINT * (own + theirs) for own, theirs in won.values()))

    @cached_property
    def _counting(self) -> tuple[LadderGame, ...]:
        builds = {entry.build_id for entry in self.entries}
        return tuple(game for game in self.games if {game.first, game.second} <= builds)

    @cached_property
    def _won(self) -> Mapping[int, Mapping[int, tuple[int, int]]]:
        """By build: its points and the other's, by the other's build."""
        won: dict[int, dict[int, tuple[int, int]]] = {entry.build_id: {} for entry in self.entries}
        for game in self._counting:
            own, theirs = game.points
            won[game.first][game.second] = own, theirs
            won[game.second][game.first] = theirs, own
        return won

    @cached_property
    def _failures(self) -> Mapping[int, int]:
        failures = {entry.build_id: 0 for entry in self.entries}
        for game in self._counting:
            failures[game.first] += game.failed[0]
            failures[game.second] += game.failed[1]
        return failures


def rank_in(lines: Sequence[LadderLine], team: str) -> LadderRank | None:
    """Return the team's rank in this ranking; None if it is not in it."""
    return next((LadderRank(line.rank, len(lines)) for line in lines if line.team == team), None)


def movements(ranking: LadderRanking, before: LadderRanking | None = None) -> dict[str, str]:
    """For each team `+2`, `-1`, `=`, or `new`, compared with the ranking before."""
    old = {line.team: line.rank for line in before.lines} if before else {}
    return {
        line.team: noted("new")
        if line.team not in old
        else f"{old[line.team] - line.rank:+d}".replace("+0", "=")
        for line in ranking.lines
    }
