"""Likeness of programs' texts, whatever their names, comments and layout are. Pure.

The text is cut into words by the tokenizer of C (compiler.tokens), which also fits the other
languages once their comments are gone. All names become one word, and numbers their value. Every
run of RUN_WORDS words has a hash; of the hashes of WINDOW_RUNS neighbouring runs the least is a
fingerprint ("winnowing"). So two texts surely share a fingerprint if they share RUN_WORDS +
WINDOW_RUNS - 1 words in a row, wherever these are, and none if they share fewer than RUN_WORDS.

The likeness of two texts is the share of its fingerprints that the shorter one has in common with
the other. Fingerprints of the base, which are programs that all teams got, do not count. One that
more than COMMON programs have is a turn of phrase: it counts COMMON / their number.

An index from fingerprints to programs finds the pairs, so the time grows with what programs share
and not with the number of pairs.

Source: S. Schleimer, D. Wilkerson, A. Aiken, Winnowing: local algorithms for document
fingerprinting, SIGMOD 2003.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

from compiler.source import SourceText, Token, TokenKind

RUN_WORDS = 6
WINDOW_RUNS = 4
ALIKE = 0.3  # from this likeness on a pair is shown
COMMON = 8
MIN_FINGERPRINTS = 12  # a text with less of its own says nothing

_WHOLE = 1 << 40  # what a fingerprint counts that at most COMMON programs have
# programs that share a fingerprint: beyond, it counts for too little to look at all pairs
_MAX_INDEXED = 200
_MAX_CHARACTERS = 200_000  # of a file

_C_SUFFIXES = ("c", "h")
_SLASH_SUFFIXES = ("cc", "cpp", "cxx", "hpp", "java", "js", "mjs", "cjs", "ts", "rs", "go", "cs")
_C_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if int
    long register return short signed sizeof static struct switch typedef union unsigned void
    volatile while
"""
_OTHER_KEYWORDS = """
    False None True and as assert async await bool boolean catch class def del delete elif elsif
    esac except false fi final finally foreach from function global import in instanceof interface
    is lambda last let local my new next nonlocal not null or our package pass private protected
    public raise self sub super then this throw true try typeof unless until use using var with
    yield
"""
_C_WORDS = frozenset(_C_KEYWORDS.split())
_ALL_WORDS = _C_WORDS | frozenset(_OTHER_KEYWORDS.split())
_OTHER_COMMENTS = {
    "lua": re.compile(r"--[^\n]*"),
    "hs": re.compile(r"--[^\n]*|(?<=\w)'"),
    **dict.fromkeys(("lisp", "lsp", "cl"), re.compile(r";[^\n]*|'")),
    **dict.fromkeys(("f90", "f95", "f03", "f08"), re.compile(r"![^\n]*")),
    **dict.fromkeys(("ml", "mli"), re.compile(r"\(\*(?s:.*?)(?:\*\)|\Z)")),
    **dict.fromkeys(
        ("pas", "pp", "lpr"), re.compile(r"\(\*(?s:.*?)(?:\*\)|\Z)|\{[^}]*\}?|//[^\n]*")
    ),
}
"""Comments by the suffix of a file, where they begin neither with `//` as in C nor with `#`; and
quotes that are none, as in `foldl'` and `#'car`."""
# Outside of quotes, too, a backslash takes the next character with it: so a line has one unclosed
# quote of each kind at most, and only the text after it is read again.
_HASH_COMMENT = re.compile(
    r"""
    (?P<kept> "[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)" | '[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)' | \$\# | \\. )
  | \#[^\n]*
    """,
    re.VERBOSE,
)
_LONG_STRING = re.compile(r'"""(?s:.*?)"""' + r"|'''(?s:.*?)'''")
_BASE, _MODULUS = 1_000_003, (1 << 61) - 1


@dataclass(frozen=True)
class Alike:
    """Two programs whose texts are alike. `share`: their likeness, in 0..1."""

    one: str
    other: str
    share: float


