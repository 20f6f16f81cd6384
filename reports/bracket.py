"""Write the bracket of a knock-out as text, from the groups drawn and the matches played. Pure.

A match is a group of two; a bye is a group of one without pairings. The group's title names its
side of the bracket. On each side the matches form trees: the winner of a match is a player of the
next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from contest.language import gettext
from contest.model import GroupOutcome, RoundOutcome, Standing
from reports.results import gone
from reports.text import WIDTH, columns_of, table
from reports.text import grouped_points as points

_STEPS = range(6, 1, -1)  # columns between a match and the next one; the first that fits is taken


@dataclass(frozen=True)
class BracketMatch:
    """A match that was played, or a bye. `players` are in the order of the draw, `best_first` in
    that of the result."""

    round: int
    side: str
    players: tuple[str, ...]
    best_first: tuple[Standing, ...]

    @property
    def winner(self) -> str | None:
        """The winner's name; None if all were disqualified."""
        return next((line.entry for line in self.best_first if not line.disqualified), None)

    @property
    def disqualified(self) -> tuple[str, ...]:
        return tuple(line.entry for line in self.best_first if line.disqualified)

    @property
    def is_bye(self) -> bool:
        return len(self.players) == 1

    @property
    def is_close(self) -> bool:
        """Whether the points are equal, so that fewer faults or the draw decided."""
        return not self.disqualified and len({line.half_points for line in self.best_first}) < len(
            self.players
        )

    def half_points(self, name: str) -> int:
        return next(line.half_points for line in self.best_first if line.entry == name)


def is_knock_out(outcome: RoundOutcome) -> bool:
    """Return whether the round is part of a bracket."""
    return any(group.plan.title for group in outcome.groups)


def matches_of(history: Sequence[RoundOutcome]) -> tuple[BracketMatch, ...]:
    """Return all matches and byes, round by round."""
    return tuple(_match(group) for outcome in history for group in outcome.groups)


def _match(group: GroupOutcome) -> BracketMatch:
    return BracketMatch(group.plan.round, group.plan.title, group.plan.members, group.standings)


def sides_of(matches: Sequence[BracketMatch]) -> tuple[str, ...]:
    """Return the sides on which matches were played, in the order in which they began."""
    return tuple(dict.fromkeys(match.side for match in matches if not match.is_bye))


# --- who is where ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class StillIn:
    """The teams that are still in the contest, with and without a lost match, and those that are
    out.

    Each is sorted by name.
    """

    unbeaten: tuple[str, ...]
    beaten: tuple[str, ...]
    out: tuple[str, ...]
    out_now: tuple[str, ...]  # since the last round


def field_after(history: Sequence[RoundOutcome]) -> StillIn:
    """Sort all teams by where they are after these rounds; after a final nobody is still in the
    contest."""
    matches = matches_of(history)
    everybody = {name for match in matches for name in match.players}
    lost = {name for match in matches for name in match.players if name != match.winner}
    out = {line.entry for match in matches for line in match.best_first if not line.advances}
    last = {name for group in history[-1].groups for name in group.plan.members}
    return StillIn(
        unbeaten=_by_name(everybody - lost - out),
        beaten=_by_name(lost - out),
        out=_by_name(out),
        out_now=_by_name(out & last),
    )


def _by_name(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=str.casefold))


# --- in lines -------------------------------------------------------------------------------------
def score(match: BracketMatch, point: int) -> str:
    """Return the points, `201:99`, the winner's first; "" for a bye, or if somebody was
    disqualified."""
    if match.is_bye or match.disqualified:
        return ""
    return ":".join(points(line.half_points, point) for line in match.best_first)


def remark(match: BracketMatch) -> str:
    """Name who was disqualified; otherwise `*` if the points are equal, or ""."""
    if match.disqualified:
        return f"({gone(match.best_first)})"
    return "*" if match.is_close else ""


def round_lines(matches: Sequence[BracketMatch], point: int) -> list[str]:
    """Return a line for each match: winner, points, loser. Long names make the layout narrower."""
    played = [match for match in matches if not match.is_bye]
    rows = [_row(match, point) for match in played]
    wide = table(rows, "lrlll", indent="  ").split("\n") if rows else []
    if max(map(columns_of, wide), default=0) <= WIDTH:
        return wide
    return ["  " + " ".join(filter(None, map(str, row))) for row in rows]


def _row(match: BracketMatch, point: int) -> tuple[str, str, str, str, str]:
    first, second = match.best_first
    if match.disqualified:
        return first.entry, "-", ":", f"- {second.entry}", remark(match)
    own, other = (points(line.half_points, point) for line in match.best_first)
    return first.entry, own, ":", f"{other} {second.entry}", remark(match)


@dataclass(frozen=True)
class Node:
    """A match, and for each player the match of the same side that it came from; None if from
    elsewhere."""

    match: BracketMatch
    sources: tuple[Node | None, ...]

    @property
    def depth(self) -> int:
        """How many rounds of matches are in this tree, from 1."""
        return 1 + max((source.depth for source in self.sources if source), default=0)


def tree_lines(matches: Sequence[BracketMatch], side: str, point: int) -> list[str]:
    """Draw the matches of a side as a tree that is read from left to right.

    Each player has a line. Between the lines of two players that met, further to the right, is the
    line of the winner, with the points of the match.
    """
    roots = forest(matches, side)
    for step in _STEPS:
        lines = [line for root in roots for line in (*_drawn(root, step, point), "")]
        if max(map(columns_of, lines), default=0) <= WIDTH:
            break
    return lines[:-1]


def forest(matches: Sequence[BracketMatch], side: str) -> list[Node]:
    """Return the roots of a side's trees: the matches that no later match of this side follows.

    Byes belong to the side of the first round.
    """
    matches = [match for match in matches if match.side == side or match.is_bye]
    waiting: dict[str, Node] = {}
    dead: list[Node] = []
    if any(match.side == side and match.round == 1 for match in matches):
        waiting |= {match.players[0]: Node(match, ()) for match in matches if match.is_bye}
    for match in matches:
        if match.is_bye:
            continue
        node = Node(match, tuple(waiting.pop(name, None) for name in match.players))
        if match.winner is None:
            dead.append(node)
        else:
            waiting[match.winner] = node
    return [*dead, *(node for node in waiting.values() if not node.match.is_bye)]


def _drawn(node: Node, step: int, point: int) -> Iterator[str]:
    match, drawn = node.match, partial(_drawn, step=step, point=point)
    indent = " " * (step * node.depth)
    if match.is_bye:
        yield indent + gettext("%(player)s  (bye)", player=match.players[0])
        return
    upper, lower = (
        [" " * (step * (node.depth - 1)) + name] if source is None else list(drawn(source))
        for name, source in zip(match.players, node.sources, strict=True)
    )
    yield from upper
    words = (match.winner or gettext("nobody"), score(match, point), remark(match))
    yield (indent + "  ".join(filter(None, words))).rstrip()
    yield from lower


def all_lines(history: Sequence[RoundOutcome], point: int) -> Mapping[str, list[str]]:
    """Return every side's tree, by the side's name."""
    matches = matches_of(history)
    return {side: tree_lines(matches, side, point) for side in sides_of(matches)}
