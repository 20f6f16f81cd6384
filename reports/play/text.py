"""Reports on games of programs that talk with the referee."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.game import TEXT
from contest.games.registry import game_of
from contest.language import gettext, ngettext
from contest.model import Attachment, BuildReport, Match, TextBuildReport
from reports import knobeln_protocol, text_protocol
from reports.play.base import PlayReports
from reports.text import byte_count


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
