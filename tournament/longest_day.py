"""The longest that a contest day can last: if all programs do their worst (docs/clock.md)."""

from __future__ import annotations

from collections.abc import Mapping

from contest.config.settings import Settings
from contest.formats import make_format
from contest.games.registry import game_of
from contest.seeds import Seeds
from sandbox.players.fuel import SECONDS_A_UNIT, SECONDS_AN_ANSWER
from tournament.certainty import MOST_UNITS

LONGEST_OF_CERTAINTY = MOST_UNITS * SECONDS_A_UNIT
"""The seconds that it takes at most to tell how sure the ranking is, if programs take there what
they took in the contest."""


def longest_first_round(settings: Settings, programs: Mapping[str, bool]) -> float:
    """The seconds that all games of the first round take at most, one after the other.

    `programs`: the name of each program, and whether its time is counted.
    """
    info = game_of(settings.game, settings.programs).info
    plan = make_format(settings.tournament, info).plan(list(programs), (), Seeds(bytes(32)))
    pairings = [pairing for group in plan.groups for pairing in group.pairings] if plan else []
    seconds = {
        is_counted: longest_in_a_game(settings, is_counted=is_counted)
        for is_counted in (True, False)
    }
    total = 0.0
    for pairing in pairings:
        longest = sum(seconds[programs[name]] for name in pairing.players)
        total += max(pairing.games, pairing.most) * longest
    return total


def longest_in_a_game(settings: Settings, *, is_counted: bool) -> float:
    """The seconds that the answers of one program of a text game take at most: processor time, and
    sleep of a program whose time is not counted."""
    limits = settings.programs
    info = game_of(settings.game, limits).info
    answers = info.max_answers or info.max_turns
    if is_counted:
        fuel = min(limits.game_fuel, answers * limits.fuel)
        return fuel * SECONDS_A_UNIT + answers * SECONDS_AN_ANSWER
    return answers * limits.seconds + limits.sleep_seconds
