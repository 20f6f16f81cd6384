"""What `verify` and the check page find in an archive, in two tables: what follows from nothing,
and what differs from what was computed.

Each kind has a code, which both give it. That of a finding tells what could prove that nothing was
wrong. The first difference ends every check; its code is the step of the check that found it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from contest.errors import Differs
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
    what it cannot find is listed in docs/archive.md. `by_verify`: whether `verify` finds it."""

    proof: str
    on_page: bool = True
    by_verify: bool = True


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
    "started-late": Kind(_ANNOUNCED),
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
    # What the page cannot compute.
    "rules": Kind("`knobeln verify`", by_verify=False),
    # What the page cannot find: it has neither tools, nor mails of several teams, nor witnesses.
    "limits-changed": Kind(_MAILS_OF_ALL, on_page=False),
    "witness": Kind("the witness", on_page=False),
    "mails": Kind("the other mails of this team", on_page=False),
    "host": Kind(_HOST, on_page=False),
}


@dataclass(frozen=True)
class Step:
    """A step of the check. `about`: what it compares. `on_page`: whether the page takes it, too."""

    about: str
    on_page: bool = True


DIFFERENCES: Mapping[str, Step] = {
    "files": Step("the files, by the manifest"),
    # The page reads each file when it needs it, so its code is that of the step which does.
    "form": Step("the form of each file, and names that must be in several", on_page=False),
    "ledger": Step("the ledger's root, signature and first entry"),
    "lists": Step("the lists of entries, by the ledger"),
    "settings": Step("title, dates, rules and settings, by the ledger"),
    "programs": Step("who plays with which program, by the ledger"),
    "prizes": Step("the fields that decide prizes, by the ledger"),
    "decisions": Step("the organizer's decisions, by the ledger"),
    "witnesses": Step("the signatures of witnesses", on_page=False),
    "number": Step("the public number, by the rule of the draw"),
    "seed": Step("the seed, by the secret number, the list and the public number"),
    "texts": Step("rules, descriptions and the files that check", on_page=False),
    "builds": Step("the builds, and which of them are counted"),
    "sources": Step("the way from source to build", on_page=False),
    "games": Step("draws, games and the tables of groups"),
    "ranking": Step("the contest's ranking"),
    "evolution": Step("the evolution"),
    "asked": Step("what programs were told", on_page=False),
    "announcement": Step("the announcement", on_page=False),
    "certainty": Step("how sure the ranking is", on_page=False),
    "season": Step("the season's table, and what its tournaments have in common", on_page=False),
}


@contextmanager
def step(code: str) -> Iterator[None]:
    """What differs in here has this code, if no step within has given it one."""
    try:
        yield
    except Differs as error:
        error.code = error.code or code
        raise
