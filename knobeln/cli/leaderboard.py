"""`knobeln leaderboard`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from contest.errors import NotFound
from contest.model import BoardLine
from contest.plurals import plural
from contest.store import leaderboard as leaderboard_store
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import table
from mailserver.commands.leaderboard import has_leaderboard


@click.command(cls=ContestCommand)
@answers(tuple[BoardLine, ...])
def leaderboard() -> None:
    """Show the leaderboard of a contest whose game is computed exactly."""
    contest = open_contest()
    if not has_leaderboard(contest.settings):
        raise NotFound(
            "this contest has no leaderboard: only games that are computed exactly have one, such as Hog"
        )
    with contest.store.read() as tx:
        lines = leaderboard_store.leaderboard(tx).lines
    answer(lines, _show)


def _show(lines: Sequence[BoardLine]) -> None:
    columns = ("#rank", "#match points", "#target", "#bytes", "team", "#version", "PLAYER_NAME")
    rows = [
        (
            line.rank,
            line.match_points,
            line.goal,
            line.source_bytes,
            line.team,
            line.version,
            line.player_name,
        )
        for line in lines
    ]
    table(
        f"leaderboard, {plural(len(rows), 'strategy', 'strategies')}",
        columns,
        rows,
        drop=("#bytes", "#version", "PLAYER_NAME"),
    )
