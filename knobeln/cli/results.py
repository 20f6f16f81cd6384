"""Looking at a contest: results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from contest.config.settings import Settings
from contest.errors import NotFound, NotNow
from contest.formats import format_named
from contest.games.base import GameInfo
from contest.games.registry import game_of
from contest.model import EvolutionOutcome, GroupOutcome, Phase, Rerun, RoundOutcome, RoundPlan, Standing
from contest.plurals import form
from contest.seeds import Seeds
from contest.store import Transaction, submissions
from contest.store import contest_state as contest_store
from contest.store import results as result_store
from contest.store.results import DrawnRound, Games
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import console, json_option, moment, print_json
from knobeln.context import ContestContext, contest_folder
from reports import terminal
from reports.announcement import announcement
from reports.bracket import is_knock_out
from reports.prizes import PrizeList, grand_prize, prize_lists
from reports.render import where
from reports.scores import Shape, shape_of
from tournament.derived_settings import format_of

JOURNAL_LINES = 8


# --- results ----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.option(
    "--round", "number", type=int, default=None, help="This round; default: the last one, and the evolution."
)
@click.option("--games", is_flag=True, help="All games of the groups too.")
@click.option("--announce", is_flag=True, help="The text for a public posting.")
@click.option("--former", is_flag=True, help="What was played before `knobeln rerun`.")
@json_option
def results(number: int | None, games: bool, announce: bool, former: bool, as_json: bool) -> None:
    """Show the rankings and the evolution."""
    folder = contest_folder()
    if former:
        _former(folder, number, games=games, as_json=as_json)
    elif announce:
        click.echo(_announcement(folder), nl=False)
    elif as_json:
        print_json(_results_as_json(folder, number))
    else:
        show_results(folder, number, games=games)


def show_results(folder: ContestContext, number: int | None = None, *, games: bool = False) -> None:
    """Print the ranking of each group of a round (default: the last that has results), and the evolution; of
    a knock-out the bracket; after the last round the contest's ranking and its prizes."""
    settings = folder.settings
    info = game_of(settings.game, settings.programs).info
    with folder.store.read() as tx:
        # In a melee the games say who fell when; there are few of them.
        has_games = games or format_of(settings).seats is None
        rounds = result_store.all_rounds(tx, Games.ALL if has_games else Games.NONE)
        evolution = result_store.get_evolution(tx)
        result = _result(tx, folder.settings)
        playing = submissions.participants(tx)
    plan, outcomes = _chosen(rounds, number)
    _show_bracket(rounds, plan, info)
    for outcome in outcomes:
        _show_group(outcome, plan, settings, info, games=games)
    _show_missing(plan, outcomes)
    if plan.final and result and outcomes[0].plan.title:
        console.print(terminal.ranking(result, "The contest", info))
    if plan.final and result:
        _show_prizes(prize_lists(result, playing, settings.teams), settings, info)
    if plan.final and evolution is not None:
        _show_evolution(evolution)


@click.command(cls=ContestCommand)
@click.option("--round", "number", type=int, default=None, help="This round; default: the last one.")
@click.option("--cross", is_flag=True, help="Who won how much of whom too, as a heat map.")
def standings(number: int | None, cross: bool) -> None:
    """Show the rankings of a round's groups, in a knock-out the bracket; also while the contest runs."""
    folder = contest_folder()
    settings = folder.settings
    info = game_of(settings.game, settings.programs).info
    with folder.store.read() as tx:
        has_games = cross or format_of(settings).seats is None
        rounds = result_store.all_rounds(tx, Games.ALL if has_games else Games.NONE)
    plan, outcomes = _chosen(rounds, number)
    _show_bracket(rounds, plan, info)
    for outcome in outcomes:
        _show_group(outcome, plan, settings, info, games=False)
        if cross and shape_of(outcome.plan, info) is not Shape.MELEE and outcome.plan.pairings:
            console.print(
                terminal.cross_table(outcome, info, "Points of the row against the column", console.width)
            )
    _show_missing(plan, outcomes)


@click.command("evolution", cls=ContestCommand)
@json_option
def show_evolution(as_json: bool) -> None:
    """Show the evolution: its ranking, and the shares over the generations."""
    folder = contest_folder()
    with folder.store.read() as tx:
        outcome = result_store.get_evolution(tx)
    if outcome is None:
        raise NotFound("there is no evolution: it is computed at the end of a contest that has one")
    if as_json:
        print_json(_evolution_as_json(outcome))
        return
    _show_evolution(outcome)


def _show_evolution(outcome: EvolutionOutcome) -> None:
    console.print(terminal.evolution_table(outcome, console.width))
    console.print(terminal.evolution_chart(outcome, min(console.width, 100)))


def _show_bracket(rounds: Sequence[DrawnRound], plan: RoundPlan, info: GameInfo) -> None:
    """Of a knock-out, up to this round."""
    history = [RoundOutcome(each, done) for each, done in rounds if each.number <= plan.number and done]
    if history and any(map(is_knock_out, history)):
        console.print(terminal.bracket(history, info))


def _show_missing(plan: RoundPlan, outcomes: Sequence[GroupOutcome]) -> None:
    missing = len(plan.groups) - len(outcomes)
    if missing:
        console.print(f"{missing} {form(missing, 'group is', 'groups are')} still to be played.")


def _show_group(
    outcome: GroupOutcome, plan: RoundPlan, settings: Settings, info: GameInfo, *, games: bool
) -> None:
    """The group's ranking, or the places of its only game of many, and its games if they are asked for."""
    title = where(format_named(settings.tournament.format), outcome.plan).capitalize() or "The contest"
    title = "The final" if plan.final and title.endswith("group 1") else title
    if shape_of(outcome.plan, info) is Shape.MELEE:
        console.print(terminal.group_results(outcome, info, title))
        return
    if not outcome.plan.title:
        console.print(terminal.ranking(outcome.standings, title, info))
    if games and outcome.plan.pairings:
        console.print(terminal.group_results(outcome, info, title))


