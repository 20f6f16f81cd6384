"""The register of formats, and what every format promises."""

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import pytest

from contest.errors import ConfigError
from contest.formats import FORMATS, make_format, misfit
from contest.formats.format import Format
from contest.formats.group_elimination import GroupElimination
from contest.formats.one_round import RoundRobin
from contest.games.registry import game
from contest.model import (
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    RoundOutcome,
    SeatResult,
    Verdict,
)
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.seeds import Seeds

KNOBELN = game(DEFAULT_GAME).info
TINY = {"group_min": 2, "group_max": 3, "final_size": 2, "self_play": False}

# How made-up entries behave: the points of an entry in a game, and the disqualified of a group.
Points = Callable[[str], int]
Outlaws = Callable[[Sequence[str]], AbstractSet[str]]
BEHAVIOURS: dict[str, tuple[Points, Outlaws]] = {
    "all different": (lambda name: int(name[1:]), lambda members: set()),
    "many ties": (lambda name: int(name[1:]) % 3, lambda members: set()),
    "nobody wins a point": (lambda name: 0, lambda members: set()),
    "some fail twice": (lambda name: int(name[1:]), lambda members: set(sorted(members)[::4])),
    "all fail twice": (lambda name: 0, set),
}


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize(
    "settings", [Tournament(), Tournament(**TINY)], ids=["1994", "tiny groups"]
)
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_keeps_its_promises(name: str, settings: Tournament, behaviour: str) -> None:
    for size in (0, 1, 2, 3, 7, 20, 41, 42, 100):
        check_contest(FORMATS[name](settings, KNOBELN), size, *BEHAVIOURS[behaviour])


def check_contest(chosen: Format, size: int, points: Points, outlaws: Outlaws) -> None:
    """A plan does not depend on the order of the entries, nothing follows a final, and every
    contest ends."""
    entries, seeds = [f"t{number:03}" for number in range(size)], Seeds(size.to_bytes(32, "big"))
    history: list[RoundOutcome] = []
    still_in = set(entries)
    while plan := chosen.plan(entries, history, seeds):
        assert not history or not history[-1].plan.final
        assert plan == chosen.plan(entries[::-1], tuple(history), seeds)
        assert plan.number == len(history) + 1 < 10 + 2 * size
        numbers = [(group.round, group.number) for group in plan.groups]
        assert numbers == [(plan.number, number) for number in range(1, len(plan.groups) + 1)] != []
        members = [name for group in plan.groups for name in group.members]
        assert len(members) == len(set(members))
        assert set(members) <= still_in
        groups = [check_group(chosen, group, plan.final, points, outlaws) for group in plan.groups]
        history.append(RoundOutcome(plan, tuple(groups)))
        still_in -= {
            line.entry for group in groups for line in group.standings if line.disqualified
        }
    ranking = chosen.ranking(history) if history else ()
    names = [line.entry for line in ranking]
    assert len(names) == len(set(names))
    assert set(names) <= set(entries)
    ranked = [line for line in ranking if not line.disqualified]
    assert ranked == list(ranking[: len(ranked)])
    assert {line.entry for line in ranked} <= still_in
    check_ranks([line.rank for line in ranked])


def check_group(
    chosen: Format, group: GroupPlan, final: bool, points: Points, outlaws: Outlaws
) -> GroupOutcome:
    """Pairings are between members and all differ. The table has every member once, ranked best
    first, whatever the order of the matches, and nobody advances from a final."""
    meetings = Counter(tuple(sorted(pairing.players)) for pairing in group.pairings)
    assert max(meetings.values(), default=1) == 1
    assert all(set(pairing.players) <= set(group.members) for pairing in group.pairings)
    assert all(pairing.games >= 1 and pairing.most >= 0 for pairing in group.pairings)
    # an entry that plays no game cannot fail
    out = outlaws(group.members) if group.pairings else set()
    matches = tuple(
        played(pairing, number, points, out)
        for pairing in group.pairings
        for number in range(1, pairing.games + 1)
    )
    table = chosen.standings(group, final, matches, dict.fromkeys(out, 2), out)
    assert table == chosen.standings(group, final, matches[::-1], dict.fromkeys(out, 2), out)
    assert Counter(line.entry for line in table) == Counter(group.members)
    assert {line.entry for line in table if line.disqualified} == out
    assert not (final and any(line.advances for line in table))
    for line in table:
        nothing = line.rank is None and line.half_points == 0 and not line.advances
        assert nothing or not line.disqualified
        assert line.failures == (2 if line.entry in out else 0)
    ranks = [line.rank for line in table if not line.disqualified]
    assert all(line.disqualified for line in table[len(ranks) :])
    check_ranks(ranks)
    return GroupOutcome(group, matches, table)


def played(pairing: Pairing, number: int, points: Points, out: AbstractSet[str]) -> Match:
    """This game of the pairing, which counts unless one of the players is out."""
    seats = [SeatResult(points(name), Verdict.OK, None) for name in pairing.seating(number)]
    result = GameResult(tuple(seats), 1000, "0" * 16)
    return Match(pairing, 1, result, not set(pairing.players) & out, number)


def check_ranks(ranks: Sequence[int | None]) -> None:
    """The first is 1; each further rank is its place, or the rank before it in a tie."""
    for place, rank in enumerate(ranks, start=1):
        assert rank == place or (place > 1 and rank == ranks[place - 2])


@pytest.mark.parametrize(
    ("least", "most", "fit"),
    [(2, 2, True), (1, 2, True), (2, 8, True), (1, 1, False), (3, 8, False)],
)
def test_a_format_for_two_fits_the_games_that_two_can_play(
    least: int, most: int, fit: bool
) -> None:
    info = replace(game("knobeln").info, min_seats=least, max_seats=most)
    assert (misfit(GroupElimination(Tournament(), info), info) is None) is fit


def test_the_settings_name_the_format_and_that_of_1994_fits_its_game() -> None:
    made = make_format(Tournament(), KNOBELN)
    assert misfit(made, KNOBELN) is None
    assert type(made) is FORMATS["group-elimination"] is GroupElimination
    assert isinstance(make_format(Tournament(format="round-robin"), KNOBELN), RoundRobin)
    assert (
        make_format(Tournament(format="double-elimination"), KNOBELN).name == "double-elimination"
    )


def test_an_unknown_format_is_answered_with_those_that_there_are() -> None:
    settings = Tournament.model_construct(format="swiss")
    with pytest.raises(ConfigError, match=r"no 'swiss'; choose from .*group-elimination"):
        make_format(settings, KNOBELN)
