"""The page of the bracket of a knock-out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from contest.language import gettext, noted
from reports.bracket import BracketMatch, matches_of, sides_of
from reports.bracket import score as match_score
from reports.site import charts, paths
from reports.site.facts import SiteFacts
from reports.site.games import Replays
from reports.site.tables import Column, Page, Table, cell, name_cell, word_cell
from reports.site.views import GroupView


def bracket(facts: SiteFacts, replays: Replays) -> Page:
    """Make the page of a knock-out's bracket with all its sides."""
    matches = matches_of(facts.history)
    groups = [GroupView(group, facts.game, replays) for outcome in facts.history for group in outcome.groups]
    found = {m: view.first_links for m, view in zip(matches, groups, strict=True) if not m.is_bye}
    links = {match: (link or paths.round_page(match.round), text) for match, (link, text) in found.items()}
    to_replays = {match: link for match, (link, _) in links.items()}
    sides = [charts.bracket_side(matches, side, to_replays) for side in sides_of(matches)]
    table = _bracket_table(matches, facts.game.point, links)
    return Page(paths.BRACKET, "bracket", gettext("Bracket"), {"sides": sides, "table": table}, (table,))


def _bracket_table(
    matches: Sequence[BracketMatch], point: int, links: Mapping[BracketMatch, tuple[str, str]]
) -> Table:
    """`links`: to the replay of each match, or else to its round, and to its text."""
    columns = (
        Column("round", noted("round"), numeric=True),
        Column("side", noted("side")),
        Column("winner", noted("winner")),
        Column("score", noted("score")),
        Column("loser", noted("loser")),
    )
    rows = tuple(
        (
            cell(match.round, paths.round_page(match.round)),
            word_cell(match.side),
            name_cell(match.winner or gettext("nobody"), paths.team(match.winner) if match.winner else ""),
            replace(cell(match_score(match, point), links[match][0]), text_link=links[match][1]),
            cell(", ".join(losers), paths.team(losers[0]) if len(losers) == 1 else ""),
        )
        for match in matches
        if not match.is_bye
        for losers in ([name for name in match.players if name != match.winner],)
    )
    return Table("matches", gettext("All matches"), columns, rows)
