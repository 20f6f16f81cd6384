"""Bid-Tac-Toe: two players bid in secret for the squares of a 3x3 grid; the higher bid takes the
square.

The rules are those of the 2nd Annual Ellington Bid-Tac-Toe Challenge of 2007 (B1 to B16, B19).
docs/games/bid-tac-toe.md explains them to participants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from contest.games.drawing import LINES, Drawing, Square, open_lines
from contest.games.game import FaultRule, GameInfo, TextGame, TextProtocol, Words
from contest.games.words import whole_number
from contest.language import gettext, ngettext, noted

Bids = tuple[int, ...]  # nine whole dollars, square 1 first

SQUARES = range(9)  # people count them from 1 (B8)
NO_BIDS: Bids = (0,) * 9
SIGNS = ("A", "B")  # the seats in drawings of the board

BANKROLL = 100
PATIENCE = 3  # the game ends after this many rounds in a row without a change (B6)
# each square may be won in the last round before PATIENCE ends the game
_MOST_ROUNDS = 9 * PATIENCE

_WIN, _TIE, _LOSS = 2, 1, 0  # half points (B19)


IllegalBid = Literal["lost", "zero"]
"""How a game is decided in which a player gives illegal bids, or none (B15). It is over in any
case.

lost: the player has lost; zero: the bids count as zeros and the board decides, as the announcement
literally says.
"""


@dataclass(frozen=True)
class Board:
    """A position: the owners of the squares, and both players' last bids."""

    owners: tuple[int | None, ...] = (None,) * 9
    bankrolls: tuple[int, int] = (BANKROLL, BANKROLL)
    bids: tuple[Bids, Bids] | None = None  # of the last round, by seat; None before the first
    unchanged: int = 0  # rounds in a row in which no square was won
    at_fault: frozenset[int] = frozenset()  # the seats that gave illegal bids in the last round

    @property
    def over(self) -> bool:
        return bool(self.at_fault) or None not in self.owners or self.unchanged == PATIENCE


def lines(owners: Sequence[int | None], seat: int) -> int:
    """Count the three-in-a-row formations, out of 8, that this seat has (B7)."""
    return sum(all(owners[square] == seat for square in line) for line in LINES)


def why_illegal(board: Board, seat: int, bids: Bids) -> str | None:
    """Say why this seat may not make these bids (B2, B5, B15); None if it may."""
    if len(bids) != len(SQUARES):
        return ngettext(
            "there was %(num)s bid; 9 are needed, one for each square",
            "there were %(num)s bids; 9 are needed, one for each square",
            len(bids),
        )
    for square, bid in enumerate(bids):
        if bid < 0:
            return gettext(
                "the bid for square %(square)s was %(bid)s; no bid may be below 0",
                square=square + 1,
                bid=bid,
            )
        if bid and board.owners[square] is not None:
            return gettext(
                "the bid for square %(square)s was %(bid)s, but it is taken, so only 0 is allowed",
                square=square + 1,
                bid=bid,
            )
    if sum(bids) > board.bankrolls[seat]:
        return gettext(
            "the bids add up to %(sum)s, but the bankroll is %(bankroll)s",
            sum=sum(bids),
            bankroll=board.bankrolls[seat],
        )
    return None


def _resolved(
    board: Board, bids: tuple[Bids, Bids], at_fault: frozenset[int] = frozenset()
) -> Board:
    """Decide all squares of a round at once. Only the winner of a square pays its bid (B3, B4)."""
    won = {square: _winner(bids, square) for square in SQUARES}
    owners = tuple(
        board.owners[square] if won[square] is None else won[square] for square in SQUARES
    )
    left = list(board.bankrolls)
    for square, seat in won.items():
        if seat is not None:
            left[seat] -= bids[seat][square]
    unchanged = board.unchanged + 1 if owners == board.owners else 0
    return Board(owners, (left[0], left[1]), bids, unchanged, at_fault)


def _winner(bids: tuple[Bids, Bids], square: int) -> int | None:
    first, second = bids[0][square], bids[1][square]
    return None if first == second else int(second > first)


