"""A played contest in steps, for an audience: the turns of a game of all, or place by place. Pure.

A group that is one pairing (the Standoff, a match of a knock-out) is told turn by turn, if its
moves were kept; then its table is a step. Of any other group each step tells one place more, the
last first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from contest.config.settings import Settings
from contest.games.game import GameInfo, TextGame
from contest.games.registry import game_of
from contest.model import (
    GroupOutcome,
    Match,
    Missing,
    Moves,
    RoundOutcome,
    RoundPlan,
    Standing,
    points_text,
)
from contest.seeds import Seeds
from reports.terminal import board_text
from reports.text import table
from trust.replay import course_of

Step = tuple[str, str]
"""Where we are, in a line; and what happened there, in lines."""


def steps_of(settings: Settings, seeds: Seeds, rounds: Sequence[RoundOutcome]) -> Iterator[Step]:
    """The steps of all groups in these rounds, with their games and moves."""
    game = game_of(settings.game, settings.programs)
    for outcome in rounds:
        for group in outcome.groups:
            place = _place(outcome.plan, group)
            if isinstance(game, TextGame) and len(group.plan.pairings) == 1:
                for match in group.matches:
                    yield from _turns(game, place, group, match, seeds)
                yield f"{place}: the result", _table(group.standings, game.info)
            else:
                for place_index in reversed(range(len(group.standings))):
                    rank = group.standings[place_index].rank or "-"
                    yield f"{place}: rank {rank}", _table(group.standings[place_index:], game.info)


def _place(plan: RoundPlan, group: GroupOutcome) -> str:
    round_name = "The final" if plan.final else f"Round {plan.number}"
    if group.plan.title:
        return f"{round_name}, {group.plan.title}"
    return round_name if len(plan.groups) == 1 else f"{round_name}, group {group.plan.number}"


# --- turn by turn ---------------------------------------------------------------------------------
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
        yield f"{place}{which}, {game.info.turn_word} {number}", text


def _move(moves: Moves, seat: int) -> str:
    move = moves[seat]
    if isinstance(move, Missing):
        return f"fault (instead: {move.instead})" if move.instead else "fault"
    return "" if move is None else str(move)


def _table(standings: Sequence[Standing], info: GameInfo) -> str:
    rows = [
        (
            str(line.rank or "-"),
            line.entry,
            "-" if line.disqualified else points_text(line.half_points, info.point),
            line.status,
        )
        for line in standings
    ]
    return table([("rank", "team", "points", ""), *rows], "rlrl")
