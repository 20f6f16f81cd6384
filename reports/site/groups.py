"""Make the pages of rounds and groups: rankings, cross tables, the places of games of many.
Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from contest.games.game import FaultRule, GameInfo
from contest.language import gettext, noted
from contest.model import Former, GroupPlan, Match, Rerun, Standing
from reports.bracket import BracketMatch, is_knock_out, matches_of, sides_of
from reports.bracket import score as match_score
from reports.results import gone
from reports.scores import MeleePlace, places
from reports.site import charts, paths
from reports.site.cross import cross_table
from reports.site.facts import Disclosure, ReleasedRound, SiteFacts
from reports.site.games import Replays, points_cell
from reports.site.tables import Cell, Column, Page, Table, cell, name_cell, word_cell
from reports.site.views import GroupView


def title_of(released: ReleasedRound, plan: GroupPlan) -> str:
    """Return the group's title for people."""
    if plan.title:
        return gettext("Round %(round)s, %(title)s", round=plan.round, title=gettext(plan.title))
    if len(released.outcome.groups) == 1:
        return round_title(released)
    if released.final:
        return gettext("Final, group %(group)s", group=plan.number)
    return gettext("Round %(round)s, group %(group)s", round=plan.round, group=plan.number)


def round_title(released: ReleasedRound) -> str:
    """The round's title for people."""
    return gettext("Final") if released.final else gettext("Round %(round)s", round=released.number)


def round_link(released: ReleasedRound, shows: Disclosure) -> str:
    """Return the path of the page about the round: of its only group if that is all there is to
    it."""
    plans = [group.plan for group in released.outcome.groups]
    if (
        len(plans) == 1
        and plans[0].pairings
        and shows.rankings
        and not is_knock_out(released.outcome)
    ):
        return paths.group(plans[0])
    return paths.round_page(released.number)


# --- rankings -------------------------------------------------------------------------------------
def ranking_table(standings: Sequence[Standing], game: GameInfo, name: str, caption: str) -> Table:
    """Make the ranking: rank, team, points, failures or faulty games, and whether the team goes
    on."""
    replays = game.fault_rule is FaultRule.REPLAY
    columns = (
        Column("rank", noted("rank"), numeric=True),
        Column("team", noted("team")),
        Column("points", noted("points"), numeric=True),
        Column(
            "failures",
            noted("failures") if replays else noted("faulty games"),
            numeric=True,
            optional=True,
        ),
        Column("fate", noted("remark"), optional=True),
    )
    rows = tuple(
        (
            Cell(str(s.rank or "-"), s.rank),
            name_cell(s.entry, paths.team(s.entry)),
            points_cell(None if s.disqualified else s.half_points, game.point),
            cell(s.failures),
            word_cell(s.status),
        )
        for s in standings
    )
    return Table(name, caption, columns, rows)


# --- games of many --------------------------------------------------------------------------------
def melee_tables(view: GroupView) -> tuple[Table, ...]:
    """Make a table of places for each counted game of more than two."""
    counted = [m for m in view.outcome.matches if m.counted and len(m.players) > 2]
    return tuple(
        _melee(view, match, number, len(counted)) for number, match in enumerate(counted, start=1)
    )


def _melee(view: GroupView, match: Match, number: int, games: int) -> Table:
    fell_in = gettext("fell in %(turn_word)s", turn_word=gettext(view.game.turn_word))
    columns = (
        Column("rank", noted("rank"), numeric=True),
        Column("team", noted("team")),
        Column("points", noted("points"), numeric=True),
        Column("fell_in", fell_in, numeric=True),
        Column("faults", noted("faults"), numeric=True),
    )
    ranking = places(match, view.game.max_turns)
    caption = (
        gettext("Places") if games == 1 else gettext("Places in game %(number)s", number=number)
    )
    return Table(
        f"places-{number}", caption, columns, tuple(_place(view, place) for place in ranking)
    )


def _place(view: GroupView, place: MeleePlace) -> tuple[Cell, ...]:
    return (
        cell(place.rank),
        name_cell(place.entry, paths.team(place.entry)),
        points_cell(place.half_points, view.game.point),
        cell(place.fell_in),
        cell(place.faults),
    )


# --- pages ----------------------------------------------------------------------------------------
def round_pages(
    released: ReleasedRound,
    game: GameInfo,
    shows: Disclosure,
    replays: Replays,
    ranking: Sequence[Standing] = (),
) -> Iterator[Page]:
    """Make the page of a round, and a page for each of its groups except in a knock-out.

    A round of one group needs no page besides that. `ranking` is the contest's, which the front
    page has: the group that it is about does not tell it again.
    """
    views = [
        GroupView(group, game, replays) for group in released.outcome.groups if group.plan.pairings
    ]
    if round_link(released, shows) == paths.round_page(released.number):
        yield _round_page(released, views, shows)
    if not shows.rankings or is_knock_out(released.outcome):
        return
    for view in views:
        tells_ranking = view.outcome.standings != tuple(ranking)
        yield group_page(released, view, shows, tells_ranking=tells_ranking)


def _round_page(released: ReleasedRound, views: Sequence[GroupView], shows: Disclosure) -> Page:
    """The page of a round: its matches in a knock-out, the rankings of its groups in others."""
    knock_out = is_knock_out(released.outcome)
    matches: tuple[Table, ...] = ()
    rankings: tuple[Table, ...] = ()
    groups: list[tuple[tuple[str, str], Table]] = []
    if knock_out and shows.bracket:
        matches = (match_table(released.number, views),)
    if not knock_out and shows.rankings:
        rankings = tuple(_ranking_of(released, view) for view in views)
        links = [(title_of(released, view.plan), paths.group(view.plan)) for view in views]
        groups = list(zip(links, rankings, strict=True))
    byes = [group.plan.members[0] for group in released.outcome.groups if not group.plan.pairings]
    return Page(
        paths.round_page(released.number),
        "round",
        round_title(released),
        {
            "released": released,
            "is_knock_out": knock_out,
            "groups": groups,
            "matches": matches,
            "byes": byes,
        },
        (*rankings, *matches),
    )


