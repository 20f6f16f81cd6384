"""What goes to the teams with an answer: the rules, and what they test their programs with (K22, U14)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from contest.config.sections import DEFAULT_GAME
from contest.config.settings import Settings
from contest.games.base import TABLE
from contest.games.knobeln import Rules
from contest.games.registry import game_of, rules_text
from contest.model import Attachment
from contest.registration_form import sample
from contest.shipped_files import shipped
from knobellib.kit import SHELL_NAME, TAR_NAME, kit_files, shell_archive, tar_archive
from knobellib.samples import samples

WIDTH = 72
_WIDE = 82  # has room for the longest line of a sample letter, which must not be broken


@cache
def software(game: str) -> tuple[Attachment, ...]:
    """For KNOBELN the library's source, for the other games sample programs to play against."""
    if game == DEFAULT_GAME:
        data = files("knobellib").joinpath("knobellib.c").read_bytes()
        return (Attachment("knobellib.c", "text/x-csrc", data),)
    return tuple(Attachment(name, "text/plain", data) for name, data in sorted(samples(game).items()))


@cache
def kit(numbers: Rules, *, as_shell_archive: bool) -> Attachment:
    """All that a team of KNOBELN works with at home, for a contest with these numbers (K23)."""
    files = kit_files(numbers)
    if as_shell_archive:
        return Attachment(SHELL_NAME, "application/x-shar", shell_archive(files))
    return Attachment(TAR_NAME, "application/gzip", tar_archive(files))


@cache
def rules(game: str) -> tuple[Attachment, ...]:
    """The rules of the game as rules.txt; nothing where nobody wrote them down."""
    text = rules_text(game)
    return (Attachment("rules.txt", "text/plain", _plain(text).encode()),) if text else ()


def guide(settings: Settings) -> tuple[Attachment, ...]:
    """What a team has to know, as guide.txt: of KNOBELN the guide's first page, of others how programs are
    sent; nothing where programs are tabulated."""
    if game_of(settings.game, settings.programs).info.play == TABLE:
        return ()
    first, last = _KNOBELNS_PART if settings.game.name == DEFAULT_GAME else _OTHERS_PART
    text = _team_guide().partition(first)[2].partition(last)[0]
    text = re.sub(r"\b(?:knobeln|contest)@contest\.example", settings.contest.address, text)
    text = text.replace("registration for KNOBELN", f"registration for {settings.contest.subject_word}")
    page = _plain(f"# How to take part\n\n{text}", _WIDE)
    return (Attachment("guide.txt", "text/plain", page.encode()),)


_KNOBELNS_PART = ("## The first page\n", "\n## The game\n")
_OTHERS_PART = ("## Other games\n", "\n### Hog\n")


@cache
def _team_guide() -> str:
    return shipped("team-guide.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Words:
    """What the announcement says besides the settings: the form, and the rules or ""."""

    form: str
    rules: str


def words_for(settings: Settings) -> Words:
    """The announcement's words for a contest of these settings."""
    text = rules_text(settings.game.name)
    # Under a heading of its own: without the page's title.
    body = text.split("\n", 1)[-1] if text.startswith("# ") else text
    return Words(sample(settings).text, _plain(body).strip("\n") if text else "")


def _plain(markdown: str, width: int = WIDTH) -> str:
    from mailserver.reading.plain_page import (
        plain_page,  # few letters ask for a page, and what reads it is large
    )

    return plain_page(markdown, width)
