"""Read the long files of an archive piece by piece, so that memory bounds neither them nor their
mistakes.

knobeln writes JSON with one blank a level, and never a newline within a text. So the lines of a
list's element begin and end with those that have its own number of blanks, and no line before tells
more.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar, overload

from pydantic import ValidationError

from contest.errors import Differs
from contest.model import GroupOutcome, Match, Moves
from contest.model.as_json import adapter
from trust.archive.files import ArchiveFiles, from_json, reason_of, shown, to_json, validate

MAX_PIECE_BYTES = 2_000_000  # of an element of a list
MAX_HEAD_BYTES = 16_000_000  # of a group without its games: its members, pairings and ranking

MAX_GAMES = 100_000
"""So many games of one archive fit into the memory that `verify` may use."""

T = TypeVar("T")

_Moves = tuple[Moves, ...]


def read_list(files: ArchiveFiles, path: str, kind: type[T], most: int) -> Iterator[T]:
    """Read the elements of a list one by one. Raises Differs for another form, and for more than
    `most`."""
    lines = files.lines(path)
    first = next(lines, b"")
    if first not in (b"[]\n", b"[\n"):
        raise _other_form(path)
    pieces = _pieces(lines, 1, b"]\n", path) if first == b"[\n" else ()
    for number, piece in enumerate(pieces):
        if number == most:
            raise Differs(f"{path} has more than {most:,} entries")
        yield _read_piece(piece, kind, path, str(number), 1)
    if next(lines, b""):
        raise _other_form(path)


def read_group(files: ArchiveFiles, path: str, most: int) -> GroupOutcome:
    """Read a group with at most `most` games. Their moves are kept packed.

    Raises Differs for another form.
    """
    lines = files.lines(path)
    head, matches = bytearray(), list[Match]()
    for line in lines:
        head += line
        if len(head) > MAX_HEAD_BYTES:
            raise Differs(f"{path} has more than {MAX_HEAD_BYTES:,} bytes besides its games")
        if line == b' "matches": [\n':
            head[-1:] = b"],\n"
            for number, piece in enumerate(_pieces(lines, 2, b" ],\n", path)):
                if number == most:
                    raise Differs(
                        f"{path}: the archive has more games than knobeln checks, {MAX_GAMES:,}"
                    )
                place = f"matches.{number}"
                match = _read_piece(piece, Match, path, place, 2)
                if len(match.result.seats) != len(match.pairing.players):
                    raise Differs(f"{path}: {place} has not as many results as players")
                matches.append(_packed(match))
            if not matches:
                raise _other_form(path)
    return replace(from_json(bytes(head), GroupOutcome, path), matches=tuple(matches))


def _other_form(path: str) -> Differs:
    return Differs(f"{path} is not in the form that knobeln writes")


def _pieces(lines: Iterator[bytes], level: int, end: bytes, path: str) -> Iterator[bytes]:
    """The elements of a list whose beginning was read, with their blanks, up to the line that ends
    it."""
    blanks = b" " * level
    first, last, more = blanks + b"{\n", blanks + b"}\n", blanks + b"},\n"
    is_last = False
    for line in lines:
        if line == end:
            if is_last:
                return
            break
        if is_last or line != first:
            break
        piece = bytearray(line)
        for line in lines:  # noqa: PLW2901 - the same lines go on
            piece += line
            if line in (last, more):
                break
            if len(piece) > MAX_PIECE_BYTES:
                raise Differs(f"{path} has an entry of more than {MAX_PIECE_BYTES:,} bytes")
        is_last = line == last
        yield bytes(piece.removesuffix(b",\n").removesuffix(b"\n"))
    else:
        raise _other_form(path)
    raise _other_form(path)


def _read_piece(piece: bytes, kind: type[T], path: str, place: str, level: int) -> T:
    try:
        value: T = validate(piece, kind)
    except ValidationError as error:
        raise Differs(f"{path} cannot be read: {shown(reason_of(error, place))}") from None
    try:
        form = to_json(value, kind).removesuffix(b"\n")
    except (ValueError, RecursionError):  # e.g. a lone surrogate cannot be encoded
        raise _other_form(path) from None
    blanks = b" " * level
    if blanks + form.replace(b"\n", b"\n" + blanks) != piece:
        raise _other_form(path)
    return value


# --- moves ----------------------------------------------------------------------------------------
def _packed(match: Match) -> Match:
    moves = match.result.moves
    return (
        match
        if moves is None
        else replace(match, result=replace(match.result, moves=_PackedMoves(moves)))
    )


class _PackedMoves(Sequence[Moves]):
    """The moves of a game in a few hundred bytes. A game that is read is kept until the next is."""

    def __init__(self, moves: Sequence[Moves]) -> None:
        self._length = len(moves)
        self._packed = zlib.compress(adapter(_Moves).dump_json(tuple(moves)), 1)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Moves: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Moves]: ...
    def __getitem__(self, place: int | slice) -> Moves | Sequence[Moves]:
        return _unpacked(self._packed)[place]

    def __iter__(self) -> Iterator[Moves]:
        return iter(_unpacked(self._packed))


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> tuple[Moves, ...]:
    return adapter(_Moves).validate_json(zlib.decompress(packed), strict=True)
