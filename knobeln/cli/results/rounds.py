"""`knobeln results standings` and `knobeln results evolution`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from contest.errors import NotFound
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.model import Former
from contest.store import results as result_store
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import console, moment, print_whole
from knobeln.cli.results.records import Round
from knobeln.cli.results.tables import RoundTables, rounds_for_tables, show_evolution
from knobeln.context import ContestContext
from reports import terminal


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="[ROUND]", required=False)
@click.option("--games", is_flag=True, help="Also print all games of the groups.")
@click.option(
    "--cross",
    is_flag=True,
    help="Also print the cross table (points won by each team against each other) as a heat map.",
)
@click.option(
    "--former", is_flag=True, help="Print the rankings from before `knobeln run rerun`, of all its rounds."
)
@answers(Round | tuple[Former, ...])
def standings(number: int | None, games: bool, cross: bool, former: bool) -> None:
    """Show the rankings of a round, also while the contest runs. For a knock-out, show its bracket too.

    Without ROUND it is the last one.
    """
    contest = open_contest()
    if former:
        _answer_former(contest, number, games=games)
        return
    with contest.store.read() as tx:
        rounds = rounds_for_tables(tx, contest.settings, games=games or cross)
    shown = RoundTables.of(contest.settings, rounds, number)
    answer(Round.of(shown.plan, shown.outcomes), lambda _: shown.print(games=games, cross=cross))


def _answer_former(contest: ContestContext, number: int | None, *, games: bool) -> None:
    info = game_of(contest.settings.game, contest.settings.programs).info
    with contest.store.read() as tx:
        found = tuple(
            replace(former, groups=tuple(g for g in former.groups if number in (None, g.plan.round)))
            for former in result_store.former_outcomes(tx)
        )
    answer(found, lambda _: _show_former(found, info, games=games))


def _show_former(reruns: Sequence[Former], info: GameInfo, *, games: bool) -> None:
    if not reruns:
        raise NotFound("no round was played again, so there are no former results")
    for former in reruns:
        rerun = former.rerun
        console.print(
            f"Before {rerun.what} was played again ({moment(rerun.at)}: {rerun.reason}):", markup=False
        )
        for outcome in former.groups:
            title = f"Round {outcome.plan.round}, {outcome.plan.title or f'group {outcome.plan.number}'}"
            print_whole(terminal.ranking(outcome.standings, title, info))
            if games and outcome.plan.pairings:
                print_whole(terminal.group_results(outcome, info, title))


@click.command(cls=ContestCommand)
def evolution() -> None:
    """Show the evolution: its ranking, and the shares over the generations."""
    with open_contest().store.read() as tx:
        outcome = result_store.get_evolution(tx)
    if outcome is None:
        raise NotFound("there is no evolution: it is computed at the end of a contest that has one")
    show_evolution(outcome)
