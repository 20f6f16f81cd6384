"""Lexical elements, as the announcement counts them (K57, K58). Pure.

We count in the output of the preprocessor, without line markers. One element each is:
- an identifier or keyword (`$` belongs to identifiers, as in gcc);
- a preprocessing number: `10L`, `0x1F`, `1.5e-3`; its sign is a special character;
- every single special character: `->` is two, a digraph `<:` is two, a letter outside ASCII is one;
- every source character between the quotes of a string or character constant: `\\n` is two, a blank is one.
  The quotes themselves do not count, and the `L` of `L"wide"` is an identifier.
Blanks, line ends and comments do not count. A quote without a partner on the same line (which gcc refuses
later) is a special character, and the rest of its line counts like text between quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


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
  | (?P<string>     "[^"\\\n]*+(?:\\.[^"\\\n]*+)*+" )
  | (?P<character>  '[^'\\\n]*+(?:\\.[^'\\\n]*+)*+' )
  | (?P<broken>     ["'][^\n]* )
  | (?P<identifier> [A-Za-z_$][A-Za-z0-9_$]*+ )
  | (?P<number>     \.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_$.])*+ )
  | (?P<newline>    \n )
  | (?P<special>    [^ \t\f\v\r] )
    """,
    re.VERBOSE,
)
_KINDS = {kind.value: kind for kind in TokenKind}


def scan(text: str) -> Iterator[Token]:
    """The tokens of a text with joined lines, without blanks. Never fails."""
    for match in _TOKEN.finditer(text):
        yield Token(_KINDS[match.lastgroup or ""], match.group(), match.start())


def count(text: str) -> int:
    """The lexical elements of a preprocessed text."""
    return sum(token.elements for token in scan(text))
