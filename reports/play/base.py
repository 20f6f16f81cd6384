"""What reports need to know about a kind of play, with what holds for most kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import GameInfo
from contest.language import noted
from contest.model import Attachment, BuildReport, Match, Moves, PracticeGame, Verdict
from reports.replay.turns import Replay, replay_of
from reports.series import SeriesFacts
from reports.verdicts import VERDICTS


@dataclass(frozen=True)
class PlayWords:
    """Verbs for what happens to a program: we `take` it, it is `taken`, and then it `works`."""

    take: str = noted("take")
    taken: str = noted("taken")
    works: str = noted("works")


class PlayReports:
    """How reports and pages treat the games of a kind of play.

    This class does for any kind; a kind that differs has a subclass. What mails say differently is in
    `reports/templates/play/<kind>/`.
    """

    words = PlayWords()
    counted = noted("units of time in a game")  # what `SeatResult.instructions` are
    verdicts: Mapping[Verdict, str] = VERDICTS

    def __init__(self, name: str) -> None:
        self.name = name

    def attachments(
        self,
        matches: Sequence[Match],
        round_number: int,
        group: int,
        entry: str,
        settings: Settings,
        file_name: str,
    ) -> tuple[Attachment, ...]:
        """The protocols of these games as a file for the entry's team; () if such games have none."""
        return ()

    def series(self, games: Sequence[PracticeGame]) -> SeriesFacts | None:
        """The series that a program threw in practice games; None if its moves are no throws."""
        return None

    def gains(
        self, moves: Sequence[Moves] | None, course: Course | None
    ) -> tuple[tuple[int, ...], ...] | None:
        """What each seat won in each turn; None if that is not known."""
        if course is None or not course.points:
            return None
        return tuple(zip(*course.gains, strict=True))

    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        """The figures of an accepted program that its page tells after the contest, by what they are."""
        return ()

    def replay(
        self, match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
    ) -> Replay:
        """What a replay of the game shows. `moves` and `course` are None if they are not known any more."""
        return replay_of(match, moves, course, game)