class BidTacToe(TextGame[Board, Bids]):
    """The game as the registry knows it.

    `names`: each seat's opponent ID, one word, by which we announce it to the other (B11). Raises
    ValueError for other names.
    """

    info = GameInfo(
        name="bid-tac-toe",
        title="Bid-Tac-Toe",
        min_seats=2,
        max_seats=2,
        max_turns=_MOST_ROUNDS,
        fault_rule=FaultRule.GAME_LOST,
        protocols=(TextProtocol.STDIO,),
        point=_WIN,
        has_kit=True,
        turn_word="round",
        summary=noted(
            "Two players bid for the squares of a tic-tac-toe board, in secret and at the same"
            " time."
        ),
    )

    def __init__(
        self, names: tuple[str, str] = ("first", "second"), illegal_bid: IllegalBid = "lost"
    ) -> None:
        for name in names:
            if not name.isprintable() or name.split() != [name]:
                raise ValueError(f"{name!r} is no opponent ID: one word is needed, without blanks")
        self.names = names
        self.illegal_bid: IllegalBid = illegal_bid

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"illegal_bid": self.illegal_bid}

    def for_players(self, names: Sequence[str], draw: Callable[[int], int]) -> BidTacToe:
        first, second = names
        return BidTacToe((first, second), self.illegal_bid)

    def start(self, seats: int) -> Board:
        return Board()

    def players_to_move(self, position: Board) -> frozenset[int]:
        return frozenset() if position.over else frozenset((0, 1))

    def why_illegal(self, position: Board, seat: int, move: Bids) -> str | None:
        return why_illegal(position, seat, move)

    def apply(self, position: Board, moves: Mapping[int, Bids]) -> Board:
        return _resolved(position, (moves[0], moves[1]))

    def apply_with_faults(
        self, position: Board, moves: Mapping[int, Bids], draw: Callable[[int], int]
    ) -> Board:
        bids = (moves.get(0, NO_BIDS), moves.get(1, NO_BIDS))
        return _resolved(position, bids, at_fault=frozenset((0, 1)) - moves.keys())

    def replacement_move(self, position: Board, seat: int) -> Bids | None:
        return None if position.bids is None else position.bids[seat]

    def points(self, position: Board) -> tuple[int, ...]:
        """Give half points: 2 for a win, 1 for a tie, otherwise 0. After faults both can lose."""
        if not position.over:
            return 0, 0
        if position.at_fault and self.illegal_bid == "lost":
            return tuple(_LOSS if seat in position.at_fault else _WIN for seat in (0, 1))
        first, second = lines(position.owners, 0), lines(position.owners, 1)
        if first == second:
            return _TIE, _TIE
        return (_WIN, _LOSS) if first > second else (_LOSS, _WIN)

    def score(self, position: Board) -> tuple[int, ...]:
        """Give what the open lines are worth."""
        return tuple(open_lines(position.owners, seat, None) for seat in (0, 1))

    def drawing(self, position: Board) -> Drawing:
        """Draw the grid: the owners of the squares, and the bids for them in the last round."""
        squares = [self._square(position, square) for square in SQUARES]
        rows = tuple(tuple(squares[first : first + 3]) for first in SQUARES[::3])
        first, second = position.bankrolls
        caption = gettext(
            "Bankrolls: %(sign)s %(dollars)s and %(other_sign)s %(other_dollars)s dollars.",
            sign=SIGNS[0],
            dollars=first,
            other_sign=SIGNS[1],
            other_dollars=second,
        )
        return Drawing(rows, SIGNS, caption, purses=position.bankrolls)

    def _square(self, position: Board, square: int) -> Square:
        owner = position.owners[square]
        bids = tuple(of_one[square] for of_one in position.bids or (NO_BIDS, NO_BIDS))
        was_bid = any(bids)
        return Square(
            text="" if owner is None else SIGNS[owner],
            seat=owner,
            ground=owner,
            small=f"{bids[0]} : {bids[1]}" if was_bid else "",
            # nobody may bid for a square that was taken before
            changed=was_bid and owner is not None,
            legal=owner is None and not position.over,
        )

    def sample_moves(self, position: Board, seat: int) -> Sequence[Bids]:
        free = [square for square in SQUARES if position.owners[square] is None]
        bankroll = position.bankrolls[seat]
        all_in = [_bids({square: bankroll}) for square in (free[0], free[-1])]
        even = _bids(dict.fromkeys(free, bankroll // len(free)))
        dollars = _bids(dict.fromkeys(free[:bankroll], 1))
        shift = 1 + seat + sum(position.bankrolls)  # so that the two do not always bid alike
        halves = _bids({free[shift % len(free)]: bankroll // 2})
        return list(dict.fromkeys([NO_BIDS, *all_in, even, dollars, halves]))

    def question(self, position: Board, seat: int, protocol: TextProtocol) -> Words:
        if position.bids is None:
            return "newgame", self.names[1 - seat]
        return "nextround", *position.bids[1 - seat]

    def game_over_message(self, position: Board, seat: int) -> Words:
        return "gameover", *(NO_BIDS if position.bids is None else position.bids[1 - seat])

    def answer(self, position: Board, seat: int, text: str) -> Bids:
        words = text.split()
        if len(words) != len(SQUARES):
            sentence = ngettext(
                "the answer has %(num)s word; 9 whole numbers are needed",
                "the answer has %(num)s words; 9 whole numbers are needed",
                len(words),
            )
            raise ValueError(sentence)
        return tuple(_bid(square, word) for square, word in enumerate(words))


def _bids(wanted: Mapping[int, int]) -> Bids:
    return tuple(wanted.get(square, 0) for square in SQUARES)


def _bid(square: int, word: str) -> int:
    try:
        return whole_number(word)
    except ValueError as error:
        sentence = gettext(
            "the bid for square %(square)s is wrong: %(why)s", square=square + 1, why=error
        )
        raise ValueError(sentence) from error
