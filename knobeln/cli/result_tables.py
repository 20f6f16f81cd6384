"""Prints the results of rounds, for `results`, `run` and `demo`."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.errors import NotFound
from contest.formats import format_named
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.model import GroupOutcome, Phase, Standing
from contest.store import Transaction, contest_state, results, submissions
from contest.store.results import Games
from contest.util.plurals import plural
from knobeln.cli.output import console, print_whole, width_of_output
from knobeln.context import ContestContext
from reports import terminal
from reports.bracket import is_knock_out
from reports.prizes import grand_prize, prize_fields, prize_lists
from reports.render import where
from reports.scores import Shape, shape_of
from tournament.derived_settings import format_of


def show_results(contest: ContestContext, *, games: bool = False) -> None:
    """Print the rankings of the groups of the last round that has results, for a knock-out also its bracket.

    After the last round also print the contest's ranking, its prizes and the evolution. Raises NotFound.
    """
    settings = contest.settings
    info, is_melee = game_of(settings.game, settings.programs).info, format_of(settings).seats is None
    with contest.store.read() as tx:
        rounds = results.all_rounds(tx, Games.ALL if games or is_melee else Games.NONE)
        evolution = results.get_evolution(tx)
        result = contest_ranking(tx, settings)
        playing = submissions.participants(tx)
    if not rounds:
        raise NotFound("nothing has been played yet", hint="`knobeln run` starts the contest")
    history = [each for each in rounds if each.groups]
    last = history[-1] if history else rounds[-1]
    plan, outcomes = last.plan, last.groups
    if any(map(is_knock_out, history)):
        print_whole(terminal.bracket(history, info))
    for outcome in outcomes:
        _show_group(settings, info, outcome, final=plan.final, games=games)
    if missing := len(plan.groups) - len(outcomes):
        console.print(f"{plural(missing, 'group is', 'groups are')} still to be played.")
    if not result or plan.number < len(rounds):
        return
    if outcomes[0].plan.title or not plan.final:
        print_whole(terminal.ranking(result, "The contest", info, width_of_output()))
    if not any(line.rank for line in result):
        console.print("There is no winner: nobody is left.")
    if lists := prize_lists(result, prize_fields(playing, settings.teams), settings.teams):
        print_whole(terminal.prizes(lists, f"Prizes by {settings.teams.prizes_by}", info))
        winners = ", ".join(standing.entry for standing in grand_prize(lists)) or "nobody"
        console.print(f"Grand prize: {winners}", markup=False)
    if evolution is not None:
        print_whole(terminal.evolution_table(evolution, console.width))


def _show_group(
    settings: Settings, info: GameInfo, outcome: GroupOutcome, *, final: bool, games: bool
) -> None:
    title = where(format_named(settings.tournament.format), outcome.plan).capitalize() or "The contest"
    if final and title.endswith("group 1"):
        title = "The final"
    is_melee = shape_of(outcome.plan, info) is Shape.MELEE
    if not is_melee and not outcome.plan.title:
        print_whole(terminal.ranking(outcome.standings, title, info, width_of_output()))
    if is_melee or (games and outcome.plan.pairings):
        print_whole(terminal.group_results(outcome, info, title))


def contest_ranking(tx: Transaction, settings: Settings) -> tuple[Standing, ...]:
    """Return the contest's ranking; () before its end."""
    history = results.finished_rounds(tx)
    is_over = contest_state.state(tx).phase is Phase.FINISHED or (history and history[-1].plan.final)
    return format_of(settings).ranking(history) if history and is_over else ()
