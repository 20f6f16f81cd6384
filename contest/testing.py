"""Checks for plug-ins. They need no test framework: a broken promise is an AssertionError."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from contest.formats.format import Format
from contest.games.drawing import Drawing, Drawn, Ringed
from contest.games.game import Game, TextGame
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
MAX_SEAT_NUMBERS = 8  # the smallest numbers of seats that a game is tried with, and its greatest
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


def check_game(game: Game, games: int = 20, seed: int = 0) -> None:
    """Play random games and check what every game promises.

    The facts make sense. A game of programs that talk is tried with each number of seats, or, if there are
    many, with the few smallest and the greatest: players to move exist; sample moves are allowed; a move
    leaves the old position as it was; a position has points for each seat; the same moves give the same
    positions; the game ends within max_turns; if it has a board, all drawings have the same size; a ring has
    all players.
    """
    _check_facts(game)
    if not isinstance(game, TextGame):
        return
    chooser = random.Random(seed)  # noqa: S311 - a repeatable walk, no secret
    fewest, most = game.info.min_seats, game.info.max_seats
    for seats in sorted({*range(fewest, most + 1)[:MAX_SEAT_NUMBERS], most}):
        for _ in range(games):
            _check_walk(game, seats, chooser)


def _check_facts(game: Game) -> None:
    info = game.info
    words = info.name.split("-")
    _require(
        info.name.islower() and all(word.isidentifier() for word in words),
        f"{info.name!r} is no lower-case name",
    )
    _require(bool(info.title.strip()), "the title is empty")
    _require(1 <= info.min_seats <= info.max_seats, f"{info.min_seats}..{info.max_seats} seats")
    _require(info.max_turns >= 1, f"{info.max_turns} turns at the most")
    _require(game.info == info, "the facts change from one look to the next")


def _check_walk(game: TextGame[Any, Any], seats: int, chooser: random.Random) -> None:
    position, twin = game.start(seats), game.start(seats)
    first = _checked_drawing(game, position, seats)
    for _turn in range(game.info.max_turns):
        players_to_move = game.players_to_move(position)
        if not players_to_move:
            return
        _require(
            players_to_move <= set(range(seats)), f"seats {sorted(players_to_move)} of {seats} are to move"
        )
        moves = {seat: _some_move(game, position, seat, chooser) for seat in sorted(players_to_move)}
        points = game.points(position)
        _require(len(points) == seats, f"points for {len(points)} seats, not for {seats}")
        moves = dict(game.carried_out(position, moves, chooser.randrange))  # noise makes other moves of some
        illegal = [game.why_illegal(position, seat, move) for seat, move in moves.items()]
        _require(not any(illegal), f"chance made a move that the rules forbid: {illegal}")
        following = game.apply(position, moves)
        _require(
            position == twin and game.points(position) == points, "a move changed the position before it"
        )
        twin = game.apply(twin, moves)
        _require(following == twin, "the same moves led to two different positions")
        position = following
        drawing = _checked_drawing(game, position, seats)
        _require(_shape(drawing) == _shape(first), "the board has not the size that it had at the start")
    _require(not game.players_to_move(position), f"a game goes on after {game.info.max_turns} turns")


def _checked_drawing(game: TextGame[Any, Any], position: Any, seats: int) -> Drawing | None:
    if isinstance(game, Ringed):
        _require(len(game.ring(position).figures) == seats, f"a ring of other than the {seats} players")
    if not isinstance(game, Drawn):
        return None
    drawing = game.drawing(position)
    _require(drawing == game.drawing(position), "the same position is drawn in two ways")
    _require(bool(drawing.squares), "a board without squares")
    _require(len(set(map(len, drawing.rows))) == 1, "the rows of the board are not equally long")
    known = {None, *range(seats)}
    for square in drawing.squares:
        _require(square.seat in known and square.ground in known, f"a square of nobody who plays: {square}")
    return drawing


def _shape(drawing: Drawing | None) -> tuple[int, int] | None:
    return (len(drawing.rows), len(drawing.rows[0])) if drawing else None


def _some_move(game: TextGame[Any, Any], position: Any, seat: int, chooser: random.Random) -> Any:
    samples = game.sample_moves(position, seat)
    _require(len(samples) > 0, f"no sample move for seat {seat}, which is to move")
    for move in samples:
        _require(game.why_illegal(position, seat, move) is None, f"objects to its own sample {move!r}")
    return chooser.choice(samples)


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
        _require(not history or not history[-1].plan.final, f"{here}: nothing follows the final")
        again = tournament_format.plan(entries[::-1], tuple(history), seeds)
        _require(plan == again, f"{here}: the plan depends on the order of the entries")
        _check_plan(plan, len(history) + 1, _still_in(entries, history), here)
        history.append(_play_round(tournament_format, plan, points, outlaws, here))
        _require(len(history) < 10 + MAX_ROUNDS_PER_ENTRY * size, f"{where}: the contest does not end")
    if history:
        _check_ranking(tournament_format.ranking(history), entries, history, where)


def _still_in(entries: Sequence[str], history: Sequence[RoundOutcome]) -> AbstractSet[str]:
    tables = [group.standings for outcome in history for group in outcome.groups]
    return set(entries) - {line.entry for table in tables for line in table if line.disqualified}


def _check_ranking(
    ranking: Sequence[Standing], entries: Sequence[str], history: Sequence[RoundOutcome], where: str
) -> None:
    names = [line.entry for line in ranking]
    _require(len(names) == len(set(names)), f"{where}: somebody stands twice in the contest's ranking")
    _require(set(names) <= set(entries), f"{where}: a stranger stands in the contest's ranking")
    ranked = [line for line in ranking if not line.disqualified]
    _require(ranked == list(ranking[: len(ranked)]), f"{where}: the disqualified must stand last")
    strangers = {line.entry for line in ranked} - _still_in(entries, history)
    _require(not strangers, f"{where}: {strangers} were disqualified, yet have a rank")
    _check_ranks([line.rank for line in ranked], f"{where}, ranking")


def _check_plan(plan: RoundPlan, number: int, still_in: AbstractSet[str], where: str) -> None:
    _require(plan.number == number, f"{where}: rounds count 1, 2, 3 ..., this should be {number}")
    numbers = [(group.round, group.number) for group in plan.groups]
    expected = [(number, index) for index in range(1, len(plan.groups) + 1)]
    _require(numbers == expected and bool(numbers), f"{where}: groups count 1, 2, 3 ...: {numbers}")
    members = [name for group in plan.groups for name in group.members]
    _require(len(members) == len(set(members)), f"{where}: somebody is in two groups, or twice in one")
    strangers = sorted(set(members) - still_in)
    _require(not strangers, f"{where}: {strangers} are no entries, or were disqualified")
    for group in plan.groups:
        _check_pairings(group, where)


def _check_pairings(group: GroupPlan, where: str) -> None:
    here = f"{where}, group {group.number}"
    meetings = Counter(tuple(sorted(pairing.players)) for pairing in group.pairings)
    _require(max(meetings.values(), default=1) == 1, f"{here}: a pairing stands twice")
    for pairing in group.pairings:
        _require(set(pairing.players) <= set(group.members), f"{here}: {pairing} is not between members")
        _require(pairing.games >= 1 and pairing.most >= 0, f"{here}: {pairing} has no games")


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
        _require(table == again, f"{here}: the table depends on the order of the matches")
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
    _require(lines == Counter(group.members), f"{where}: the table must have each member once")
    _require({line.entry for line in table if line.disqualified} == out, f"{where}: wrong disqualified")
    _require(
        not (final and any(line.advances for line in table)), f"{where}: somebody advances from the final"
    )
    for line in table:
        nothing = line.rank is None and line.half_points == 0 and not line.advances
        _require(
            not line.disqualified or nothing, f"{where}: {line.entry} is disqualified, yet has something"
        )
        _require(line.failures == (2 if line.entry in out else 0), f"{where}: wrong failures of {line.entry}")
    ranks = [line.rank for line in table if not line.disqualified]
    _require(table[len(ranks) :] == tuple(line for line in table if line.disqualified), f"{where}: order")
    _check_ranks(ranks, where)


def _check_ranks(ranks: Sequence[int | None], where: str) -> None:
    """The first is 1; each further rank is its place, or the rank before it in a tie."""
    for place, rank in enumerate(ranks, start=1):
        tied = place > 1 and rank == ranks[place - 2]
        _require(rank == place or tied, f"{where}: rank {rank} stands at place {place}")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise AssertionError(complaint)
