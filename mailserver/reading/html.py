"""HTML -> the lines that a reader sees. Pure.

A letter's text in HTML is a program or a form that somebody typed line by line, so lines count here
and looks do not. The library's parser needs quadratic time for some malformed input, so tags are
found here, in one pass.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_DEEPEST = 100
_MOST_QUOTES = 10

# A tag, if its name is one. A word or a quotation mark begins an attribute: not so in `<b && c>`.
_TAG = re.compile(
    r"<(?P<ends>/?)(?P<name>[A-Za-z][\w:.-]{0,100}+)"
    r"(?P<attributes>[\s/]++(?:(?=[\w\"':@-])(?>(?:=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')|[^<>]){0,4000}))?)?>"
)
_ATTRIBUTE = re.compile(r"([^\s/>=]++)(?:\s*+=++\s*+(\"[^\"]*+\"|'[^']*+'|[^>\s]*+))?")
_LONG_NUMBER = re.compile(r"&#([0-9]{8,}+)")
_PRESERVED = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_COLLAPSED = re.compile(r"white-space\s*:\s*(?:normal|nowrap)", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_BLANKS = re.compile("[ \t\n\r\f]+")
_LINE_ENDS = re.compile("\r\n|[\n\r]")

_BLOCK_TAGS = """
    address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3
    h4 h5 h6 header hr html li main nav ol p pre section table tbody tfoot thead tr ul
"""
_UNSEEN_TAGS = "head iframe noframes object script select style svg template title"
_VOID_TAGS = "area base br col embed hr img input link meta source track wbr"
_LITERAL_TAGS = "listing pre textarea xmp"
_INLINE_TAGS = """
    a abbr acronym audio b bdi bdo big blink button caption cite code col colgroup data datalist del
    details dfn em font i ins kbd label legend map mark meter nobr optgroup option output picture
    progress q rp rt s ruby samp select small span strike strong sub summary sup td th time tt u var
    video
"""
_BLOCKS, _UNSEEN = frozenset(_BLOCK_TAGS.split()), frozenset(_UNSEEN_TAGS.split())
_VOID, _LITERAL = frozenset(_VOID_TAGS.split()), frozenset(_LITERAL_TAGS.split())
_TAGS = _BLOCKS | _UNSEEN | _VOID | _LITERAL | frozenset(_INLINE_TAGS.split())


def seen_lines(page: str) -> tuple[str, ...]:
    """Return the text of a page, line by line, as browsers break it; quoted letters with `> ` in
    front.

    Non-breaking blanks stay what they are. There is no blank line between paragraphs that the
    writer did not make: mailers write a paragraph for each line.
    """
    reader = _Reader()
    text = "".join(_without_comments(page))
    done = 0
    for tag in _TAG.finditer(text):
        name, attributes = tag["name"].lower(), tag["attributes"] or ""
        if not _is_tag(name):
            continue
        reader.read(unescaped(text[done : tag.start()]))
        if not tag["ends"]:
            reader.begin(name, attributes)
        if tag["ends"] or attributes.endswith("/"):
            reader.end(name)
        done = tag.end()
    reader.read(unescaped(text[done:]))
    return tuple(reader.finished())


def _is_tag(name: str) -> bool:
    """Return whether it is a tag of HTML, or somebody's own (`o:p`): a `<<FROM>>` that nobody has
    escaped stays."""
    return name in _TAGS or ":" in name or "-" in name


def unescaped(text: str) -> str:
    """Return the text with the characters that `&lt;` and the like stand for."""
    # The library reads the numbers of characters, and Python no number with thousands of digits.
    return html.unescape(_LONG_NUMBER.sub(lambda found: f"&#{found[1].lstrip('0')[:8] or 0}", text))


def _without_comments(page: str) -> Iterator[str]:
    """Yield the text outside `<!...>`, `<!--...-->` and `<?...>`; one that never ends hides all
    text after it."""
    at = 0
    for match in re.finditer(r"<[!?]", page):
        if match.start() < at:
            continue
        yield page[at : match.start()]
        end = "-->" if page.startswith("<!--", match.start()) else ">"
        found = page.find(end, match.end())
        if found < 0:
            return
        at = found + len(end)
    yield page[at:]


@dataclass(frozen=True)
class _Open:
    """An open tag, and how the text inside it is read."""

    tag: str
    literal: bool = False
    hidden: bool = False
    quotes: int = 0


class _Reader:
    """Breaks what it is told of a page into lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[str] = []  # of the line that is not over yet; none is ""
        self._open = [_Open("")]
        self._count: Counter[str] = Counter()  # of open tags, by name
        self._fresh_literal = False

    def finished(self) -> list[str]:
        """Return all lines of the page, which is over."""
        self._end_block()
        return self._lines

    def begin(self, tag: str, attributes: str) -> None:
        """Read the beginning of an element."""
        if tag in _BLOCKS:
            self._end_block()
        if tag == "br":
            self._end_line()
        if tag in ("td", "th") and self._pieces:
            self._pieces.append("\t")
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(self._inside(tag, attributes))
            self._count[tag] += 1
            self._fresh_literal = tag in _LITERAL

    def end(self, tag: str) -> None:
        """Read the end of an element, and of those in it that have none."""
        if tag in _BLOCKS:
            self._end_block()
        if not self._count[tag]:
            return
        closed = ""
        while closed != tag:
            closed = self._open.pop().tag
            self._count[closed] -= 1

    def read(self, text: str) -> None:
        """Read text between two tags."""
        if not text or self._open[-1].hidden:
            return
        if self._open[-1].literal:
            self._literal(text)
        else:
            text = _BLANKS.sub(" ", text)
            self._add(text[1:] if text.startswith(" ") and self._is_after_blank() else text)
        self._fresh_literal = False

    def _is_after_blank(self) -> bool:
        return not self._pieces or self._pieces[-1].endswith(" ")

    def _add(self, text: str) -> None:
        if text:
            self._pieces.append(text)

    def _literal(self, text: str) -> None:
        lines = _LINE_ENDS.split(text)
        if self._fresh_literal and not lines[0]:  # the first line end in <pre> does not count
            lines = lines[1:] or [""]
        for line in lines[:-1]:
            self._add(line)
            self._end_line()
        self._add(lines[-1])

    def _inside(self, tag: str, written: str) -> _Open:
        found = _ATTRIBUTE.findall(written) if written.strip("/ ") else ()
        attributes = {name.lower(): unescaped(_without_quotes(value)) for name, value in found}
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
        if "".join(self._pieces).strip(" "):
            self._end_line()
        self._pieces = []

    def _end_line(self) -> None:
        line = "".join(self._pieces)
        line = line if line == "-- " else line.rstrip(" ")
        quotes = self._open[-1].quotes
        self._lines.append("> " * quotes + line)
        self._pieces = []


def _without_quotes(value: str) -> str:
    return value[1:-1] if value[:1] in ('"', "'") and value[-1:] == value[:1] else value
