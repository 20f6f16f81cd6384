"""The list of the teams, and the page of each. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from contest.games.game import MATCH_POINT
from contest.language import gettext, noted
from contest.model import Match, Team
from reports import results
from reports.highlights import Highlight
from reports.play import play_reports
from reports.results import GameLine
from reports.scores import Score, Shape, scores
from reports.site import charts, paths
from reports.site.facts import PublishedProgram, SiteFacts, about_results
from reports.site.games import points_cell
from reports.site.groups import title_of
from reports.site.tables import Cell, Column, Page, Table, cell, name_cell, word_cell
from reports.site.views import GroupView
from reports.text import grouped_points as points
from reports.text import percent


def teams(facts: SiteFacts) -> Page:
    """Make the page of all teams. It leaves out people and addresses, which are not for the
    public."""
    shows = facts.shows.rankings
    rank = {line.entry: line.rank for line in facts.ranking} if shows else {}
    evolved = (
        {line.entry: line for line in facts.evolution.ranking} if shows and facts.evolution else {}
    )
    rows = tuple(
        (
            name_cell(team.name, paths.team(team.name)),
            cell(team.registration.organization),
            cell(_last(facts, team) if facts.shows.rankings else ""),
            cell(rank.get(team.name)),
            cell(evolved[team.name].rank if team.name in evolved else None),
        )
        for team in _by_name(facts.teams)
    )
    columns = (
        Column("team", noted("team")),
        Column("organization", noted("organization"), optional=True),
        Column("reached", noted("reached"), optional=True),
        Column("rank", noted("rank"), numeric=True, optional=True),
        Column(
            "evolution",
            noted("in the evolution"),
            numeric=True,
            spoken=noted("rank in the evolution"),
            optional=True,
        ),
    )
    table = Table("teams", gettext("Teams"), columns, rows)
    return Page(paths.TEAMS, "teams", gettext("Teams"), {"table": table}, (table,))


def _by_name(by_name: Mapping[str, Team]) -> list[Team]:
    return sorted(by_name.values(), key=lambda team: team.name.casefold())


def _last(facts: SiteFacts, team: Team) -> str:
    """Return the name of the last released round in which the team played."""
    for released in reversed(facts.rounds):
        if released.outcome.has_played(team.name):
            return released.name
    return ""


# --- the page of a team ---------------------------------------------------------------------------
@dataclass(frozen=True)
class Tally:
    """How many games a team won, drew and lost; computed pairings count as games."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)


@dataclass(frozen=True)
class Duel:
    """What a team won and lost against an opponent in a round; `link` is to their game, "" without
    a page."""

    opponent: str
    points: str
    link: str
    margin: float  # half points per game, or win rates


@dataclass(frozen=True)
class TeamRound:
    """How a team did in a round."""

    title: str
    link: str
    sentence: str
    tally: Tally
    duels: tuple[Duel, ...]
    games: Table | None


def team_pages(
    facts: SiteFacts, views: Sequence[Sequence[GroupView]], watched: Sequence[tuple[Highlight, str]]
) -> Iterator[Page]:
    """Make a page for each team; `views` are the groups of the released rounds, round by round,
    `watched` the highlights with the paths of their replays."""
    shares = (
        charts.shares_over_time(facts.evolution) if facts.evolution and facts.shows.rankings else {}
    )
    groups = [{name: view for view in of_round for name in view.plan.members} for of_round in views]
    for team in _by_name(facts.teams):
        there = [
            (number, of_round[team.name])
            for number, of_round in enumerate(groups)
            if team.name in of_round
        ]
        rounds = [_team_round(facts, number, view, team.name) for number, view in there]
        worth = [
            (highlight, link) for highlight, link in watched if team.name in highlight.match.players
        ]
        yield _team_page(facts, team, rounds, worth, shares.get(team.name, ()))


