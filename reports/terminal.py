"""Show results on the organizer's terminal, as rich renderables. They can be read without colours too."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

from rich.bar import Bar
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from contest.games.drawing import Drawing, Square
from contest.games.game import FaultRule, GameInfo
from contest.model import EvolutionEnding, EvolutionOutcome, GroupOutcome, RoundOutcome, Standing, points_text
from reports.all_games import all_games
from reports.bracket import all_lines, field_after, matches_of, round_lines, sides_of
from reports.evolution_table import condensed
from reports.prizes import PrizeList
from reports.results import own_games
from reports.scores import Shape, melees, shape_of
from reports.text import percent, plural

_BAR = 20  # columns of the bar of the most points
_WIDE = 72  # columns of a terminal that has room for them
_RICH_GAP = 2  # between the columns of a table
_RANK_AND_FRACTION = 26  # columns that rank, fraction and the table's frame take


def ranking(standings: Sequence[Standing], title: str, game: GameInfo, width: int = 80) -> Table:
    """Show rank, team, points, failures or faulty games.

    Where `width` columns have room for it, show a bar beside the points, and whether a team goes on.
    """
    failures = "#failures" if game.fault_rule is FaultRule.REPLAY else "#faulty games"
    is_wide = width >= _WIDE
    has_fates = is_wide and any(s.fate for s in standings)
    table = _table(title, "#rank", "team", "#points", *[""] * is_wide, failures, *[""] * has_fates)
    most = max((s.half_points for s in standings), default=0)
    # On a narrow terminal the bars get narrower, not the names.
    for column in table.columns:
        column.no_wrap = True
    if is_wide:
        table.columns[3].no_wrap, table.columns[3].max_width = False, _BAR
    for s in standings:
        points = "-" if s.disqualified else points_text(s.half_points, game.point)
        style = "dim" if s.disqualified else "bold" if s.advances or s.rank == 1 else ""
        bar = Bar(most, 0, s.half_points) if s.half_points > 0 else Text("")
        cells = [Text(str(s.rank or "-")), Text(s.entry), Text(points), *[bar] * is_wide]
        table.add_row(*cells, Text(str(s.failures)), *[Text(s.fate)] * has_fates, style=style)
    return table


def group_results(outcome: GroupOutcome, game: GameInfo, title: str) -> Table:
    """Show all games of the group; a game of many shows its places instead."""
    shape = shape_of(outcome.plan, game)
    if shape is Shape.MELEE:
        return _melees(outcome, game, title)
    (one, other, *numeric), *lines = all_games(outcome, own_games(outcome), shape, game.point)
    table = _table(title, str(one), str(other), *(f"#{name}" for name in numeric))
    for line in lines:
        table.add_row(*(Text(str(cell)) for cell in line))
    return table


def _melees(outcome: GroupOutcome, game: GameInfo, title: str) -> Table:
    table = _table(title, "#game", "#rank", "team", "#points", f"#fell in {game.turn_word}", "#faults")
    for number, places in enumerate(melees(outcome, game.max_turns), start=1):
        for p in places:
            points = points_text(p.half_points, game.point)
            cells = (str(number), str(p.rank), p.entry, points, str(p.fell_in or ""), str(p.faults or ""))
            table.add_row(*map(Text, cells), style="bold" if p.rank == 1 else "")
    return table


def prizes(lists: Sequence[PrizeList], title: str, game: GameInfo) -> Table:
    """Show the places with a prize, list by list."""
    table = _table(title, "", "#place", "team", "#points")
    for prize_list in lists:
        if not prize_list.places:
            table.add_row(Text(prize_list.value), Text(""), Text("nobody"), Text(""))
        for place, s in prize_list.places:
            cells = (prize_list.value, str(place), s.entry, points_text(s.half_points, game.point))
            table.add_row(*map(Text, cells))
    return table


def bracket(history: Sequence[RoundOutcome], game: GameInfo) -> Group:
    """Show a knock-out's bracket and the matches of its last round; teams still in are highlighted."""
    field = field_after(history)
    still_in = {*field.unbeaten, *field.beaten}
    lines: list[Text] = []
    for side, tree in all_lines(history, game.point).items():
        lines += [
            Text(side.capitalize(), style="bold"),
            *(_bracket_line(line, still_in) for line in tree),
            Text(),
        ]
    matches = matches_of(history[-1:])
    for side in sides_of(matches):
        title = f"Round {history[-1].plan.number}, {side}"
        of_side = [match for match in matches if match.side == side]
        lines += [Text(title, style="bold"), *map(Text, round_lines(of_side, game.point)), Text()]
    return Group(*lines)


def _bracket_line(line: str, still_in: AbstractSet[str]) -> Text:
    words = line.split()
    return Text(line, style="green" if words and words[0] in still_in else "")


def evolution_table(outcome: EvolutionOutcome, width: int = 80) -> Table:
    """Show the ranking of the evolution, with the exemplars in as many generations as fit into `width`."""
    shown = condensed(outcome, width - _RANK_AND_FRACTION, gap=_RICH_GAP)
    headings = (f"#{generation}" for generation in shown.generations)
    is_stable = outcome.ending is EvolutionEnding.FIXED_POINT
    ending = (
        f"stable after {plural(len(outcome.generations) - 1, 'generation')}" if is_stable else outcome.ending
    )
    table = _table(f"Evolution: {ending}", "#rank", "team", "#fraction", *headings)
    for line, (_, *counts) in zip(outcome.ranking, shown.rows, strict=True):
        cells = (line.rank or "-", line.entry, percent(line.fraction), *counts)
        table.add_row(*(Text(str(cell)) for cell in cells), style="dim" if line.rank is None else "")
    return table


def _table(title: str, *names: str) -> Table:
    """Make a table; a column whose name begins with `#` holds numbers."""
    table = Table(
        title=Text(title), title_justify="left", header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for name in names:
        table.add_column(name.removeprefix("#"), justify="right" if name.startswith("#") else "left")
    return table


# --- boards ----------------------------------------------------------------------------------------------
T = TypeVar("T")


def board_text(drawing: Drawing, names: Sequence[str]) -> str:
    """Signs, with a point for an empty square, and lines between the blocks; then whose they are, by seat,
    and the caption."""
    width = max(len(_sign(square)) for square in drawing.squares)
    blocks = [
        [" | ".join(_signs(part, width) for part in _parts(row, drawing.block)) for row in rows]
        for rows in _parts(drawing.rows, drawing.block)
    ]
    across = "".join("+" if sign == "|" else "-" for sign in blocks[0][0])
    grid = f"\n{across}\n".join("\n".join(rows) for rows in blocks)
    players = ", ".join(f"{sign} is {name}" for sign, name in zip(drawing.signs, names, strict=False))
    return "\n".join(filter(None, (f"{grid}\n", players, drawing.caption))) + "\n"


def _parts(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Split the items into parts of this size; 0 = one part."""
    step = size or len(items)
    return [items[start : start + step] for start in range(0, len(items), step)]


def _signs(squares: Sequence[Square], width: int) -> str:
    return " ".join(f"{_sign(square):<{width}}" for square in squares)


def _sign(square: Square) -> str:
    return square.text or "."
