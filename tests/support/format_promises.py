"""What every format promises, checked with made-up contests."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from contest.formats.format import Format
from contest.model import (
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Standing,
    Verdict,
)
from contest.seeds import Seeds

ENTRIES = (0, 1, 2, 3, 7, 20, 41, 42, 100)  # numbers of entries that a format is tried with
MAX_ROUNDS_PER_ENTRY = 2  # a format that needs more than this, and a few, does not end

# How made-up entries behave: the points of an entry in a game, and the disqualified of a group.
Points = Callable[[str], int]
Outlaws = Callable[[Sequence[str]], AbstractSet[str]]

_BEHAVIOURS: dict[str, tuple[Points, Outlaws]] = {
    "all different": (lambda name: int(name[1:]), lambda members: set()),
    "all equal": (lambda name: 7, lambda members: set()),
    "many ties": (lambda name: int(name[1:]) % 3, lambda members: set()),
    "nobody wins a point": (lambda name: 0, lambda members: set()),
    "some fail twice": (lambda name: int(name[1:]), lambda members: set(sorted(members)[::4])),
    "all fail twice": (lambda name: 0, set),
}


def check_format(tournament_format: Format) -> None:
    """Play made-up contests of many sizes and behaviours in this format, and check every round.

    A format promises: a plan depends on its arguments, but not on the order of the entries; groups share no
    member; pairings are between members and all differ; nobody plays on after being disqualified; a table has
    every member once, ranked best first, whatever the order of the matches; nobody advances from a final and
    nothing follows it; every contest ends with a ranking.
    """
    for size in ENTRIES:
        for behaviour, (points, outlaws) in _BEHAVIOURS.items():
            where = f"{tournament_format.name}, {size} entries, {behaviour}"
            _check_contest(tournament_format, size, points, outlaws, where)


def _check_contest(
    tournament_format: Format, size: int, points: Points, outlaws: Outlaws, where: str
) -> None:
    entries = [f"t{number:03}" for number in range(size)]
    seeds = Seeds(size.to_bytes(32, "big"))
    history: list[RoundOutcome] = []
    while plan := tournament_format.plan(entries, history, seeds):
        here = f"{where}, round {plan.number}"
        assert not history or not history[-1].plan.final, f"{here}: nothing follows the final"
        again = tournament_format.plan(entries[::-1], tuple(history), seeds)
        assert plan == again, f"{here}: the plan depends on the order of the entries"
        _check_plan(plan, len(history) + 1, _still_in(entries, history), here)
        history.append(_play_round(tournament_format, plan, points, outlaws, here))
        assert len(history) < 10 + MAX_ROUNDS_PER_ENTRY * size, f"{where}: the contest does not end"
    if history:
        _check_ranking(tournament_format.ranking(history), entries, history, where)


def _still_in(entries: Sequence[str], history: Sequence[RoundOutcome]) -> AbstractSet[str]:
    tables = [group.standings for outcome in history for group in outcome.groups]
    return set(entries) - {line.entry for table in tables for line in table if line.disqualified}


def _check_ranking(
    ranking: Sequence[Standing], entries: Sequence[str], history: Sequence[RoundOutcome], where: str
) -> None:
    names = [line.entry for line in ranking]
    assert len(names) == len(set(names)), f"{where}: somebody stands twice in the contest's ranking"
    assert set(names) <= set(entries), f"{where}: a stranger stands in the contest's ranking"
    ranked = [line for line in ranking if not line.disqualified]
    assert ranked == list(ranking[: len(ranked)]), f"{where}: the disqualified must stand last"
    strangers = {line.entry for line in ranked} - _still_in(entries, history)
    assert not strangers, f"{where}: {strangers} were disqualified, yet have a rank"
    _check_ranks([line.rank for line in ranked], f"{where}, ranking")


def _check_plan(plan: RoundPlan, number: int, still_in: AbstractSet[str], where: str) -> None:
    assert plan.number == number, f"{where}: rounds count 1, 2, 3 ..., this should be {number}"
    numbers = [(group.round, group.number) for group in plan.groups]
    expected = [(number, index) for index in range(1, len(plan.groups) + 1)]
    assert numbers, f"{where}: a round without groups"
    assert numbers == expected, f"{where}: groups count 1, 2, 3 ...: {numbers}"
    members = [name for group in plan.groups for name in group.members]
    assert len(members) == len(set(members)), f"{where}: somebody is in two groups, or twice in one"
    strangers = sorted(set(members) - still_in)
    assert not strangers, f"{where}: {strangers} are no entries, or were disqualified"
    for group in plan.groups:
        _check_pairings(group, where)


def _check_pairings(group: GroupPlan, where: str) -> None:
    here = f"{where}, group {group.number}"
    meetings = Counter(tuple(sorted(pairing.players)) for pairing in group.pairings)
    assert max(meetings.values(), default=1) == 1, f"{here}: a pairing stands twice"
    for pairing in group.pairings:
        assert set(pairing.players) <= set(group.members), f"{here}: {pairing} is not between members"
        assert min(pairing.games - 1, pairing.most) >= 0, f"{here}: {pairing} has no games"


def _play_round(
    tournament_format: Format, plan: RoundPlan, points: Points, outlaws: Outlaws, where: str
) -> RoundOutcome:
    groups = []
    for group in plan.groups:
        out = outlaws(group.members) if group.pairings else set()  # an entry that plays no game cannot fail
        matches = tuple(_matches(group, points, out))
        failed = dict.fromkeys(out, 2)
        table = tournament_format.standings(group, plan.final, matches, failed, out)
        here = f"{where}, group {group.number}"
        again = tournament_format.standings(group, plan.final, matches[::-1], failed, out)
        assert table == again, f"{here}: the table depends on the order of the matches"
        _check_table(table, group, plan.final, out, here)
        groups.append(GroupOutcome(group, matches, table))
    return RoundOutcome(plan, tuple(groups))


def _matches(group: GroupPlan, points: Points, out: AbstractSet[str]) -> Iterator[Match]:
    for pairing in group.pairings:
        counted = not set(pairing.players) & out
        for game in range(1, pairing.games + 1):
            seats = tuple(_seat(points(name)) for name in pairing.seating(game))
            yield Match(pairing, 1, GameResult(seats, 1000, "0" * 16), counted, game)


def _seat(points: int) -> SeatResult:
    return SeatResult(points, Verdict.OK, None)


def _check_table(
    table: Sequence[Standing], group: GroupPlan, final: bool, out: AbstractSet[str], where: str
) -> None:
    lines = Counter(line.entry for line in table)
    assert lines == Counter(group.members), f"{where}: the table must have each member once"
    assert {line.entry for line in table if line.disqualified} == out, f"{where}: wrong disqualified"
    assert not (final and any(line.advances for line in table)), f"{where}: somebody advances from the final"
    for line in table:
        nothing = line.rank is None and line.half_points == 0 and not line.advances
        assert not line.disqualified or nothing, f"{where}: {line.entry} is disqualified, yet has something"
        assert line.failures == (2 if line.entry in out else 0), f"{where}: wrong failures of {line.entry}"
    ranks = [line.rank for line in table if not line.disqualified]
    assert table[len(ranks) :] == tuple(line for line in table if line.disqualified), f"{where}: order"
    _check_ranks(ranks, where)


def _check_ranks(ranks: Sequence[int | None], where: str) -> None:
    """The first is 1; each further rank is its place, or the rank before it in a tie."""
    for place, rank in enumerate(ranks, start=1):
        tied = place > 1 and rank == ranks[place - 2]
        assert rank == place or tied, f"{where}: rank {rank} stands at place {place}"
