"""Make the pages of rounds and groups: rankings, cross tables, the places of games of many. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from contest.games.base import FaultRule, GameInfo
from contest.model import GroupOutcome, GroupPlan, Match, Standing
from reports import results
from reports.bracket import is_knock_out
from reports.play import play_reports
from reports.results import GameLine, OwnGames, gone
from reports.scores import MeleePlace, Score, Shape, places, shape_of
from reports.site import charts, paths
from reports.site.charts import HeatMap
from reports.site.facts import Disclosure
from reports.site.games import points_cell
from reports.site.page import Page
from reports.site.released import ReleasedRound
from reports.site.tables import Cell, Column, Table, cell, name_cell

_CROSS = {
    Shape.SINGLE: "Points of the team in the row against the team in the column",
    Shape.SERIES: "Points of the team in the row against the team in the column, in all their games",
    Shape.RATES: "How often the strategy in the row wins against that in the column",
}


@dataclass(frozen=True)
class GroupView:
    """A finished group, and the paths of the pages that the site has."""

    outcome: GroupOutcome
    game: GameInfo
    made: Container[str]

    @property
    def plan(self) -> GroupPlan:
        return self.outcome.plan

    @property
    def shape(self) -> Shape:
        return shape_of(self.plan, self.game)

    @cached_property
    def own(self) -> Mapping[str, OwnGames]:
        """The games of every member, by member."""
        return results.own_games(self.outcome)

    def link(self, match: Match) -> str:
        """Return the path of the game's page; "" if it has none."""
        path = paths.game(self.plan, match)
        return path if match.counted and path in self.made else ""


def title_of(released: ReleasedRound, plan: GroupPlan) -> str:
    """Return the group's title for people."""
    if plan.title:
        return f"Round {plan.round}, {plan.title}"
    name = "Final" if released.final else f"Round {plan.round}"
    return name if len(released.outcome.groups) == 1 else f"{name}, group {plan.number}"


def round_title(released: ReleasedRound) -> str:
    return "Final" if released.final else f"Round {released.number}"


# --- rankings ----------------------------------------------------------------------------------------------
def ranking_table(standings: Sequence[Standing], game: GameInfo, name: str, caption: str) -> Table:
    """Make the ranking: rank, team, points, failures or faulty games, and whether the team goes on."""
    replays = game.fault_rule is FaultRule.REPLAY
    columns = (
        Column("rank", "rank", numeric=True),
        Column("team", "team"),
        Column("points", "points", numeric=True),
        Column("failures", "failures" if replays else "faulty games", numeric=True),
        Column("fate", ""),
    )
    rows = tuple(
        (
            Cell(str(s.rank or "-"), s.rank),
            name_cell(s.entry, paths.team(s.entry)),
            points_cell(None if s.disqualified else s.half_points, game.point),
            cell(s.failures),
            cell(s.fate),
        )
        for s in standings
    )
    return Table(name, caption, columns, rows)


# --- the cross table ---------------------------------------------------------------------------------------
def cross_table(view: GroupView) -> tuple[Table, HeatMap] | None:
    """Make the table of the points that each team won against each other one, and its heat map.

    Teams are in the order of the ranking. Returns None for games of many, or if no game counts.
    """
    names = [line.entry for line in view.outcome.standings]
    by_name = {name: {s.opponent: s for s in _scores(view.own[name])} for name in names}
    rates = [[_rate(view.shape, by_name[row].get(column)) for column in names] for row in names]
    known = [rate for row in rates for rate in row if rate is not None]
    if view.shape is Shape.MELEE or not known:
        return None
    low, high = (0.0, 1.0) if view.shape is Shape.RATES else (min(known), max(known))
    shades = [[None if r is None else charts.shade(r, low, high) for r in row] for row in rates]
    columns = (
        Column("number", "no.", numeric=True),
        Column("team", "team"),
        *(Column(name, str(at), numeric=True, spoken=name) for at, name in enumerate(names, start=1)),
    )
    links = {name: _links(view, name) for name in names}
    rows = tuple(
        (
            cell(at),
            name_cell(name, paths.team(name)),
            *(
                _cross_cell(view, by_name[name].get(other), links[name].get(other, ""), shade)
                for other, shade in zip(names, shades[at - 1], strict=True)
            ),
        )
        for at, name in enumerate(names, start=1)
    )
    table = Table("games", _CROSS[view.shape], columns, rows)
    return table, charts.heat_map(shades, *_ends(view, low, high))


