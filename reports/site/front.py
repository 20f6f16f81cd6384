"""The front page of the contest: what it is and how to take part, how it stands, who has won. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from contest.config.sections import DATE_WORDS
from contest.config.settings import Settings
from contest.formats import format_named
from contest.model import EvolutionOutcome, EvolutionRank, Phase, Standing, points_text
from contest.plurals import plural
from contest.registration_form import blank, sample
from reports import scores
from reports.bracket import is_knock_out
from reports.highlights import Highlight, meetings, upsets
from reports.prizes import PrizeList, grand_prize, prize_lists
from reports.site import charts, paths, sparks
from reports.site.facts import SiteFacts
from reports.site.games import points_cell
from reports.site.groups import GroupView, match_table, ranking_table, round_title
from reports.site.log import events
from reports.site.page import Page
from reports.site.released import ReleasedRound
from reports.site.tables import Cell, Column, Table, cell, name_cell, time_cell
from reports.site.texts import SampleLetter
from reports.site.untold import about_results, date_words
from reports.text import percent

Views = Sequence[Sequence[GroupView]]
"""The groups of the released rounds, round by round; empty where rankings are not told."""

MAX_ROWS = 250  # of a table on this page, which many open on a telephone
MAX_STILL_IN = 40
_SURPRISES = 3
_NEWS = 5
_STEPS = 3
_MAX_EQUALS = 4  # names on a step of a podium


@dataclass(frozen=True)
class GameCount:
    """How many games of the released rounds were played, how many count, and how many have a page.

    `counted` is 0 where games are not told.
    """

    played: int
    counted: int
    with_page: int


def index(facts: SiteFacts, games: GameCount, views: Views, found: Sequence[Highlight]) -> Page:
    """The front page before, during or after the contest. `found`: the highlights, of a finished contest."""
    if facts.phase is Phase.OPEN:
        phase, parts = "before", _before(facts)
    elif facts.is_over:
        phase, parts = "after", _after(facts, views, found)
    else:
        phase, parts = "during", _during(facts, views)
    dates = _dates(facts)
    return Page(
        paths.INDEX,
        "index",
        facts.settings.contest.title,
        {
            "phase": phase,
            "state": state_of(facts),
            "dates": dates,
            "events": events(facts)[:_NEWS],
            "games": games,
            "about": facts.texts.about,
            "about_pages": paths.ABOUT,
            "max_rows": MAX_ROWS,
            "most_names": MAX_STILL_IN,
            "most_equals": _MAX_EQUALS,
            "about_results": about_results(facts),
            **{name: _short(part) if isinstance(part, Table) else part for name, part in parts.items()},
        },
        (dates, *(part for part in parts.values() if isinstance(part, Table))),
    )


def _short(table: Table) -> Table:
    return replace(table, rows=table.rows[:MAX_ROWS])


def state_of(facts: SiteFacts) -> str:
    """Say in a sentence where the contest is. It does not depend on the clock, so a page stays right."""
    if facts.is_over:
        return "The contest is over." + _number_of_teams(facts, "took part")
    if facts.phase is Phase.OPEN:
        return f"{plural(facts.registered, 'team')} registered so far."
    return "The contest has started." + _number_of_teams(facts, "take part")


def _number_of_teams(facts: SiteFacts, verb: str) -> str:
    return f" {plural(len(facts.teams), 'team')} {verb}." if facts.teams else ""


# --- before ------------------------------------------------------------------------------------------------
def registration_letter(settings: Settings) -> SampleLetter:
    """The letter that registers a team: the form of the mails, with words in brackets to be replaced."""
    form = replace(blank(settings), preferences=sample(settings).preferences)
    contest = settings.contest
    return SampleLetter(contest.address, f"registration for {contest.subject_word}", form.text)


def _before(facts: SiteFacts) -> Mapping[str, object]:
    return {
        "letter": registration_letter(facts.settings),
        "form_fields": facts.texts.form_fields,
    }


# --- during ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Surprise:
    """A game of the last round that the lower one won, in a sentence, and the path of its replay or ""."""

    sentence: str
    link: str


def _during(facts: SiteFacts, views: Views) -> Mapping[str, object]:
    last = facts.rounds[-1] if facts.rounds else None
    return {
        "now": _now_playing(facts),
        "last_round": round_title(last).lower() if last else "",
        "standings": _last_round(facts, last, views[-1]) if last and views else None,
        "still_in": _still_in(facts),
        "surprises": _surprises(facts, views[-1]) if last and views else (),
    }


def _now_playing(facts: SiteFacts) -> str:
    """Say what is being played, as far as the released rounds tell it."""
    if facts.settings.site.results == "date" and not facts.rounds:
        return "All results appear here when they are published; until then these pages tell none."
    if not facts.rounds:
        first = (
            "The first round is"
            if format_named(facts.settings.tournament.format).has_rounds
            else "The games are"
        )
        return f"{first} being played. The results appear here as soon as they are out."
    last = facts.rounds[-1]
    if last.final:
        return "The final has been played. The result of the contest follows as soon as it is out."
    proceeding = len(last.outcome.survivors)
    teams = f", with {plural(proceeding, 'team')}" if proceeding else ""
    return f"Round {last.number + 1} comes next{teams}. Its results appear here as soon as they are out."


def _last_round(facts: SiteFacts, last: ReleasedRound, views: Sequence[GroupView]) -> Table | None:
    """Make the table of the last round: its matches in a knock-out, else how all stand."""
    if not is_knock_out(last.outcome):
        return _standings(views)
    played = [view for view in views if view.plan.pairings]
    return match_table(last, played) if facts.shows.bracket else None


def _standings(views: Sequence[GroupView]) -> Table:
    """Make the table of the last round: those that proceed first, then by rank."""
    several = len(views) > 1
    order = {line.entry: place for view in views for place, line in enumerate(view.outcome.standings)}
    lines = [(view, line) for view in views for line in view.outcome.standings]
    lines.sort(
        key=lambda each: (not each[1].advances, each[1].rank is None, each[1].rank, each[0].plan.number)
    )
    columns = (
        Column("group", "group", numeric=True, optional=True),
        Column("rank", "rank", numeric=True),
        Column("team", "team"),
        Column("points", "points", numeric=True),
        Column("record", "won-drawn-lost", optional=True),
        Column("fate", "remark", optional=True),
    )
    rows = tuple(
        (
            cell(view.plan.number if several else None),
            Cell(str(line.rank or "-"), line.rank),
            name_cell(line.entry, paths.team(line.entry)),
            points_cell(None if line.disqualified else line.half_points, view.game.point),
            _record(_results_of(line.entry, [view], order)),
            cell(line.fate),
        )
        for view, line in lines
    )
    return Table("standings", "Standings of the last round", columns, rows)


def _still_in(facts: SiteFacts) -> tuple[str, ...]:
    """Name the teams that go on, where a bracket tells it and no table does."""
    if not facts.rounds or not (facts.shows.rankings or facts.shows.bracket):
        return ()
    outcome = facts.rounds[-1].outcome
    return outcome.survivors if is_knock_out(outcome) and facts.teams else ()


def _surprises(facts: SiteFacts, views: Sequence[GroupView]) -> tuple[Surprise, ...]:
    if not facts.shows.games:
        return ()
    outcome = facts.rounds[-1].outcome
    ranks = {s.entry: s.rank for g in outcome.groups for s in g.standings if s.rank is not None}
    by_group = {view.plan.number: view for view in views}
    return tuple(
        Surprise(
            f"{winner}, rank {ranks[winner]}, beat {loser}, rank {ranks[loser]}, "
            f"{' to '.join(points_text(each, facts.game.point) for each in meeting.points)}",
            by_group[meeting.plan.number].link(meeting.games[-1]),
        )
        for meeting in upsets(meetings([outcome]), ranks, _SURPRISES)
        for winner, loser in (meeting.players,)
    )


# --- after -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """A step of a podium; equal ranks share it."""

    rank: int
    names: tuple[str, ...]
    value: str


@dataclass(frozen=True)
class Podium:
    """The best of a discipline, what the first place means there, and the page that tells more, or ""."""

    title: str
    meaning: str
    steps: tuple[Step, ...]
    link: str = ""


def _after(facts: SiteFacts, views: Views, found: Sequence[Highlight]) -> Mapping[str, object]:
    shown = facts.shows.rankings
    return {
        "podiums": tuple(_podiums(facts, views)) if shown else (),
        "highlights": [(each, _replay(facts, views, each)) for each in found],
        "ranking": _ranking(facts, views) if shown else None,
        "prizes": _prizes(facts) if shown else None,
        "grand_prize": [s.entry for s in grand_prize(_prize_lists(facts))] if shown else (),
        "evolution": charts.stacked_areas(facts.evolution) if shown and facts.evolution else None,
        "certainty": shown and facts.certainty is not None,
    }


def _replay(facts: SiteFacts, views: Views, highlight: Highlight) -> str:
    """Return the path of the game's replay, opened at the right turn; "" if it has none."""
    groups = (view for of_round in views for view in of_round)
    link = next((view.link(highlight.match) for view in groups if view.plan == highlight.plan), "")
    return f"{link}#{facts.game.turn_word}={highlight.turn}" if link and highlight.turn > 1 else link


