"""All pages of a contest, one after the other, and the games that its replays show. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from typing import NamedTuple, TypeVar

from contest.games.drawing import Course
from contest.games.game import TextGame
from contest.games.registry import game_of
from contest.language import gettext, noted
from contest.model import Moves
from reports.bracket import is_knock_out
from reports.highlights import Highlight, Meeting, highlights
from reports.play import play_reports
from reports.replay.turns import Replay
from reports.results import games_played
from reports.site import about, board, front, groups, log, paths, side_rankings, teams
from reports.site.facts import SiteFacts
from reports.site.game_text import heading_lines
from reports.site.games import (
    GameFile,
    GameKey,
    Replays,
    chosen_games,
    game_files,
    title_of_game,
)
from reports.site.tables import Page
from reports.site.views import GroupView

T = TypeVar("T")


@dataclass(frozen=True)
class Plan:
    """Which games can be replayed, the files that have them, and how many games of the released
    rounds were played and counted.

    A game that was played does not count if a player was disqualified.
    """

    games: tuple[GameKey, ...]
    files: tuple[GameFile, ...]
    played: int
    counted: int


def plan(facts: SiteFacts) -> Plan:
    """The games with replays; none where games are not told to everybody, or where nothing is
    played."""
    if not facts.game.play.has_moves:
        return Plan((), (), 0, 0)
    chosen, counted = chosen_games(facts.rounds)
    played = sum(map(games_played, facts.history))
    games = chosen if facts.shows.moves else ()
    rules = game_of(facts.settings.game, facts.settings.programs)
    is_drawn = isinstance(rules, TextGame) and rules.has_picture
    return Plan(games, game_files(games, drawn=is_drawn), played, counted)


@dataclass(frozen=True)
class Site:
    """What pages are made of. `highlights`: of a contest that is over."""

    facts: SiteFacts
    planned: Plan
    highlights: Sequence[Highlight]
    replays: Replays
    views: front.Views

    @cached_property
    def first_two(self) -> Meeting | None:
        """The last meeting of the first two."""
        return front.first_two(self.facts)


def _always(_facts: SiteFacts) -> bool:
    return True


def _no_links(_facts: SiteFacts) -> Iterable[tuple[str, str]]:
    return ()


class PageKind(NamedTuple):
    """A kind of page. `links`: title and path of what the navigation of every page shows of it."""

    make: Callable[[Site], Iterable[Page]]
    links: Callable[[SiteFacts], Iterable[tuple[str, str]]] = _no_links


def _one(
    heading: str,
    path: str,
    make: Callable[[Site], Page],
    is_there: Callable[[SiteFacts], object] = _always,
) -> PageKind:
    """A single page with a link in the navigation, where it is there."""

    def pages_of(site: Site) -> Iterator[Page]:
        if is_there(site.facts):
            yield make(site)

    def links(facts: SiteFacts) -> Iterator[tuple[str, str]]:
        if is_there(facts):
            yield gettext(heading), path

    return PageKind(pages_of, links)


def _of_facts(heading: str, path: str, make: Callable[[SiteFacts], Page]) -> PageKind:
    """A single page that is always there, and is made of the facts alone."""
    return _one(heading, path, lambda site: make(site.facts))


def _of_rankings(
    heading: str, path: str, make: Callable[[T], Page], part: Callable[[SiteFacts], T | None]
) -> PageKind:
    """A page of a part of the results, where there is one and rankings are told."""

    def pages_of(site: Site) -> Iterator[Page]:
        result = part(site.facts)
        if result and site.facts.shows.rankings:
            yield make(result)

    def links(facts: SiteFacts) -> Iterator[tuple[str, str]]:
        if part(facts) and facts.shows.rankings:
            yield gettext(heading), path

    return PageKind(pages_of, links)


def _watched(site: Site) -> list[tuple[Highlight, str]]:
    """The highlights, with the paths of their pages, opened where it is worth a look; "" without a
    replay."""
    word = site.facts.game.turn_word
    watched: list[tuple[Highlight, str]] = []
    for highlight in site.highlights:
        path = paths.game_page(highlight.plan, highlight.match)
        place = f"#{word}={highlight.turn}" if highlight.turn > 1 else ""
        has_replay = site.replays.file_of(highlight.plan, highlight.match) is not None
        watched.append((highlight, path + place if has_replay else ""))
    return watched


def _index(site: Site) -> Page:
    planned, facts = site.planned, site.facts
    counted = planned.counted if facts.shows.games else 0
    games = {"played": planned.played, "counted": counted, "with_page": len(planned.games)}
    return front.index(facts, games, site.views, _watched(site), site.replays, first=site.first_two)


def _beat(facts: SiteFacts) -> str:
    """The path of the file to play against the programs; "" if there is none."""
    return paths.BEAT if paths.BEAT in facts.to_try else ""


def replay(site: Site) -> Page:
    """The page that replays every game; it also lists the files of the games' turns."""
    titles = {released.number: groups.round_title(released) for released in site.facts.rounds}
    first = site.first_two if site.highlights else None
    shown = {
        "files": site.planned.files,
        "titles": titles,
        "can_check": site.facts.tells_archive,
        "beat": _beat(site.facts),
        "worth": _watched(site),
        "first": paths.game_key(first.plan, first.games[-1]) if first else "",
    }
    return Page(paths.REPLAY, "replay", gettext("Games"), shown)


