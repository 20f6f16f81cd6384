"""The front page of the contest: what it is and how to take part, how it stands, who has won.
Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from contest.config.settings import Settings
from contest.formats import format_named
from contest.language import date, gettext, ngettext, noted, translated
from contest.mail.form import blank, sample
from contest.model import EvolutionOutcome, Phase, RoundOutcome, Standing
from contest.schema.sections import DATE_WORDS
from reports import scores
from reports.bracket import field_after, is_knock_out
from reports.certainty import why_no_certainty
from reports.highlights import Highlight, Meeting, meetings, upsets
from reports.prizes import PrizeList, grand_prize, prize_fields, prize_lists
from reports.site import charts, paths
from reports.site.facts import ReleasedRound, SampleLetter, SiteFacts, about_results, date_words
from reports.site.games import Replays
from reports.site.groups import former_page, match_table, ranking_table, what_again
from reports.site.log import events
from reports.site.tables import Cell, Column, Page, Table, cell, name_cell, time_cell
from reports.site.views import GroupView
from reports.text import grouped_points as points
from reports.text import opening, percent

Views = Sequence[Sequence[GroupView]]
"""The groups of the released rounds, round by round; empty where rankings are not told."""

Watched = Sequence[tuple[Highlight, str]]
"""Highlights with the paths of their replays."""

MAX_ROWS = 250  # of a table on this page, which many open on a telephone
MAX_STILL_IN = 40
_NEWS = 5
_SURPRISES = 3  # of a round
_STEPS = 3
_RECORD = Column("record", noted("won-drawn-lost"), optional=True)
_MAX_EQUALS = 4  # names on a step of a podium


def index(
    facts: SiteFacts,
    games: Mapping[str, int],
    views: Views,
    watched: Watched,
    replays: Replays,
    first: Meeting | None,
) -> Page:
    """The front page before, during or after the contest. `watched`: the highlights, of a finished
    contest; `first`: see `first_two`.

    `games`: how many of the released rounds were `played`, `counted` (0 where games are not told),
    and how many have a replay (`with_page`).
    """
    if facts.phase is Phase.OPEN:
        phase, parts = "before", _before(facts)
    elif facts.is_over:
        phase, parts = "after", _after(facts, views, watched, replays, first)
    else:
        phase, parts = "during", _during(facts, views, replays)
    dates = _dates(facts)
    return Page(
        paths.INDEX,
        "index",
        facts.settings.contest.title,
        {
            "phase": phase,
            "state": " ".join(_interrupted(facts)) or state_of(facts),
            "dates": dates,
            "events": events(facts)[:_NEWS],
            "games": games,
            "about": facts.texts.about,
            "about_pages": paths.ABOUT,
            "max_rows": MAX_ROWS,
            "most_names": MAX_STILL_IN,
            "most_equals": _MAX_EQUALS,
            "about_results": about_results(facts),
            "earlier": range(1, facts.earlier + 1),
            "is_season_over": facts.is_season_over,
            **{
                name: replace(part, rows=part.rows[:MAX_ROWS]) if isinstance(part, Table) else part
                for name, part in parts.items()
            },
        },
        (dates, *(part for part in parts.values() if isinstance(part, Table))),
    )


def state_of(facts: SiteFacts) -> str:
    """Say in a sentence where the contest is. It does not depend on the clock, so a page stays
    right."""
    if facts.settings.season.is_season and facts.phase is not Phase.OPEN and facts.teams:
        return _state_of_tournament(facts)
    if facts.is_over:
        if not facts.teams:
            return gettext("The contest is over.")
        return ngettext(
            "The contest is over. %(num)s team took part.",
            "The contest is over. %(num)s teams took part.",
            len(facts.teams),
        )
    if facts.phase is Phase.OPEN:
        return ngettext(
            "%(num)s team registered so far.", "%(num)s teams registered so far.", facts.registered
        )
    if not facts.teams:
        return gettext("The contest has started.")
    return ngettext(
        "The contest has started. %(num)s team takes part.",
        "The contest has started. %(num)s teams take part.",
        len(facts.teams),
    )


def _state_of_tournament(facts: SiteFacts) -> str:
    """As `state_of`, of a tournament of a season that has started."""
    tournament = gettext("Tournament %(number)s", number=facts.earlier + 1)
    if facts.is_over:
        return ngettext(
            "%(tournament)s is over. %(num)s team took part.",
            "%(tournament)s is over. %(num)s teams took part.",
            len(facts.teams),
            tournament=tournament,
        )
    return ngettext(
        "%(tournament)s has started. %(num)s team takes part.",
        "%(tournament)s has started. %(num)s teams take part.",
        len(facts.teams),
        tournament=tournament,
    )


def _interrupted(facts: SiteFacts) -> Iterator[str]:
    """Say why a contest that runs does not go on as usual."""
    if facts.paused_since:
        yield gettext("The contest is paused since %(since)s.", since=date(facts.paused_since))
    if again := facts.played_again:
        yield gettext(
            "%(what)s is played again: its former results, and those of later rounds, no longer"
            " count.",
            what=opening(what_again(again)),
        )


# --- before ---------------------------------------------------------------------------------------
def registration_letter(settings: Settings) -> SampleLetter:
    """The letter that registers a team: the form of the mails, with words in brackets to be
    replaced."""
    form = replace(blank(settings), preferences=sample(settings).preferences)
    contest = settings.contest
    return SampleLetter(contest.address, f"registration for {contest.subject_word}", form.text)


def _before(facts: SiteFacts) -> Mapping[str, object]:
    return {
        "sample": paths.SAMPLE if paths.SAMPLE in facts.to_try else "",
        "kit": paths.KIT if paths.KIT in facts.to_try else "",
        "kit_commands": f"tar xzf {paths.KIT}\ncd knobelnsoftware\nmake\nmake play",
        "letter": registration_letter(facts.settings),
        "form_fields": facts.texts.form_fields,
    }


# --- during ---------------------------------------------------------------------------------------
def _during(facts: SiteFacts, views: Views, replays: Replays) -> Mapping[str, object]:
    last, again = facts.rounds[-1] if facts.rounds else None, facts.played_again
    return {
        "now": gettext(
            "Groups that are being played are finished; nothing new begins before it goes on."
        )
        if facts.paused_since
        else _now_playing(facts),
        "former": former_page(facts, facts.told_former[-1])
        if again and facts.told_former
        else None,
        "last_round": last.name if last else "",
        "standings": _last_round(facts, last, views[-1]) if last and views else None,
        "still_in": _still_in(facts),
        "surprises": [
            (sentence, replays.link(meeting.plan, meeting.games[-1]))
            for meeting, sentence in surprises(facts, last.outcome)
        ]
        if last and views and facts.shows.games
        else (),
    }


def surprises(facts: SiteFacts, outcome: RoundOutcome) -> Iterator[tuple[Meeting, str]]:
    """The greatest upsets of a round, by the ranks in its groups, each as a sentence without a full
    stop."""
    ranks = {s.entry: s.rank for g in outcome.groups for s in g.standings if s.rank is not None}
    for meeting in upsets(meetings([outcome]), ranks, _SURPRISES):
        winner, loser = meeting.players
        yield (
            meeting,
            gettext(
                "%(winner)s, rank %(winner_rank)s, beat %(loser)s, rank %(loser_rank)s, %(points)s"
                " to %(loser_points)s",
                winner=winner,
                winner_rank=ranks[winner],
                loser=loser,
                loser_rank=ranks[loser],
                points=points(meeting.points[0], facts.game.point),
                loser_points=points(meeting.points[1], facts.game.point),
            ),
        )


def _now_playing(facts: SiteFacts) -> str:
    """Say what is being played, as far as the released rounds tell it."""
    if not facts.rounds:
        if format_named(facts.settings.tournament.format).has_rounds:
            return gettext(
                "The first round is being played. The results appear here as soon as they are out."
            )
        return gettext(
            "The games are being played. The results appear here as soon as they are out."
        )
    last = facts.rounds[-1]
    if last.final:
        return gettext(
            "The final has been played. The result of the contest follows as soon as it is out."
        )
    if not last.outcome.survivors or is_knock_out(last.outcome):
        return gettext(
            "Round %(number)s comes next. Its results appear here as soon as they are out.",
            number=last.number + 1,
        )
    return ngettext(
        "Round %(number)s comes next, with %(num)s team. Its results appear here as soon as they"
        " are out.",
        "Round %(number)s comes next, with %(num)s teams. Its results appear here as soon as they"
        " are out.",
        len(last.outcome.survivors),
        number=last.number + 1,
    )


def _last_round(facts: SiteFacts, last: ReleasedRound, views: Sequence[GroupView]) -> Table | None:
    """Make the table of the last round: its matches in a knock-out, else how all stand."""
    if not is_knock_out(last.outcome):
        return _standings(views)
    played = [view for view in views if view.plan.pairings]
    return match_table(last.number, played) if facts.shows.bracket else None


def _standings(views: Sequence[GroupView]) -> Table:
    """Make the table of the last round: those that proceed first, then by rank."""
    several = len(views) > 1
    lines = [(view, line) for view in views for line in view.outcome.standings]
    lines.sort(
        key=lambda standing: (
            not standing[1].advances,
            standing[1].rank is None,
            standing[1].rank,
            standing[0].plan.number,
        )
    )
    plain = ranking_table(
        [line for _, line in lines],
        views[0].game,
        "standings",
        gettext("Standings of the last round"),
    )
    group = Column("group", noted("group"), numeric=True, optional=True)
    rows = tuple(
        (
            cell(view.plan.number if several else None),
            *row[:3],
            _record(_results_of(line.entry, [view])),
            row[-1],
        )
        for (view, line), row in zip(lines, plain.rows, strict=True)
    )
    return replace(
        plain, columns=(group, *plain.columns[:3], _RECORD, plain.columns[-1]), rows=rows
    )


def _still_in(facts: SiteFacts) -> tuple[str, ...]:
    """Name the teams that go on, where a bracket tells it and no table does."""
    if not facts.rounds or not (facts.shows.rankings or facts.shows.bracket):
        return ()
    history = [released.outcome for released in facts.rounds]
    if not (is_knock_out(history[-1]) and facts.teams):
        return ()
    field = field_after(history)  # some had no match in the last round
    return (*field.unbeaten, *field.beaten)


# --- after ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """A step of a podium; equal ranks share it."""

    rank: int
    names: tuple[str, ...]
    value: str


def _after(
    facts: SiteFacts, views: Views, watched: Watched, replays: Replays, first: Meeting | None
) -> Mapping[str, object]:
    shown = facts.shows.rankings
    first = first if shown and facts.shows.games else None
    return {
        "podiums": _podiums(facts, views) if shown else {},
        "first_place": format_named(facts.settings.tournament.format).first_place,
        "first_two": (first.players, replays.link(first.plan, first.games[-1])) if first else None,
        "opponent": _opponent(facts) if shown else "",
        "highlights": watched,
        "ranking": _ranking(facts, views) if shown else None,
        "prizes": _prizes(facts) if shown else None,
        "grand_prize": [s.entry for s in grand_prize(_prize_lists(facts))] if shown else (),
        "evolution": charts.stacked_areas(facts.evolution) if shown and facts.evolution else None,
        "certainty": shown and facts.certainty is not None,
        "tells_archive": facts.tells_archive,
        "no_certainty": why_no_certainty(facts.game, facts.settings.programs)
        if facts.is_over
        else "",
    }


def _opponent(facts: SiteFacts) -> str:
    """The best team whose program plays against readers; "" if there is none."""
    names = (standing.entry for standing in facts.ranking)
    return next(filter(facts.plays_readers, names), "")


def first_two(facts: SiteFacts) -> Meeting | None:
    """The meeting of the first two of the contest in its last round; None if there was none."""
    names = {standing.entry for standing in facts.ranking[:2]}
    return next((m for m in meetings(facts.history[-1:]) if set(m.players) == names), None)


def _podiums(facts: SiteFacts, views: Views) -> Mapping[str, tuple[Step, ...]]:
    """The best of each discipline that has any."""
    evolved = facts.evolution.ranking if facts.evolution else ()
    podiums = {
        "tournament": _steps((s.rank, s.entry, _merit(facts, views, s)) for s in facts.ranking),
        "evolution": _steps(
            (e.rank, e.entry, gettext("%(share)s of the population", share=percent(e.fraction)))
            for e in evolved
        ),
    }
    return {discipline: steps for discipline, steps in podiums.items() if steps}


def _merit(facts: SiteFacts, views: Views, standing: Standing) -> str:
    """Say what a team's rank comes from: its matches in a knock-out, elsewhere its points."""
    if any(map(is_knock_out, facts.history)):
        outcomes = _results_of(standing.entry, [view for of_round in views for view in of_round])
        return ngettext(
            "%(num)s match won, %(lost)s lost",
            "%(num)s matches won, %(lost)s lost",
            outcomes.count(1),
            lost=outcomes.count(-1),
        )
    own = points(standing.half_points, facts.game.point)
    if format_named(facts.settings.tournament.format).counts_match_points:
        return gettext("%(points)s match points", points=own)
    return gettext("%(points)s points", points=own)


