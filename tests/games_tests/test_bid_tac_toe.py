"""The rules of Bid-Tac-Toe, against the announcement's words and its example, and against a second
judge."""

import random
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

import pytest

from contest.games.bid_tac_toe import NO_BIDS, Bids, BidTacToe, Board, why_illegal
from contest.testing import check_game

GAME = BidTacToe(("MarkMcLovin", "rebecca111"))
MARK, REBECCA = 0, 1

# The announcement's example game (B24), which is played through in
# playthroughs/bid_tac_toe_example.txt. Rebecca's second bids there add up to 86, of 73 dollars:
# here she bids 4 instead of 17 for square 3.
EXAMPLE = [
    ((2, 4, 2, 4, 10, 4, 2, 4, 2), (2, 7, 2, 14, 2, 1, 6, 4, 2)),
    ((25, 0, 25, 0, 0, 0, 0, 0, 30), (25, 0, 4, 0, 0, 0, 0, 13, 31)),
    ((61, 0, 0, 0, 0, 0, 0, 0, 0), (29, 0, 0, 0, 0, 0, 0, 0, 0)),
]
EXAMPLE_BOARDS = [".R. RMM R..", ".RM RMM RRR", "MRM RMM RRR"]
EXAMPLE_BANKROLLS = [(86, 73), (61, 29), (0, 29)]


def bids(**by_square: int) -> Bids:
    """bids(s3=7): 7 dollars for square 3, nothing for the others."""
    return tuple(by_square.get(f"s{square}", 0) for square in range(1, 10))


def after_all(rounds: Iterable[tuple[Bids, Bids]]) -> Board:
    """The board after these rounds, whether they are allowed or not."""
    board = GAME.start(2)
    for pair in rounds:
        board = GAME.apply(board, dict(enumerate(pair)))
    return board


def play(rounds: Sequence[tuple[Bids, Bids]]) -> Board:
    for number, pair in enumerate(rounds):
        before = after_all(rounds[:number])
        for seat in sorted(GAME.players_to_move(before)):
            assert GAME.why_illegal(before, seat, pair[seat]) is None
    return after_all(rounds)


def owned(text: str) -> tuple[int | None, ...]:
    return tuple({"M": MARK, "R": REBECCA, ".": None}[mark] for mark in text.replace(" ", ""))


# The announcement's example


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_example_game_is_drawn_as_its_board_with_the_bids_of_the_last_round(
    rounds: int,
) -> None:
    board = play(EXAMPLE[:rounds])
    drawn = GAME.drawing(board)
    signs = {"A": "M", "B": "R", "": "."}  # by seat, whatever the players are called
    assert (
        " ".join("".join(signs[s.text] for s in row) for row in drawn.rows)
        == EXAMPLE_BOARDS[rounds - 1]
    )
    assert (
        tuple(s.ground for s in drawn.squares)
        == tuple(s.seat for s in drawn.squares)
        == board.owners
    )
    pairs = zip(*EXAMPLE[rounds - 1], strict=True)
    assert [s.small for s in drawn.squares] == [f"{a} : {b}" if a or b else "" for a, b in pairs]
    before = after_all(EXAMPLE[: rounds - 1]).owners
    assert [s.changed for s in drawn.squares] == [
        a != b for a, b in zip(before, board.owners, strict=True)
    ]
    assert drawn.caption == "Bankrolls: A {} and B {} dollars.".format(
        *EXAMPLE_BANKROLLS[rounds - 1]
    )


# Squares, money and the end


@pytest.mark.parametrize(
    ("board", "points"),
    [
        ("MMM RR. ...", (2, 0)),
        ("MM. RRR ...", (0, 2)),
        ("MMM RRR ...", (1, 1)),
        ("MMR RRM MMR", (1, 1)),
        ("... ... ...", (1, 1)),
        ("MMM RRR MMM", (2, 0)),
    ],
)
def test_more_lines_win_and_as_many_tie(board: str, points: tuple[int, int]) -> None:
    assert GAME.points(Board(owned(board), unchanged=3)) == points


@pytest.mark.parametrize("last", [NO_BIDS, bids(s9=1)])
def test_the_longest_games_have_27_rounds(last: Bids) -> None:
    taking = [*(bids(**{f"s{square}": 1}) for square in range(1, 9)), last]
    rounds = [(taken, NO_BIDS) for each in taking for taken in (NO_BIDS, NO_BIDS, each)]
    assert len(rounds) == GAME.info.max_turns == 27
    assert GAME.players_to_move(play(rounds[:-1])) == {0, 1}
    assert GAME.players_to_move(play(rounds)) == frozenset()


# What is illegal

