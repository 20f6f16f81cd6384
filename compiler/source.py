"""A C program as it was sent: its lines as the preprocessor sees them, and its description. Pure.

Line numbers count from 1 in the text as it was sent. We repeat the first steps of the preprocessor
in its own order: join the lines that end in a backslash, replace comments by blanks, recognise
directives. gcc runs with `-std=gnu89`, so it leaves trigraphs alone; `with_trigraphs` gives the
text as other compilers read it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from contest.mail.sent_files import with_newlines
from contest.util.sanitize import sanitize

_SPLICE = re.compile(r"\\[ \t\f\v]*\n")  # gcc accepts blanks between backslash and line end
_TRIGRAPH = re.compile(r"\?\?([=/'()!<>-])")
_TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))
# with a comment behind it at most, which ends in the same line
_INCLUDE_ALONE = re.compile(
    r"""[ \t]*#[ \t]*include[ \t]*(?:<[^<>]*>|"[^"]*")[ \t]*"""
    r"""(?:/\*(?:[^*]|\*(?!/))*\*/[ \t]*|//.*)?"""
)
_QUOTE_WIDTH = 60  # characters
_OPENING = ("if", "ifdef", "ifndef")
_TURNING = ("else", "elif", "elifdef", "elifndef")


# --- tokens ---------------------------------------------------------------------------------------
# We count in the output of the preprocessor, without line markers. One element each is:
# - an identifier or keyword (`$` belongs to identifiers, as in gcc);
# - a preprocessing number: `10L`, `0x1F`, `1.5e-3`; its sign is a special character;
# - every single special character: `->` is two, a digraph `<:` is two, a letter outside ASCII is
#   one;
# - every source character between the quotes of a string or character constant: `\n` is two, a
#   blank is one.
#   The quotes themselves do not count, and the `L` of `L"wide"` is an identifier.
# Blanks, line ends and comments do not count. A quote without a partner on the same line (which gcc
# refuses later) is a special character, and the rest of its line counts like text between quotes.
class TokenKind(StrEnum):
    """The kinds of tokens. NEWLINE and COMMENT never count."""

    IDENTIFIER = "identifier"  # or keyword
    NUMBER = "number"
    STRING = "string"
    CHARACTER = "character"
    SPECIAL = "special"
    BROKEN = "broken"  # a quote without a partner, and the rest of its line
    COMMENT = "comment"
    NEWLINE = "newline"


@dataclass(frozen=True, slots=True)
class Token:
    """`offset` counts characters from the start of the scanned text."""

    kind: TokenKind
    text: str
    offset: int

    @property
    def elements(self) -> int:
        """The number of lexical elements."""
        match self.kind:
            case TokenKind.COMMENT | TokenKind.NEWLINE:
                return 0
            case TokenKind.STRING | TokenKind.CHARACTER:
                return len(self.text) - 2
            case TokenKind.BROKEN:
                return len(self.text)
            case _:
                return 1


# No alternative ever backtracks, so the time is linear.
_TOKEN = re.compile(
    r"""
    (?P<comment>    /\*(?s:.*?)(?:\*/|\Z) | //[^\n]* )
  | (?P<string>     "[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)" )
  | (?P<character>  '[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)' )
  | (?P<broken>     ["'][^\n]* )
  | (?P<identifier> [A-Za-z_$][A-Za-z0-9_$]*+ )
  | (?P<number>     \.?[0-9][A-Za-z0-9_$.]*+(?>(?:(?<=[eEpP])[+-][A-Za-z0-9_$.]*+)*) )
  | (?P<newline>    \n )
  | (?P<special>    [^ \t\f\v\r] )
    """,
    re.VERBOSE,
)
_KINDS = {kind.value: kind for kind in TokenKind}


def scan(text: str) -> Iterator[Token]:
    """Yield the tokens of a text with joined lines, without blanks. Never fails."""
    for match in _TOKEN.finditer(text):
        yield Token(_KINDS[match.lastgroup or ""], match.group(), match.start())


def count(text: str) -> int:
    """Return the lexical elements of a preprocessed text."""
    return sum(token.elements for token in scan(text))


# --- lines ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class LogicalLine:
    """A logical line without its comments. `number` is its first line, `numbers` the line of each
    token."""

    number: int
    tokens: tuple[Token, ...]
    numbers: tuple[int, ...]

    @cached_property
    def directive(self) -> tuple[str, ...] | None:
        """("include", "<", "stdio", ...) for `#include <stdio...`; () for a lonely `#`; None
        without `#`."""
        texts = [token.text for token in self.tokens]
        if texts[:1] == ["#"]:
            return tuple(texts[1:])
        if texts[:2] == ["%", ":"] and self.tokens[1].offset == self.tokens[0].offset + 1:
            return tuple(texts[2:])
        return None


