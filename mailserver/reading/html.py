"""HTML -> the lines that a reader sees. Pure.

A letter's text in HTML is a program or a form that somebody typed line by line, so lines count here and looks
do not. The library's parser needs quadratic time for some malformed input: `_tamed` leaves it only short and
complete tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

_DEEPEST = 100
_MOST_QUOTES = 10

# A tag, if its name is one. A word or a quotation mark begins an attribute: not so in `<b && c>`.
_TAG = re.compile(r"<(?:/?(?P<name>[A-Za-z][\w:.-]{0,100})(?:[\s/]+(?:[\w\"':@-][^<>]{0,4000})?)?>)?")
_PRESERVED = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_COLLAPSED = re.compile(r"white-space\s*:\s*(?:normal|nowrap)", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_BLANKS = re.compile("[ \t\n\r\f]+")
_LINE_ENDS = re.compile("\r\n|[\n\r]")

_BLOCK_TAGS = """
    address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6
    header hr html li main nav ol p pre section table tbody tfoot thead tr ul
"""
_UNSEEN_TAGS = "head iframe noframes object script select style svg template title"
_VOID_TAGS = "area base br col embed hr img input link meta source track wbr"
_LITERAL_TAGS = "listing pre textarea xmp"
_INLINE_TAGS = """
    a abbr acronym audio b bdi bdo big blink button caption cite code col colgroup data datalist del details
    dfn em font i ins kbd label legend map mark meter nobr optgroup option output picture progress q rp rt s
    ruby samp select small span strike strong sub summary sup td th time tt u var video
"""
_BLOCKS, _UNSEEN = frozenset(_BLOCK_TAGS.split()), frozenset(_UNSEEN_TAGS.split())
_VOID, _LITERAL = frozenset(_VOID_TAGS.split()), frozenset(_LITERAL_TAGS.split())
_TAGS = _BLOCKS | _UNSEEN | _VOID | _LITERAL | frozenset(_INLINE_TAGS.split())


def seen_lines(html: str) -> tuple[str, ...]:
    """The text of a page, line by line, as browsers break it; quoted letters with `> ` in front.

    Non-breaking blanks stay what they are. There is no blank line between paragraphs that the writer did not
    make: mailers write a paragraph for each line.
    """
    reader = _Reader()
    reader.feed(_tamed(html))
    reader.close()
    return tuple(reader.finished())


def _tamed(html: str) -> str:
    """The page without comments and declarations; `<` is escaped unless it begins a short, complete tag of
    HTML, or of somebody's own (`o:p`). So a `<<FROM>>` that nobody has escaped stays."""
    return _TAG.sub(_tag_or_text, "".join(_without_comments(html)))


def _tag_or_text(found: re.Match[str]) -> str:
    name = found["name"] or ""
    is_tag = name.lower() in _TAGS or ":" in name or "-" in name
    return found[0] if is_tag else found[0].replace("<", "&lt;")


def _without_comments(html: str) -> Iterator[str]:
    """The text outside `<!...>`, `<!--...-->` and `<?...>`; one that never ends hides all text after it."""
    at = 0
    for match in re.finditer(r"<[!?]", html):
        if match.start() < at:
            continue
        yield html[at : match.start()]
        end = "-->" if html.startswith("<!--", match.start()) else ">"
        found = html.find(end, match.end())
        if found < 0:
            return
        at = found + len(end)
    yield html[at:]


@dataclass(frozen=True)
class _Open:
    """An open tag, and how the text inside it is read."""

    tag: str
    literal: bool = False
    hidden: bool = False
    quotes: int = 0


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line = ""
        self._open = [_Open("")]
        self._fresh_literal = False

    def finished(self) -> list[str]:
        self._end_block()
        return self._lines

    def set_cdata_mode(self, elem: str, **_options: bool) -> None:
        """Scripts and styles are left out by their tags, like other things that nobody sees."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._end_block()
        if tag == "br":
            self._end_line()
        if tag in ("td", "th") and self._line:
            self._line += "\t"
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(self._inside(tag, {name: value or "" for name, value in attrs}))
            self._fresh_literal = tag in _LITERAL

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_block()
        at = next((n for n in range(len(self._open) - 1, 0, -1) if self._open[n].tag == tag), 0)
        if at:
            del self._open[at:]

    def handle_data(self, data: str) -> None:
        if self._open[-1].hidden:
            return
        if self._open[-1].literal:
            self._literal(data)
        else:
            text = _BLANKS.sub(" ", data)
            self._line += text[1:] if text.startswith(" ") and self._line[-1:] in ("", " ") else text
        self._fresh_literal = False

    def _literal(self, data: str) -> None:
        lines = _LINE_ENDS.split(data)
        if self._fresh_literal and not lines[0]:  # the first line end in <pre> does not count
            lines = lines[1:] or [""]
        for line in lines[:-1]:
            self._line += line
            self._end_line()
        self._line += lines[-1]

    def _inside(self, tag: str, attributes: dict[str, str]) -> _Open:
        outer, style = self._open[-1], attributes.get("style", "")
        literal = (outer.literal or tag in _LITERAL) and not _COLLAPSED.search(style)
        quoted = tag == "blockquote" and (
            attributes.get("type") == "cite" or "gmail_quote" in attributes.get("class", "")
        )
        return _Open(
            tag,
            literal or bool(_PRESERVED.search(style)),
            outer.hidden or tag in _UNSEEN or bool(_HIDDEN.search(style)),
            min(outer.quotes + quoted, _MOST_QUOTES),
        )

    def _end_block(self) -> None:
        if self._line.strip(" "):
            self._end_line()
        self._line = ""

    def _end_line(self) -> None:
        line = self._line if self._line == "-- " else self._line.rstrip(" ")
        quotes = self._open[-1].quotes
        self._lines.append("> " * quotes + line)
        self._line = ""