def _ranking_of(released: ReleasedRound, view: GroupView) -> Table:
    caption = gettext("Ranking: %(group)s", group=title_of(released, view.plan))
    return ranking_table(view.outcome.standings, view.game, f"ranking-{view.plan.number}", caption)


def group_page(
    released: ReleasedRound, view: GroupView, shows: Disclosure, *, tells_ranking: bool
) -> Page:
    ranking = _ranking_of(released, view) if tells_ranking else None
    cross = cross_table(view) if shows.games else None
    melees = melee_tables(view) if shows.games else ()
    return Page(
        paths.group(view.plan),
        "group",
        title_of(released, view.plan),
        {
            "released": released,
            "ranking": ranking,
            "cross": cross,
            "melees": melees,
            "game_links": [link for link in map(view.link, view.outcome.matches) if link]
            if melees
            else [],
        },
        (*((ranking,) if ranking else ()), *([cross.table] if cross else ()), *melees),
    )


def former_page(facts: SiteFacts, former: Former) -> Page:
    """Make the page of the results that were told, and then played again."""
    tables = []
    for number in former.released:
        groups = [
            group for group in former.groups if group.plan.round == number and group.plan.pairings
        ]
        views = [GroupView(group, facts.game, Replays()) for group in groups]
        if any(view.plan.title for view in views):
            tables += [match_table(number, views)] if facts.shows.bracket else []
        elif facts.shows.rankings:
            tables += [
                ranking_table(
                    view.outcome.standings,
                    facts.game,
                    f"ranking-{number}.{view.plan.number}",
                    caption,
                )
                for view in views
                for caption in (
                    gettext(
                        "Round %(round)s, group %(group)s", round=number, group=view.plan.number
                    ),
                )
            ]
    title = gettext("Former results of %(what)s", what=what_again(former.rerun))
    facts_of_it = {"rerun": former.rerun, "former": tables, "is_done": facts.played_again is None}
    return Page(paths.former(former.rerun), "former", title, facts_of_it, tuple(tables))


def what_again(rerun: Rerun) -> str:
    """What is played again, inside a sentence."""
    if rerun.group is None:
        return gettext("round %(number)s", number=rerun.round)
    return gettext("group %(group)s of round %(round)s", group=rerun.group, round=rerun.round)


def match_table(number: int, views: Sequence[GroupView]) -> Table:
    """Make the table of a knock-out round: a line for each match, with a link to its first game."""
    columns = (
        Column("side", noted("side")),
        Column("winner", noted("winner")),
        Column("points", noted("points"), numeric=True),
        Column("opponent_points", noted("opponent's"), numeric=True),
        Column("opponent", noted("opponent")),
        Column("remark", noted("remark"), optional=True),
    )
    rows = []
    for view in views:
        first, second = view.outcome.standings
        out = gone((first, second))
        close = not out and first.half_points == second.half_points
        points = (None, None) if out else (first.half_points, second.half_points)
        remark = out or (gettext("equal points") if close else "")
        rows.append(
            (
                word_cell(view.plan.title),
                name_cell(first.entry, paths.team(first.entry)),
                points_cell(points[0], view.game.point, view.first_link),
                points_cell(points[1], view.game.point),
                Cell(second.entry, second.entry, paths.team(second.entry)),
                cell(remark),
            )
        )
    return Table(
        "matches", gettext("Matches of round %(round)s", round=number), columns, tuple(rows)
    )


# --- the bracket of a knock-out -------------------------------------------------------------------
def bracket(facts: SiteFacts, replays: Replays) -> Page:
    """Make the page of a knock-out's bracket with all its sides."""
    matches = matches_of(facts.history)
    groups = [
        GroupView(group, facts.game, replays)
        for outcome in facts.history
        for group in outcome.groups
    ]
    links = {
        match: view.first_link or paths.round_page(match.round)
        for match, view in zip(matches, groups, strict=True)
        if not match.is_bye
    }
    sides = [charts.bracket_side(matches, side, links) for side in sides_of(matches)]
    table = _bracket_table(matches, facts.game.point, links)
    return Page(
        paths.BRACKET, "bracket", gettext("Bracket"), {"sides": sides, "table": table}, (table,)
    )


def _bracket_table(
    matches: Sequence[BracketMatch], point: int, links: Mapping[BracketMatch, str]
) -> Table:
    """`links`: to the replay of each match, or else to its round."""
    columns = (
        Column("round", noted("round"), numeric=True),
        Column("side", noted("side")),
        Column("winner", noted("winner")),
        Column("score", noted("score")),
        Column("loser", noted("loser")),
    )
    rows = []
    for match in matches:
        if match.is_bye:
            continue
        winner = match.winner
        losers = [name for name in match.players if name != winner]
        row = (
            cell(match.round, paths.round_page(match.round)),
            word_cell(match.side),
            name_cell(winner or gettext("nobody"), paths.team(winner) if winner else ""),
            cell(match_score(match, point), links[match]),
            cell(", ".join(losers), paths.team(losers[0]) if len(losers) == 1 else ""),
        )
        rows.append(row)
    return Table("matches", gettext("All matches"), columns, tuple(rows))