def _podiums(facts: SiteFacts, views: Views) -> Iterator[Podium]:
    chosen = format_named(facts.settings.tournament.format)
    steps = _steps((s.rank, s.entry, _merit(facts, views, s)) for s in facts.ranking)
    title = "Tournament" if facts.evolution else "Winners"
    if steps:
        yield Podium(title, chosen.first_place, steps)
    if facts.evolution:
        lines = facts.evolution.ranking
        steps = _steps((e.rank, e.entry, f"{percent(e.fraction)} of the population") for e in lines)
        meaning = (
            "Every strategy of the final began with "
            f"{plural(facts.settings.evolution.exemplars, 'exemplar')}, and what it won against the others "
            "decided how many it had in the next generation. The first place goes to the largest share at "
            "the end."
        )
        if steps:
            yield Podium("Evolution", meaning, steps, paths.EVOLUTION)


def _merit(facts: SiteFacts, views: Views, standing: Standing) -> str:
    """Say what a team's rank comes from: its matches in a knock-out, elsewhere its points."""
    if any(map(is_knock_out, facts.history)):
        found = _results_of(standing.entry, [view for of_round in views for view in of_round], {})
        return f"{plural(found.count(1), 'match', 'matches')} won, {found.count(-1)} lost"
    chosen = format_named(facts.settings.tournament.format)
    unit = "match points" if chosen.counts_match_points else "points"
    return f"{points_text(standing.half_points, facts.game.point)} {unit}"