def _steps(lines: Iterator[tuple[int | None, str, str]]) -> tuple[Step, ...]:
    steps: dict[int, Step] = {}
    for rank, name, value in lines:
        if rank is not None and rank <= _STEPS:
            before = steps.get(rank, Step(rank, (), value))
            steps[rank] = replace(before, names=(*before.names, name))
    return tuple(steps[rank] for rank in sorted(steps))


def _ranking(facts: SiteFacts, views: Views) -> Table:
    """Make the ranking, with each team's results against the others and its share in the
    evolution."""
    plain = ranking_table(facts.ranking, facts.game, "ranking", gettext("Ranking of the contest"))
    knock_out = any(map(is_knock_out, facts.history))
    counted = [view for of_round in (views if knock_out else views[-1:]) for view in of_round]
    evolved = _evolved(facts.evolution) if facts.evolution else None
    columns = (
        *plain.columns[:3],
        _RECORD,
        *(
            (Column("evolution", noted("evolution"), numeric=True), Column("share", noted("share")))
            if evolved is not None
            else ()
        ),
        *plain.columns[3:],
    )
    rows = tuple(
        (
            *row[:3],
            _record(_results_of(standing.entry, counted)),
            *(evolved.get(standing.entry, (cell(None), cell(None))) if evolved is not None else ()),
            *row[3:],
        )
        for standing, row in zip(facts.ranking, plain.rows, strict=True)
    )
    return replace(plain, columns=columns, rows=rows)


