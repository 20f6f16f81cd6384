"""Whole games as text, `playthroughs/*.txt`: what each program is told, what it answers, what comes
of it.

A file is a game's answers and its protocol at once. The answers (what stands after `->`) are read
out of it and played, and the text that comes out must be the file, byte for byte. A new file needs
no code.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.games.bid_tac_toe import BidTacToe, Board
from contest.games.cooperation import Cooperation, LegacyCooperation
from contest.games.game import TextGame
from contest.games.standoff import Standoff
from contest.games.ultimate_tic_tac_toe import Boards, UltimateTicTacToe, open_squares, winners

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))
RULES: dict[str, Callable[[int], TextGame[Any, Any]]] = {
    "bid-tac-toe": lambda _rounds: BidTacToe(("MarkMcLovin", "rebecca111")),
    "cooperation": Cooperation,
    "cooperation-legacy": lambda _rounds: LegacyCooperation(),
    "standoff": Standoff,
    "ultimate-tic-tac-toe": lambda _rounds: UltimateTicTacToe(),
}
HEADER = re.compile(r"(?P<name>\S+), (?P<rounds>\d+) rounds at the most, (?P<seats>\d+) seats\n")
ANSWER = re.compile(r"^  (?P<seat>\d+): .* -> (?P<text>'.*?'|nothing)(?:  \(.*\))?$", re.MULTILINE)


def again(text: str) -> str:
    """The playthrough of the game that this text tells."""
    header = HEADER.match(text)
    rules = RULES[header["name"]](int(header["rounds"]))
    _, *rounds = re.split(r"^round \d+\n", text, flags=re.MULTILINE)
    return "".join(f"{line}\n" for line in played(rules, int(header["seats"]), rounds))


def played(rules: TextGame[Any, Any], seats: int, rounds: list[str]) -> Iterator[str]:
    info = rules.info
    yield f"{info.name}, {info.max_turns} rounds at the most, {seats} seats"
    position = rules.start(seats)
    for number, told in enumerate(rounds, start=1):
        answers = {int(found["seat"]): found["text"] for found in ANSWER.finditer(told)}
        assert answers.keys() == rules.players_to_move(position), f"round {number}"
        yield f"round {number}"
        moves: dict[int, Any] = {}
        for seat, answer in sorted(answers.items()):
            asked = spaced(rules.question(position, seat, info.protocols[0])) or "no argument"
            fault = judged(rules, position, seat, answer, moves)
            yield f"  {seat}: {asked} -> {answer}" + (f"  ({fault})" if fault else "")
        if moves.keys() == answers.keys():
            position = rules.apply(position, moves)
        else:
            position = rules.apply_with_faults(position, moves, draw_of(position, told))
        yield from (f"  {line}" for line in picture(position))
        yield f"  points {spaced(rules.points(position))}"
    assert not rules.players_to_move(position), "the text ends before the game does"
    yield "the game is over"
    for seat in range(seats):
        if words := rules.game_over_message(position, seat):
            yield f"  {seat}: {spaced(words)}"


def judged(
    rules: TextGame[Any, Any], position: Any, seat: int, answer: str, moves: dict[int, Any]
) -> str | None:
    """Why this answer is a fault; None where it is a move, which is put to the others."""
    if answer == "nothing":
        return "no answer"
    try:
        move = rules.answer(position, seat, ast.literal_eval(answer))
    except ValueError as error:
        return str(error)
    why_illegal = rules.why_illegal(position, seat, move)
    if why_illegal is None:
        moves[seat] = move
    return why_illegal


def draw_of(position: Any, told: str) -> Callable[[int], int]:
    """Draw the move that the text has; a game whose text has none draws no lots."""

    def draw(limit: int) -> int:
        last = re.search(r"^  last (\d+)", told, re.MULTILINE)
        squares = open_squares(position)
        assert len(squares) == limit
        return squares.index(int(last[1]))

    return draw


def picture(position: Any) -> Iterator[str]:
    if isinstance(position, Board):
        marks = ["." if owner is None else str(owner) for owner in position.owners]
        yield from (" ".join(marks[first : first + 3]) for first in (0, 3, 6))
        yield (
            f"bankrolls {spaced(position.bankrolls)}, rounds without a change {position.unchanged}"
        )
    if isinstance(position, Boards):
        for row in range(9):
            starts = [
                9 * board + 3 * (row % 3) for board in range(3 * (row // 3), 3 * (row // 3) + 3)
            ]
            yield signs(" ".join(position.squares[start : start + 3] for start in starts))
        yield f"last {position.last}, boards {signs(winners(position.squares))}"


def spaced(words: tuple[str | int | float, ...]) -> str:
    return " ".join(map(str, words))


def signs(squares: str) -> str:
    return squares.translate(str.maketrans("012", ".XO"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_playthrough_is_played_again_byte_for_byte(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert again(text) == text


def test_each_game_has_its_playthrough() -> None:
    assert {file.read_text(encoding="utf-8").partition(",")[0] for file in FILES} == RULES.keys()
