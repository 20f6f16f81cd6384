"""All games of a group in a form that a person can use: up to 861 of them, in 72 columns. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knobeln.model import GroupOutcome, Match, Pairing, Standing
from reports import results
from reports.results import GameStatus


@dataclass(frozen=True)
class GroupParagraph:
    """One member's part of the list of all games: those with itself and with the members below it."""

    number: int
    standing: Standing
    games: tuple[str, ...]


def group_paragraphs(outcome: GroupOutcome) -> tuple[GroupParagraph, ...]:
    """All games of the group, each once, under the member that stands higher in the ranking."""
    tried = results.attempts(outcome)
    names = [standing.entry for standing in outcome.standings]
    paragraphs = []
    for number, standing in enumerate(outcome.standings, 1):
        below = enumerate(names[number - 1 :], number)
        games = (_game_text(standing.entry, other, at, tried) for at, other in below)
        paragraphs.append(GroupParagraph(number, standing, tuple(text for text in games if text)))
    return tuple(paragraphs)


_MARKS = {GameStatus.COUNTED: "", GameStatus.REPLAYED: "r", GameStatus.EXPUNGED: "x"}


def _game_text(own: str, other: str, number: int, tried: Mapping[Pairing, Sequence[Match]]) -> str:
    """`  12 4123:3999`, with the mark of what became of it; "" for a pair that does not meet."""
    found = next((of_it for pairing, of_it in tried.items() if set(pairing.players) == {own, other}), None)
    if found is None:
        return ""
    label = "self" if own == other else f"{number:>4}"
    completed = next((m for m in reversed(found) if not m.is_discarded), None)
    if completed is None:
        return f"{label} -"
    first, second = (seat.points for seat in completed.result.seats)
    points = (first, second) if completed.players[0] == own else (second, first)
    return f"{label} {points[0]}:{points[1]}{_MARKS[results.status(completed)]}"