def _results_of(name: str, views: Sequence[GroupView]) -> list[int]:
    """1, 0 or -1 for each opponent that the team beat, drew or lost against."""
    return [
        (s.own > s.theirs) - (s.own < s.theirs)
        for view in views
        if name in view.own
        for s in scores.scores(view.own[name])
        if s.counted and not s.is_self
    ]


def _record(of_one: Sequence[int]) -> Cell:
    if not of_one:
        return cell(None)
    return cell("-".join(str(of_one.count(result)) for result in (1, 0, -1)))


def _evolved(outcome: EvolutionOutcome) -> Mapping[str, tuple[Cell, Cell]]:
    """The evolution's columns of the ranking by team: rank and share."""
    return {
        line.entry: (
            Cell(str(line.rank or "-"), line.rank),
            Cell(percent(line.fraction), line.share),
        )
        for line in outcome.ranking
    }


# --- dates ----------------------------------------------------------------------------------------
def _dates(facts: SiteFacts) -> Table:
    rows = tuple((name_cell(words), time_cell(moment)) for words, moment in times_of(facts))
    caption = gettext("Dates") if facts.is_over else gettext("Schedule")
    columns = (Column("event", noted("event")), Column("time", noted("time")))
    return Table("dates", caption, columns, rows)


def times_of(facts: SiteFacts) -> tuple[tuple[str, datetime], ...]:
    """What happens when: as planned, and from the contest's start on as it was."""
    if facts.started_at:
        return tuple(_came_true(facts, facts.started_at))
    return tuple(
        (words, getattr(facts.settings.dates, name)) for name, words in date_words(facts).items()
    )


