"""Prints the results of rounds, for `results`, `run` and `demo`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.errors import NotFound
from contest.formats import format_named
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.model import EvolutionOutcome, GroupOutcome, Phase, RoundOutcome, RoundPlan, Standing
from contest.store import Transaction, contest_state, results, submissions
from contest.store.results import DrawnRound, Games
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
    """Print the rankings of the groups of the last round that has results.

    After the last round also print the contest's ranking, its prizes and the evolution.
    """
    settings = contest.settings
    with contest.store.read() as tx:
        rounds = rounds_for_tables(tx, settings, games=games)
        evolution = results.get_evolution(tx)
        result = contest_ranking(tx, settings)
        playing = submissions.participants(tx)
    shown = RoundTables.of(settings, rounds, None)
    shown.print(games=games)
    if not result or shown.plan.number < len(rounds):
        return
    if shown.outcomes[0].plan.title or not shown.plan.final:
        print_whole(terminal.ranking(result, "The contest", shown.info, width_of_output()))
    if not any(line.rank for line in result):
        console.print("There is no winner: nobody is left.")
    if lists := prize_lists(result, prize_fields(playing, settings.teams), settings.teams):
        print_whole(terminal.prizes(lists, f"Prizes by {settings.teams.prizes_by}", shown.info))
        winners = ", ".join(standing.entry for standing in grand_prize(lists)) or "nobody"
        console.print(f"Grand prize: {winners}", markup=False)
    if evolution is not None:
        show_evolution(evolution)


def rounds_for_tables(tx: Transaction, settings: Settings, *, games: bool) -> tuple[DrawnRound, ...]:
    """Read all rounds, with their games if they are wanted or if a round is a single game of everybody."""
    needs_games = games or format_of(settings).seats is None
    return results.all_rounds(tx, Games.ALL if needs_games else Games.NONE)


def contest_ranking(tx: Transaction, settings: Settings) -> tuple[Standing, ...]:
    """Return the contest's ranking; () before its end."""
    history = results.finished_rounds(tx)
    is_over = contest_state.state(tx).phase is Phase.FINISHED or (history and history[-1].plan.final)
    return format_of(settings).ranking(history) if history and is_over else ()


def show_evolution(outcome: EvolutionOutcome) -> None:
    print_whole(terminal.evolution_table(outcome, console.width))


@dataclass(frozen=True)
class RoundTables:
    """The tables of one round. `history`: the rounds up to this one that have results."""

    settings: Settings
    info: GameInfo
    plan: RoundPlan
    outcomes: Sequence[GroupOutcome]
    history: Sequence[RoundOutcome]

    @classmethod
    def of(cls, settings: Settings, rounds: Sequence[DrawnRound], number: int | None) -> RoundTables:
        """Take this round, or the last that has results. Raises NotFound."""
        if not rounds:
            raise NotFound("nothing has been played yet", hint="`knobeln run` starts the contest")
        if number is None:
            found = next((each for each in reversed(rounds) if each[1]), rounds[-1])
        else:
            numbered = {each[0].number: each for each in rounds}
            if number not in numbered:
                raise NotFound(f"there is no round {number}", hint=f"the last is {rounds[-1][0].number}")
            found = numbered[number]
        plan, outcomes = found
        history = [RoundOutcome(each, done) for each, done in rounds if each.number <= plan.number and done]
        info = game_of(settings.game, settings.programs).info
        return cls(settings, info, plan, outcomes, history)

    def print(self, *, games: bool = False) -> None:
        """Print a knock-out's bracket and each group's ranking, and all `games`."""
        if any(map(is_knock_out, self.history)):
            print_whole(terminal.bracket(self.history, self.info))
        for outcome in self.outcomes:
            self._print_group(outcome, games=games)
        missing = len(self.plan.groups) - len(self.outcomes)
        if missing:
            console.print(f"{plural(missing, 'group is', 'groups are')} still to be played.")

    def _print_group(self, outcome: GroupOutcome, *, games: bool) -> None:
        kind = format_named(self.settings.tournament.format)
        title = where(kind, outcome.plan).capitalize() or "The contest"
        if self.plan.final and title.endswith("group 1"):
            title = "The final"
        is_melee = shape_of(outcome.plan, self.info) is Shape.MELEE
        if not is_melee and not outcome.plan.title:
            print_whole(terminal.ranking(outcome.standings, title, self.info, width_of_output()))
        if is_melee or (games and outcome.plan.pairings):
            print_whole(terminal.group_results(outcome, self.info, title))