def _game_pages(site: Site) -> Iterator[Page]:
    """A page for each game worth a look: a link to it tells in messengers who plays."""
    # one that is worth it for two reasons has one page
    by_match = {highlight.match: highlight for highlight in site.highlights}
    for highlight in by_match.values():
        file = site.replays.file_of(highlight.plan, highlight.match)
        if file:
            shown = {
                "file": file,
                "key": paths.game_key(highlight.plan, highlight.match),
                "can_check": site.facts.tells_archive,
                "beat": _beat(site.facts),
                "preview": highlight.sentence,
                "measure": highlight.measure,
            }
            path = paths.game_page(highlight.plan, highlight.match)
            yield Page(path, "game", title_of_game(highlight.match), shown)


def _rounds(site: Site) -> Iterator[Page]:
    facts = site.facts
    for released in facts.told_rounds:
        yield from groups.round_pages(
            released, facts.game, facts.shows, site.replays, facts.ranking
        )


def _has_replays(facts: SiteFacts) -> bool:
    if not (facts.game.play.has_moves and facts.shows.moves):
        return False
    return any(
        match.counted
        for released in facts.rounds
        for group in released.outcome.groups
        for match in group.matches
    )


def _teams(site: Site) -> Page:
    return teams.teams(site.facts)


def _has_teams(facts: SiteFacts) -> bool:
    return bool(facts.teams)


def _team_pages(site: Site) -> Iterator[Page]:
    return teams.team_pages(site.facts, site.views, _watched(site))


def _round_links(facts: SiteFacts) -> Iterator[tuple[str, str]]:
    for released in facts.told_rounds:
        yield groups.round_title(released), groups.round_link(released, facts.shows)


def _former_pages(site: Site) -> Iterator[Page]:
    for former in site.facts.told_former:
        yield groups.former_page(site.facts, former)


def _bracket(site: Site) -> Page:
    return groups.bracket(site.facts, site.replays)


def _has_bracket(facts: SiteFacts) -> bool:
    return facts.shows.bracket and any(map(is_knock_out, facts.history))


def _board(site: Site) -> Page:
    return board.board(_index(site), site.facts, site.highlights)


def _has_started(facts: SiteFacts) -> bool:
    return facts.started_at is not None


def _feed_and_colours(site: Site) -> Iterator[Page]:
    yield log.feed(site.facts)
    yield colours(site.facts)


PAGES = (
    _one(noted("Contest"), paths.INDEX, _index),
    _of_facts(noted("Rules"), paths.RULES, about.rules),
    _one(noted("Teams"), paths.TEAMS, _teams, _has_teams),
    PageKind(_team_pages),
    PageKind(_rounds, _round_links),
    PageKind(_former_pages),
    _one(noted("Bracket"), paths.BRACKET, _bracket, _has_bracket),
    _of_rankings(
        noted("Evolution"), paths.EVOLUTION, side_rankings.evolution, lambda facts: facts.evolution
    ),
    _of_rankings(
        noted("How sure"), paths.CERTAINTY, side_rankings.certainty, lambda facts: facts.certainty
    ),
    _of_rankings(noted("Season"), paths.SEASON, side_rankings.season, lambda facts: facts.season),
    _one(noted("Games"), paths.REPLAY, replay, _has_replays),
    PageKind(_game_pages),
    _of_rankings(noted("Ladder"), paths.LADDER, side_rankings.ladder, lambda facts: facts.ladder),
    _of_facts(noted("Announcement"), paths.ANNOUNCEMENT, about.announcement),
    _of_facts(noted("Questions"), paths.QUESTIONS, about.questions),
    _of_facts(noted("Mail commands"), paths.COMMANDS, about.commands),
    _of_facts(noted("Log"), paths.LOG, log.log),
    _one(noted("Board"), paths.BOARD, _board, _has_started),
    PageKind(_feed_and_colours),
)
"""All kinds of pages, in the order of the navigation."""


