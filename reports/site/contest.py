"""Make the pages about the complete contest: its start page, teams, evolution, bracket and log. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from contest.beacon import BeaconKind
from contest.config.sections import DATE_WORDS, Dates
from contest.model import Certainty, EvolutionOutcome, HillRanking, Phase, Team, points_text
from contest.plurals import plural
from reports.bracket import BracketMatch, matches_of, sides_of
from reports.bracket import score as match_score
from reports.certainty import certainty_facts
from reports.evolution_table import spread
from reports.ladder_report import movements
from reports.prizes import PrizeList, grand_prize, prize_lists
from reports.site import charts, paths
from reports.site.facts import Event, SiteFacts
from reports.site.groups import GroupView, own_table, ranking_table, round_title, title_of
from reports.site.page import Page
from reports.site.released import ReleasedRound
from reports.site.tables import Cell, Column, Table, cell, name_cell
from reports.text import date, percent


# --- the first page ----------------------------------------------------------------------------------------
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


# --- how sure the ranking is --------------------------------------------------------------------------------
def certainty(found: Certainty) -> Page:
    """Make the page about the contests with other chance, with all teams."""
    facts = certainty_facts(found)
    columns = tuple(
        Column(name.replace(" ", "_"), name, numeric=number > 0) for number, name in enumerate(facts.columns)
    )
    rows = tuple((name_cell(name, paths.team(name)), *map(cell, shares)) for name, *shares in facts.lines)
    table = Table("certainty", "Of 100 contests with other chance", columns, rows) if rows else None
    return Page(
        paths.CERTAINTY,
        "certainty",
        "How sure is the ranking?",
        {"paragraphs": facts.paragraphs, "table": table, "key": facts.key},
        (table,) if table else (),
    )


# --- teams -------------------------------------------------------------------------------------------------
def teams(facts: SiteFacts) -> Page:
    """Make the page of all teams. It leaves out people and addresses, which are not for the public."""
    rows = tuple(
        (
            name_cell(team.name, paths.team(team.name)),
            cell(team.registration.organization),
            cell(_last(facts, team)),
        )
        for team in _by_name(facts.teams)
    )
    columns = (Column("team", "team"), Column("organization", "organization"), Column("reached", "reached"))
    table = Table("teams", "Teams", columns, rows)
    return Page(paths.TEAMS, "teams", "Teams", {"table": table}, (table,))


def _by_name(found: Mapping[str, Team]) -> list[Team]:
    return sorted(found.values(), key=lambda team: team.name.casefold())


def _last(facts: SiteFacts, team: Team) -> str:
    """Return the title of the last released round in which the team played."""
    if not facts.shows.rankings:
        return ""
    there = [r for r in facts.rounds if any(team.name in g.plan.members for g in r.outcome.groups)]
    return round_title(there[-1]).lower() if there else ""


@dataclass(frozen=True)
class TeamRound:
    """How a team did in a round."""

    title: str
    link: str
    sentence: str
    games: Table | None


def team_pages(facts: SiteFacts, views: Sequence[Sequence[GroupView]]) -> Iterator[Page]:
    """Make a page for each team; `views` are the groups of the released rounds, round by round."""
    groups = [{name: view for view in of_round for name in view.plan.members} for of_round in views]
    for team in _by_name(facts.teams):
        rounds = [
            _team_round(facts, number, of_round[team.name], team.name)
            for number, of_round in enumerate(groups)
            if team.name in of_round
        ]
        yield _team_page(facts, team, rounds)


def _team_page(facts: SiteFacts, team: Team, rounds: Sequence[TeamRound]) -> Page:
    program = facts.programs.get(team.name) if facts.is_over and facts.shows.programs else None
    evolved = facts.evolution if facts.shows.rankings else None
    line = next((r for r in evolved.ranking if r.entry == team.name), None) if evolved else None
    return Page(
        paths.team(team.name),
        "team",
        team.name,
        {
            "team": team.name,
            "organization": team.registration.organization,
            "rounds": rounds,
            "place": next((s for s in facts.ranking if s.entry == team.name), None)
            if facts.shows.rankings
            else None,
            "evolved": line,
            "share": percent(line.fraction) if line else "",
            "program": program,
        },
        tuple(each.games for each in rounds if each.games),
    )


def _team_round(facts: SiteFacts, at: int, view: GroupView, name: str) -> TeamRound:
    released = facts.rounds[at]
    page = paths.round_page(released.number) if view.plan.title else paths.group(view.plan)
    return TeamRound(
        title_of(released, view.plan),
        page if view.plan.pairings else "",
        _sentence(view, name),
        own_table(view, name, f"round-{released.number}")
        if facts.shows.games and view.plan.pairings
        else None,
    )


def _sentence(view: GroupView, name: str) -> str:
    """Say the rank and the points in the group, and whether the team proceeds."""
    if not view.plan.pairings:
        return "A bye."
    own = next(line for line in view.outcome.standings if line.entry == name)
    if own.disqualified:
        return f"{own.fate.capitalize()}."
    points = points_text(own.half_points, view.game.point)
    rank = f"Rank {own.rank} of {len(view.plan.members)}"
    return f"{rank} with {points} points{'; proceeds' if own.advances else ''}."


# --- the evolution -----------------------------------------------------------------------------------------
_SHOWN_GENERATIONS = 24


def evolution(outcome: EvolutionOutcome) -> Page:
    """Make the page of the evolution: a chart of the shares, the ranking, and exemplars per generation."""
    ranking = Table(
        "ranking",
        "Ranking of the evolution",
        (
            Column("rank", "rank", numeric=True),
            Column("team", "team"),
            Column("share", "share", numeric=True),
            Column("extinct_in", "extinct in generation", numeric=True),
        ),
        tuple(
            (
                Cell(str(line.rank or "-"), line.rank),
                name_cell(line.entry, paths.team(line.entry)),
                Cell(percent(line.fraction), line.fraction[0] / line.fraction[1]),
                cell(line.extinct_in),
            )
            for line in outcome.ranking
        ),
    )
    whole = generation_table(outcome, range(len(outcome.generations)))
    shown = generation_table(outcome, spread(len(outcome.generations) - 1, _SHOWN_GENERATIONS))
    return Page(
        paths.EVOLUTION,
        "evolution",
        "Evolution",
        {
            "outcome": outcome,
            "chart": charts.stacked_areas(outcome),
            "ranking": ranking,
            "generations": shown,
        },
        (ranking, whole),
    )


def hill(rankings: Sequence[HillRanking]) -> Page:
    """Make the page of the hill's present ranking; `rankings` has the newest first, and at least one."""
    newest, before = rankings[0], rankings[1] if len(rankings) > 1 else None
    moves = movements(newest, before)
    table = Table(
        "hill",
        "Ranking of the hill",
        (
            Column("rank", "rank", numeric=True),
            Column("moved", "moved"),
            Column("team", "team"),
            Column("version", "version", numeric=True),
            Column("points", "points per game", numeric=True),
            Column("games", "games", numeric=True),
            Column("failures", "failures", numeric=True),
        ),
        tuple(
            (
                cell(line.rank),
                cell(moves[line.team]),
                cell(line.team),
                cell(line.version),
                Cell(f"{line.points:.1f}", line.points),
                cell(line.games),
                cell(line.failures),
            )
            for line in newest.lines
        ),
    )
    return Page(paths.HILL, "hill", "Hill", {"ranking": newest, "table": table}, (table,))