def _scores(own: OwnGames) -> Iterator[Score]:
    for pairing, _ in own.tried:
        if len(pairing.players) == 2:
            yield Score(results.opponent(pairing, own.entry), pairing.is_self, own.lines_of[pairing])


def _rate(shape: Shape, score: Score | None) -> float | None:
    """Return the half points per game, or the win rate; None if no game counts."""
    if score is None or not score.counted:
        return None
    if shape is Shape.RATES:
        return score.own / (score.own + score.theirs or 1)
    return score.own / len(score.counted)


def _cross_cell(view: GroupView, score: Score | None, link: str, shade: int | None) -> Cell:
    if score is None or not score.counted:
        return Cell("-", None)
    if view.shape is Shape.RATES:
        return Cell(score.rate, float(score.rate), link, shade)
    return points_cell(score.own, view.game.point, link, shade)


def _links(view: GroupView, name: str) -> Mapping[str, str]:
    """Return by opponent the page of the first game against it that has one; "" if none has."""
    found: dict[str, str] = {}
    for pairing, tried in view.own[name].tried:
        link = next(filter(None, map(view.link, tried)), "")
        found.setdefault(results.opponent(pairing, name), link)
    return found


def _about_links(view: GroupView, cross: Table) -> str:
    """Say which cells of the table lead to games; "" if none can."""
    cells = [each for row in cross.rows for each in row[2:] if each.value is not None]
    linked = sum(bool(each.link) for each in cells)
    if view.shape is Shape.RATES or not cells:
        return ""
    if not linked:
        return "These games cannot be replayed."
    game = "the game of the two" if view.shape is Shape.SINGLE else "the first of the games of the two"
    others = "" if linked == len(cells) else "; the others cannot be replayed"
    return f"An underlined number leads to {game}{others}."


def _ends(view: GroupView, low: float, high: float) -> tuple[str, str]:
    """Return the least and the most points for the legend, in points of the reports."""
    unit = 1 if view.shape is Shape.RATES else 2 * view.game.point
    return f"{low / unit:.7g}", f"{high / unit:.7g}"


# --- games of many -----------------------------------------------------------------------------------------
def melee_tables(view: GroupView) -> tuple[Table, ...]:
    """Make a table of places for each counted game of more than two."""
    counted = [m for m in view.outcome.matches if m.counted and len(m.players) > 2]
    return tuple(_melee(view, match, number, len(counted)) for number, match in enumerate(counted, start=1))


def _melee(view: GroupView, match: Match, number: int, of: int) -> Table:
    word = view.game.turn_word
    columns = (
        Column("rank", "rank", numeric=True),
        Column("team", "team"),
        Column("points", "points", numeric=True),
        Column("fell_in", f"fell in {word}", numeric=True),
        Column("faults", "faults", numeric=True),
    )
    found = places(match, view.game.max_turns)
    caption = "Places" if of == 1 else f"Places in game {number}"
    return Table(f"places-{number}", caption, columns, tuple(_place(view, place) for place in found))


def _place(view: GroupView, place: MeleePlace) -> tuple[Cell, ...]:
    return (
        cell(place.rank),
        name_cell(place.entry, paths.team(place.entry)),
        points_cell(place.half_points, view.game.point),
        cell(place.fell_in),
        cell(place.faults),
    )


# --- the games of one team ---------------------------------------------------------------------------------
_STATUS = {
    results.GameStatus.COUNTED: "",
    results.GameStatus.REPLAYED: "played again",
    results.GameStatus.DISCARDED: "discarded",
    results.GameStatus.EXPUNGED: "not counted",
    results.GameStatus.NOT_PLAYED: "not played",
}


def own_table(view: GroupView, name: str, table: str) -> Table:
    """Make the table of all attempts at the games of this member, by opponent."""
    rows = tuple(
        _own_row(view, line, link)
        for pairing, tried in view.own[name].tried
        for line, link in zip(view.own[name].lines_of[pairing], [*map(view.link, tried), ""], strict=False)
    )
    columns = (
        Column("opponent", "opponent"),
        *([Column("game", "game", numeric=True)] if view.shape is not Shape.SINGLE else []),
        Column("own", "points", numeric=True),
        Column("theirs", "opponent's", numeric=True),
        Column("remark", ""),
    )
    return Table(table, "Games", columns, rows)


