"""The public number: a value that nobody knows before the list of entries is final. Pure.

The contest's seed is made of it, so that not even the organizer, who knows the secret number, can
try out lists of entries until the draw pleases. `tournament.beacon` says where it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from contest.errors import GiveUp

_LOTTERY = re.compile(r"lottery:\s*(([1-9][0-9]?(?:/[1-9][0-9]?){0,9}) numbers of \S.*)", re.ASCII)
_BLANKS = " \t\n\r\f\v"


class BeaconKind(StrEnum):
    """Where the public number comes from."""

    DRAND = "drand"  # a network that publishes a signed random value every few seconds
    LOTTERY = "lottery"  # the numbers of a public draw, as in RFC 3797
    FILE = "file"  # any text that the organizer hands in
    NONE = "none"


@dataclass(frozen=True)
class PublicNumber:
    """`value`: the bytes that the seed is made of. `source`: the text that they were read from."""

    value: bytes
    source: str


@dataclass(frozen=True)
class Beacon:
    """Where the public number comes from.

    `draw`: which public draw, in words that begin with its shape; "" but for a lottery. `counts`:
    that shape, how many numbers each of its parts has.
    """

    kind: BeaconKind
    draw: str = ""
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, setting: str) -> Beacon:
        """Return the beacon of `tournament.beacon`. Raises ValueError with the right form."""
        lottery = _LOTTERY.fullmatch(setting.rstrip(_BLANKS))
        if lottery:
            return cls(BeaconKind.LOTTERY, lottery[1], tuple(map(int, lottery[2].split("/"))))
        if setting in (BeaconKind.DRAND, BeaconKind.FILE, BeaconKind.NONE):
            return cls(BeaconKind(setting))
        raise ValueError(
            "write `drand`, `file`, `none`, or `lottery:` and which numbers of which draw count,"
            " such as `lottery: 6 numbers of the Swiss lottery of 2027-05-15`, or `6/1 numbers` if"
            " it has two parts"
        )


def canonical_draw(text: str, counts: Sequence[int]) -> str:
    """Return the numbers of a draw as in RFC 3797: sorted, each followed by a full stop, each part
    by a slash.

    `text`: whole numbers, separated by anything else; parts by slashes. `counts`: how many numbers
    each part has, as it was announced: otherwise the same numbers could be written so that they
    make another draw. Raises GiveUp.
    """
    draws = [re.findall(r"[0-9]+", part, re.ASCII) for part in text.strip().rstrip("/").split("/")]
    if not all(draws) or re.search(r"[^\s0-9.,;/+&-]", text):
        raise GiveUp(
            "write the numbers that were drawn, such as `4 9 18 34 41 45`, and nothing else"
        )
    if [len(draw) for draw in draws] != list(counts):
        raise GiveUp(
            f"the announced draw has {'/'.join(map(str, counts))} numbers, with a slash between"
            f" parts; these are {'/'.join(str(len(draw)) for draw in draws)}"
        )
    return "".join(f"{_sorted(draw)}/" for draw in draws)


def _sorted(draw: Iterable[str]) -> str:
    """Return the numbers of one draw, each with a point behind it."""
    return "".join(f"{number}." for number in sorted(map(int, draw)))