def _team_page(
    facts: SiteFacts,
    team: Team,
    rounds: Sequence[TeamRound],
    worth: Sequence[tuple[Highlight, str]],
    shares: Sequence[float],
) -> Page:
    return Page(
        paths.team(team.name),
        "team",
        team.name,
        {
            "team": team.name,
            "organization": team.registration.organization,
            "rounds": rounds,
            "tally_of_all": sum((team_round.tally for team_round in rounds), Tally(0, 0, 0)),
            "worth": worth,
            "program": _program_shown(facts, team.name),
            "plays_readers": facts.plays_readers(team.name),
            "no_results": about_results(facts) or gettext("There are no results yet."),
            "in_bracket": not facts.shows.rankings and bool(facts.told_rounds),
            **_places(facts, team.name),
            **_named_duels(rounds),
            **_curve(shares),
        },
        tuple(team_round.games for team_round in rounds if team_round.games),
    )


def _program_shown(facts: SiteFacts, name: str) -> PublishedProgram | None:
    return facts.programs.get(name) if facts.is_over and facts.shows.programs else None


def _places(facts: SiteFacts, name: str) -> Mapping[str, object]:
    """The team's place in the contest's ranking and in the evolution's, if rankings are shown."""
    place = evolved = None
    if facts.shows.rankings:
        place = next((line for line in facts.ranking if line.entry == name), None)
        ranking = facts.evolution.ranking if facts.evolution else ()
        evolved = next((line for line in ranking if line.entry == name), None)
    share = percent(evolved.fraction) if evolved else ""
    return {"place": place, "evolved": evolved, "share": share}


def _named_duels(rounds: Sequence[TeamRound]) -> Mapping[str, object]:
    """The opponents against which the team was best and worst, and the closest one."""
    duels = sorted(
        (duel for team_round in rounds for duel in team_round.duels), key=lambda duel: -duel.margin
    )
    return {
        "best": [duel for duel in duels if duel.margin > 0][:_NAMED],
        "worst": [duel for duel in reversed(duels) if duel.margin < 0][:_NAMED],
        "closest": min(duels, key=lambda duel: abs(duel.margin), default=None),
    }


def _curve(shares: Sequence[float]) -> Mapping[str, object]:
    """The team's share of the population, by generation."""
    most = max(shares, default=0)
    return {
        "curve": charts.spark_line(shares, most),
        "most": percent(most),
        "generations": len(shares) - 1,
    }


_NAMED = 3  # this many of the best and of the worst opponents are named


def _team_round(facts: SiteFacts, index: int, view: GroupView, name: str) -> TeamRound:
    released = facts.rounds[index]
    page = paths.round_page(released.number) if view.plan.title else paths.group(view.plan)
    shown = facts.shows.games and bool(view.plan.pairings)
    met = _met(view, name) if shown else []
    title = title_of(released, view.plan)
    return TeamRound(
        title=title,
        link=page if view.plan.pairings else "",
        sentence=_sentence(view, name),
        tally=sum((_tally(view.shape, score) for score, _ in met), Tally(0, 0, 0)),
        duels=tuple(_duel(view, score, link) for score, link in met),
        games=own_table(
            view, name, f"round-{released.number}", gettext("Games, %(group)s", group=title)
        )
        if shown
        else None,
    )


def _met(view: GroupView, name: str) -> list[tuple[Score, str]]:
    """The team's results against each other team that count, and the first of their games with a
    page."""
    own = view.own[name]
    tried = [matches for pairing, matches in own.tried if len(pairing.players) == 2]
    return [
        (score, next(filter(None, map(view.link, matches)), ""))
        for score, matches in zip(scores(own), tried, strict=True)
        if score.counted and not score.is_self
    ]


def _tally(shape: Shape, score: Score) -> Tally:
    if shape is Shape.RATES:
        won, lost = score.has_match_point, score.gives_match_point
        return Tally(int(won), int(not won and not lost), int(lost))
    return Tally(score.won, score.tied, score.lost)


def _duel(view: GroupView, score: Score, link: str) -> Duel:
    if view.shape is Shape.RATES:
        rate = float(score.rate)
        return Duel(score.opponent, percent(rate), link, 2 * rate - 1)
    own, theirs = (points(half, view.game.point) for half in (score.own, score.theirs))
    return Duel(
        score.opponent, f"{own} : {theirs}", link, (score.own - score.theirs) / len(score.counted)
    )


