"""`knobeln hill`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from contest.errors import NotFound
from contest.model import HillRanking
from contest.store import ladder
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import moment, table
from reports.ladder_report import movements


@click.command(cls=ContestCommand)
@answers(list[HillRanking])
def hill() -> None:
    """Show the ranking of the hill, and how it moved since the previous ranking."""
    contest = open_contest()
    if not contest.settings.hill.enabled:
        raise NotFound(
            "this contest has no hill",
            hint="set hill.enabled = true in contest.toml, and restart `knobeln serve`",
        )
    with contest.store.read() as tx:
        newest = ladder.rankings(tx, 2)
    answer(newest, _show)


def _show(newest: Sequence[HillRanking]) -> None:
    if not newest:
        raise NotFound(
            "no game has been played on the hill yet: it needs two accepted programs, and `knobeln serve`"
        )
    moves = movements(newest[0], newest[1] if len(newest) > 1 else None)
    rows = [
        (
            line.rank,
            moves[line.team],
            line.team,
            line.version,
            f"{line.points:.1f}",
            line.games,
            line.failures,
        )
        for line in newest[0].lines
    ]
    table(
        f"the hill since {moment(newest[0].at)}",
        ("#rank", "moved", "team", "#version", "#points per game", "#games", "#failures"),
        rows,
        drop=("#failures", "#version", "#games"),
    )
