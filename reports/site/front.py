"""The front page of the contest. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from contest.config.sections import DATE_WORDS, Dates
from contest.language import date
from contest.model import Phase
from contest.plurals import plural
from reports.prizes import PrizeList, grand_prize, prize_lists
from reports.site import charts, paths
from reports.site.facts import SiteFacts
from reports.site.groups import ranking_table
from reports.site.log import events
from reports.site.page import Page
from reports.site.tables import Cell, Column, Table, cell, name_cell


def index(facts: SiteFacts, games_made: int, games: int, played: int) -> Page:
    """The front page: state, dates, news, and the ranking when the contest is over."""
    dates = _dates(facts)
    shown = facts.shows.rankings and facts.is_over
    ranking = ranking_table(facts.ranking, facts.game, "ranking", "Ranking of the contest") if shown else None
    prizes = _prizes(facts) if shown else None
    return Page(
        paths.INDEX,
        "index",
        facts.settings.contest.title,
        {
            "state": state_of(facts),
            "is_open": facts.phase is Phase.OPEN,
            "is_over": facts.is_over,
            "dates": dates,
            "ranking": ranking,
            "prizes": prizes,
            "grand_prize": [s.entry for s in grand_prize(_prize_lists(facts))] if shown else [],
            "winners": [s.entry for s in facts.ranking if s.rank == 1] if shown else [],
            "evolution": _areas(facts),
            "certainty": facts.certainty is not None and shown,
            "events": events(facts)[:3],
            "games_made": games_made,
            "games": games,
            "played": played,
        },
        tuple(table for table in (dates, ranking, prizes) if table),
    )


def state_of(facts: SiteFacts) -> str:
    """Say in a sentence where the contest is. It does not depend on the clock, so a page stays right."""
    if facts.is_over:
        return "The contest is over." + _number_of_teams(facts, "took part")
    if facts.phase is Phase.OPEN:
        return f"{plural(facts.registered, 'team')} registered so far."
    return "The contest has started." + _number_of_teams(facts, "take part")


def _number_of_teams(facts: SiteFacts, verb: str) -> str:
    return f" {plural(len(facts.teams), 'team')} {verb}." if facts.teams else ""


def _dates(facts: SiteFacts) -> Table:
    planned, began = facts.settings.dates, facts.started_at
    times = _came_true(facts, began) if began else _planned(planned)
    rows = tuple((name_cell(words), Cell(date(at), at.isoformat())) for words, at in times)
    caption = "What happened when" if facts.is_over else "Schedule"
    return Table("dates", caption, (Column("event", ""), Column("time", "time")), rows)


def _planned(dates: Dates) -> Iterator[tuple[str, datetime]]:
    return ((words, getattr(dates, name)) for name, words in DATE_WORDS.items())


def _came_true(facts: SiteFacts, began: datetime) -> Iterator[tuple[str, datetime]]:
    """Return what has happened, and when; from the planned dates only those that are still to come.

    The organizer may start the contest before its date. The start closes whatever is open then.
    """
    dates = facts.settings.dates
    services = (
        ("registration", dates.registration_opens, dates.registration_closes),
        ("the compile service", dates.compilation_opens, dates.compilation_closes),
    )
    opened = [service for service in services if service[1] < began]
    yield from ((f"{name} opened", at) for name, at, _ in opened)
    yield from ((f"{name} closed", min(at, began)) for name, _, at in opened)
    yield "the contest started", began
    released = [each.released_at for each in facts.rounds]
    if facts.is_over and facts.finished_at:
        yield "the contest ended", facts.finished_at
        on_its_date = [dates.results_published] if facts.settings.site.results == "date" else []
        yield "the results were published", max([facts.finished_at, *released, *on_its_date])
    elif dates.results_published > max([began, *released]):
        yield DATE_WORDS["results_published"], dates.results_published


def _prize_lists(facts: SiteFacts) -> tuple[PrizeList, ...]:
    return prize_lists(facts.ranking, facts.teams, facts.settings.teams)


def _prizes(facts: SiteFacts) -> Table | None:
    by = facts.settings.teams.prizes_by
    rows = tuple(
        (name_cell(prizes.value), cell(place), Cell(s.entry, s.entry, paths.team(s.entry)))
        for prizes in _prize_lists(facts)
        for place, s in prizes.places
    )
    columns = (Column("list", by), Column("place", "place", numeric=True), Column("team", "team"))
    return Table("prizes", f"Prizes by {by}", columns, rows) if rows else None


def _areas(facts: SiteFacts) -> charts.StackedAreas | None:
    shown = facts.evolution if facts.shows.rankings else None
    return charts.stacked_areas(shown) if shown else None
