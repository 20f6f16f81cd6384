"""What decided everybody's worst game, as tables: scores -> turns, and games -> the worst."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from contest.games.bid_tac_toe import BidTacToe
from contest.games.bid_tac_toe import Board as Grid
from contest.games.cooperation import Cooperation, Dealings
from contest.games.cooperation import Decision as Deal
from contest.games.drawing import open_lines
from contest.games.game import TextGame
from contest.games.standoff import Circle, Fighter, Standoff
from contest.games.ultimate_tic_tac_toe import Boards, UltimateTicTacToe
from contest.model import (
    Changed,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Missing,
    Moves,
    Pairing,
    SeatResult,
    Verdict,
    WorstGame,
)
from contest.seeds import Seeds
from tournament.worst_games import condensed, decided_by_moves, decisive, lead_of, worst_games

# The first seat's lead after each turn, or everybody's scores; its falls as (turn, by, lead); alike
Fallen = tuple[tuple[int, int, int], ...]
COURSES: Mapping[str, tuple[Sequence[Sequence[int]], Fallen, int]] = {
    "no turn": ([(0, 0)], (), 0),
    "always level": ([(0, 0)] * 5, (), 0),
    "only ahead": ([(0, 0), (3, 0), (7, 0)], (), 0),
    "one blow": ([(0, 0), (0, 9), (0, 9)], ((1, 9, -9),), 0),
    "ahead, and then a blow": ([(0, 0), (8, 0), (8, 12)], ((2, 12, -4),), 0),
    "the greatest three of four": (
        [(0, 0), (0, 4), (0, 5), (0, 11), (0, 18)],
        ((1, 4, -4), (3, 6, -11), (4, 7, -18)),
        0,
    ),
    "of equal ones the first": (
        [(0, 0), (0, 3), (0, 6), (0, 9), (0, 12), (0, 15)],
        ((1, 3, -3), (2, 3, -6), (3, 3, -9)),
        2,
    ),
    "a greater one after equal ones": (
        [(0, 0), (0, 3), (0, 6), (0, 9), (0, 14)],
        ((1, 3, -3), (2, 3, -6), (4, 5, -14)),
        1,
    ),
    "both won in it": ([(0, 0), (2, 6)], ((1, 4, -4),), 0),
    "the own score fell": ([(30, 30), (20, 30), (16, 30)], ((1, 10, -10), (2, 4, -14)), 0),
    "both lost as much": ([(30, 30), (20, 20)], (), 0),
    "the best of many others counts": (
        [(0, 0, 0), (0, 5, 0), (0, 5, 5), (0, 5, 9)],
        ((1, 5, -5), (3, 4, -9)),
        0,
    ),
    "the best other falls": ([(30, 30, 30), (30, 0, 30), (30, 0, 0)], (), 0),
    "points below nothing": ([(0, 0), (-1, 0), (-2, 5)], ((1, 1, -1), (2, 6, -7)), 0),
}


@pytest.mark.parametrize("name", COURSES)
def test_the_turns_that_decided_a_game_are_those_by_which_the_lead_fell_most(name: str) -> None:
    scores, falls, alike = COURSES[name]
    assert decisive([lead_of(each, 0) for each in scores]) == (falls, alike)


def test_the_other_seats_game_is_decided_by_the_other_turns() -> None:
    scores = [(0, 0), (4, 0), (4, 7), (6, 7)]
    first, second = ([lead_of(each, seat) for each in scores] for seat in (0, 1))
    assert decisive(first) == (((2, 7, -3),), 0)
    assert decisive(second) == (((1, 4, -4), (3, 2, 1)), 0)


# --- what scores are ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("owners", "worth"),
    [
        (".........", 0),
        ("a........", 3),  # a corner is in three lines
        (".a.......", 2),
        ("....a....", 4),
        ("aa.......", 13),  # 10, and three other lines of these squares
        ("ab.......", 2),
        ("abb......", 2),
        ("aaa......", 105),
        ("aaabbb...", 100),
        ("bbbbbbbbb", 0),
        ("ababbabab", 0),
    ],
)
def test_open_lines_are_worth_more_the_more_squares_one_has_in_them(
    owners: str, worth: int
) -> None:
    assert open_lines(owners, "a", ".") == worth


SQUARES = "1" * 3 + "0" * 78  # X has won board 0
SCORES: list[tuple[TextGame[Any, Any], object, tuple[int, ...]]] = [
    (BidTacToe(), Grid(), (0, 0)),
    (BidTacToe(), Grid(owners=(0, 0, None, None, 1, None, None, None, None)), (11, 2)),
    (UltimateTicTacToe(), Boards(), (0, 0)),
    (UltimateTicTacToe(), Boards("1" + "0" * 80), (3, 0)),
    (UltimateTicTacToe(), Boards(SQUARES), (300, 0)),
    (UltimateTicTacToe(), Boards(SQUARES[:40] + "2" + "0" * 40), (300, 4)),
    (Standoff(), Circle((Fighter(), Fighter(20), Fighter(0, fell=3))), (30, 20, 0)),
    (Cooperation(), Dealings(((Deal.COOPERATE,), (Deal.BETRAY,))), (0, 3)),
    (Cooperation(10, 10), Dealings(((), ()), frozenset({0})), (0, 20)),
]


@pytest.mark.parametrize(("rules", "position", "expected"), SCORES)
def test_a_score_says_before_the_end_who_is_ahead(
    rules: TextGame[Any, Any], position: object, expected: tuple[int, ...]
) -> None:
    assert rules.score(position) == expected


# --- the worst game -------------------------------------------------------------------------------
def match(*players: str, points: Sequence[int], counted: bool = True, game: int = 1) -> Match:
    seats = tuple(SeatResult(own, Verdict.OK, None) for own in points)
    return Match(Pairing(players), 1, GameResult(seats, 10, "0" * 16), counted, game)


def group(*matches: Match) -> GroupOutcome:
    pairings = tuple(match.pairing for match in matches)
    return GroupOutcome(GroupPlan(1, 1, ("a", "b", "c", "d"), pairings), matches, ())


WORST: Mapping[str, tuple[GroupOutcome, dict[str, tuple[str, ...]]]] = {
    "nothing played": (group(), {}),
    "one game": (group(match("a", "b", points=(3, 9))), {"a": ("a", "b"), "b": ("a", "b")}),
    "the widest margin, not the fewest points": (
        group(match("a", "b", points=(1, 2)), match("a", "c", points=(5, 9))),
        {"a": ("a", "c"), "b": ("a", "b"), "c": ("a", "c")},
    ),
    "of equal ones the first": (
        group(match("a", "b", points=(1, 2)), match("a", "c", points=(3, 4))),
        {"a": ("a", "b"), "b": ("a", "b"), "c": ("a", "c")},
    ),
    "a narrow win is worse than a wide one": (
        group(match("a", "b", points=(9, 1)), match("a", "c", points=(9, 8))),
        {"a": ("a", "c"), "b": ("a", "b"), "c": ("a", "c")},
    ),
    "games that do not count are none": (
        group(match("a", "b", points=(0, 9), counted=False), match("a", "c", points=(3, 4))),
        {"a": ("a", "c"), "c": ("a", "c")},
    ),
    "games against oneself are none": (group(match("a", "a", points=(0, 9))), {}),
    "a game of all": (
        group(match("a", "b", "c", points=(2, 0, 1))),
        dict.fromkeys("abc", ("a", "b", "c")),
    ),
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_game_ended_with_the_smallest_lead(name: str) -> None:
    outcome, expected = WORST[name]
    assert {game.entry: game.match.players for game in worst_games(outcome)} == expected


def test_what_is_kept_of_a_game_is_small() -> None:
    outcome = group(match("a", "b", points=(3, 9)), match("c", "d", points=(1, 1)))
    (first, *_) = worst_games(outcome)
    moved = replace(first.match, result=replace(first.match.result, moves=[("C", "C")] * 10))
    kept = condensed(replace(first, match=moved))
    assert kept.match == first.match
    assert kept.plan.members == ("a", "b")
    assert kept.plan.pairings == (Pairing(("a", "b")),)


# --- games whose moves were kept ------------------------------------------------------------------
def told(
    rules: TextGame[Any, Any],
    entry: str,
    moves: Sequence[Moves],
    points: Sequence[int],
    *players: str,
) -> list[tuple[int, str]]:
    """What is told of a game with these moves: its turns, with what was done in them."""
    played = match(*players, points=points)
    recorded = GameResult(played.result.seats, len(moves), "0" * 16, moves)
    whole = Match(played.pairing, 1, recorded, counted=True)
    plan = GroupPlan(1, 1, players, (whole.pairing,))
    (game,) = decided_by_moves([WorstGame(entry, plan, whole)], rules, Seeds(bytes(32)))
    done = (" ".join(f"{name}:{move}" for name, move in turn.moves) for turn in game.turns)
    return list(zip((turn.turn for turn in game.turns), done, strict=True))


def test_a_game_of_two_tells_what_both_did() -> None:
    moves = [("C", "C"), ("C", "B"), ("B", "B"), ("C", "B"), *[("B", "B")] * 6]
    found = told(Cooperation(10, 10), "a", moves, (10, 16), "a", "b")
    assert found == [(2, "a:C b:B"), (4, "a:C b:B")]


def test_who_was_not_asked_is_not_told() -> None:
    moves: list[Moves] = [("40", None), (None, "36")]
    rules = UltimateTicTacToe()
    moves += _to_the_end(rules, moves)
    points = (0, 100)
    assert all(text.count(":") == 1 for _, text in told(rules, "a", moves, points, "a", "b"))


def _to_the_end(rules: UltimateTicTacToe, begun: Sequence[Moves]) -> list[Moves]:
    """The rest of a game in which everybody plays the first open square."""
    position = rules.start(2)
    for turn in begun:
        seat = 0 if turn[1] is None else 1
        position = rules.apply(position, {seat: int(str(turn[seat]))})
    rest: list[Moves] = []
    while seats := rules.players_to_move(position):
        (seat,) = seats
        square = rules.sample_moves(position, seat)[0]
        rest.append((str(square), None) if seat == 0 else (None, str(square)))
        position = rules.apply(position, {seat: square})
    return rest


def test_a_game_of_many_tells_who_shot() -> None:
    moves: list[Moves] = [("S", "N", "N", "N"), ("P", "N", "N", "N")]
    rules = Standoff(2)
    assert told(rules, "b", moves, (1, 0, 1, 1), "a", "b", "c", "d") == [(1, "b:N a:S")]
    assert told(rules, "d", moves, (1, 0, 1, 1), "a", "b", "c", "d") == [(1, "d:N a:S")]


def test_a_fault_and_what_chance_changed_are_marked() -> None:
    noisy = Cooperation(10, 10, noise_percent=100)
    moves: list[Moves] = [(Changed("B", "C"), Changed("C", "B")), (Missing("", "no answer"), "C")]
    assert told(
        noisy, "a", moves[:1] * 9 + [(Changed("C", "B"), Changed("C", "B"))], (1, 28), "a", "b"
    )[0] == (1, "a:B>C b:C>B")
    lost = told(Cooperation(10, 10), "a", [("C", "C"), moves[1]], (0, 20), "a", "b")
    assert lost == [(2, "a:! b:C")]


def test_moves_that_the_rules_do_not_know_tell_nothing() -> None:
    assert told(Cooperation(10, 10), "a", [("X", "C")], (0, 1), "a", "b") == []
