"""`knobeln results ladder`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from contest.arena.ladder_ranking import has_ladder
from contest.errors import NotFound
from contest.model import LadderLine
from contest.store import ladder as ladder_store
from contest.util.plurals import plural
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import table
from reports.ladder_report import movements


@click.command(cls=ContestCommand)
@answers(tuple[LadderLine, ...])
def ladder() -> None:
    """Show the ladder: how all accepted programs rank outside the contest, and who has moved."""
    contest = open_contest()
    if not has_ladder(contest.settings):
        raise NotFound(
            "this contest has no ladder",
            hint="set ladder.enabled = true in contest.toml, and restart `knobeln serve`",
        )
    with contest.store.read() as tx:
        lines = ladder_store.now(tx, contest.settings).lines
        newest = ladder_store.rankings(tx, 2)
    moves = movements(newest[0], newest[1] if len(newest) > 1 else None) if newest else {}
    answer(lines, lambda _: _show(lines, moves))


def _show(lines: Sequence[LadderLine], moves: Mapping[str, str]) -> None:
    if not lines:
        raise NotFound("no game has been played on the ladder yet: it needs two accepted programs")
    is_exact = any(line.strategy for line in lines)
    of_exact = ("#rank", "#match points", "#target", "#bytes", "team", "#version", "PLAYER_NAME")
    of_played = ("#rank", "moved", "team", "#version", "#points per game", "#games", "#failures")
    table(
        f"the ladder, {plural(len(lines), 'program')}",
        of_exact if is_exact else of_played,
        [_row(line, moves) for line in lines],
        drop=("#failures", "#bytes", "#version", "#games", "PLAYER_NAME"),
    )


def _row(line: LadderLine, moves: Mapping[str, str]) -> tuple[object, ...]:
    if facts := line.strategy:
        points = round(line.points)
        return line.rank, points, facts.goal, facts.source_bytes, line.team, line.version, facts.player_name
    moved, points_per_game = moves.get(line.team, ""), f"{line.points:.1f}"
    return line.rank, moved, line.team, line.version, points_per_game, line.games, line.failures
