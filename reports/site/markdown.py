"""Render Markdown to HTML that can stand in a page of ours. Pure.

Nothing of the text becomes HTML of its own, and nothing in it loads or runs: no raw HTML, no
pictures, no links but to the web, to mail addresses and within the page. What may be wider than a
telephone is a region that can be moved sideways, by the keyboard, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import count, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from contest.language import gettext, noted

_LINK = re.compile(r"https?://|mailto:|#", re.IGNORECASE)
_PARSER = (
    MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_inline"])
)


@dataclass(frozen=True)
class Rendered:
    """`html` is safe; `headings` are those of the second level, in their order: the name by which
    links lead to each, and its words."""

    html: Markup
    headings: tuple[tuple[str, str], ...]


def render(markdown: str, taken: Collection[str] = ()) -> Rendered:
    """Render a text. Its title, a heading of the first level at the beginning, is left out.

    `taken`: anchors that the page has already.
    """
    tokens = _PARSER.parse(markdown)
    if tokens and tokens[0].tag == "h1":
        tokens = tokens[3:]
    names = _Names(taken)
    shown = [safe for token in _with_places(_filled(tokens), names) for safe in _safe(token)]
    html = Markup(_PARSER.renderer.render(shown, _PARSER.options, {}))  # noqa: S704
    return Rendered(html, tuple(names.headings))


class _Names:
    """Names headings and regions; each name is given once."""

    def __init__(self, taken: Collection[str]) -> None:
        self.headings: list[tuple[str, str]] = []
        self._below = gettext("the beginning")
        self._given = set(taken)

    def heading(self, title: str, level: str) -> str:
        """The anchor of this heading."""
        self._below = title
        plain = re.sub(r"[^\w]+", "-", title.casefold()).strip("-") or "part"
        anchor = self._unique(plain, "-")
        if level == "h2":
            self.headings.append((anchor, title))
        return anchor

    def region(self, name: str) -> str:
        """What a region is called for those who do not see it. `name`: a sentence of the
        catalogue."""
        return self._unique(gettext(name, heading=self._below), " ")

    def _unique(self, name: str, separator: str) -> str:
        names = (name if number == 1 else f"{name}{separator}{number}" for number in count(1))
        unique = next(candidate for candidate in names if candidate not in self._given)
        self._given.add(unique)
        return unique


def _with_places(tokens: Sequence[Token], names: _Names) -> Iterator[Token]:
    """The tokens, with anchors of headings, and with regions around tables and code."""
    for token, following in pairwise([*tokens, Token("", "", 0)]):
        if token.type == "heading_open":
            title = "".join(child.content for child in following.children or ())
            yield replace(token, attrs={**token.attrs, "id": names.heading(title, token.tag)})
        elif token.type == "table_open":
            label = escape(names.region(noted("Table: %(heading)s")))
            yield _html(f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">')
            yield token
        elif token.type == "table_close":
            yield token
            yield _html("</div>")
        elif token.type in ("fence", "code_block"):
            label = escape(names.region(noted("Code: %(heading)s")))
            code = escape(token.content.rstrip("\n"))
            yield _html(
                f'<pre role="region" tabindex="0" aria-label="{label}"><code>{code}</code></pre>'
            )
        else:
            yield token


def _filled(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens, with empty cells in place of table headings without a word."""
    filled = list(tokens)
    for index, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[index + 1].content:
            for place, name in ((index, "td_open"), (index + 2, "td_close")):
                filled[place] = replace(tokens[place], type=name, tag="td")
    return filled


def _safe(token: Token) -> Iterator[Token]:
    """The token without what the pages' policy forbids."""
    if token.type in ("th_open", "td_open"):
        style = str(token.attrs.get("style", ""))
        attrs: dict[str, str | int | float] = {"class": "n"} if "right" in style else {}
        yield replace(token, attrs=attrs | ({"scope": "col"} if token.type == "th_open" else {}))
    elif token.children:
        yield replace(token, children=list(_without_dead_links(token.children)))
    else:
        yield token


def _without_dead_links(tokens: Sequence[Token]) -> Iterator[Token]:
    """Replace links to other files of the guides, which lead nowhere here, by their text."""
    is_kept = True
    for token in tokens:
        if token.type == "link_open":
            is_kept = bool(_LINK.match(str(token.attrs.get("href", ""))))
        if is_kept or token.type not in ("link_open", "link_close"):
            yield token


def _html(content: str) -> Token:
    return Token("html_block", "", 0, content=f"{content}\n")
