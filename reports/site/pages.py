"""All pages of a contest, but for those of its games, one after the other. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from contest.games.drawing import Course
from contest.model import Moves, Pairing
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
    rules,
    teams,
)
from reports.site.facts import SiteFacts
from reports.site.games import GameKey, chosen_games
from reports.site.page import Page


@dataclass(frozen=True)
class Plan:
    """Which games get a page of their own, and how many games of the released rounds were played and counted.

    A game that was played does not count if a player was disqualified.
    """

    games: tuple[GameKey, ...]
    played: int
    counted: int

    @property
    def made(self) -> frozenset[str]:
        return frozenset(key.path for key in self.games)


def plan(facts: SiteFacts) -> Plan:
    """The games with pages; none where games are not told to everybody, or where nothing is played."""
    if not facts.game.play.has_moves:
        return Plan((), 0, 0)
    chosen, counted = chosen_games(facts.rounds, facts.settings.site.max_games)
    played = sum(map(games_played, facts.history))
    return Plan(chosen if facts.shows.moves else (), played, counted)


def pages(facts: SiteFacts, planned: Plan, found: Sequence[Highlight] = ()) -> Iterator[Page]:
    """Every page that is not of a game. `found`: the highlights of a finished contest."""
    shows, made = facts.shows, planned.made
    views = _views(facts, made)
    count = front.GameCount(planned.played, planned.counted if shows.games else 0, len(planned.games))
    yield front.index(facts, count, views, found)
    yield rules.rules(facts)
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


def page_of_game(
    facts: SiteFacts, key: GameKey, moves: Sequence[Moves] | None, course: Course | None = None
) -> Page:
    """The page of a game. `moves` and `course` are None if they are not known any more."""
    page = play_reports(facts.game.play).game_page(key, moves, course, facts.game)
    released = next(r for r in facts.rounds if r.number == key.plan.round)
    number = f", game {key.match.game}" if max(key.match.pairing.games, key.match.pairing.most) > 1 else ""
    who = _players(key.match.pairing)
    back = paths.round_page(key.plan.round) if key.plan.title else paths.group(key.plan)
    return Page(
        key.path,
        "game",
        f"{who}{number}",
        {
            "game": page,
            "match": key.match,
            "group_title": groups.title_of(released, key.plan),
            "group_link": back,
        },
        tuple(table for table in (page.result, page.series, page.turns) if table),
    )


def _players(pairing: Pairing) -> str:
    if len(pairing.players) > 2:
        return "The game of all"
    return f"{pairing.players[0]} against {'itself' if pairing.is_self else pairing.players[1]}"


def navigation(facts: SiteFacts) -> tuple[tuple[str, str], ...]:
    """Title and path of the pages that every page leads to."""
    shows = facts.shows
    found = [("Contest", paths.INDEX), ("Rules", paths.RULES)]
    found += [("Teams", paths.TEAMS)] if facts.teams else []
    found += [(groups.round_title(each), groups.round_link(each, shows)) for each in facts.told_rounds]
    found += [("Bracket", paths.BRACKET)] if shows.bracket and any(map(is_knock_out, facts.history)) else []
    found += [("Evolution", paths.EVOLUTION)] if facts.evolution and shows.rankings else []
    found += [("How sure", paths.CERTAINTY)] if facts.certainty and shows.rankings else []
    found += [("Hill", paths.HILL)] if facts.hill and shows.rankings else []
    found += [("Announcement", paths.ANNOUNCEMENT), ("Mail commands", paths.COMMANDS)]
    return (*found, ("Log", paths.LOG))
