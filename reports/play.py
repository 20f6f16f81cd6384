"""What reports say and show differently for each kind of play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import MACHINE, TABLE, TEXT, GameInfo, KindOfPlay
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from contest.language import gettext, ngettext, noted, number
from contest.model import (
    Attachment,
    BuildReport,
    MachineBuildReport,
    Match,
    Moves,
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
    verdicts: Mapping[Verdict, str] = VERDICTS

    def protocols(
        self, matches: Sequence[Match], round_number: int, group: int, entry: str, settings: Settings
    ) -> str:
        """The protocols of one or more games for the entry's team as a compact text; "" if they have none."""
        return ""

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
    verdicts = MACHINE_VERDICTS

    def protocols(
        self, matches: Sequence[Match], round_number: int, group: int, entry: str, settings: Settings
    ) -> str:
        rules = rules_of(settings.game)
        return knobeln_protocol.write(
            knobeln_protocol.GameProtocol(round_number, group, rules, match) for match in matches
        )

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
