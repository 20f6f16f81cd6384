"""All pages of a contest, one after the other, and the games that its replays show. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.games.drawing import Course, Drawn, Ringed
from contest.games.registry import game_of
from contest.language import gettext
from contest.model import Moves
from reports.bracket import is_knock_out
from reports.highlights import Highlight, Search
from reports.play import play_reports
from reports.results import games_played
from reports.site import (
    announcement,
    bracket,
    calendar,
    certainty,
    colours,
    commands,
    evolution,
    front,
    groups,
    hill,
    log,
    paths,
    picture,
    preview,
    questions,
    rules,
    teams,
)
from reports.site.facts import SiteFacts
from reports.site.game_text import Heading, game_lines, heading_lines
from reports.site.games import (
    GameFile,
    GameKey,
    Neighbours,
    chosen_games,
    game_files,
    neighbours,
    title_of_game,
)
from reports.site.page import Page


@dataclass(frozen=True)
class Plan:
    """Which games can be replayed, the files that have them, and how many games of the released rounds were
    played and counted.

    A game that was played does not count if a player was disqualified.
    """

    games: tuple[GameKey, ...]
    files: tuple[GameFile, ...]
    played: int
    counted: int

    @property
    def made(self) -> frozenset[str]:
        return frozenset(key.path for key in self.games)


def plan(facts: SiteFacts) -> Plan:
    """The games with replays; none where games are not told to everybody, or where nothing is played."""
    if not facts.game.play.has_moves:
        return Plan((), (), 0, 0)
    chosen, counted = chosen_games(facts.rounds, facts.settings.site.max_games)
    played = sum(map(games_played, facts.history))
    games = chosen if facts.shows.moves else ()
    rules = game_of(facts.settings.game, facts.settings.programs)
    return Plan(games, game_files(games, drawn=isinstance(rules, Drawn | Ringed)), played, counted)


def pages(facts: SiteFacts, planned: Plan, found: Sequence[Highlight] = ()) -> Iterator[Page]:
    """Every page. `found`: the highlights of a finished contest."""
    shows, made = facts.shows, planned.made
    views = _views(facts, made)
    count = front.GameCount(planned.played, planned.counted if shows.games else 0, len(planned.games))
    yield front.index(facts, count, views, found)
    yield rules.rules(facts)
    yield questions.questions(facts)
    yield commands.commands(facts)
    yield announcement.announcement(facts)
    yield log.log(facts)
    yield log.feed(facts)
    yield colours.colours(facts)
    for released in facts.told_rounds:
        yield from groups.round_pages(released, facts.game, shows, made, facts.ranking)
    if facts.evolution and shows.rankings:
        yield evolution.evolution(facts.evolution)
    if facts.certainty and shows.rankings:
        yield certainty.certainty(facts.certainty)
    if shows.bracket and any(map(is_knock_out, facts.history)):
        yield bracket.bracket(facts, made)
    if facts.hill and shows.rankings:
        yield hill.hill(facts.hill)
    if planned.files:
        yield replay(facts, planned)
    if facts.teams:
        yield teams.teams(facts)
        yield from teams.team_pages(facts, views)


def files(facts: SiteFacts) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of the files that are no pages."""
    yield paths.CALENDAR, calendar.calendar(facts)
    if facts.settings.site.url:  # links to pages of an unknown address show no picture
        shown = facts.evolution if facts.shows.rankings else None
        yield paths.PICTURE, picture.picture(preview.preview(facts), shown)


def search(facts: SiteFacts, planned: Plan) -> tuple[Search, Sequence[GameKey]] | None:
    """The search for the highlights of a finished contest, and the games whose course it has to see.

    None where the contest is not over, or does not tell its games to everybody.
    """
    if not (facts.is_over and facts.shows.rankings and facts.shows.games):
        return None
    looking = Search(facts.history, facts.ranking, facts.game, moves=facts.shows.moves)
    wanted = {id(match) for match in looking.wanted}
    return looking, [key for key in planned.games if id(key.match) in wanted]


def _views(facts: SiteFacts, made: Container[str]) -> front.Views:
    if not facts.shows.rankings:
        return []
    return [
        [groups.GroupView(group, facts.game, made) for group in released.outcome.groups]
        for released in facts.rounds
    ]


def replay(facts: SiteFacts, planned: Plan) -> Page:
    """The page that replays every game; it also lists the files of the games' turns."""
    titles = {released.number: groups.round_title(released) for released in facts.rounds}
    files = [
        (
            titles[file.games[0].plan.round],
            file.path,
            file.first,
            *(title_of_game(file.games[at].match) for at in (0, -1)),
        )
        for file in planned.files
    ]
    return Page(paths.REPLAY, "replay", "Replay", {"files": files})


def headings(facts: SiteFacts, planned: Plan) -> Mapping[str, str]:
    """The first lines of each game, by its key: all that its file says but for what the players did."""
    around, verdicts = neighbours(planned.games), play_reports(facts.game.play).verdicts
    return {
        game.key: heading_lines(_heading(facts, game, around), game.match, facts.game, verdicts)
        for game in planned.games
    }


def _heading(facts: SiteFacts, game: GameKey, around: Neighbours) -> Heading:
    plan, match = game.plan, game.match
    released = next(r for r in facts.rounds if r.number == plan.round)
    back = paths.round_page(plan.round) if plan.title else paths.group(plan)
    return Heading(
        game.key,
        title_of_game(match),
        (groups.title_of(released, plan), back),
        [paths.team(name) for name in match.players],
        around[game.key],
    )


def game_of_file(
    facts: SiteFacts, heading: str, game: GameKey, moves: Sequence[Moves] | None, course: Course | None = None
) -> str:
    """A game as its file has it. `moves` and `course` are None if they are not known any more."""
    return game_lines(heading, play_reports(facts.game.play).replay(game.match, moves, course, facts.game))


def navigation(facts: SiteFacts) -> tuple[tuple[str, str], ...]:
    """Title and path of the pages that every page leads to."""
    shows = facts.shows
    found = [(gettext("Contest"), paths.INDEX), (gettext("Rules"), paths.RULES)]
    found += [(gettext("Teams"), paths.TEAMS)] if facts.teams else []
    found += [(groups.round_title(each), groups.round_link(each, shows)) for each in facts.told_rounds]
    has_bracket = shows.bracket and any(map(is_knock_out, facts.history))
    found += [(gettext("Bracket"), paths.BRACKET)] if has_bracket else []
    found += [(gettext("Evolution"), paths.EVOLUTION)] if facts.evolution and shows.rankings else []
    found += [(gettext("How sure"), paths.CERTAINTY)] if facts.certainty and shows.rankings else []
    found += [(gettext("Games"), paths.REPLAY)] if _has_replays(facts) else []
    found += [(gettext("Hill"), paths.HILL)] if facts.hill and shows.rankings else []
    found += [(gettext("Announcement"), paths.ANNOUNCEMENT), (gettext("Questions"), paths.QUESTIONS)]
    found += [(gettext("Mail commands"), paths.COMMANDS)]
    return (*found, (gettext("Log"), paths.LOG))


def _has_replays(facts: SiteFacts) -> bool:
    if not (facts.game.play.has_moves and facts.shows.moves and facts.settings.site.max_games):
        return False
    return any(
        match.counted for each in facts.rounds for group in each.outcome.groups for match in group.matches
    )