def _steps(lines: Iterator[tuple[int | None, str, str]]) -> tuple[Step, ...]:
    found: dict[int, Step] = {}
    for rank, name, value in lines:
        if rank is not None and rank <= _STEPS:
            before = found.get(rank, Step(rank, (), value))
            found[rank] = replace(before, names=(*before.names, name))
    return tuple(found[rank] for rank in sorted(found))


def _ranking(facts: SiteFacts, views: Views) -> Table:
    """Make the ranking, with each team's results against the others and its share in the evolution."""
    plain = ranking_table(facts.ranking, facts.game, "ranking", "Ranking of the contest")
    knock_out = any(map(is_knock_out, facts.history))
    counted = [view for of_round in (views if knock_out else views[-1:]) for view in of_round]
    order = {} if knock_out else {s.entry: place for place, s in enumerate(facts.ranking)}
    evolved = _Evolved(facts.evolution) if facts.evolution else None
    columns = (
        *plain.columns[:3],
        Column("record", "won-drawn-lost", optional=True),
        *((Column("evolution", "evolution", numeric=True), Column("share", "share")) if evolved else ()),
        *plain.columns[3:],
    )
    rows = tuple(
        (
            *row[:3],
            _record(_results_of(standing.entry, counted, order)),
            *(evolved.cells(standing.entry) if evolved else ()),
            *row[3:],
        )
        for standing, row in zip(facts.ranking, plain.rows, strict=True)
    )
    return replace(plain, columns=columns, rows=rows)


