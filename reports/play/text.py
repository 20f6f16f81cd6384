"""Reports on games of programs that talk with the referee."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.base import TEXT
from contest.games.registry import game_of
from contest.model import Attachment, BuildReport, Match, TextBuildReport
from contest.plurals import plural
from reports import knobeln_protocol, text_protocol
from reports.play.base import PlayReports


class TextReports(PlayReports):
    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        found = []
        if isinstance(report, TextBuildReport):
            if report.image:
                found.append(("container image", plural(report.image.unpacked_bytes, "byte")))
            else:
                size = plural(sum(file.size for file in report.files), "byte")
                found.append(("size", f"{size} in {plural(len(report.files), 'file')}"))
        return tuple(found)

    def attachments(
        self,
        matches: Sequence[Match],
        round_number: int,
        group: int,
        entry: str,
        settings: Settings,
        file_name: str,
    ) -> tuple[Attachment, ...]:
        game = game_of(settings.game, settings.programs).info
        games = (text_protocol.of(match, round_number, group, entry) for match in matches)
        return (knobeln_protocol.attachment(file_name, text_protocol.write(game, games)),)


TEXT_REPORTS = TextReports(TEXT.name)
