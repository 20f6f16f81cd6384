"""All pages of a contest, one after the other, and the games that its replays show. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
from reports.site.featured import Featured
from reports.site.game_picture import GameOnPicture, game_picture
from reports.site.game_text import Heading, heading_lines, in_page
from reports.site.games import (
    GameFile,
    GameKey,
    Neighbours,
    Replay,
    Replays,
    chosen_games,
    game_files,
    neighbours,
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


def plan(facts: SiteFacts) -> Plan:
    """The games with replays; none where games are not told to everybody, or where nothing is played."""
    if not facts.game.play.has_moves:
        return Plan((), (), 0, 0)
    chosen, counted = chosen_games(facts.rounds, facts.settings.site.max_games)
    played = sum(map(games_played, facts.history))
    games = chosen if facts.shows.moves else ()
    rules = game_of(facts.settings.game, facts.settings.programs)
    return Plan(games, game_files(games, drawn=isinstance(rules, Drawn | Ringed)), played, counted)


def pages(
    facts: SiteFacts,
    planned: Plan,
    found: Sequence[Highlight] = (),
    featured: Sequence[FeaturedGame] = (),
) -> Iterator[Page]:
    """Every page. `found`: the highlights of a finished contest; `featured`: the games with a page each."""
    shows = facts.shows
    replays = Replays(planned.files, {each.game.key: each.path for each, *_ in featured})
    views = _views(facts, replays)
    count = front.GameCount(planned.played, planned.counted if shows.games else 0, len(planned.games))
    yield front.index(facts, count, views, found, replays)
    yield rules.rules(facts)
    yield questions.questions(facts)
    yield commands.commands(facts)
    yield announcement.announcement(facts)
    yield log.log(facts)
    yield log.feed(facts)
    yield colours.colours(facts)
    for released in facts.told_rounds:
        yield from groups.round_pages(released, facts.game, shows, replays, facts.ranking)
    if facts.evolution and shows.rankings:
        yield evolution.evolution(facts.evolution)
    if facts.certainty and shows.rankings:
        yield certainty.certainty(facts.certainty)
    if shows.bracket and any(map(is_knock_out, facts.history)):
        yield bracket.bracket(facts, replays)
    if facts.hill and shows.rankings:
        yield hill.hill(facts.hill)
    if planned.files:
        yield replay(facts, planned, [each for each, *_ in featured])
    for each in featured:
        yield game_page(facts, each)
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


def _views(facts: SiteFacts, replays: Replays) -> front.Views:
    if not facts.shows.rankings:
        return []
    return [
        [groups.GroupView(group, facts.game, replays) for group in released.outcome.groups]
        for released in facts.rounds
    ]


def replay(facts: SiteFacts, planned: Plan, featured: Sequence[Featured]) -> Page:
    """The page that replays every game; it also lists the files of the games' turns."""
    titles = {released.number: groups.round_title(released) for released in facts.rounds}
    shown = {"files": planned.files, "titles": titles, "featured": featured}
    return Page(paths.REPLAY, "replay", gettext("Replay"), shown)


class FeaturedGame(NamedTuple):
    """A game with a page of its own, its turns as text with the legend, and its story."""

    featured: Featured
    text: str
    story: str


def game_page(facts: SiteFacts, shown: FeaturedGame) -> Page:
    """The page of a featured game: all of it is inside, so it needs no other file."""
    each, game = shown.featured, shown.featured.game
    return Page(
        each.path,
        "featured",
        game.title,
        {
            "group": _group_of(facts, game),
            "story": shown.story,
            "text": in_page(shown.text),
            "title": each.title,
            "reason": each.reason,
            "turn": each.turn,
        },
        summary=shown.story,
        picture=each.picture,
    )


def picture_of(facts: SiteFacts, game: GameKey, replay: Replay, course: Course | None) -> bytes:
    """The picture that a link to the game's page shows."""
    heading = f"{facts.settings.contest.title} - {_group_of(facts, game)[0]}"
    return game_picture(GameOnPicture(heading, game.match, facts.game, replay, course))


def headings(facts: SiteFacts, planned: Plan, featured: Sequence[Featured] = ()) -> Mapping[str, str]:
    """The first lines of each game, by its key: all that its file says but for what the players did."""
    around, verdicts = neighbours(planned.games), play_reports(facts.game.play).verdicts
    return {
        game.key: heading_lines(_heading(facts, game, around), game.match, facts.game, verdicts)
        for game in (*planned.games, *(each.game for each in featured))
    }


def _heading(facts: SiteFacts, game: GameKey, around: Neighbours) -> Heading:
    links = [paths.team(name) for name in game.match.players]
    return Heading(game.key, game.title, _group_of(facts, game), links, around.get(game.key, ()))


def _group_of(facts: SiteFacts, game: GameKey) -> tuple[str, str]:
    """Title and page of the group in which the game was played; of a knock-out's match its round's page."""
    plan = game.plan
    released = next(r for r in facts.rounds if r.number == plan.round)
    back = paths.round_page(plan.round) if plan.title else paths.group(plan)
    return groups.title_of(released, plan), back


def replay_of_game(
    facts: SiteFacts, game: GameKey, moves: Sequence[Moves] | None, course: Course | None = None
) -> Replay:
    """What a replay shows. `moves` and `course` are None if they are not known any more."""
    return play_reports(facts.game.play).replay(game.match, moves, course, facts.game)


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
