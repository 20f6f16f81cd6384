"""JSON of records: each type has one adapter, for the database, the archive, reruns and `--json`
alike.

Games as rows of the database, too. Rows are short: large contests have many games. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeVar, overload

from pydantic import TypeAdapter
from pydantic_core import to_json

from contest.model import GameResult, GroupOutcome, Match, Moves, Pairing, SeatUsage

T = TypeVar("T")


@overload
def adapter(kind: type[T]) -> TypeAdapter[T]: ...
@overload
def adapter(kind: Any) -> TypeAdapter[Any]: ...
def adapter(kind: Any) -> TypeAdapter[Any]:
    """The adapter of this type, made when it is first asked for, which takes some milliseconds."""
    return _adapter(kind)


_adapter = cache(TypeAdapter)


def plain(value: object, kind: Any) -> Any:
    """A value of this type as JSON has it: dictionaries, lists, texts and numbers."""
    return _adapter(kind).dump_python(value, mode="json")


def json_text(value: object) -> str:
    """The value as JSON text, five times as fast as json.dumps: a large contest stores two for each
    game."""
    return to_json(value).decode()


_MOVES = {"moves"}
_Moves = tuple[Moves, ...]
_Usage = tuple[SeatUsage | None, ...]  # by seat


class GameRow(NamedTuple):
    """One attempt at a game. `pairing`: its index in the plan. `result`, `moves` and `usage` are
    JSON.

    `result` is without the moves, which are many, and without what the programs used, which is in
    no archive.
    """

    pairing: int
    game: int
    attempt: int
    counted: bool
    flawless: bool
    result: str
    moves: str | None
    usage: str | None


def game_rows(outcome: GroupOutcome, *, keep_moves: bool) -> Iterator[GameRow]:
    """The rows of a group's games.

    `keep_moves`: with all moves, for games that cannot be played again from their seeds.
    """
    places = {pairing: place for place, pairing in enumerate(outcome.plan.pairings)}
    results = adapter(GameResult)
    for match in outcome.matches:
        result, usage = match.result, tuple([seat.usage for seat in match.result.seats])
        moves = None
        if keep_moves and result.moves is not None:
            moves = adapter(_Moves).dump_json(tuple(result.moves)).decode()
        yield GameRow(
            pairing=places[match.pairing],
            game=match.game,
            attempt=match.attempt,
            counted=match.counted,
            flawless=result.is_flawless,
            result=results.dump_json(result, exclude=_MOVES, exclude_defaults=True).decode(),
            moves=moves,
            usage=adapter(_Usage).dump_json(usage).decode() if any(usage) else None,
        )


def match_of(row: GameRow, pairing: Pairing) -> Match:
    """The game of a row, with its moves if the row has them."""
    result = adapter(GameResult).validate_json(row.result)
    if row.usage:
        used = adapter(_Usage).validate_json(row.usage)
        seats = (replace(seat, usage=usage) for seat, usage in zip(result.seats, used, strict=True))
        result = replace(result, seats=tuple(seats))
    if row.moves is not None:
        result = replace(result, moves=adapter(_Moves).validate_json(row.moves))
    return Match(pairing, row.attempt, result, row.counted, row.game)