AFTER_ONE = play(EXAMPLE[:1])  # squares 1, 3, 8 and 9 are free, Mark has 86 dollars


@pytest.mark.parametrize(
    ("board", "offered", "sentence"),
    [
        (AFTER_ONE, bids(s1=86), None),
        (AFTER_ONE, bids(s1=20, s3=20, s8=20, s9=26), None),
        (AFTER_ONE, NO_BIDS, None),
        (Board(), bids(s1=50, s9=50), None),
        (Board(), bids(s1=50, s9=51), "the bids add up to 101, but the bankroll is 100"),
        (AFTER_ONE, bids(s1=87), "the bids add up to 87, but the bankroll is 86"),
        (
            AFTER_ONE,
            bids(s5=1),
            "the bid for square 5 was 1, but it is taken, so only 0 is allowed",
        ),
        (AFTER_ONE, bids(s9=-1), "the bid for square 9 was -1; no bid may be below 0"),
        (AFTER_ONE, bids(s1=90, s3=-10), "the bid for square 3 was -10; no bid may be below 0"),
        (AFTER_ONE, (1,) * 8, "there were 8 bids; 9 are needed, one for each square"),
    ],
)
def test_bids_up_to_the_whole_bankroll_are_allowed_others_are_refused_with_what_is_wrong(
    board: Board, offered: Bids, sentence: str | None
) -> None:
    assert why_illegal(board, MARK, offered) == sentence


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("2 4 2 4 10 4 2 4 2", (2, 4, 2, 4, 10, 4, 2, 4, 2)),
        ("  0\t0 0 0 007 0 0   0 0\r\n", bids(s5=7)),
        ("+5 0 0 0 0 0 0 0 -0", bids(s1=5)),
        ("-1 0 0 0 0 0 0 0 0", bids(s1=-1)),
        ("0 0 0 0 999999999999999999 0 0 0 0", bids(s5=10**18 - 1)),
    ],
)
def test_nine_whole_numbers_are_read(text: str, move: Bids) -> None:
    assert GAME.answer(Board(), MARK, text) == move


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the answer has 0 words; 9 whole numbers are needed"),
        ("1 2 3 4 5 6 7 8", "the answer has 8 words; 9 whole numbers are needed"),
        ("bids: 1 2 3 4 5 6 7 8 9", "the answer has 10 words; 9 whole numbers are needed"),
        ("1.5 0 0 0 0 0 0 0 0", "the bid for square 1 is wrong: '1.5' is no whole number"),
        ("0 0 0 1_0 0 0 0 0 0", "the bid for square 4 is wrong: '1_0' is no whole number"),
        ("0 0 0 0 0 \u0663 0 0 0", "the bid for square 6 is wrong: '\u0663' is no whole number"),
        ("\ufeff0 0 0 0 0 0 0 0 0", "the bid for square 1 is wrong: '\\ufeff0' is no whole number"),
        (
            f"{'9' * 5000} 0 0 0 0 0 0 0 0",
            f"the bid for square 1 is wrong: '{'9' * 20}' is no whole number",
        ),
    ],
)
def test_anything_else_is_refused_with_what_is_wrong(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"needed|wrong") as caught:
        GAME.answer(Board(), MARK, text)
    assert str(caught.value) == sentence


# Faults


def never(_limit: int) -> int:
    raise AssertionError("Bid-Tac-Toe draws no lots")


def test_an_illegal_bid_loses_the_game_and_the_opponent_is_shown_zeros() -> None:
    """The opponent's bids of that round count, so that both can deduce the board."""
    board = GAME.apply_with_faults(AFTER_ONE, {REBECCA: bids(s1=5)}, never)
    assert GAME.players_to_move(board) == frozenset()
    assert GAME.points(board) == (0, 2)
    assert GAME.game_over_message(board, REBECCA) == ("gameover", *NO_BIDS)
    assert GAME.game_over_message(board, MARK) == ("gameover", *bids(s1=5))
    assert board.owners == owned("RR. RMM R..")
    assert board.bankrolls == (86, 68)


def test_a_fault_loses_the_game_in_the_first_round_for_both_and_for_who_leads() -> None:
    board = GAME.apply_with_faults(Board(), {MARK: bids(s1=5)}, never)
    assert (GAME.players_to_move(board), GAME.points(board)) == (frozenset(), (2, 0))
    board = GAME.apply_with_faults(AFTER_ONE, {}, never)
    assert (GAME.players_to_move(board), GAME.points(board)) == (frozenset(), (0, 0))
    assert [GAME.game_over_message(board, seat) for seat in (0, 1)] == [("gameover", *NO_BIDS)] * 2
    leading = Board(owned("MMM ... ..."), (50, 100), (NO_BIDS, NO_BIDS))
    assert GAME.points(GAME.apply_with_faults(leading, {REBECCA: NO_BIDS}, never)) == (0, 2)


