"""What `verify` and the check page find in an archive that follows from nothing: one table.

Each kind of finding has a code, which both give it, and tells what could prove that nothing was
wrong. What differs from what was computed is in no table: the first difference ends every check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from contest.language import noted


@dataclass(frozen=True)
class Finding:
    """A sentence about this archive, and the code of its kind, which is in FINDINGS."""

    code: str
    text: str

    @property
    def proof(self) -> str:
        """What could prove that nothing was wrong."""
        return FINDINGS[self.code].proof


@dataclass(frozen=True)
class Kind:
    """`proof`: what could prove that nothing was wrong. `on_page`: whether the page finds it, too;
    what it cannot find is listed in docs/archive.md."""

    proof: str
    on_page: bool = True


_MAILS_OF_TEAM = noted("the mails of this team: its receipts, and whether it sent such a letter")
_MAILS_OF_ALL = noted("the mails of any team: their receipts, and when they arrived")
_ANNOUNCED = noted("the mails and pages that announced the dates, and what the teams agreed to")
_ORGANIZER = noted("the organizer's reasons, and the mails of the teams")
_OBJECTIONS = noted("each team, which can compare its own mails with the list now")
_HOST = noted("another host: with this compiler, version or engine, or with more time")
_TRUST = noted("nothing in the archive: it takes people whom you trust")

FINDINGS: Mapping[str, Kind] = {
    # The calendar.
    "started-early": Kind(_ANNOUNCED),
    "close-missing": Kind(_MAILS_OF_ALL),
    "close-early": Kind(_ANNOUNCED),
    "close-late": Kind(_MAILS_OF_ALL),
    "objections-short": Kind(_OBJECTIONS),
    "list-missing": Kind(_OBJECTIONS),
    "list-early": Kind(_OBJECTIONS),
    "list-late": Kind(_OBJECTIONS),
    "number-late": Kind(_MAILS_OF_ALL),
    "taken-again": Kind(_MAILS_OF_ALL),
    "dated-back": Kind(_MAILS_OF_ALL),
    # Letters and programs.
    "letter-dated-back": Kind(_MAILS_OF_TEAM),
    "program-late": Kind(_MAILS_OF_TEAM),
    "program-after-list": Kind(_MAILS_OF_TEAM),
    "program-refused": Kind(_MAILS_OF_TEAM),
    "program-older": Kind(_MAILS_OF_TEAM),
    "program-again": Kind(_MAILS_OF_TEAM),
    "program-of-former": Kind(_MAILS_OF_TEAM),
    "withdrawn": Kind(_MAILS_OF_TEAM),
    "objection": Kind(_MAILS_OF_TEAM),
    # Lists and settings.
    "list-hidden": Kind(_MAILS_OF_ALL),
    "list-changed": Kind(_MAILS_OF_ALL),
    "settings-changed": Kind(_MAILS_OF_ALL),
    # Decisions.
    "decided-before": Kind(_ORGANIZER),
    "decided-after": Kind(_ORGANIZER),
    "decision-hidden": Kind(_ORGANIZER),
    "set-aside": Kind(_TRUST),
    # The draw.
    "no-number": Kind(_TRUST),
    "lottery": Kind(noted("the newspaper")),
    "text": Kind(_TRUST),
    # Programs, their games, and prizes.
    "prize-field": Kind(noted("each team, which knows what it wrote in the form")),
    "recorded": Kind(_TRUST),
    "other-tool": Kind(_HOST),
    # What the page cannot find: it has neither tools, nor mails of several teams, nor witnesses.
    "witness": Kind("the witness", on_page=False),
    "mails": Kind("the other mails of this team", on_page=False),
    "host": Kind(_HOST, on_page=False),
}