def _own_row(view: GroupView, line: GameLine, link: str) -> tuple[Cell, ...]:
    words = play_reports(view.game.play).verdicts
    failed = [
        f"{failure.entry}: {words[failure.verdict]} in {view.game.turn_word} {failure.turn}"
        for failure in line.failures
    ]
    remark = "; ".join(filter(None, (_STATUS[line.status], *failed)))
    opponent = "itself" if line.is_self else line.opponent
    return (
        Cell(opponent, line.opponent, link, head=True),
        *([cell(line.game)] if view.shape is not Shape.SINGLE else []),
        points_cell(line.own, view.game.point),
        points_cell(line.theirs, view.game.point),
        cell(remark),
    )


# --- pages -------------------------------------------------------------------------------------------------
def round_pages(
    released: ReleasedRound, game: GameInfo, shows: Disclosure, made: Container[str]
) -> Iterator[Page]:
    """Make the page of a round, and a page for each of its groups except in a knock-out."""
    knock_out = is_knock_out(released.outcome)
    views = [GroupView(group, game, made) for group in released.outcome.groups if group.plan.pairings]
    rankings = () if knock_out else tuple(_ranking_of(released, view) for view in views)
    matches = (match_table(released, views),) if knock_out and shows.bracket else ()
    groups = [] if knock_out else [(title_of(released, view.plan), paths.group(view.plan)) for view in views]
    yield Page(
        paths.round_page(released.number),
        "round",
        round_title(released),
        {
            "released": released,
            "is_knock_out": knock_out,
            "groups": list(zip(groups, rankings, strict=True)) if shows.rankings else [],
            "matches": matches,
            "byes": [g.plan.members[0] for g in released.outcome.groups if not g.plan.pairings],
        },
        (*(rankings if shows.rankings else ()), *matches),
    )
    for view in views if shows.rankings and not knock_out else ():
        yield group_page(released, view, shows)


def _ranking_of(released: ReleasedRound, view: GroupView) -> Table:
    caption = f"Ranking: {title_of(released, view.plan)}"
    return ranking_table(view.outcome.standings, view.game, f"ranking-{view.plan.number}", caption)


def group_page(released: ReleasedRound, view: GroupView, shows: Disclosure) -> Page:
    ranking = _ranking_of(released, view)
    cross = cross_table(view) if shows.games else None
    melees = melee_tables(view) if shows.games else ()
    return Page(
        paths.group(view.plan),
        "group",
        title_of(released, view.plan),
        {
            "released": released,
            "ranking": ranking,
            "cross": cross[0] if cross else None,
            "heat_map": cross[1] if cross else None,
            "about_links": _about_links(view, cross[0]) if cross and shows.moves else "",
            "melees": melees,
            "game_pages": [link for link in map(view.link, view.outcome.matches) if link] if melees else [],
        },
        (ranking, *(cross[:1] if cross else ()), *melees),
    )


def match_table(released: ReleasedRound, views: Sequence[GroupView]) -> Table:
    """Make the table of a knock-out round: a line for each match, with a link to its first game."""
    columns = (
        Column("side", "side"),
        Column("winner", "winner"),
        Column("points", "points", numeric=True),
        Column("opponent_points", "opponent's", numeric=True),
        Column("opponent", "opponent"),
        Column("remark", ""),
    )
    rows = []
    for view in views:
        first, second = view.outcome.standings
        out = gone((first, second))
        close = not out and first.half_points == second.half_points
        points = (None, None) if out else (first.half_points, second.half_points)
        remark = out or ("equal points" if close else "")
        rows.append(
            (
                cell(view.plan.title),
                name_cell(first.entry, paths.team(first.entry)),
                points_cell(points[0], view.game.point, _first_link(view)),
                points_cell(points[1], view.game.point),
                Cell(second.entry, second.entry, paths.team(second.entry)),
                cell(remark),
            )
        )
    return Table("matches", f"Matches of round {released.number}", columns, tuple(rows))


def _first_link(view: GroupView) -> str:
    return next(filter(None, map(view.link, view.outcome.matches)), "")