def _came_true(facts: SiteFacts, began: datetime) -> Iterator[tuple[str, datetime]]:
    """Return what has happened, and when; from the planned dates only those that are still to come.

    The organizer may start the contest before its date. The start closes whatever is open then.
    """
    dates, results = facts.settings.dates, date_words(facts)["results_published"]
    opened = {
        gettext("registration opened"): dates.registration_opens,
        gettext("the compile service opened"): dates.compilation_opens,
    }
    yield from ((words, moment) for words, moment in opened.items() if moment < began)
    yield gettext("registration closed"), min(dates.registration_closes, began)
    yield gettext("the compile service closed"), min(dates.compilation_closes, began)
    yield gettext("the contest started"), began
    released = [result.released_at for result in facts.rounds]
    if facts.is_over and facts.finished_at:
        yield gettext("the contest ended"), facts.finished_at
        is_usual = results == translated(DATE_WORDS["results_published"])
        were = gettext("the results were published") if is_usual else results
        yield were, max([facts.finished_at, *released])
    elif dates.results_published > max([began, *released]):
        yield results, dates.results_published


# --- prizes ---------------------------------------------------------------------------------------
def _prize_lists(facts: SiteFacts) -> tuple[PrizeList, ...]:
    settings = facts.settings.teams
    return prize_lists(facts.ranking, prize_fields(facts.teams, settings), settings)


