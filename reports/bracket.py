"""The bracket of a knock-out in words, made of what was drawn and played and of nothing else. Pure.

A match is a group of two, a bye a group of one without pairings; the group's title says on which side of the
bracket it is. On each side the matches form trees: who won one is the next one's player.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from contest.model import GroupOutcome, RoundOutcome, Standing, points_text
from reports.results import gone
from reports.text import WIDTH, columns_of, table

_STEPS = range(6, 1, -1)  # columns between a match and the next one; the first that fits is taken


@dataclass(frozen=True)
class BracketMatch:
    """A match that was played, or a bye. `players` stand as drawn, `best_first` as they left it."""

    round: int
    side: str
    players: tuple[str, ...]
    best_first: tuple[Standing, ...]

    @property
    def winner(self) -> str | None:
        """None: all were disqualified."""
        return next((line.entry for line in self.best_first if not line.disqualified), None)

    @property
    def disqualified(self) -> tuple[str, ...]:
        return tuple(line.entry for line in self.best_first if line.disqualified)

    @property
    def is_bye(self) -> bool:
        return len(self.players) == 1

    @property
    def is_close(self) -> bool:
        """The points are equal: fewer faults decided, or the draw."""
        return not self.disqualified and len({line.half_points for line in self.best_first}) < len(
            self.players
        )

    def half_points(self, name: str) -> int:
        return next(line.half_points for line in self.best_first if line.entry == name)


def is_knock_out(outcome: RoundOutcome) -> bool:
    """Whether the round is part of a bracket."""
    return any(group.plan.title for group in outcome.groups)


def matches_of(history: Sequence[RoundOutcome]) -> tuple[BracketMatch, ...]:
    """All matches and byes, round by round."""
    return tuple(_match(group) for outcome in history for group in outcome.groups)


def _match(group: GroupOutcome) -> BracketMatch:
    return BracketMatch(group.plan.round, group.plan.title, group.plan.members, group.standings)


def sides_of(matches: Sequence[BracketMatch]) -> tuple[str, ...]:
    """The sides on which matches were played, in the order in which they began."""
    return tuple(dict.fromkeys(match.side for match in matches if not match.is_bye))


# --- who is where ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class StillIn:
    """Who is still in the contest, with and without a lost match, and who is out; all by name."""

    unbeaten: tuple[str, ...]
    beaten: tuple[str, ...]
    out: tuple[str, ...]
    out_now: tuple[str, ...]  # with the last round


def field_after(history: Sequence[RoundOutcome]) -> StillIn:
    """Everybody after the last of these rounds; after a final nobody is still in the contest."""
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


# --- in lines ----------------------------------------------------------------------------------------------
def score(match: BracketMatch, point: int) -> str:
    """`201:99`, the winner's points first; "" for a bye, and where somebody was disqualified."""
    if match.is_bye or match.disqualified:
        return ""
    return ":".join(points_text(line.half_points, point) for line in match.best_first)


def remark(match: BracketMatch) -> str:
    """What the score does not say; `*` marks a match of equal points."""
    if match.disqualified:
        return f"({gone(match.best_first)})"
    return "*" if match.is_close else ""


def round_lines(matches: Sequence[BracketMatch], point: int) -> list[str]:
    """A line for each match: the winner, the points, the loser; narrower where names are long."""
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
    own, other = (points_text(line.half_points, point) for line in match.best_first)
    return first.entry, own, ":", f"{other} {second.entry}", remark(match)


@dataclass(frozen=True)
class Node:
    """A match with those of the same side that its players came from; None for who came from elsewhere."""

    match: BracketMatch
    sources: tuple[Node | None, ...]

    @property
    def depth(self) -> int:
        """How many rounds of matches are in this tree, from 1."""
        return 1 + max((source.depth for source in self.sources if source), default=0)


def tree_lines(matches: Sequence[BracketMatch], side: str, point: int) -> list[str]:
    """The matches of a side, to be read from left to right: a player's line, and further to the right, half
    way between the two who met, the winner with the points of the match."""
    roots = forest(matches, side)
    for step in _STEPS:
        lines = [line for root in roots for line in (*_drawn(root, step, point), "")]
        if max(map(columns_of, lines), default=0) <= WIDTH:
            break
    return lines[:-1]


def forest(matches: Sequence[BracketMatch], side: str) -> list[Node]:
    """The matches that no other one of this side follows. Byes belong to the side of the first round."""
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
        yield f"{indent}{match.players[0]}  (bye)"
        return
    upper, lower = (
        [" " * (step * (node.depth - 1)) + name] if source is None else list(drawn(source))
        for name, source in zip(match.players, node.sources, strict=True)
    )
    yield from upper
    words = (match.winner or "nobody", score(match, point), remark(match))
    yield (indent + "  ".join(filter(None, words))).rstrip()
    yield from lower


def all_lines(history: Sequence[RoundOutcome], point: int) -> Mapping[str, list[str]]:
    """Every side's tree by the side's name."""
    matches = matches_of(history)
    return {side: tree_lines(matches, side, point) for side in sides_of(matches)}
