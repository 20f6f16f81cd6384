"""`please send leaderboard`: the present ranking of a contest that is computed exactly (H12)."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.store import leaderboard
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import Limit


def has_leaderboard(settings: Settings) -> bool:
    """Whether win rates are computed in this contest as soon as there are programs."""
    return not game_of(settings.game, settings.programs).info.play.has_moves


class Leaderboard(Command):
    name = "leaderboard"
    read_only = True
    answers = by_template(leaderboard=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("please send leaderboard", "send leaderboard") if has_leaderboard(settings) else ()

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return () if subject.casefold() in self.subjects(settings) else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        lines = leaderboard.leaderboard(context.tx).lines
        return context.answer("leaderboard", context.writer, note="the leaderboard is asked for", lines=lines)


COMMAND = Leaderboard()
