"""`please send leaderboard`: who stands where, in a contest that is computed exactly (H12)."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.games.base import TABLE
from contest.games.registry import game_of
from contest.store import leaderboard
from mailserver.replies import Command, LetterContext


def has_leaderboard(settings: Settings) -> bool:
    """Whether win rates are computed in this contest as soon as there are programs."""
    return game_of(settings.game, settings.programs).info.play == TABLE


def recognises(subject: str, settings: Settings) -> bool:
    return subject in ("please send leaderboard", "send leaderboard") and has_leaderboard(settings)


def handle(context: LetterContext) -> str:
    lines = leaderboard.board(context.tx).lines
    sent = context.answer("leaderboard", context.writer, lines=lines)
    return "leaderboard sent" if sent else "too many answers to this address"


def _forms(settings: Settings) -> tuple[str, ...]:
    return ("please send leaderboard", "send leaderboard") if has_leaderboard(settings) else ()


COMMAND = Command("leaderboard", recognises, handle, _forms, harmless=True)