def _results_of(name: str, views: Sequence[GroupView], order: Mapping[str, int]) -> list[int]:
    """1, 0 or -1 for each opponent that the team beat, drew or lost against.

    They are in this order, the best opponent first; those who are not in it come last, as they were met.
    """
    found = [
        (s.opponent, (s.own > s.theirs) - (s.own < s.theirs))
        for view in views
        if name in view.own
        for s in scores.scores(view.own[name])
        if s.counted and not s.is_self
    ]
    return [result for _, result in sorted(found, key=lambda each: order.get(each[0], len(order)))]


def _record(of_one: Sequence[int]) -> Cell:
    if not of_one:
        return cell(None)
    text = "-".join(str(of_one.count(result)) for result in (1, 0, -1))
    return Cell(text, text, spark=sparks.bars(of_one))


class _Evolved:
    """The evolution's columns of the ranking. All lines have the same scale."""

    def __init__(self, outcome: EvolutionOutcome) -> None:
        self._lines = {line.entry: line for line in outcome.ranking}
        self._at = {entry: at for at, entry in enumerate(outcome.entries)}
        totals = [sum(generation) or 1 for generation in outcome.generations]
        self._shares = [
            [count / total for count in generation]
            for generation, total in zip(outcome.generations, totals, strict=True)
        ]
        self._top = max(map(max, self._shares), default=0.0) if self._at else 0.0

    def cells(self, name: str) -> tuple[Cell, Cell]:
        """Rank and share; nothing for a team that took no part in it."""
        line = self._lines.get(name)
        if line is None:
            return cell(None), cell(None)
        over_time = [shares[self._at[name]] for shares in self._shares]
        share = Cell(percent(line.fraction), _value(line), spark=sparks.line(over_time, self._top))
        return Cell(str(line.rank or "-"), line.rank), share


def _value(line: EvolutionRank) -> float:
    return line.fraction[0] / line.fraction[1]


# --- dates -------------------------------------------------------------------------------------------------
def _dates(facts: SiteFacts) -> Table:
    rows = tuple((name_cell(words), time_cell(at)) for words, at in times_of(facts))
    caption = "What happened when" if facts.is_over else "Schedule"
    return Table("dates", caption, (Column("event", "event"), Column("time", "time")), rows)


def times_of(facts: SiteFacts) -> tuple[tuple[str, datetime], ...]:
    """What happens when: as planned, and from the contest's start on as it was."""
    return tuple(_came_true(facts, facts.started_at) if facts.started_at else _planned(facts))


def _planned(facts: SiteFacts) -> Iterator[tuple[str, datetime]]:
    return ((words, getattr(facts.settings.dates, name)) for name, words in date_words(facts).items())


def _came_true(facts: SiteFacts, began: datetime) -> Iterator[tuple[str, datetime]]:
    """Return what has happened, and when; from the planned dates only those that are still to come.

    The organizer may start the contest before its date. The start closes whatever is open then.
    """
    dates, results = facts.settings.dates, date_words(facts)["results_published"]
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
        were = "the results were published" if results == DATE_WORDS["results_published"] else results
        yield were, max([facts.finished_at, *released, *on_its_date])
    elif dates.results_published > max([began, *released]):
        yield results, dates.results_published


# --- prizes ------------------------------------------------------------------------------------------------
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