def _result(tx: Transaction, settings: Settings) -> tuple[Standing, ...]:
    """The contest's ranking; () before its end."""
    history = result_store.finished_rounds(tx)
    return format_of(settings).ranking(history) if history and history[-1].plan.final else ()


def _show_prizes(lists: Sequence[PrizeList], settings: Settings, info: GameInfo) -> None:
    if lists:
        console.print(terminal.prizes(lists, f"Prizes by {settings.teams.prizes_by}", info))
        winners = ", ".join(standing.entry for standing in grand_prize(lists)) or "nobody"
        console.print(f"Grand prize: {winners}", markup=False)


def _chosen(
    rounds: tuple[tuple[RoundPlan, tuple[GroupOutcome, ...]], ...], number: int | None
) -> tuple[RoundPlan, tuple[GroupOutcome, ...]]:
    if not rounds:
        raise NotFound("nothing has been played yet; `knobeln run` starts the contest")
    if number is None:
        return next(((plan, done) for plan, done in reversed(rounds) if done), rounds[-1])
    for plan, outcomes in rounds:
        if plan.number == number:
            return plan, outcomes
    raise NotFound(f"there is no round {number}; the last is {rounds[-1][0].number}")


def _former(folder: ContestContext, number: int | None, *, games: bool, as_json: bool) -> None:
    settings = folder.settings
    info = game_of(settings.game, settings.programs).info
    with folder.store.read() as tx:
        found = [
            (rerun, [o for o in outcomes if number in (None, o.plan.round)])
            for rerun, outcomes in result_store.former_outcomes(tx)
        ]
    if as_json:
        print_json([_former_as_json(rerun, outcomes, info.point) for rerun, outcomes in found])
        return
    if not found:
        raise NotFound("nothing was played again, so there are no former results")
    for rerun, outcomes in found:
        console.print(
            f"Before {rerun.what} was played again ({moment(rerun.at)}: {rerun.reason}):", markup=False
        )
        for outcome in outcomes:
            title = f"Round {outcome.plan.round}, {outcome.plan.title or f'group {outcome.plan.number}'}"
            console.print(terminal.ranking(outcome.standings, title, info))
            if games and outcome.plan.pairings:
                console.print(terminal.group_results(outcome, info, title))


def _former_as_json(rerun: Rerun, outcomes: Sequence[GroupOutcome], point: int) -> dict[str, Any]:
    groups = [
        {
            "round": outcome.plan.round,
            "group": outcome.plan.number,
            "members": list(outcome.plan.members),
            "standings": [_standing_as_json(s, point) for s in outcome.standings],
        }
        for outcome in outcomes
    ]
    return {**asdict(rerun), "groups": groups}


def _announcement(folder: ContestContext) -> str:
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        if state.phase is not Phase.FINISHED:
            raise NotNow("the contest is not finished, so there is nothing to announce yet")
        rounds = result_store.finished_rounds(tx, Games.ALL)
        evolution = result_store.get_evolution(tx)
        result = _result(tx, folder.settings)
        playing = submissions.participants(tx)
    words = announcement(rounds, result, evolution, state.seed, playing, folder.settings, folder.templates)
    return f"Subject: {words.subject}\n\n{words.body}"


def _results_as_json(folder: ContestContext, number: int | None) -> dict[str, Any]:
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        rounds = result_store.all_rounds(tx)
        evolution = result_store.get_evolution(tx)
        result = _result(tx, folder.settings)
        playing = submissions.participants(tx)
    settings = folder.settings
    point = game_of(settings.game, settings.programs).info.point
    lists = prize_lists(result, playing, settings.teams)
    return {
        "phase": str(state.phase),
        "seed_commitment": Seeds(state.seed).commitment,
        "seed": state.seed.hex() if state.phase is Phase.FINISHED else None,
        "rounds": [
            _round_as_json(plan, done, point) for plan, done in rounds if number in (None, plan.number)
        ],
        "ranking": [_standing_as_json(s, point) for s in result] or None,
        "prizes": {
            prizes.value: [{"place": place, "team": s.entry} for place, s in prizes.places]
            for prizes in lists
        },
        "grand_prize": [s.entry for s in grand_prize(lists)],
        "evolution": None if evolution is None else _evolution_as_json(evolution),
    }


def _round_as_json(plan: RoundPlan, outcomes: tuple[GroupOutcome, ...], point: int) -> dict[str, Any]:
    done = {o.plan.number: [_standing_as_json(s, point) for s in o.standings] for o in outcomes}
    groups = [
        {
            "number": group.number,
            "title": group.title,
            "members": list(group.members),
            "standings": done.get(group.number),
        }
        for group in plan.groups
    ]
    return {"number": plan.number, "final": plan.final, "groups": groups}


def _standing_as_json(standing: Standing, point: int) -> dict[str, Any]:
    return {
        "team": standing.entry,
        "points": None if standing.disqualified else standing.half_points / (2 * point),
        "rank": standing.rank,
        "failures": standing.failures,
        "disqualified": standing.disqualified,
        "advances": standing.advances,
    }


def _evolution_as_json(evolution: EvolutionOutcome) -> dict[str, Any]:
    return {
        "ending": str(evolution.ending),
        "cycle_start": evolution.cycle_start,
        "entries": list(evolution.entries),
        "generations": [list(counts) for counts in evolution.generations],
        "ranking": [
            {"team": r.entry, "rank": r.rank, "fraction": list(r.fraction), "extinct_in": r.extinct_in}
            for r in evolution.ranking
        ],
    }
