"""Reports on games of C programs on the contest machine."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import MACHINE, GameInfo
from contest.games.knobeln import rules_of, throw_points
from contest.language import gettext, noted, number
from contest.model import Attachment, BuildReport, MachineBuildReport, Match, Moves, PracticeGame
from reports import knobeln_protocol
from reports.play.base import PlayReports, PlayWords
from reports.replay.throws import throw_replay
from reports.replay.turns import Replay
from reports.series import SeriesFacts, series_facts
from reports.text import byte_count, kilobytes
from reports.verdicts import MACHINE_VERDICTS


class MachineReports(PlayReports):
    words = PlayWords(noted("compile"), noted("compiled"), noted("compiles"))
    counted = noted("instructions in a game")
    verdicts = MACHINE_VERDICTS

    def attachments(
        self,
        matches: Sequence[Match],
        round_number: int,
        group: int,
        entry: str,
        settings: Settings,
        file_name: str,
    ) -> tuple[Attachment, ...]:
        rules = rules_of(settings.game)
        games = (knobeln_protocol.GameProtocol.of(match, round_number, group, rules) for match in matches)
        return (knobeln_protocol.attachment(file_name, knobeln_protocol.write(games)),)

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
        return throw_replay(match, moves)


MACHINE_REPORTS = MachineReports(MACHINE.name)
