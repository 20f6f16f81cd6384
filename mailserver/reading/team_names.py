"""Team names (K31, K32). Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from contest.language import gettext

MAX_CHARACTERS = 30

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# C89, C99, C11, C23, and what GNU C adds.
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if int
        long register return short signed sizeof static struct switch typedef union unsigned void
        volatile while inline restrict _Bool _Complex _Imaginary _Alignas _Alignof _Atomic _Generic
        _Noreturn _Static_assert _Thread_local alignas alignof bool constexpr false nullptr
        static_assert thread_local true typeof typeof_unqual _BitInt _Decimal32 _Decimal64
        _Decimal128 asm __asm __asm__ __attribute __attribute__ __inline __inline__ __const
        __const__ __volatile __volatile__ __signed __signed__ __typeof __typeof__ __alignof
        __alignof__ __extension__ __label__ __restrict __restrict__ __real __real__ __imag __imag__
        __complex __complex__ __thread __auto_type __func__ __FUNCTION__ __PRETTY_FUNCTION__
        __builtin_va_arg __builtin_offsetof __int128
        """,
    )
)
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)]
)
_PARTS = frozenset(["referee", "house", "organizer", "organiser", "knobeln", "team_name"])


def fault(name: str, *, in_c: bool = True) -> str:
    """Return why this cannot be a team's name; "" when it can. `in_c`: it must be a name of C
    too."""
    if not _IDENTIFIER.fullmatch(name):
        return _no_identifier(name, in_c) if name else gettext("There is no team name.")
    if len(name) > MAX_CHARACTERS:
        return gettext(
            "The team name has %(name)s characters, at most %(max_characters)s are allowed.",
            name=len(name),
            max_characters=MAX_CHARACTERS,
        )
    if in_c and name in _KEYWORDS:
        return gettext(
            "The name `%(name)s` is a keyword of C (or of gcc), and no identifier.", name=name
        )
    if name.casefold() in _DEVICES:
        return gettext(
            "The name `%(name)s` is reserved, because some systems can have no file of that name."
            " Add something to it, for example `%(name)s_team`.",
            name=name,
        )
    if name.casefold() in _PARTS:
        return gettext(
            "The name `%(name)s` is reserved, because reports use it for something else. Add"
            " something to it, for example `%(name)s_team`.",
            name=name,
        )
    return ""


def _no_identifier(name: str, in_c: bool) -> str:
    if in_c:
        text = gettext(
            "A team name is a C identifier: letters A-Z and a-z, digits and _, no blank, no digit"
            " in front."
        )
    else:
        text = gettext(
            "A team name consists of letters A-Z and a-z, digits and _, no blank, no digit in"
            " front."
        )
    strange = next((c for c in name if c.isalnum() and not c.isascii() and not suggested(c)), None)
    if strange is None:
        return text
    # It may look like one of ours, so that nobody would find it; an ü does not.
    return gettext(
        "%(text)s The `%(strange)s` in it is another sign: %(name)s.",
        text=text,
        strange=strange,
        name=unicodedata.name(strange, "without a name"),
    )


def suggested(name: str, *, in_c: bool = True) -> str:
    """Return the name that is meant, with `_` for what no name may have; "" if that is none
    either."""
    plain = unicodedata.normalize("NFKD", name.translate(_SPELLED)).encode("ascii", "ignore")
    made = _NO_WORD.sub("_", plain.decode()).strip("_")
    made = f"team_{made}" if made[:1].isdigit() else made
    return "" if fault(made, in_c=in_c) else made


_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)
_NO_WORD = re.compile(r"[^A-Za-z0-9_]+")


def unique_name(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """Return the wanted name, or `wanted_2`, `wanted_3` ... where it is taken; shortened to fit 30
    characters (K32).

    Names that differ only in case conflict (K31).
    """
    candidate, number = wanted, 1
    while is_taken(candidate):
        number += 1
        suffix = f"_{number}"
        candidate = wanted[: MAX_CHARACTERS - len(suffix)] + suffix
    return candidate
