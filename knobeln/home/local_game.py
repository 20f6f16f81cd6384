"""A game of programs at home, whatever the kind of play."""

from __future__ import annotations

from dataclasses import dataclass

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import GameInfo
from contest.model import GameResult, Match, Pairing
from reports.site.alone import replay_alone


@dataclass(frozen=True)
class LocalPlayer:
    """A player, and its points as people count them. `failure`: its first fault, "" if it had none."""

    name: str
    points: float
    failure: str


@dataclass(frozen=True)
class LocalGame:
    """A game that was played. `lines` tell about it; `course` is None where the moves alone tell it."""

    game: GameInfo
    names: tuple[str, ...]
    result: GameResult
    lines: tuple[str, ...]
    course: Course | None = None

    @property
    def players(self) -> tuple[LocalPlayer, ...]:
        """The players by seat."""
        return tuple(
            LocalPlayer(name, seat.points / self.game.point, seat.fault.reason if seat.fault else "")
            for name, seat in zip(self.names, self.result.seats, strict=True)
        )

    def replay(self, settings: Settings) -> bytes:
        """The replay as a page in one file; the result must have the moves."""
        match = Match(Pairing(self.names), 1, self.result, counted=True)
        return replay_alone(settings, self.game, match, self.course)
