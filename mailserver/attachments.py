"""What teams get with an answer: rules, guide, software (K22, U14)."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypedDict

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.games.registry import game_of, rules_text
from contest.language import chosen, spoken
from contest.ledger.receipts import CHECKPOINT_FILE, LEDGER_FILE
from contest.mail.form import sample
from contest.model import Attachment
from contest.util.folders import shipped
from knobellib.samples import samples
from store import Transaction, ledger

WIDTH = 72  # columns
GUIDE_NAME = "guide.txt"
MAX_LEDGER_BYTES = 1_000_000  # about 15,000 entries
GUIDE_WIDTH = 82  # columns: the longest line of a sample letter must not be broken


@cache
def software(game: GameInfo) -> tuple[Attachment, ...]:
    """Return the source of the library that programs are linked with; sample programs if there is
    no library."""
    if game.play.is_in_c:
        data = files("knobellib").joinpath("knobellib.c").read_bytes()
        return (Attachment("knobellib.c", "text/x-csrc", data),)
    return tuple(
        Attachment(name, "text/plain", data) for name, data in sorted(samples(game.name).items())
    )


def ledger_files(
    tx: Transaction, most_bytes: int, number: int | None = None
) -> tuple[Attachment, ...]:
    """Return the newest checkpoint, or the one after the entry of this number, and before it the
    ledger as it is published, if it is not larger than this."""
    entries, note = ledger.published(tx, number)
    files = (LEDGER_FILE, entries), (CHECKPOINT_FILE, note.encode())
    return tuple(
        Attachment(name, "text/plain", data) for name, data in files if len(data) <= most_bytes
    )


def rules(game: str) -> tuple[Attachment, ...]:
    """Return the rules of the game as rules.txt, in the language of this moment; nothing if none
    are written."""
    return rules_in(spoken(), game)


@cache
def rules_in(language: str, game: str) -> tuple[Attachment, ...]:
    """Return the same in another language."""
    text = rules_text(game, language)
    return (Attachment("rules.txt", "text/plain", _plain(text).encode()),) if text else ()


def guide(settings: Settings) -> tuple[Attachment, ...]:
    """Return how to take part, as guide.txt: the part of the team guide for this kind of play; ()
    if it has none.

    The part is on one of the guide's pages, between `<!-- sent by mail: KIND -->` and
    `<!-- end of what is sent by mail -->`.
    """
    kind = game_of(settings.game, settings.programs).info.play.name
    return _guide(kind, settings.contest.address, settings.contest.subject_word)


@lru_cache(maxsize=8)  # `help` sends it each time
def _guide(kind: str, address: str, subject_word: str) -> tuple[Attachment, ...]:
    text = _team_guide().partition(f"<!-- sent by mail: {kind} -->\n")[2].partition(_END_OF_PART)[0]
    if not text:
        return ()
    text = re.sub(r"\b(?:knobeln|contest)@contest\.example", address, text)
    text = text.replace("registration for KNOBELN", f"registration for {subject_word}")
    page = _plain(f"# How to take part\n\n{text}", GUIDE_WIDTH)
    return (Attachment(GUIDE_NAME, "text/plain", page.encode()),)


_END_OF_PART = "<!-- end of what is sent by mail -->"


@cache
def _team_guide() -> str:
    return "".join(
        page.read_text(encoding="utf-8") for page in sorted(shipped("docs/team").glob("*.md"))
    )


class AnnouncementTexts(TypedDict):
    """The facts of the templates `call` and `faq`: the form, the rules or "", and what the
    organizer is checked by."""

    form: str
    rules: str
    ledger_key: str


def announcement_texts(tx: Transaction, settings: Settings) -> AnnouncementTexts:
    """Return the texts for this contest, which has these settings, in the language that its
    templates speak."""
    text = rules_text(settings.game.name, chosen() or settings.contest.language)
    # Without the page's title: they get a heading of their own.
    body = text.split("\n", 1)[-1] if text.startswith("# ") else text
    return AnnouncementTexts(
        form=sample(settings).text,
        rules=_plain(body).strip("\n") if text else "",
        ledger_key=str(ledger.public_key(tx)),
    )


@lru_cache(maxsize=8)  # a page takes longer than all else that an answer needs
def _plain(markdown: str, width: int = WIDTH) -> str:
    from mailserver.reading.plain_page import (
        plain_page,  # its library is large, and few letters ask for a page
    )

    return plain_page(markdown, width)