def _prizes(facts: SiteFacts) -> Table | None:
    by = facts.settings.teams.prizes_by
    rows = tuple(
        (name_cell(prizes.value), cell(place), Cell(s.entry, s.entry, paths.team(s.entry)))
        for prizes in _prize_lists(facts)
        for place, s in prizes.places
    )
    columns = (
        Column("list", by),
        Column("place", noted("place"), numeric=True),
        Column("team", noted("team")),
    )
    return (
        Table("prizes", gettext("Prizes by %(field)s", field=by), columns, rows) if rows else None
    )


# --- what a link to the contest tells before it is followed ---------------------------------------
_BEST = 3


def preview(facts: SiteFacts) -> str:
    """The contest as it is now, in a line: the best teams of one that is over, or else its
    dates."""
    sentences = [state_of(facts), about_results(facts)]
    best = ", ".join(f"{team.rank} {team.entry}" for team in facts.ranking[:_BEST] if team.rank)
    if best and facts.is_over and facts.shows.rankings:
        sentences.append(gettext("Ranking") + f": {best}.")
    else:
        dates = ", ".join(f"{words} {date(moment)}" for words, moment in _preview_dates(facts))
        sentences.append(gettext("Dates") + f": {dates}.")
    return " ".join(filter(None, sentences))


def _preview_dates(facts: SiteFacts) -> list[tuple[str, datetime]]:
    """The dates that matter before the contest, or what came last."""
    if facts.phase is not Phase.OPEN:
        return list(times_of(facts))[-_BEST:]
    names = ("registration_closes", "compilation_closes", "contest_starts")
    return [(date_words(facts)[name], getattr(facts.settings.dates, name)) for name in names]