@pytest.mark.parametrize("moves", [{REBECCA: NO_BIDS}, {MARK: NO_BIDS}, {}])
def test_to_the_letter_the_bids_count_as_zeros_and_the_board_decides(
    moves: dict[int, Bids],
) -> None:
    game = BidTacToe(illegal_bid="zero")
    leading = Board(owned("MMM ... ..."), (50, 100), (NO_BIDS, NO_BIDS))
    board = game.apply_with_faults(leading, moves, never)
    assert (game.players_to_move(board), game.points(board)) == (frozenset(), (2, 0))


def test_to_the_letter_the_opponent_may_still_win_the_last_round() -> None:
    game = BidTacToe(illegal_bid="zero")
    board = Board(owned("MMM RR. ..."), (50, 100), (NO_BIDS, NO_BIDS))
    after = game.apply_with_faults(board, {REBECCA: bids(s6=1, s7=1, s8=1, s9=1)}, never)
    assert game.points(after) == (0, 2)


# The registry's view


@pytest.mark.parametrize(
    "name", ["", "two words", "line\nbreak", " edge", "nul\0", "no\u00a0break"]
)
def test_an_opponent_id_is_one_word(name: str) -> None:
    with pytest.raises(ValueError, match="is no opponent ID"):
        BidTacToe(("fine", name))


def test_a_hundred_random_games_keep_the_promises_of_games() -> None:
    check_game(GAME, games=100)
    check_game(BidTacToe(illegal_bid="zero"), games=20)


# A second judge, which looks at a whole game at once and shares nothing with the rules

Round = tuple[Sequence[int], Sequence[int]]


def judged_lines(owner: dict[int, int], seat: int) -> int:
    """Three different places of a grid are in a row just when the triangle between them has no
    area."""
    places = [(square % 3, square // 3) for square, who in owner.items() if who == seat]
    return sum(
        (bx - ax) * (cy - ay) == (cx - ax) * (by - ay)
        for (ax, ay), (bx, by), (cx, cy) in combinations(places, 3)
    )


def judged(rounds: Sequence[Round]) -> tuple[dict[int, int], list[int], bool]:
    """Owners, bankrolls and whether the game is over, from all bids of a game."""
    won: dict[int, tuple[int, int]] = {}  # square -> (round, seat), by the first bids that differ
    for square in range(9):
        differing = (
            n for n, (first, second) in enumerate(rounds) if first[square] != second[square]
        )
        if (number := next(differing, None)) is not None:
            won[square] = (number, int(rounds[number][1][square] > rounds[number][0][square]))
    paid = [
        sum(rounds[number][seat][square] for square, (number, who) in won.items() if who == seat)
        for seat in (0, 1)
    ]
    changes = sorted({-1, *(number for number, _ in won.values())})
    waits = [later - earlier - 1 for earlier, later in pairwise([*changes, len(rounds)])]
    owner = {square: seat for square, (_, seat) in won.items()}
    return owner, [100 - dollars for dollars in paid], len(won) == 9 or waits[-1] >= 3


def random_bids(chooser: random.Random, board: Board, seat: int) -> Bids:
    """Allowed bids; small ones often, so that many rounds tie and games get long."""
    left, result = board.bankrolls[seat], [0] * 9
    for square in chooser.sample(range(9), 9):
        if board.owners[square] is None and chooser.random() < 0.5:
            result[square] = min(left, chooser.choice([0, 0, 1, 1, 2, 10, chooser.randint(0, 100)]))
            left -= result[square]
    return tuple(result)


@pytest.mark.parametrize("seed", range(100))
def test_random_games_are_judged_alike_by_a_second_judge(seed: int) -> None:
    chooser = random.Random(seed)  # noqa: S311 - a repeatable walk, no secret
    board, rounds = GAME.start(2), []
    while GAME.players_to_move(board):
        moves = {seat: random_bids(chooser, board, seat) for seat in (0, 1)}
        assert [GAME.why_illegal(board, seat, moves[seat]) for seat in (0, 1)] == [None, None]
        rounds.append((moves[0], moves[1]))
        board = GAME.apply(board, moves)
        owner, bankrolls, over = judged(rounds)
        assert board.owners == tuple(owner.get(square) for square in range(9))
        assert list(board.bankrolls) == bankrolls
        assert GAME.players_to_move(board) == (frozenset() if over else {0, 1})
    lead = judged_lines(owner, 0) - judged_lines(owner, 1)
    assert GAME.points(board) == ((2, 0) if lead > 0 else (0, 2) if lead < 0 else (1, 1))
