"""What reports say and show differently for each kind of play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import MACHINE, TABLE, TEXT, GameInfo, KindOfPlay
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from contest.language import noted
from contest.model import Attachment, Match, Moves, Verdict
from reports import knobeln_protocol, text_protocol
from reports.words import MACHINE_VERDICTS, VERDICTS

if TYPE_CHECKING:
    from reports.replay.turns import Replay


class PlayReports:
    """How reports and pages treat the games of a kind of play.

    This class does for any kind; a kind that differs has a subclass. What mails say differently is
    in `reports/templates/play/<kind>/`.
    """

    # Verbs for what happens to a program: we `take` it, it is `taken`, and then it `works`.
    words: Mapping[str, str] = {
        "take": noted("take"),
        "taken": noted("taken"),
        "works": noted("works"),
    }
    verdicts: Mapping[Verdict, str] = VERDICTS

    def protocols(
        self,
        matches: Sequence[Match],
        round_number: int,
        group: int,
        entry: str,
        settings: Settings,
    ) -> str:
        """The protocols of one or more games for the entry's team as a compact text; "" if they
        have none."""
        return ""

    def replay(
        self, match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
    ) -> Replay:
        """What a replay of the game shows. `moves` and `course` are None if they are not known any
        more."""
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
        self,
        matches: Sequence[Match],
        round_number: int,
        group: int,
        entry: str,
        settings: Settings,
    ) -> str:
        rules = rules_of(settings.game)
        return knobeln_protocol.write(
            knobeln_protocol.GameProtocol(round_number, group, rules, match) for match in matches
        )

    def replay(
        self, match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
    ) -> Replay:
        if not moves:
            return super().replay(match, moves, course, game)
        from reports.replay.throws import throw_replay  # mails are written without replays

        return throw_replay(match, moves)


class TextReports(PlayReports):
    def protocols(
        self,
        matches: Sequence[Match],
        round_number: int,
        group: int,
        entry: str,
        settings: Settings,
    ) -> str:
        game = game_of(settings.game, settings.programs).info
        return text_protocol.write(game, matches, round_number, group, entry)


def packed_protocols(file: str, text: str) -> tuple[Attachment, ...]:
    """These protocols as a gzipped file; () if there are none."""
    return (Attachment(file, "application/gzip", knobeln_protocol.packed(text)),) if text else ()


_KINDS: Mapping[KindOfPlay, PlayReports] = {
    MACHINE: MachineReports(),
    TEXT: TextReports(),
    TABLE: PlayReports(),
}


def play_reports(play: KindOfPlay) -> PlayReports:
    """How reports treat this kind of play."""
    return _KINDS[play]