def _sentence(view: GroupView, name: str) -> str:
    """Say the rank and the points in the group, and whether the team proceeds."""
    if not view.plan.pairings:
        return gettext("A bye.")
    own = next(line for line in view.outcome.standings if line.entry == name)
    if own.disqualified:
        return gettext(_WORDS_OF_STATUS[own.status])
    values = {
        "rank": own.rank,
        "members": sum(line.rank is not None for line in view.outcome.standings),
        "points": points(own.half_points, view.game.point),
    }
    if own.advances:
        return gettext("Rank %(rank)s of %(members)s with %(points)s points; proceeds.", **values)
    return gettext("Rank %(rank)s of %(members)s with %(points)s points.", **values)


_WORDS_OF_STATUS = {"disqualified": noted("Disqualified."), "taken out": noted("Taken out.")}


# --- the games of a team --------------------------------------------------------------------------
_STATUS = {
    results.GameStatus.COUNTED: "",
    results.GameStatus.REPLAYED: noted("played again"),
    results.GameStatus.DISCARDED: noted("discarded"),
    results.GameStatus.EXPUNGED: noted("not counted"),
    results.GameStatus.NOT_PLAYED: noted("not played"),
}


def own_table(view: GroupView, name: str, table: str, caption: str) -> Table:
    """Make the table of all attempts at the games of this member, by the rank of the opponent."""
    rank = {line.entry: line.rank for line in view.outcome.standings}
    place = {line.entry: number for number, line in enumerate(view.outcome.standings)}
    own = view.own[name]
    met = sorted(own.tried, key=lambda game: place.get(results.opponent(game[0], name), len(place)))
    rows = tuple(
        _own_row(view, line, rank.get(line.opponent), match)
        for pairing, tried in met
        for line, match in zip(own.lines_of[pairing], [*tried, None], strict=False)
    )
    columns = (
        Column("opponent_rank", noted("rank"), numeric=True, spoken=noted("rank of the opponent")),
        Column("opponent", noted("opponent")),
        *([Column("game", noted("game"), numeric=True)] if view.shape is not Shape.SINGLE else []),
        Column("result", noted("result"), optional=True),
        Column("own", noted("points"), numeric=True),
        Column("theirs", noted("opponent's"), numeric=True),
        Column("replay", noted("replay"), optional=True),
        Column("remark", noted("remark"), optional=True),
    )
    return Table(table, caption, columns, rows)


def _own_row(
    view: GroupView, line: GameLine, rank: int | None, match: Match | None
) -> tuple[Cell, ...]:
    """A row of the table. `match`: the game of the line, None if it was not played."""
    link = view.link(match) if match else ""
    words = play_reports(view.game.play).verdicts
    failed = [
        gettext(
            "%(team)s: %(failure)s in %(turn_word)s %(turn)s",
            team=failure.entry,
            failure=gettext(words[failure.verdict]),
            turn_word=gettext(view.game.turn_word),
            turn=failure.turn,
        )
        for failure in line.failures
    ]
    status = _STATUS[line.status]
    remark = "; ".join(filter(None, (status and gettext(status), *failed)))
    is_named = view.shape is not Shape.MELEE and not line.is_self
    return (
        Cell(str(rank or "-"), rank),
        Cell(
            gettext("itself") if line.is_self else line.opponent,
            line.opponent,
            paths.team(line.opponent) if is_named else "",
            head=True,
        ),
        *([cell(line.game)] if view.shape is not Shape.SINGLE else []),
        word_cell(_result(view.shape, line)),
        points_cell(line.own, view.game.point),
        points_cell(line.theirs, view.game.point),
        Cell(gettext("replay") if link else "", bool(link), link),
        cell(remark),
    )


def _result(shape: Shape, line: GameLine) -> str:
    """Say whether the game was won; "" if it does not count, or if it was not between two."""
    counted = line.status in (results.GameStatus.COUNTED, results.GameStatus.REPLAYED)
    if not counted or line.is_self or line.own is None or line.theirs is None:
        return ""
    half = MATCH_POINT if shape is Shape.RATES else Fraction(1, 2)
    shared = line.own + line.theirs
    if line.own > half * shared:
        return noted("won")
    return noted("lost") if line.theirs > half * shared else noted("drawn")
