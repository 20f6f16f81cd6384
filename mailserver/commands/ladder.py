"""`please send ladder`: the present ranking of all programs that count, outside the contest (H12)."""

from __future__ import annotations

from contest.arena.ladder_ranking import is_ladder_told
from contest.config.settings import Settings
from contest.store import ladder
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import Limit


class SendLadder(Command):
    name = "ladder"
    read_only = True
    answers = by_template(ladder=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("please send ladder", "send ladder") if is_ladder_told(settings) else ()

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return () if subject.casefold() in self.subjects(settings) else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        lines = ladder.now(context.tx, context.settings).lines
        return context.answer("ladder", context.writer, note="the ladder is asked for", lines=lines, moves={})


COMMAND = SendLadder()
