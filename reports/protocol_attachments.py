"""The compact protocols of games, as they are attached to mails (K93, K97)."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.base import MACHINE, TABLE
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from contest.model import Attachment, Match
from reports import knobeln_protocol, text_protocol


def attached(
    matches: Sequence[Match], round_number: int, group: int, entry: str, settings: Settings, name: str
) -> tuple[Attachment, ...]:
    """These games as the file `name`, for the entry's team; a computed game has no protocol."""
    game = game_of(settings.game, settings.programs).info
    if game.play == TABLE:
        return ()
    if game.play == MACHINE:
        rules = rules_of(settings.game)
        text = knobeln_protocol.write(
            knobeln_protocol.GameProtocol.of(m, round_number, group, rules) for m in matches
        )
    else:
        text = text_protocol.write(game, (text_protocol.of(m, round_number, group, entry) for m in matches))
    return (Attachment(name, "application/gzip", knobeln_protocol.packed(text)),)
