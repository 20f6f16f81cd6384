"""What reports say and show differently for each kind of play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import MACHINE, TABLE, TEXT, GameInfo, KindOfPlay
from contest.games.knobeln import rules_of, throw_points
from contest.games.registry import game_of
from contest.language import gettext, ngettext, noted, number
from contest.model import (
    Attachment,
    BuildReport,
    MachineBuildReport,
    Match,
    Moves,
    PracticeGame,
    TableBuildReport,
    TextBuildReport,
    Verdict,
)
from reports import knobeln_protocol, text_protocol
from reports.text import byte_count, kilobytes
from reports.words import MACHINE_VERDICTS, VERDICTS

if TYPE_CHECKING:
    from reports.replay.turns import Replay


class PlayReports:
    """How reports and pages treat the games of a kind of play.

    This class does for any kind; a kind that differs has a subclass. What mails say differently is in
    `reports/templates/play/<kind>/`.
    """

    # Verbs for what happens to a program: we `take` it, it is `taken`, and then it `works`.
    words: Mapping[str, str] = {"take": noted("take"), "taken": noted("taken"), "works": noted("works")}
    counted = noted("units of time in a game")  # what `SeatResult.instructions` are
    verdicts: Mapping[Verdict, str] = VERDICTS

    def protocols(
        self, matches: Sequence[Match], round_number: int, group: int, entry: str, settings: Settings
    ) -> str:
        """The protocols of one or more games for the entry's team as a compact text; "" if they have none."""
        return ""

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
        """The figures of an accepted program for its page after the contest, by their labels."""
        return ()

    def replay(
        self, match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
    ) -> Replay:
        """What a replay of the game shows. `moves` and `course` are None if they are not known any more."""
        from reports.replay.turns import replay_of  # mails are written without replays

        return replay_of(match, moves, course, game)


class MachineReports(PlayReports):
    words: Mapping[str, str] = {
        "take": noted("compile"),
        "taken": noted("compiled"),
        "works": noted("compiles"),
    }
    counted = noted("instructions in a game")
    verdicts = MACHINE_VERDICTS

    def protocols(
        self, matches: Sequence[Match], round_number: int, group: int, entry: str, settings: Settings
    ) -> str:
        rules = rules_of(settings.game)
        return knobeln_protocol.write(
            knobeln_protocol.GameProtocol(round_number, group, rules, match) for match in matches
        )

    def series(self, games: Sequence[PracticeGame]) -> SeriesFacts | None:
        thrown = [knobeln_protocol.throws_of(game.result) or () for game in games]
        return series_facts([own for own, _ in throws] for throws in thrown)

    def gains(
        self, moves: Sequence[Moves] | None, course: Course | None
    ) -> tuple[tuple[int, ...], ...] | None:
        if not moves:
            return None
        return tuple(zip(*(throw_points(int(a), int(b)) for a, b in moves), strict=True))  # type: ignore[arg-type]

    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        found = []
        if isinstance(report, MachineBuildReport):
            if report.elements is not None:
                elements = gettext(
                    "%(elements)s of %(limit)s allowed",
                    elements=number(report.elements),
                    limit=number(report.element_limit),
                )
                found.append((gettext("lexical elements"), elements))
            if report.static_bytes is not None:
                limit = kilobytes(report.memory_limit)
                used = kilobytes(report.static_bytes)
                found.append(
                    (gettext("memory for data"), gettext("%(used)s of %(limit)s", used=used, limit=limit))
                )
            if report.code_bytes is not None:
                found.append((gettext("code"), byte_count(report.code_bytes)))
        return tuple(found)

    def replay(
        self, match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
    ) -> Replay:
        if not moves:
            return super().replay(match, moves, course, game)
        from reports.replay.throws import throw_replay  # mails are written without replays

        return throw_replay(match, moves)


class TextReports(PlayReports):
    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        found = []
        if isinstance(report, TextBuildReport):
            if report.image:
                found.append((gettext("container image"), byte_count(report.image.unpacked_bytes)))
            else:
                size = ngettext(
                    "%(bytes)s in %(num)s file",
                    "%(bytes)s in %(num)s files",
                    len(report.files),
                    bytes=byte_count(sum(file.size for file in report.files)),
                )
                found.append((gettext("size"), size))
            if report.counted_by:
                counted = gettext("counted in units (%(counted_by)s)", counted_by=report.counted_by)
                found.append((gettext("time"), counted))
        return tuple(found)

    def protocols(
        self, matches: Sequence[Match], round_number: int, group: int, entry: str, settings: Settings
    ) -> str:
        game = game_of(settings.game, settings.programs).info
        return text_protocol.write(
            [text_protocol.of(game, match, round_number, group, entry) for match in matches]
        )


class TableReports(PlayReports):
    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        found = []
        if isinstance(report, TableBuildReport):
            if report.player_name:
                found.append(("PLAYER_NAME", report.player_name))
            found.append((gettext("size"), byte_count(report.source_bytes)))
        return tuple(found)


def packed_protocols(file: str, text: str) -> tuple[Attachment, ...]:
    """These protocols as a gzipped file; () if there are none."""
    return (Attachment(file, "application/gzip", knobeln_protocol.packed(text)),) if text else ()


_KINDS: Mapping[KindOfPlay, PlayReports] = {
    MACHINE: MachineReports(),
    TEXT: TextReports(),
    TABLE: TableReports(),
}


def play_reports(play: KindOfPlay) -> PlayReports:
    """How reports treat this kind of play."""
    return _KINDS[play]


# --- the series of a strategy of KNOBELN -----------------------------------------------------------------
@dataclass(frozen=True)
class SeriesFacts:
    """Statistics of all series in some games.

    `rising`: of the throws within a series, the part (0 to 1) that is higher than the one before.
    `mean_fall`: how far a new series begins below the last throw, on average.
    """

    count: int
    mean_length: float
    shortest: int
    longest: int
    rising: float
    mean_fall: float
    lowest: int
    highest: int


def series_facts(games: Iterable[Sequence[int]]) -> SeriesFacts | None:
    """Return the statistics of one player's throws, given game by game; None if there are no throws.

    The end of the game cuts the last series, so that series counts only if it is the only one.
    """
    played = [throws for throws in games if throws]
    split = [_series(throws) for throws in played]
    whole = [series for found in split for series in (found[:-1] or found)]
    if not whole:
        return None
    lengths = [len(series) for series in whole]
    steps = [after > before for series in whole for before, after in pairwise(series)]
    falls = [first[-1] - second[0] for found in split for first, second in pairwise(found)]
    numbers = [number for throws in played for number in throws]
    return SeriesFacts(
        count=len(whole),
        mean_length=sum(lengths) / len(lengths),
        shortest=min(lengths),
        longest=max(lengths),
        rising=sum(steps) / len(steps) if steps else 0.0,
        mean_fall=sum(falls) / len(falls) if falls else 0.0,
        lowest=min(numbers),
        highest=max(numbers),
    )


def _series(throws: Sequence[int]) -> list[Sequence[int]]:
    """Split the throws of a game into its series.

    >>> _series([1, 2, 3, 1, 4])
    [[1, 2, 3], [1, 4]]
    """
    starts = [0, *(n for n in range(1, len(throws)) if throws[n] < throws[n - 1]), len(throws)]
    return [throws[start:end] for start, end in pairwise(starts)]
