"""A played contest in steps, for an audience: the turns of a game of all, or who meets whom at once. Pure.

A group that is one pairing (the Standoff, a match of a knock-out) is told turn by turn, if its moves were
kept. In any other group a step has all pairings that meet in one slot of the referee's schedule, in which
everybody meets one opponent, and the table after them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from contest.config.settings import Settings
from contest.formats.format import Format
from contest.formats.standings import failures, half_points
from contest.games.game import GameInfo, TextGame
from contest.games.hog import WIN_RATE_UNIT
from contest.games.registry import game_of
from contest.model import GroupOutcome, Match, Missing, Moves, Pairing, RoundPlan, Standing, points_text
from contest.seeds import Seeds
from contest.store.results import DrawnRound
from reports.terminal import board_text
from reports.text import table
from tournament.derived_settings import format_of
from tournament.referee import schedule
from tournament.replay import course_of


class Step(NamedTuple):
    """`title`: where we are, in a line; `text`: what happened there, in lines."""

    title: str
    text: str


def steps_of(settings: Settings, seeds: Seeds, rounds: Sequence[DrawnRound]) -> Iterator[Step]:
    """The steps of all groups in these rounds, with their games and moves."""
    game, chosen = game_of(settings.game, settings.programs), format_of(settings)
    for plan, groups in rounds:
        for group in groups:
            place = _place(plan, group)
            if isinstance(game, TextGame) and len(group.plan.pairings) == 1:
                for match in group.matches:
                    yield from _turns(game, place, group, match, seeds)
                yield Step(f"{place}: the result", _table(group.standings, game.info))
            else:
                yield from _slots(game.info, chosen, place, plan, group)


def _place(plan: RoundPlan, group: GroupOutcome) -> str:
    round_name = "The final" if plan.final else f"Round {plan.number}"
    if group.plan.title:
        return f"{round_name}, {group.plan.title}"
    return round_name if len(plan.groups) == 1 else f"{round_name}, group {group.plan.number}"


# --- turn by turn ------------------------------------------------------------------------------------------
def _turns(
    game: TextGame[Any, Any], place: str, group: GroupOutcome, match: Match, seeds: Seeds
) -> Iterator[Step]:
    course = course_of(game, group.plan.round, match, seeds)
    if course is None:
        return
    which = f", game {match.game}" if len(group.matches) > 1 else ""
    for number, (moves, points) in enumerate(
        zip(match.result.moves or (), course.points, strict=True), start=1
    ):
        rows = [
            (name, _move(moves, seat), points_text(2 * points[seat], game.info.point))
            for seat, name in enumerate(match.players)
        ]
        text = table([("", game.info.turn_word, "points"), *rows], "llr")
        if course.drawings:
            text = f"{text}\n\n{board_text(course.drawings[number], match.players)}"
        yield Step(f"{place}{which}, {game.info.turn_word} {number}", text)


def _move(moves: Moves, seat: int) -> str:
    move = moves[seat]
    if isinstance(move, Missing):
        return f"fault (instead: {move.instead})" if move.instead else "fault"
    return "" if move is None else str(move)


# --- pairing by pairing ------------------------------------------------------------------------------------
def _slots(
    info: GameInfo, chosen: Format, place: str, plan: RoundPlan, group: GroupOutcome
) -> Iterator[Step]:
    slot_of = schedule(group.plan)
    slots: defaultdict[int, list[Pairing]] = defaultdict(list)
    for pairing in group.plan.pairings:
        slots[slot_of(pairing, 1)].append(pairing)
    gone = {line.entry for line in group.standings if line.disqualified}
    shown: set[Pairing] = set()
    for number, slot in enumerate(sorted(slots), start=1):
        shown.update(slots[slot])
        met = [match for match in group.matches if match.pairing in shown]
        games = [_met(pairing, met, info) for pairing in slots[slot]]
        is_final = number == len(slots)
        standings = chosen.standings(group.plan, plan.final, met, failures(met), gone)
        yield Step(
            f"{place}, step {number} of {len(slots)}",
            f"{table(games, 'lrcrl')}\n\n{_table(standings, info, is_final=is_final)}",
        )


def _met(pairing: Pairing, matches: Sequence[Match], info: GameInfo) -> tuple[str, str, str, str, str]:
    """What the games of this pairing came to: its players, and the points of each."""
    first, *others = pairing.players
    won = half_points(pairing.players, [match for match in matches if match.pairing == pairing])
    points = [_points(won[name], info) for name in pairing.players]
    if pairing.is_self:
        return first, points[0], "", "", "against itself"
    return first, points[0], ":", " ".join(points[1:]), " ".join(others)


def _points(half_points: int, info: GameInfo) -> str:
    if not info.play.has_moves:
        return f"{half_points / 2 / WIN_RATE_UNIT:.4%}"
    return points_text(half_points, info.point)


def _table(standings: Sequence[Standing], info: GameInfo, *, is_final: bool = True) -> str:
    rows = [
        (
            str(line.rank or "-"),
            line.entry,
            "-" if line.disqualified else points_text(line.half_points, info.point),
            line.fate if is_final else "",
        )
        for line in standings
    ]
    return table([("rank", "team", "points", ""), *rows], "rlrl")
