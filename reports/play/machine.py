"""Reports on games of C programs on the contest machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contest.config.settings import Settings
from contest.games.base import MACHINE, GameInfo
from contest.games.drawing import Course
from contest.games.knobeln import rules_of
from contest.language import noted
from contest.model import Attachment, Match, Moves, PracticeGame
from reports import knobeln_protocol
from reports.play.base import PlayReports, PlayWords
from reports.series import SeriesFacts, series_facts
from reports.verdicts import MACHINE_VERDICTS

if TYPE_CHECKING:
    from reports.site.games import GameKey, GamePage


class MachineReports(PlayReports):
    words = PlayWords(noted("compile"), noted("compiled"), noted("compiles"))
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

    def game_page(
        self, key: GameKey, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
    ) -> GamePage:
        if not moves:
            return super().game_page(key, moves, course, game)
        from reports.site.throws import throw_page  # mails are written without the pages

        return throw_page(key, moves, game, self.verdicts)


MACHINE_REPORTS = MachineReports(MACHINE.name)
