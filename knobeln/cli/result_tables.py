"""Prints the results of rounds, for `results`, `run` and `demo`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contest.config.settings import Settings
from contest.errors import NotFound
from contest.formats import format_named
from contest.games.game import FaultRule, GameInfo
from contest.games.registry import game_of
from contest.model import (
    EvolutionEnding,
    EvolutionOutcome,
    GroupOutcome,
    Phase,
    Standing,
    Team,
    points_text,
)
from contest.util.plurals import plural
from knobeln.cli.output import print_whole, table
from knobeln.cli.terminal import console
from knobeln.context import ContestContext
from reports.all_games import all_games
from reports.bracket import is_knock_out
from reports.evolution_table import condensed
from reports.prizes import PrizeList, grand_prize, prize_fields, prize_lists
from reports.render import where
from reports.results import own_games
from reports.scores import Shape, melees, shape_of
from reports.terminal import bracket
from reports.text import percent
from store import Transaction, contest_state, results, submissions
from store.results import Games
from tournament.derived_settings import format_of

_RANK_AND_FRACTION = 26  # columns that rank, fraction and the table's frame take


def show_results(contest: ContestContext, *, games: bool = False) -> None:
    """Print the rankings of the groups of the last round that has results, for a knock-out also its
    bracket.

    After the last round also print the contest's ranking, its prizes and the evolution. Raises
    NotFound.
    """
    settings = contest.settings
    info = game_of(settings.game, settings.programs).info
    is_melee = format_of(settings).seats is None
    with contest.store.read() as tx:
        rounds = results.all_rounds(tx, Games.ALL if games or is_melee else Games.NONE)
        evolution = results.get_evolution(tx)
        result = contest_ranking(tx, settings)
        playing = submissions.participants(tx)
    if not rounds:
        raise NotFound("nothing has been played yet", hint="`knobeln run` starts the contest")
    history = [outcome for outcome in rounds if outcome.groups]
    last = history[-1] if history else rounds[-1]
    if any(map(is_knock_out, history)):
        print_whole(bracket(history, info))
    for outcome in last.groups:
        _show_group(settings, info, outcome, final=last.plan.final, games=games)
    if missing := len(last.plan.groups) - len(last.groups):
        console.print(f"{plural(missing, 'group is', 'groups are')} still to be played.")
    if result and last.plan.number == len(rounds):
        if last.groups[0].plan.title or not last.plan.final:
            show_ranking(result, "The contest", info)
        _show_prizes(result, playing, settings, info)
        if evolution is not None:
            show_evolution(evolution)


def _show_prizes(
    ranking: Sequence[Standing], playing: Mapping[str, Team], settings: Settings, info: GameInfo
) -> None:
    if not any(line.rank for line in ranking):
        console.print("There is no winner: nobody is left.")
    lists = prize_lists(ranking, prize_fields(playing, settings.teams), settings.teams)
    if lists:
        show_prizes(lists, f"Prizes by {settings.teams.prizes_by}", info)
        winners = ", ".join(standing.entry for standing in grand_prize(lists)) or "nobody"
        console.print(f"Grand prize: {winners}", markup=False)


def _show_group(
    settings: Settings, info: GameInfo, outcome: GroupOutcome, *, final: bool, games: bool
) -> None:
    title = (
        where(format_named(settings.tournament.format), outcome.plan).capitalize() or "The contest"
    )
    if final and title.endswith("group 1"):
        title = "The final"
    if shape_of(outcome.plan, info) is Shape.MELEE:
        show_melees(outcome, title, info)
        return
    if not outcome.plan.title:
        show_ranking(outcome.standings, title, info)
    if games and outcome.plan.pairings:
        show_games(outcome, title, info)


def show_ranking(standings: Sequence[Standing], title: str, info: GameInfo) -> None:
    """Print rank, team, points, failures or faulty games, and who proceeds or is out."""
    failures = "#failures" if info.fault_rule is FaultRule.REPLAY else "#faulty games"
    columns: tuple[str, ...] = ("#rank", "team", "#points", failures, "remark")
    rows: list[tuple[object, ...]] = [
        (line.rank or "-", line.entry, _points(line, info), line.failures, line.status)
        for line in standings
    ]
    if not any(line.status for line in standings):
        columns = columns[:-1]
        rows = [row[:-1] for row in rows]
    table(title, columns, rows, drop=["remark"])


def _points(standing: Standing, info: GameInfo) -> str:
    return "-" if standing.disqualified else points_text(standing.half_points, info.point)


def show_games(outcome: GroupOutcome, title: str, info: GameInfo) -> None:
    """Print all games of a group of pairs."""
    shape = shape_of(outcome.plan, info)
    (one, other, *numeric), *lines = all_games(outcome, own_games(outcome), shape, info.point)
    table(title, (str(one), str(other), *(f"#{name}" for name in numeric)), lines)


def show_melees(outcome: GroupOutcome, title: str, info: GameInfo) -> None:
    """Print the places of each game of many."""
    columns = ("#game", "#rank", "team", "#points", f"#fell in {info.turn_word}", "#faults")
    rows = [
        (
            number,
            p.rank,
            p.entry,
            points_text(p.half_points, info.point),
            p.fell_in or "",
            p.faults or "",
        )
        for number, places in enumerate(melees(outcome, info.max_turns), start=1)
        for p in places
    ]
    table(title, columns, rows)


def show_prizes(lists: Sequence[PrizeList], title: str, info: GameInfo) -> None:
    """Print the places with a prize, list by list."""
    rows: list[tuple[object, ...]] = []
    for prizes in lists:
        rows += [(prizes.value, place, s.entry, _points(s, info)) for place, s in prizes.places]
        rows += [] if prizes.places else [(prizes.value, "", "nobody", "")]
    table(title, ("", "#place", "team", "#points"), rows)


def show_evolution(outcome: EvolutionOutcome) -> None:
    """Print its ranking, with the exemplars in as many generations as the terminal has room for."""
    shown = condensed(outcome, console.width - _RANK_AND_FRACTION)
    ending: str = outcome.ending
    if outcome.ending is EvolutionEnding.FIXED_POINT:
        ending = f"stable after {plural(len(outcome.generations) - 1, 'generation')}"
    rows = [
        (line.rank or "-", line.entry, percent(line.fraction), *counts)
        for line, (_, *counts) in zip(outcome.ranking, shown.rows, strict=True)
    ]
    headings = (f"#{generation}" for generation in shown.generations)
    table(f"Evolution: {ending}", ("#rank", "team", "#fraction", *headings), rows)


def contest_ranking(tx: Transaction, settings: Settings) -> tuple[Standing, ...]:
    """Return the contest's ranking; () before its end."""
    history = results.finished_rounds(tx)
    is_over = contest_state.state(tx).phase is Phase.FINISHED or (
        history and history[-1].plan.final
    )
    return format_of(settings).ranking(history) if history and is_over else ()
