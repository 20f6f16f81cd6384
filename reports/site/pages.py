"""All pages of a contest, one after the other, and the games that its replays show. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.games.drawing import Course, Drawn, Ringed
from contest.games.registry import game_of
from contest.model import Moves
from reports.bracket import is_knock_out
from reports.play import play_reports
from reports.site import bracket, certainty, evolution, front, groups, hill, log, paths, teams
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
    groups = [group for released in facts.rounds for group in released.outcome.groups]
    played = sum(not match.is_discarded for group in groups for match in group.matches)
    games = chosen if facts.shows.moves else ()
    rules = game_of(facts.settings.game, facts.settings.programs)
    return Plan(games, game_files(games, drawn=isinstance(rules, Drawn | Ringed)), played, counted)


def pages(facts: SiteFacts, planned: Plan) -> Iterator[Page]:
    """Every page."""
    shows, made = facts.shows, planned.made
    yield front.index(facts, len(planned.games), planned.counted if shows.games else 0, planned.played)
    yield log.log(facts)
    yield log.feed(facts)
    for released in facts.rounds if shows.rankings or shows.bracket else ():
        yield from groups.round_pages(released, facts.game, shows, made)
    if facts.evolution and shows.rankings:
        yield evolution.evolution(facts.evolution)
    if facts.certainty and shows.rankings:
        yield certainty.certainty(facts.certainty)
    if shows.bracket and any(map(is_knock_out, facts.history)):
        yield bracket.bracket(facts)
    if facts.hill and shows.rankings:
        yield hill.hill(facts.hill)
    if planned.files:
        yield replay(facts, planned)
    if facts.teams:
        yield teams.teams(facts)
        yield from teams.team_pages(facts, _views(facts, made))


def _views(facts: SiteFacts, made: Container[str]) -> Sequence[Sequence[groups.GroupView]]:
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
    rounds = facts.rounds if shows.rankings or shows.bracket else ()
    found = [("Contest", paths.INDEX)]
    found += [("Teams", paths.TEAMS)] if facts.teams else []
    found += [(groups.round_title(each), paths.round_page(each.number)) for each in rounds]
    found += [("Bracket", paths.BRACKET)] if shows.bracket and any(map(is_knock_out, facts.history)) else []
    found += [("Evolution", paths.EVOLUTION)] if facts.evolution and shows.rankings else []
    found += [("How sure", paths.CERTAINTY)] if facts.certainty and shows.rankings else []
    found += [("Games", paths.REPLAY)] if _has_replays(facts) else []
    found += [("Hill", paths.HILL)] if facts.hill and shows.rankings else []
    return (*found, ("Log", paths.LOG))


def _has_replays(facts: SiteFacts) -> bool:
    if not (facts.game.play.has_moves and facts.shows.moves and facts.settings.site.max_games):
        return False
    return any(
        match.counted for each in facts.rounds for group in each.outcome.groups for match in group.matches
    )
