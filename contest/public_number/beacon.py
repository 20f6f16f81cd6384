"""The public number: a value that nobody knows before the list of entries is final. Pure.

The contest's seed is made of it, so that not even the organizer, who knows the secret number, can try out
lists of entries until the draw pleases. `tournament.beacon` says where it comes from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from contest.errors import GiveUp
from contest.public_number import drand

MAX_NUMBER_CHARS = 2_000
LOTTERY_PREFIX = "lottery:"


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
    """Where the public number comes from. `draw`: which public draw, in words; "" but for a lottery."""

    kind: BeaconKind
    draw: str = ""

    @classmethod
    def of(cls, setting: str) -> Beacon:
        """The beacon of `tournament.beacon`. Raises ValueError with the right form."""
        draw = setting.removeprefix(LOTTERY_PREFIX)
        if setting.startswith(LOTTERY_PREFIX) and draw.strip():
            return cls(BeaconKind.LOTTERY, draw.strip())
        if setting in (BeaconKind.DRAND, BeaconKind.FILE, BeaconKind.NONE):
            return cls(BeaconKind(setting))
        raise ValueError(
            "write `drand`, `file`, `none`, or `lottery:` and which draw counts, such as "
            "`lottery: the Swiss lottery's six numbers of 2027-05-15`"
        )

    def read(self, text: str, chain: drand.Chain, round_number: int) -> PublicNumber:
        """The public number in a text. Raises GiveUp with the right form.

        `chain` and `round_number` are for drand alone.
        """
        if len(text) > MAX_NUMBER_CHARS:
            raise GiveUp(f"a public number has at most {MAX_NUMBER_CHARS:,} characters")
        match self.kind:
            case BeaconKind.NONE:
                raise GiveUp('this contest uses no public number: `beacon = "none"`')
            case BeaconKind.DRAND:
                return PublicNumber(drand.randomness_in(text, chain, round_number), text)
            case BeaconKind.LOTTERY:
                return PublicNumber(canonical_draw(text).encode(), text)
            case BeaconKind.FILE:
                if not text.strip():
                    raise GiveUp("the public number is empty")
                return PublicNumber(text.strip().encode(), text)


def canonical_draw(text: str) -> str:
    """The numbers of a draw as in RFC 3797: sorted, each followed by a full stop, the draw by a slash.

    `text`: whole numbers, separated by anything else; draws of several sources by slashes. Raises GiveUp.
    """
    draws = [re.findall(r"[0-9]+", part, re.ASCII) for part in text.strip().rstrip("/").split("/")]
    if not all(draws) or re.search(r"[^\s0-9.,;/+&-]", text):
        raise GiveUp("write the numbers that were drawn, such as `4 9 18 34 41 45`, and nothing else")
    return "".join("".join(f"{number}." for number in sorted(map(int, draw))) + "/" for draw in draws)
