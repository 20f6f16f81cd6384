"""The authentification string: makes it, checks it, finds it in a program (K39, K43). Pure but for
chance."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contest.language import gettext, ngettext, noted
from contest.mail.sent_files import (
    FROM_MARK,
    begins_with_mark,
    is_marked,
    lines_named,
    plain,
    strip_secret,
    words_after_mark,
)
from contest.util.sanitize import quote
from mailserver.problem import Problem

# None of 0 O o, 1 l I i: 31 signs, 4.95 bits each. Nothing in it can end a C comment or part a
# word.
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
GROUPS = 5
GROUP_SIZE = 4

_ALMOST = re.compile(
    r"<{1,2}\s*from\s*>{1,2}|&lt;from&gt;|&lt;&lt;from&gt;&gt;|«\s*from\s*»", re.IGNORECASE
)


def new_string() -> str:
    """Return a fresh string of 5 groups of 4 signs, 99 bits of chance: `k7qd-...`."""
    return "-".join(_new_group() for _ in range(GROUPS))


def _new_group() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(GROUP_SIZE))


def digest(string: str) -> str:
    """Return what we keep of a string: its sha256 in hex. A slow hash would add nothing to 99 bits
    of chance."""
    return hashlib.sha256(string.encode()).hexdigest()


def matches(string: str, known_digest: str | None) -> bool:
    """Return whether this is the string of that digest, in constant time, and in the same time
    without a digest."""
    equal = hmac.compare_digest(digest(string), known_digest or digest(""))
    return equal and known_digest is not None


# longer ones, too: something may be right before or after it
_GROUP = f"[{ALPHABET}]{{{GROUP_SIZE},}}+"
_LIKE_A_STRING = re.compile(
    rf"(?<![{ALPHABET}]){_GROUP}(?>(?:-{_GROUP}){{{GROUPS - 1},}})", re.IGNORECASE
)  # each run of signs is looked at once, from its beginning


def without_strings(text: str) -> str:
    """Return the text with `x` for every character of anything that may be an authentification
    string (K42)."""
    return _LIKE_A_STRING.sub(lambda found: "x" * len(found[0]), text)


STRING_LENGTH = GROUPS * (GROUP_SIZE + 1) - 1
_EXACT_GROUP = f"[{ALPHABET}]{{{GROUP_SIZE}}}"
# strings may overlap
_EXACT = re.compile(rf"(?={_EXACT_GROUP}((?:-{_EXACT_GROUP}){{{GROUPS - 1}}}))")


def possible_strings(text: str) -> Iterator[tuple[int, str]]:
    """Everything in the text, but in its `<<FROM>>` lines, that has the form of an authentification
    string: where it begins, and its digest."""
    for found in _EXACT.finditer(public := strip_secret(text)):
        place = found.start()
        yield place, digest(public[place : place + STRING_LENGTH])


@dataclass(frozen=True)
class FromLine:
    """`<<FROM>> team string`. `string` is what the sender wrote, right or wrong."""

    team: str
    string: str
    line_number: int


def find_from_line(lines: Sequence[str]) -> FromLine | Problem:
    """Return the one `<<FROM>>` line of a program; leading blanks, `*`, `/` and `#` do not matter
    (S04).

    The same line again is the same; characters that nobody sees do not matter either.
    """
    marked = [(number, line) for number, line in enumerate(lines, 1) if begins_with_mark(line)]
    if not marked:
        return _missing(lines)
    found = [_read(number, line, lines) for number, line in marked]
    good = {(f.team, f.string): f for f in found if isinstance(f, FromLine)}
    if len(good) > 1:
        text = noted("There are %(good)s different %(from_mark)s lines.")
        return _problem(marked[1][0], text, good=len(good))
    return next(iter(good.values()), found[0])


def _read(number: int, line: str, lines: Sequence[str]) -> FromLine | Problem:
    words = words_after_mark(line)
    if any("\\" in word for word in words):
        text = noted(
            "There are backslashes in the %(from_mark)s line; perhaps your mailer has put them"
            " there. Please write it without them, or attach the program."
        )
        return _problem(number, text)
    if len(words) == 2:
        return FromLine(words[0], words[1], number)
    following = lines[number].strip(" \t/*#").split() if number < len(lines) else []
    if len(words) + len(following) == 2 and following:
        split = noted(
            "The %(from_mark)s line is split over two lines; perhaps your mailer did it. It must be"
            " one line."
        )
        return _problem(number, split)
    text = ngettext(
        "After %(from_mark)s there must be two words, the team's name and its authentification"
        " string; there is %(found)s.",
        "After %(from_mark)s there must be two words, the team's name and its authentification"
        " string; there are %(found)s.",
        len(words),
        from_mark=FROM_MARK,
        found=len(words) or gettext("none"),
    )
    return Problem(text, number, expected=_RIGHT)


def _missing(lines: Sequence[str]) -> Problem:
    for number, line in enumerate(lines, 1):
        if is_marked(line):
            if each := _before_each_line(lines):
                return Problem(each, number, expected=_RIGHT)
            before = quote(without_strings(plain(line).partition(FROM_MARK)[0]))
            text = noted(
                "There must be nothing but blanks, `*` or `#` before %(from_mark)s, but there is "
                "`%(before)s`."
            )
            return _problem(number, text, before=before)
        if _ALMOST.search(line):
            text = noted(
                "%(from_mark)s has to be given exactly as shown: in capitals, with two < and two >."
            )
            return _problem(number, text)
    text = noted("There is no %(from_mark)s line in the program, so I do not know whose it is.")
    return _problem(0, text)


def _before_each_line(lines: Sequence[str]) -> str:
    """Return what somebody has put before most lines, as a sentence; "" = nothing."""
    signs = {number: _SIGN.match(line) for number, line in enumerate(lines, 1) if line.strip()}
    kinds = [found and (found[1] or "1") for found in signs.values()]
    sign, count = Counter(kinds).most_common(1)[0]
    if not sign or count * 2 <= len(kinds):
        return ""
    others = [number for number, kind in zip(signs, kinds, strict=True) if kind != sign]
    what = gettext(_NUMBER) if sign == "1" else f"`{sign}`"
    most = gettext(
        "Most lines begin with %(what)s. Please send the program without that, or attach it.",
        what=what,
    )
    but = (
        gettext("It does not stand before %(where)s.", where=lines_named(others)) if others else ""
    )
    return f"{most} {but}".rstrip()


_SIGN = re.compile(r"\s*(?:(\w{0,9}>|[+|])|\d+)")
_NUMBER = noted("a number")


_RIGHT = f"/*\n  {FROM_MARK} team_name authentification_string\n*/"


def _problem(line: int, text: str, **values: object) -> Problem:
    """Return what is wrong with the line, without a quote of it: it may hold a secret."""
    return Problem(gettext(text, from_mark=FROM_MARK, **values), line, expected=_RIGHT)