def generation_table(outcome: EvolutionOutcome, generations: Sequence[int]) -> Table:
    """Make the table of the exemplars in these generations, by rank."""
    columns = (
        Column("team", "team"),
        *(Column(str(g), str(g), numeric=True, spoken=f"generation {g}") for g in generations),
    )
    rows = tuple(
        (
            name_cell(line.entry, paths.team(line.entry)),
            *(cell(outcome.generations[g][at]) for g in generations),
        )
        for line in outcome.ranking
        for at in (outcome.entries.index(line.entry),)
    )
    return Table("generations", "Exemplars in the generations", columns, rows)


# --- the bracket -------------------------------------------------------------------------------------------
def bracket(facts: SiteFacts) -> Page:
    """Make the page of a knock-out's bracket with all its sides."""
    matches = matches_of(facts.history)
    sides = [charts.bracket_side(matches, side) for side in sides_of(matches)]
    table = _bracket_table(matches, facts.game.point)
    return Page(paths.BRACKET, "bracket", "Bracket", {"sides": sides, "table": table}, (table,))


def _bracket_table(matches: Sequence[BracketMatch], point: int) -> Table:
    columns = (
        Column("round", "round", numeric=True),
        Column("side", "side"),
        Column("winner", "winner"),
        Column("score", "score"),
        Column("loser", "loser"),
    )
    rows = tuple(
        (
            cell(match.round),
            cell(match.side),
            name_cell(match.winner or "nobody", paths.team(match.winner) if match.winner else ""),
            cell(match_score(match, point), paths.round_page(match.round)),
            cell(", ".join(losers), paths.team(losers[0]) if len(losers) == 1 else ""),
        )
        for match in matches
        if not match.is_bye
        for losers in ([name for name in match.players if name != match.winner],)
    )
    return Table("matches", "All matches", columns, rows)


