"""All pages of a contest, one after the other, and the games that its replays show. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import NamedTuple, TypeVar

from contest.games.drawing import Course
from contest.games.game import TextGame
from contest.games.registry import game_of
from contest.language import gettext, noted
from contest.model import Moves
from reports.bracket import is_knock_out
from reports.highlights import Highlight, highlights
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
class Made:
    """What pages are made of. `found`: the highlights of a contest that is over."""

    facts: SiteFacts
    planned: Plan
    found: Sequence[Highlight]
    replays: Replays
    views: front.Views


class PageKind(NamedTuple):
    """A kind of page. `links`: title and path of what the navigation of every page shows of it."""

    make: Callable[[Made], Iterable[Page]]
    links: Callable[[SiteFacts], Iterable[tuple[str, str]]] = lambda _facts: ()


def _one(
    heading: str, path: str, make: Callable[[Made], Page], is_there: Callable[[SiteFacts], object]
) -> PageKind:
    """A single page with a link in the navigation, where it is there."""
    return PageKind(
        lambda made: [make(made)] if is_there(made.facts) else [],
        lambda facts: [(gettext(heading), path)] if is_there(facts) else [],
    )


def _always(heading: str, path: str, make: Callable[[SiteFacts], Page]) -> PageKind:
    return _one(heading, path, lambda made: make(made.facts), lambda _facts: True)


def _of_rankings(
    heading: str, path: str, make: Callable[[T], Page], part: Callable[[SiteFacts], T | None]
) -> PageKind:
    """A page of a part of the results, where there is one and rankings are told."""

    def told(facts: SiteFacts) -> T | None:
        return part(facts) if facts.shows.rankings else None

    return PageKind(
        lambda made: [make(it)] if (it := told(made.facts)) else [],
        lambda facts: [(gettext(heading), path)] if told(facts) else [],
    )


def _watched(made: Made) -> list[tuple[Highlight, str]]:
    """The highlights, with the paths of their pages, opened where it is worth a look; "" without a
    replay."""
    word, watched = made.facts.game.turn_word, []
    for each in made.found:
        path = paths.game_page(each.plan, each.match)
        place = f"#{word}={each.turn}" if each.turn > 1 else ""
        has_replay = made.replays.file_of(each.plan, each.match) is not None
        watched.append((each, path + place if has_replay else ""))
    return watched


def _index(made: Made) -> Page:
    planned, facts = made.planned, made.facts
    counted = planned.counted if facts.shows.games else 0
    games = {"played": planned.played, "counted": counted, "with_page": len(planned.games)}
    return front.index(facts, games, made.views, _watched(made), made.replays)


def replay(made: Made) -> Page:
    """The page that replays every game; it also lists the files of the games' turns."""
    titles = {released.number: groups.round_title(released) for released in made.facts.rounds}
    first = front.first_two(made.facts) if made.found else None
    shown = {
        "files": made.planned.files,
        "titles": titles,
        "can_check": made.facts.tells_archive,
        "worth": _watched(made),
        "first": paths.game_key(first.plan, first.games[-1]) if first else "",
    }
    return Page(paths.REPLAY, "replay", gettext("Games"), shown)


def _game_pages(made: Made) -> Iterator[Page]:
    """A page for each game worth a look: a link to it tells in messengers who plays."""
    for each in {highlight.match: highlight for highlight in made.found}.values():
        file = made.replays.file_of(each.plan, each.match)
        if file:
            shown = {
                "file": file,
                "key": paths.game_key(each.plan, each.match),
                "can_check": made.facts.tells_archive,
                "preview": each.sentence,
                "measure": each.measure,
            }
            path = paths.game_page(each.plan, each.match)
            yield Page(path, "game", title_of_game(each.match), shown)


def _rounds(made: Made) -> Iterator[Page]:
    facts = made.facts
    for each in facts.told_rounds:
        yield from groups.round_pages(each, facts.game, facts.shows, made.replays, facts.ranking)


def _has_replays(facts: SiteFacts) -> bool:
    if not (facts.game.play.has_moves and facts.shows.moves):
        return False
    return any(
        match.counted
        for each in facts.rounds
        for group in each.outcome.groups
        for match in group.matches
    )


PAGES = (
    _one(noted("Contest"), paths.INDEX, _index, lambda _facts: True),
    _always(noted("Rules"), paths.RULES, about.rules),
    _one(
        noted("Teams"), paths.TEAMS, lambda made: teams.teams(made.facts), lambda facts: facts.teams
    ),
    PageKind(lambda made: teams.team_pages(made.facts, made.views, _watched(made))),
    PageKind(
        _rounds,
        lambda facts: (
            (groups.round_title(each), groups.round_link(each, facts.shows))
            for each in facts.told_rounds
        ),
    ),
    PageKind(
        lambda made: (groups.former_page(made.facts, each) for each in made.facts.told_former)
    ),
    _one(
        noted("Bracket"),
        paths.BRACKET,
        lambda made: groups.bracket(made.facts, made.replays),
        lambda facts: facts.shows.bracket and any(map(is_knock_out, facts.history)),
    ),
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
    _always(noted("Announcement"), paths.ANNOUNCEMENT, about.announcement),
    _always(noted("Questions"), paths.QUESTIONS, about.questions),
    _always(noted("Mail commands"), paths.COMMANDS, about.commands),
    _always(noted("Log"), paths.LOG, log.log),
    _one(
        noted("Board"),
        paths.BOARD,
        lambda made: board.board(_index(made), made.facts, made.found),
        lambda facts: facts.started_at,
    ),
    PageKind(lambda made: [log.feed(made.facts), colours(made.facts)]),
)
"""All kinds of pages, in the order of the navigation."""


def pages(facts: SiteFacts, planned: Plan) -> Iterator[Page]:
    """Every page."""
    is_told = facts.is_over and facts.shows.rankings and facts.shows.games
    found = highlights(facts.history, facts.ranking, facts.game) if is_told else ()
    replays = Replays(planned.files)
    made = Made(facts, planned, found, replays, _views(facts, replays))
    for kind in PAGES:
        yield from kind.make(made)


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
    kept = {name: number for number, name in enumerate(held, start=1) if name in named}
    free = (number for number in range(1, COLOURS + 1) if number not in kept.values())
    return {name: kept[name] if name in kept else next(free) for name in named}


def colours(facts: SiteFacts) -> Page:
    """Make `colours.css`.

    While the contest runs, who leads changes with each round, and a colour that passes from team to
    team says nothing. So nobody has one until as few teams are left as there are colours. These
    keep theirs to the end.
    """
    held = finalists(facts)
    evolved = facts.evolution.ranking if facts.evolution else ()
    named = leaders([s.entry for s in facts.ranking], [line.entry for line in evolved])
    told = facts.teams and (facts.shows.rankings or (facts.shows.bracket and not facts.is_over))
    shown = numbered(held, named if facts.is_over else held) if told else {}
    by_number = sorted((number, name) for name, number in shown.items())
    return Page(paths.COLOURS, "colours", "Colours", {"leaders": by_number})
