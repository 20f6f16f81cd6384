"""Whole games as text, `playthroughs/*.txt`: what each program is told, what it answers, what comes of it.

A file is a game's answers and its protocol at once. The answers (what stands after `->`) are read out of it
and played, and the text that comes out must be the file, byte for byte. A new file needs no code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from contest.games.cooperation import Cooperation, LegacyCooperation
from contest.games.game import TextGame, TextProtocol
from contest.games.standoff import Standoff

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted([*FOLDER.glob("cooperation*.txt"), *FOLDER.glob("standoff*.txt")])

HEADER = re.compile(r"(?P<name>\S+), (?P<rounds>\d+) rounds at the most, (?P<seats>\d+) seats\n")
ANSWER = re.compile(r"^  (?P<seat>\d+): .* -> (?P<text>'.*?'|nothing)(?:  \(.*\))?$", re.MULTILINE)

Answers = Mapping[int, str | None]


def rules_of(name: str, rounds: int) -> TextGame[Any, Any]:
    if name == "cooperation-legacy":
        return LegacyCooperation()
    return Cooperation(rounds) if name == "cooperation" else Standoff(rounds)


def no_lots(bound: int) -> int:
    raise AssertionError("there is no chance in these games")


def played(rules: TextGame[Any, Any], seats: int, turns: list[Answers]) -> Iterator[str]:
    info = rules.info
    yield f"{info.name}, {info.max_turns} rounds at the most, {seats} seats"
    position = rules.start(seats)
    for number, answers in enumerate(turns, start=1):
        assert answers.keys() == rules.players_to_move(position), f"round {number}"
        yield f"round {number}"
        moves: dict[int, Any] = {}
        for seat in sorted(answers):
            told = " ".join(map(str, rules.question(position, seat, TextProtocol.ARGV))) or "no argument"
            fault = judged(rules, position, seat, answers[seat], moves)
            text = "nothing" if answers[seat] is None else repr(answers[seat])
            yield f"  {seat}: {told} -> {text}" + (f"  ({fault})" if fault else "")
        if moves.keys() == answers.keys():
            position = rules.apply(position, moves)
        else:
            position = rules.apply_with_faults(position, moves, no_lots)
        yield f"  points {' '.join(map(str, rules.points(position)))}"
    assert not rules.players_to_move(position), "the text ends before the game does"
    yield "the game is over"


def judged(
    rules: TextGame[Any, Any], position: Any, seat: int, text: str | None, moves: dict[int, Any]
) -> str | None:
    """Why this answer is a fault; None where it is a move, which is put to the others."""
    if text is None:
        return "no answer"
    try:
        move = rules.answer(position, seat, text)
    except ValueError as error:
        return str(error)
    why_illegal = rules.why_illegal(position, seat, move)
    if why_illegal is None:
        moves[seat] = move
    return why_illegal


def turns_in(text: str) -> list[Answers]:
    _, *rounds = re.split(r"^round \d+\n", text, flags=re.MULTILINE)
    return [{int(found["seat"]): said(found["text"]) for found in ANSWER.finditer(each)} for each in rounds]


def said(text: str) -> str | None:
    return None if text == "nothing" else str(ast.literal_eval(text))


def again(text: str) -> str:
    """The playthrough of the game that this text tells."""
    header = HEADER.match(text)
    assert header is not None, "the first line names the game, its rounds and its seats"
    rules = rules_of(header["name"], int(header["rounds"]))
    return "".join(f"{line}\n" for line in played(rules, int(header["seats"]), turns_in(text)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_playthrough_is_played_again_byte_for_byte(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert again(text) == text


def test_each_game_has_its_playthrough() -> None:
    names = {file.read_text(encoding="utf-8").partition(",")[0] for file in FILES}
    assert names == {"cooperation", "cooperation-legacy", "standoff"}
