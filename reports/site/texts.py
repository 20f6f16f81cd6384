"""Texts of mails that the pages show, too. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class SampleLetter:
    """A letter that a reader may send; words in capitals are to be replaced."""

    to: str
    subject: str
    body: str = ""

    @property
    def link(self) -> str:
        """Opens the reader's mail program with the letter (RFC 6068, where lines end in CR LF)."""
        fields = {"subject": self.subject} | ({"body": self.body.replace("\n", "\r\n")} if self.body else {})
        return f"mailto:{quote(self.to, safe='@')}?{urlencode(fields, quote_via=quote)}"


@dataclass(frozen=True)
class MailCommand:
    """A mail command of the contest. `about`: what `help` says of it, its subjects first."""

    name: str
    about: str
    letter: SampleLetter


@dataclass(frozen=True)
class SiteTexts:
    """`about`: what the game is about; `form_fields`: what goes into the registration form; `announcement`:
    without the rules of the game, which have a page of their own; `numbers`: the contest's numbers; `draw`:
    how random draws are made, as told before the contest starts; `evolution`: its rule, "" if none."""

    about: str
    form_fields: str
    announcement: str
    questions: str  # frequent ones, and their answers
    numbers: str
    programs: str  # what a program may be
    faults: str  # what breaking the rules costs
    evolution: str
    draw: str
    commands: tuple[MailCommand, ...]