# --- the log -----------------------------------------------------------------------------------------------
def events(facts: SiteFacts) -> tuple[Event, ...]:
    """Return the public events, newest first."""
    found = [*facts.noted, *_started(facts), *(_released(facts, each) for each in facts.rounds)]
    found += _finished(facts)
    return tuple(sorted(found, key=lambda event: event.at, reverse=True))


def _started(facts: SiteFacts) -> Iterator[Event]:
    if facts.started_at:
        number = f" with {plural(len(facts.teams), 'program')}" if facts.teams else ""
        title = f"The contest started{number}"
        yield Event(facts.started_at, "start", title, _about_the_seed(facts), paths.INDEX)


def _about_the_seed(facts: SiteFacts) -> str:
    if facts.entries_root is None:  # an earlier version made the contest
        return f"The contest seed is a number whose sha256 is {facts.commitment}."
    made_of = (
        f"The contest seed is made of a secret number, whose sha256 is {facts.commitment}, and of the final "
        f"list of entries, whose root is {facts.entries_root}"
    )
    if facts.settings.tournament.beacon == BeaconKind.NONE:
        return f"{made_of}. Without a public number one has to trust that the organizer tried no other list."
    return f"{made_of}, and of a public number that nobody knew when the list became final."


def _released(facts: SiteFacts, released: ReleasedRound) -> Event:
    groups = [group for group in released.outcome.groups if group.plan.pairings]
    number = (
        plural(len(groups), "match", "matches")
        if any(group.plan.title for group in groups)
        else plural(len(groups), "group")
    )
    text = f"{number}. Drawn on {date(released.drawn_at)}, played on {date(released.played_at)}."
    if released.words and facts.shows.words:
        text = f"{released.words.strip()}\n\n{text}"
    title = f"The results of {'the final' if released.final else f'round {released.number}'} are out"
    link = paths.round_page(released.number) if facts.shows.rankings or facts.shows.bracket else paths.INDEX
    return Event(released.released_at, f"round-{released.number}", title, text, link)


def _finished(facts: SiteFacts) -> Iterator[Event]:
    if facts.is_over and facts.rounds and facts.finished_at:
        winners = " and ".join(s.entry for s in facts.ranking if s.rank == 1)
        title = "The contest is over"
        if facts.shows.rankings:
            title = (
                f"The contest is over: {winners} won" if winners else "The contest is over without a winner"
            )
        at = max(facts.finished_at, facts.rounds[-1].released_at)
        yield Event(at, "end", title, f"The contest seed was {facts.seed}.", paths.INDEX)


def log(facts: SiteFacts) -> Page:
    happened = events(facts)
    columns = (Column("time", "time"), Column("event", "event"), Column("text", ""))
    rows = tuple(
        (Cell(date(e.at), e.at.isoformat()), name_cell(e.title, e.link), cell(e.text)) for e in happened
    )
    table = Table("events", "Events", columns, rows)
    return Page(paths.LOG, "log", "Log", {"events": happened}, (table,))


def feed(facts: SiteFacts) -> Page:
    """Make the log as an Atom feed. Its identifiers stay the same wherever the pages are."""
    happened = events(facts)
    opens = facts.settings.dates.registration_opens
    domain = facts.settings.contest.address.rpartition("@")[2]
    address = quote(facts.settings.contest.address.partition("@")[0])
    return Page(
        paths.FEED,
        "feed",
        facts.settings.contest.title,
        {
            "events": happened,
            "updated": happened[0].at if happened else opens,
            "tag": f"tag:{domain},{opens:%Y-%m-%d}:{address}",
            "url": facts.settings.site.url.rstrip("/"),
        },
    )
