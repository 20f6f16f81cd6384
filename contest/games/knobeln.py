"""KNOBELN: two players throw numbers at once; the higher wins, unless it is more than twice the
lower.

The rules of the announcement of 1994 (K1 to K10). While programs play, the contest machine applies
them, in C (tournament/runners/knobeln_engine/). Tests play the same games by
tests/support/throws.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from pydantic import Field, model_validator

from contest.errors import ConfigError
from contest.games.game import MACHINE, FaultRule, Game, GameInfo, GamePlugin
from contest.language import gettext, ngettext, noted
from contest.schema.sections import DEFAULT_GAME, GameSettings

_DIGEST_START = 0x6B6E6F62656C6E21
_DIGEST_FACTOR = 0x9E3779B97F4A7C15
_64_BITS = (1 << 64) - 1


@dataclass(frozen=True)
class Rules:
    """The parameters (K1): throws are in a..b, series have at least k throws, a game has L
    throws."""

    a: int = 1
    b: int = 12288
    k: int = 8
    L: int = 1000


class ThrowLines(Sequence[tuple[int, int]]):
    """The throws of a game as the lines of a protocol, as the machine writes them and mails have
    them.

    Below each line of the first player's throws is one of the second's. They are parsed when
    needed.
    """

    def __init__(self, text: str) -> None:
        """Each line ends with a newline."""
        self.text = text

    @property
    def words(self) -> list[tuple[str, str]]:
        """The throws as they are written, which takes half as long as to read the numbers."""
        lines = self.text.splitlines()
        first, second = (",".join(side).split(",") for side in (lines[::2], lines[1::2]))
        return list(zip(first, second, strict=True)) if lines else []

    @cached_property
    def _throws(self) -> tuple[tuple[int, int], ...]:
        return tuple([(int(first), int(second)) for first, second in self.words])

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[int, int], ...]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | tuple[tuple[int, int], ...]:
        return self._throws[index]

    def __len__(self) -> int:
        return len(self._throws)

    def __eq__(self, other: object) -> bool:
        return self._throws == (other._throws if isinstance(other, ThrowLines) else other)

    def __hash__(self) -> int:
        return hash(self._throws)

    def __repr__(self) -> str:
        return repr(self._throws)


def throw_points(first: int, second: int) -> tuple[int, int]:
    """Both players' points in one throw (K3 to K5). The winner gets the logarithm of its own
    number.

    >>> throw_points(6800, 3400), throw_points(6801, 3400), throw_points(3, 1), throw_points(5, 5)
    ((12, 0), (0, 11), (0, 0), (0, 0))
    """
    if first == second:
        return 0, 0
    first_wins = first <= 2 * second if first > second else second > 2 * first
    return (_log2(first), 0) if first_wins else (0, _log2(second))


def _log2(number: int) -> int:
    return number.bit_length() - 1


def why_out_of_range(rules: Rules, number: int, throw: int) -> str:
    """The sentence for throw `number` (from 1) outside a..b."""
    return gettext(
        "throw %(number)s was %(throw)s, but only %(a)s..%(b)s are allowed",
        number=number,
        throw=throw,
        a=rules.a,
        b=rules.b,
    )


def why_early_drop(rules: Rules, number: int, throw: int, last: int, series: int) -> str:
    """The sentence for a throw lower than the one before it, in a series that is too short."""
    return ngettext(
        "throw %(number)s (%(throw)s) is lower than throw %(before)s (%(last)s), but its series is"
        " only %(series)s throw long; %(needed)s are needed",
        "throw %(number)s (%(throw)s) is lower than throw %(before)s (%(last)s), but its series is"
        " only %(series)s throws long; %(needed)s are needed",
        series,
        number=number,
        throw=throw,
        before=number - 1,
        last=last,
        series=series,
        needed=rules.k,
    )


class KnobelnSettings(GameSettings):
    """The game's parameters."""

    name: str = Field(DEFAULT_GAME, description=GameSettings.model_fields["name"].description)
    a: int = Field(1, ge=1, le=2**30, description="the smallest number that may be thrown")
    b: int = Field(12288, ge=1, le=2**30, description="the largest number that may be thrown")
    k: int = Field(
        8,
        ge=1,
        le=1_000_000,
        description="a series of non-decreasing throws has at least this length",
    )
    L: int = Field(1000, ge=1, le=1_000_000, description="throws per game")

    @model_validator(mode="after")
    def _range(self) -> KnobelnSettings:
        if self.a > self.b:
            raise ValueError("a is larger than b")
        if self.k > self.L:
            raise ValueError(
                f"k is larger than L: a game of {self.L} throws has no series of {self.k}, so"
                " nobody could win a point"
            )
        return self

    @property
    def rules(self) -> Rules:
        return Rules(self.a, self.b, self.k, self.L)


def rules_of(settings: GameSettings) -> Rules:
    """The rules of a contest. Raises ConfigError where another game is played."""
    if not isinstance(settings, KnobelnSettings):
        raise ConfigError(f"the game is {settings.name}, not {DEFAULT_GAME}")
    return settings.rules


class Knobeln(Game):
    """The game as the registry knows it."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()

    @property
    def info(self) -> GameInfo:
        return GameInfo(
            name=DEFAULT_GAME,
            title="KNOBELN",
            min_seats=2,
            max_seats=2,
            max_turns=self.rules.L,
            fault_rule=FaultRule.REPLAY,
            play=MACHINE,
            turn_word="throw",
            has_kit=True,
            summary=noted(
                "Two programs choose a number at the same time, throw after throw. The higher"
                " number wins the throw, unless it is more than twice the lower one."
            ),
        )


def digest(throws: Iterable[tuple[int, int]]) -> str:
    """16 hex digits over all throws of a game; the contest machine computes the same
    (docs/machine.md)."""
    state = _DIGEST_START
    for first, second in throws:
        state = (state ^ first ^ second << 32) * _DIGEST_FACTOR & _64_BITS
        state ^= state >> 32
    return f"{state:016x}"


PLUGIN = GamePlugin(
    DEFAULT_GAME, KnobelnSettings, lambda settings, _programs: Knobeln(settings.rules)
)
