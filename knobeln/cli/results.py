"""`knobeln results`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from contest.errors import NotFound, NotNow
from contest.games.base import GameInfo
from contest.games.registry import game_of
from contest.model import GroupOutcome, Phase, Rerun
from contest.store import contest_state, submissions
from contest.store import results as result_store
from contest.store.results import Games
from knobeln.cli.announcement import Announcement, show_announcement
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import console, moment, print_whole
from knobeln.cli.result_tables import contest_ranking, show_results
from knobeln.cli.results_json import FormerJson, ResultsJson, former_json, results_json
from knobeln.context import ContestContext
from reports import terminal
from reports.announcement import announcement


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="[ROUND]", required=False)
@click.option("--games", is_flag=True, help="Also print all games of the groups.")
@click.option("--announce", is_flag=True, help="Print the text for a public posting.")
@click.option("--former", is_flag=True, help="Print the results from before `knobeln rerun`.")
@answers(ResultsJson | list[FormerJson] | Announcement)
def results(number: int | None, games: bool, announce: bool, former: bool) -> None:
    """Show the rankings and the evolution. Without ROUND they are those of the last round."""
    contest = open_contest()
    if former:
        _answer_former(contest, number, games=games)
    elif announce:
        answer(_announcement(contest), show_announcement)
    else:
        found = results_json(contest, number, games=games)
        answer(found, lambda _: show_results(contest, number, games=games))


def _answer_former(contest: ContestContext, number: int | None, *, games: bool) -> None:
    info = game_of(contest.settings.game, contest.settings.programs).info
    with contest.store.read() as tx:
        reruns = [
            (rerun, [o for o in outcomes if number in (None, o.plan.round)])
            for rerun, outcomes in result_store.former_outcomes(tx)
        ]
    found = [former_json(rerun, outcomes, info.point, games=games) for rerun, outcomes in reruns]
    answer(found, lambda _: _show_former(reruns, info, games=games))


def _show_former(
    reruns: Sequence[tuple[Rerun, Sequence[GroupOutcome]]], info: GameInfo, *, games: bool
) -> None:
    if not reruns:
        raise NotFound("no round was played again, so there are no former results")
    for rerun, outcomes in reruns:
        console.print(
            f"Before {rerun.what} was played again ({moment(rerun.at)}: {rerun.reason}):", markup=False
        )
        for outcome in outcomes:
            title = f"Round {outcome.plan.round}, {outcome.plan.title or f'group {outcome.plan.number}'}"
            print_whole(terminal.ranking(outcome.standings, title, info))
            if games and outcome.plan.pairings:
                print_whole(terminal.group_results(outcome, info, title))


def _announcement(contest: ContestContext) -> Announcement:
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        if state.phase is not Phase.FINISHED:
            raise NotNow("the contest is not finished, so there is nothing to announce yet")
        rounds = result_store.finished_rounds(tx, Games.ALL)
        evolution = result_store.get_evolution(tx)
        ranking = contest_ranking(tx, contest.settings)
        playing = submissions.participants(tx)
    text = announcement(rounds, ranking, evolution, state.seed, playing, contest.settings, contest.templates)
    return Announcement(text.subject, text.body)