def pages(facts: SiteFacts, planned: Plan) -> Iterator[Page]:
    """Every page."""
    is_told = facts.is_over and facts.shows.rankings and facts.shows.games
    chosen = highlights(facts.history, facts.ranking, facts.game) if is_told else ()
    replays = Replays(planned.files)
    site = Site(facts, planned, chosen, replays, _views(facts, replays))
    for kind in PAGES:
        yield from kind.make(site)


def navigation(facts: SiteFacts) -> tuple[tuple[str, str], ...]:
    """Title and path of the pages that every page leads to."""
    return tuple(link for kind in PAGES for link in kind.links(facts))


def _views(facts: SiteFacts, replays: Replays) -> front.Views:
    if not facts.shows.rankings:
        return []
    return [
        [GroupView(group, facts.game, replays) for group in released.outcome.groups]
        for released in facts.rounds
    ]


def headings(facts: SiteFacts, planned: Plan) -> Mapping[str, str]:
    """The first lines of each game, by its key: all that its file says but for what the players
    did."""
    verdicts = play_reports(facts.game.play).verdicts
    return {
        game.key: heading_lines(
            key=game.key,
            title=game.title,
            match=game.match,
            game=facts.game,
            verdicts=verdicts,
            group=_group_of(facts, game),
            links=[paths.team(name) for name in game.match.players],
        )
        for game in planned.games
    }


def _group_of(facts: SiteFacts, game: GameKey) -> tuple[str, str]:
    """Title and page of the group in which the game was played; of a knock-out's match its round's
    page."""
    plan = game.plan
    released = next(r for r in facts.rounds if r.number == plan.round)
    back = paths.round_page(plan.round) if plan.title else paths.group(plan)
    return groups.title_of(released, plan), back


def replay_of_game(
    facts: SiteFacts, game: GameKey, moves: Sequence[Moves] | None, course: Course | None = None
) -> Replay:
    """What a replay shows. `moves` and `course` are None if they are not known any more."""
    return play_reports(facts.game.play).replay(game.match, moves, course, facts.game)


# --- colours --------------------------------------------------------------------------------------
# There are only as many colours as a reader can tell apart, colour-blind readers included; every
# other team is grey. Pages name no colours: `colours.css` gives them to the links to a team's page,
# and to every element with `data-team`. So a colour changes in one file, and with it on all pages.
# Beside the colour each of these teams has a sign of its own shape, and a dash for curves.
COLOURS = 8  # style.css has their values, for light and dark: --team-1 ... --team-8


def leaders(*rankings: Sequence[str]) -> tuple[str, ...]:
    """Return the teams that get a colour: the first of each ranking, then the second of each, and
    so on."""
    by_place = chain.from_iterable(zip_longest(*rankings))
    return tuple(dict.fromkeys(name for name in by_place if name))[:COLOURS]


def finalists(facts: SiteFacts) -> tuple[str, ...]:
    """The survivors of the first round that left no more teams than there are colours; () before it
    ends."""
    left = (outcome.survivors for outcome in facts.history if not outcome.plan.final)
    return next((names for names in left if 0 < len(names) <= COLOURS), ())


def numbered(held: Sequence[str], named: Sequence[str]) -> dict[str, int]:
    """The number of the colour of each team in `named`; a team in `held` has the number that it had
    there."""
    numbers = {name: number for number, name in enumerate(held, start=1) if name in named}
    free = (number for number in range(1, COLOURS + 1) if number not in numbers.values())
    return {name: numbers[name] if name in numbers else next(free) for name in named}


def colours(facts: SiteFacts) -> Page:
    """Make `colours.css`.

    While the contest runs, who leads changes with each round, and a colour that passes from team to
    team says nothing. So nobody has one until as few teams are left as there are colours. These
    keep theirs to the end.
    """
    held = finalists(facts)
    evolved = facts.evolution.ranking if facts.evolution else ()
    named = leaders([s.entry for s in facts.ranking], [line.entry for line in evolved])
    shows_teams = facts.teams and (
        facts.shows.rankings or (facts.shows.bracket and not facts.is_over)
    )
    coloured = named if facts.is_over else held
    shown = numbered(held, coloured) if shows_teams else {}
    by_number = sorted((number, name) for name, number in shown.items())
    return Page(paths.COLOURS, "colours", "Colours", {"leaders": by_number})
