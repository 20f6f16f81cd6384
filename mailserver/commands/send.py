"""`send rules`, `announcement`, `faq`, `software`, `ladder`, `ledger`: what anybody may have sent,
once per address and hour.

A registered team gets the complete software kit if the game has one (K23, K24, U14, M62). Nobody
else gets more than the library or the sample programs: nothing large goes to strangers.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.ladder_ranking import is_ladder_told
from contest.model import Attachment, TeamState
from knobellib.kit_archives import tar_archive
from knobellib.kits import kit_of
from mailserver.attachments import (
    MAX_LEDGER_BYTES,
    announcement_texts,
    ledger_files,
    rules,
    software,
)
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision
from mailserver.limits import HOUR, MAX_STRANGERS_BYTES, Limit
from store import ladder, ledger, teams


def _send_rules(context: LetterContext, _arguments: Arguments) -> Decision:
    """Return the rules of the game, and the contest's own numbers."""
    text = rules(context.settings.game.name)
    return Decision(
        "the rules are asked for",
        Answer("rules", context.writer, {"has_rules": bool(text)}, attachments=text, once_in=HOUR),
    )


def _asks_for_rules(subject: str, settings: Settings) -> Arguments | None:
    word = settings.contest.subject_word.casefold()
    is_it = subject.casefold().replace(" ", "") in ("rules", "sendrules", f"send{word}rules")
    return () if is_it else None


RULES = Command(
    "rules",
    _send_rules,
    lambda settings: ("send rules", "rules"),
    reads=_asks_for_rules,
    answers={"rules": Limit.DROP},
)


def _text(name: str, template: str) -> Command:
    """Sends one of the texts that are made of the contest's settings."""

    def send(context: LetterContext, _arguments: Arguments) -> Decision:
        texts = announcement_texts(context.tx, context.settings)
        return Decision(
            f"the {name} is asked for",
            Answer(template, context.writer, {**texts}, once_in=HOUR),
        )

    def subjects(settings: Settings) -> tuple[str, ...]:
        word = settings.contest.subject_word.casefold()
        return (f"send {name}", f"send {word} {name}", name)

    return Command(name, send, subjects, every_subject=True, answers={template: Limit.DROP})


ANNOUNCEMENT, FAQ = _text("announcement", "call"), _text("faq", "faq")


def _send_software(context: LetterContext, _arguments: Arguments) -> Decision:
    settings, team = context.settings, teams.by_address(context.tx, context.writer)
    info = game_of(settings.game, settings.programs).info
    if not (team and team.state is TeamState.ACTIVE and info.has_kit):
        programs = software(info)
        return Decision(
            "the software is asked for",
            Answer(
                "software",
                context.writer,
                {"names": tuple(program.name for program in programs)},
                attachments=programs,
                once_in=HOUR,
            ),
        )
    kit = kit_of(settings)
    return Decision(
        f"{team.name} asks for the kit",
        Answer(
            "kit",
            team.address,
            {
                "archive": kit.tar_name,
                "folder": kit.folder,
                "first_command": kit.first_command,
            },
            of_team=team,
            attachments=(Attachment(kit.tar_name, "application/gzip", tar_archive(kit)),),
            once_in=HOUR,
        ),
    )


def _software_subjects(settings: Settings) -> tuple[str, ...]:
    own = f"SEND {settings.contest.subject_word.lower()}software"
    is_in_c = game_of(settings.game, settings.programs).info.play.is_in_c
    return (own, "send software") if is_in_c else ("send software", own)


def _asks_for_software(subject: str, settings: Settings) -> Arguments | None:
    word, asked = settings.contest.subject_word.casefold(), subject.casefold().replace(" ", "")
    return () if asked in ("sendsoftware", f"send{word}software") else None


SOFTWARE = Command(
    "software",
    _send_software,
    _software_subjects,
    reads=_asks_for_software,
    answers={"software": Limit.DROP, "kit": Limit.DROP},
)


def _send_ladder(context: LetterContext, _arguments: Arguments) -> Decision:
    """Return the present ranking of all programs that count, outside the contest (H12)."""
    lines = ladder.now(context.tx, context.settings).lines
    return Decision(
        "the ladder is asked for",
        Answer("ladder", context.writer, {"lines": lines}),
    )


LADDER = Command(
    "ladder",
    _send_ladder,
    lambda settings: ("please send ladder", "send ladder") if is_ladder_told(settings) else (),
    every_subject=True,
    answers={"ladder": Limit.DROP},
)


def _send_ledger(context: LetterContext, _arguments: Arguments) -> Decision:
    """Return the ledger of letters as it is published while the contest runs, and its signed
    checkpoint."""
    team = context.proof.team or teams.by_address(context.tx, context.writer)
    most = MAX_LEDGER_BYTES if team else MAX_STRANGERS_BYTES // 2
    files = ledger_files(context.tx, most)
    return Decision(
        "the ledger is asked for",
        Answer(
            "ledger",
            team.address if team else context.writer,
            {
                "is_complete": len(files) > 1,
                "entries": ledger.count(context.tx),
            },
            of_team=team,
            attachments=files,
            once_in=HOUR,
        ),
    )


LEDGER = Command(
    "ledger", _send_ledger, lambda settings: ("ledger",), answers={"ledger": Limit.DROP}
)