class SourceText:
    """A normalised source, split into lines and tokens on demand."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, source: str) -> SourceText:
        """That of a source as it was sent."""
        return cls(normalise(source)[0])

    @cached_property
    def physical_lines(self) -> Sequence[str]:
        return self.text.split("\n")

    @cached_property
    def lines(self) -> Sequence[LogicalLine]:
        """All logical lines with at least one token, those in `#if 0` too."""
        return tuple(_logical_lines(self.text))

    @cached_property
    def blocks(self) -> Sequence[range]:
        """The lines of all `#if 0` blocks (K61), without those that begin and end them; of nested
        ones only the outer."""
        return tuple(_blocks(self.lines, len(self.physical_lines) + 1))

    @cached_property
    def live_lines(self) -> Sequence[LogicalLine]:
        """The logical lines outside `#if 0`."""
        firsts = [block.start for block in self.blocks]
        ends = [0, *(block.stop for block in self.blocks)]
        return tuple(
            line for line in self.lines if line.number >= ends[bisect_right(firsts, line.number)]
        )

    @cached_property
    def views(self) -> Sequence[SourceText]:
        """The program as gcc reads it with our options and, if that differs, as it would with
        trigraphs."""
        return (self, SourceText(with_trigraphs(self.text))) if "??" in self.text else (self,)

    def without_includes(self) -> SourceText:
        """Return the program with an empty line in place of each line that is an `#include`
        alone."""
        rest = list(self.physical_lines)
        for line in self.live_lines:
            is_include = line.directive is not None and line.directive[:1] == ("include",)
            if is_include and _INCLUDE_ALONE.fullmatch(rest[line.number - 1]):
                rest[line.number - 1] = ""
        return SourceText("\n".join(rest))

    @property
    def code(self) -> Iterator[Token]:
        """The tokens that are neither in `#if 0` nor in a directive."""
        for line in self.live_lines:
            if line.directive is None:
                yield from line.tokens

    @cached_property
    def description(self) -> Sequence[str]:
        """The non-blank lines of the `#if 0` block that has most of them; empty without a block
        (K61)."""
        return self._text_in(self.description_block) if self.description_block else []

    @cached_property
    def description_block(self) -> range | None:
        """The block with the description; None without one."""
        return max(self.blocks, key=lambda block: len(self._text_in(block)), default=None)

    def _text_in(self, block: range) -> Sequence[str]:
        return [
            line for line in self.physical_lines[block.start - 1 : block.stop - 1] if line.strip()
        ]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for line in self.live_lines:
            for token, number in zip(line.tokens, line.numbers, strict=True):
                if token.kind is TokenKind.IDENTIFIER:
                    places.setdefault(token.text, []).append(number)
        return places

    def lines_of(self, word: str) -> Sequence[int]:
        """Return the lines that have this identifier outside comments, strings and `#if 0`."""
        return sorted(set(self._places.get(word, ())))

    def quote(self, number: int) -> str:
        """Return a physical line, shortened, without control characters."""
        if not 1 <= number <= len(self.physical_lines):
            return ""
        line = sanitize(" ".join(self.physical_lines[number - 1][: 4 * _QUOTE_WIDTH].split()))
        return line if len(line) <= _QUOTE_WIDTH else line[: _QUOTE_WIDTH - 3] + "..."


def decoded(source: bytes) -> str:
    """Return the text of a source in UTF-8, or else in Latin-1, as with letters."""
    try:
        return source.decode()
    except UnicodeDecodeError:
        return source.decode("latin-1")


def normalise(source: str) -> tuple[str, str]:
    """Return the source with newlines as line ends, also of the last line, and without a byte order
    mark.

    And a remark, if a reader could have seen other lines; see `with_newlines`.
    """
    text, remark = with_newlines(source.removeprefix("\ufeff"))
    return text if text.endswith("\n") else text + "\n", remark


def with_trigraphs(text: str) -> str:
    """Replace trigraphs, as a compiler that knows them does."""
    return _TRIGRAPH.sub(lambda match: _TRIGRAPHS[match[1]], text)


def _logical_lines(text: str) -> Iterator[LogicalLine]:
    joined, starts = _join(text)
    tokens: list[Token] = []
    for token in scan(joined):
        if token.kind is not TokenKind.NEWLINE:
            if token.kind is not TokenKind.COMMENT:
                tokens.append(token)
        elif tokens:
            yield _line(tokens, starts)
            tokens = []
    if tokens:
        yield _line(tokens, starts)


def _join(text: str) -> tuple[str, Sequence[int]]:
    """Join the lines; returns the text and the offset in it at which each physical line starts."""
    joined: list[str] = []
    starts, offset, at = [0], 0, 0
    for match in re.finditer(rf"{_SPLICE.pattern}|\n", text):
        kept = text[at : match.start()] + ("\n" if match.group() == "\n" else "")
        joined.append(kept)
        offset += len(kept)
        starts.append(offset)
        at = match.end()
    return "".join([*joined, text[at:]]), starts


def _line(tokens: Sequence[Token], starts: Sequence[int]) -> LogicalLine:
    numbers = tuple(bisect_right(starts, token.offset) for token in tokens)
    return LogicalLine(numbers[0], tuple(tokens), numbers)


def _blocks(lines: Iterable[LogicalLine], after_the_last: int) -> Iterator[range]:
    first = depth = 0  # depth 0: outside
    for line in lines:
        directive = line.directive
        if directive is None:
            continue
        name = directive[:1]
        if depth == 0:
            if directive in (("if", "0"), ("if", "(", "0", ")")):
                first, depth = line.numbers[-1] + 1, 1
        elif name and name[0] in _OPENING:
            depth += 1
        elif name == ("endif",) or (depth == 1 and name and name[0] in _TURNING):
            depth -= 1
            if depth == 0:
                yield range(first, line.number)
    if depth:
        yield range(first, after_the_last)
