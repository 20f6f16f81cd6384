"""All pages of a contest, but for those of its games, one after the other. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from contest.games.drawing import Course
from contest.model import Moves, Pairing
from reports.bracket import is_knock_out
from reports.play import play_reports
from reports.site import (
    announcement,
    bracket,
    calendar,
    certainty,
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
    groups = [group for released in facts.rounds for group in released.outcome.groups]
    played = sum(not match.is_discarded for group in groups for match in group.matches)
    return Plan(chosen if facts.shows.moves else (), played, counted)


def pages(facts: SiteFacts, planned: Plan) -> Iterator[Page]:
    """Every page that is not of a game."""
    shows, made = facts.shows, planned.made
    yield front.index(facts, len(planned.games), planned.counted if shows.games else 0, planned.played)
    yield rules.rules(facts)
    yield questions.questions(facts)
    yield commands.commands(facts)
    yield announcement.announcement(facts)
    yield log.log(facts)
    yield log.feed(facts)
    for released in facts.told_rounds:
        yield from groups.round_pages(released, facts.game, shows, made)
    if facts.evolution and shows.rankings:
        yield evolution.evolution(facts.evolution)
    if facts.certainty and shows.rankings:
        yield certainty.certainty(facts.certainty)
    if shows.bracket and any(map(is_knock_out, facts.history)):
        yield bracket.bracket(facts)
    if facts.hill and shows.rankings:
        yield hill.hill(facts.hill)
    if facts.teams:
        yield teams.teams(facts)
        yield from teams.team_pages(facts, _views(facts, made))


def files(facts: SiteFacts) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of the files that are no pages."""
    yield paths.CALENDAR, calendar.calendar(facts)
    if facts.settings.site.url:  # links to pages of an unknown address show no picture
        shown = facts.evolution if facts.shows.rankings else None
        yield paths.PICTURE, picture.picture(preview.preview(facts), shown)


def _views(facts: SiteFacts, made: Container[str]) -> Sequence[Sequence[groups.GroupView]]:
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
    found += [(groups.round_title(each), paths.round_page(each.number)) for each in facts.told_rounds]
    found += [("Bracket", paths.BRACKET)] if shows.bracket and any(map(is_knock_out, facts.history)) else []
    found += [("Evolution", paths.EVOLUTION)] if facts.evolution and shows.rankings else []
    found += [("How sure", paths.CERTAINTY)] if facts.certainty and shows.rankings else []
    found += [("Hill", paths.HILL)] if facts.hill and shows.rankings else []
    found += [("Announcement", paths.ANNOUNCEMENT), ("Questions", paths.QUESTIONS)]
    found += [("Mail commands", paths.COMMANDS)]
    return (*found, ("Log", paths.LOG))