def alike_texts(
    programs: Mapping[str, Mapping[str, str]], base: Iterable[Mapping[str, str]] = ()
) -> tuple[Alike, ...]:
    """Return the pairs of programs whose texts are alike, the most alike first.

    `programs`: by name; each is the texts of its files by their names. `base`: what all teams have
    received.
    """
    known = frozenset(mark for texts in base for mark in fingerprints(texts))
    own = {name: fingerprints(texts) - known for name, texts in sorted(programs.items())}
    holders = _holders(own)
    # Whole numbers, whose sums are the same in any order and with any Python.
    weights = {mark: min(_WHOLE, COMMON * _WHOLE // len(names)) for mark, names in holders.items()}
    totals = {name: sum(map(weights.__getitem__, marks)) for name, marks in own.items()}
    alike = []
    for (one, other), weight in _in_common(holders, weights).items():
        least = min(totals[one], totals[other])
        if least >= MIN_FINGERPRINTS * _WHOLE and weight / least >= ALIKE:
            alike.append(Alike(one, other, weight / least))
    return tuple(sorted(alike, key=lambda pair: (-pair.share, pair.one, pair.other)))


def _holders(own: Mapping[str, frozenset[int]]) -> Mapping[int, Sequence[str]]:
    """Return the programs that have each fingerprint."""
    holders: defaultdict[int, list[str]] = defaultdict(list)
    for name, marks in own.items():
        for mark in marks:
            holders[mark].append(name)
    return holders


def _in_common(
    holders: Mapping[int, Sequence[str]], weights: Mapping[int, int]
) -> Mapping[tuple[str, str], int]:
    """Return the weight of the fingerprints that two programs have in common, by their names."""
    common: defaultdict[tuple[str, str], int] = defaultdict(int)
    for mark, names in holders.items():
        if len(names) <= _MAX_INDEXED:
            for pair in combinations(names, 2):
                common[pair] += weights[mark]
    return common


def count_words(texts: Mapping[str, str]) -> int:
    """Return the words of a program, of all its files together."""
    return sum(len(words(name, text)) for name, text in texts.items())


def fingerprints(texts: Mapping[str, str]) -> frozenset[int]:
    """Return the fingerprints of a program, of all its files together."""
    return frozenset(
        mark for name, text in texts.items() for mark in _winnowed(_runs(words(name, text)))
    )


def words(name: str, text: str) -> list[str]:
    """Return the words of a file, with one word for all names; `name` tells the language by its
    suffix."""
    suffix, text = name.rpartition(".")[2].lower(), text[:_MAX_CHARACTERS]
    is_c = suffix in _C_SUFFIXES
    if comment := _OTHER_COMMENTS.get(suffix):
        text = comment.sub(" ", text).replace("//", "/ /")
    elif not is_c and suffix not in _SLASH_SUFFIXES:
        text = _HASH_COMMENT.sub(lambda found: found["kept"] or "", _LONG_STRING.sub('""', text))
        text = text.replace("//", "/ /")
    source = SourceText.of(text)
    kept = _C_WORDS if is_c else _ALL_WORDS
    lines = [line.tokens for line in source.live_lines]
    named = {line[2].text: line[3] for line in lines if is_c and _is_named_number(line)}
    code = (token for line in lines if not _is_named_number(line) for token in line)
    return [_word(named.get(token.text, token), kept) for token in code]


def _is_named_number(tokens: Sequence[Token]) -> bool:
    """Return whether this line gives a number a name by `#define`."""
    texts, kinds = [token.text for token in tokens], [token.kind for token in tokens]
    return texts[:2] == ["#", "define"] and kinds[2:] == [TokenKind.IDENTIFIER, TokenKind.NUMBER]


def _word(token: Token, kept: AbstractSet[str]) -> str:
    match token.kind:
        case TokenKind.IDENTIFIER:
            return token.text if token.text in kept else "name"
        case TokenKind.NUMBER:
            return _value(token.text)
        case _:
            return token.text


def _value(number: str) -> str:
    """Return a number as its value: 0x10, 020 and 16UL are equal."""
    digits = number.rstrip("uUlL")
    is_octal = digits.startswith("0") and digits.isdecimal()
    try:
        return str(int(digits, 8 if is_octal else 0))
    except ValueError:
        return number.lower()


def _runs(found: Sequence[str]) -> Iterator[int]:
    """Yield the hash of every run of words, by the rolling hash of Rabin and Karp."""
    out = pow(_BASE, RUN_WORDS, _MODULUS)
    codes = [zlib.crc32(word.encode(errors="replace")) for word in found]
    value = 0
    for place, code in enumerate(codes):
        leaving = codes[place - RUN_WORDS] * out if place >= RUN_WORDS else 0
        value = (value * _BASE + code - leaving) % _MODULUS
        if place >= RUN_WORDS - 1:
            yield value


def _winnowed(hashes: Iterable[int]) -> Iterator[int]:
    """Yield the least hash of each window; of a text that is shorter than a window the least of
    all."""
    window: deque[int] = deque(maxlen=WINDOW_RUNS)
    is_short = True
    for value in hashes:
        window.append(value)
        if len(window) == WINDOW_RUNS:
            is_short = False
            yield min(window)
    if is_short and window:
        yield min(window)
