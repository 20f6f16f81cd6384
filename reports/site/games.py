"""Choose the games that can be replayed, and put them into files. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from contest.language import gettext
from contest.model import GroupPlan, Match
from reports.site import paths
from reports.site.facts import ReleasedRound
from reports.site.tables import Cell, points_value
from reports.text import grouped_points as points

MAX_GAMES = 3_000  # with replays; some 30 MB of files
FILE_SIZE = 200_000  # bytes that a file of games has about, unless a single game is larger


@dataclass(frozen=True)
class GameKey:
    """A game of the contest that counted."""

    plan: GroupPlan
    match: Match

    @property
    def key(self) -> str:
        return paths.game_key(self.plan, self.match)

    @property
    def title(self) -> str:
        return title_of_game(self.match)

    @property
    def place(self) -> tuple[tuple[str, ...], int]:
        """Orders the games of a round: by the players' names, then by the number of the game."""
        return paths.players(self.plan, self.match), self.match.game


def chosen_games(rounds: Sequence[ReleasedRound]) -> tuple[tuple[GameKey, ...], int]:
    """The games that can be replayed, at most MAX_GAMES, and how many counted games there are.

    The last round's games come first, then those of the one before, and so on; in a round those
    between the best.
    """
    counted = [
        key for outcome in reversed(rounds) for key in sorted(_counted(outcome), key=lambda k: k[0])
    ]
    return tuple(key for _, key in counted[:MAX_GAMES]), len(counted)


def _counted(released: ReleasedRound) -> Iterator[tuple[tuple[int, int], GameKey]]:
    """Each counted game with the places of its players, added up, and its group."""
    for group in released.outcome.groups:
        place = {line.entry: number for number, line in enumerate(group.standings)}
        for match in group.matches:
            if match.counted:
                weight = sum(place[name] for name in match.players)
                yield (weight, group.plan.number), GameKey(group.plan, match)


# --- files ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class GameFile:
    """A file with the turns of some games of one round, in the order of their keys."""

    path: str
    games: tuple[GameKey, ...]

    @property
    def first(self) -> str:
        return self.games[0].key

    @property
    def round(self) -> int:
        return self.games[0].plan.round

    @property
    def ends(self) -> tuple[str, str]:
        """The titles of its first and its last game."""
        return self.games[0].title, self.games[-1].title


def game_files(games: Sequence[GameKey], *, drawn: bool) -> tuple[GameFile, ...]:
    """Put the games into files of about FILE_SIZE, round by round. `drawn`: each turn has a
    picture."""
    by_round: dict[int, list[GameKey]] = {}
    for game in games:
        by_round.setdefault(game.plan.round, []).append(game)
    return tuple(
        GameFile(paths.game_file(number, part), tuple(of_file))
        for number in sorted(by_round)
        for part, of_file in enumerate(
            _split(sorted(by_round[number], key=lambda g: g.place), drawn), start=1
        )
    )


def _split(games: Sequence[GameKey], drawn: bool) -> Iterator[list[GameKey]]:
    """Split the games where a file would become larger than FILE_SIZE."""
    keys: list[GameKey] = []
    size = 0
    for game in games:
        seats = len(game.match.players)
        per_turn = 6 + 7 * seats + (150 + 14 * seats) * drawn
        own = 700 + 100 * seats + per_turn * game.match.result.turns
        if keys and size + own > FILE_SIZE:
            yield keys
            keys, size = [], 0
        keys.append(game)
        size += own
    yield keys


@dataclass(frozen=True)
class Replays:
    """Where games can be seen. `files` have the games with a replay."""

    files: Sequence[GameFile] = ()

    @cached_property
    def _files(self) -> Mapping[str, GameFile]:
        return {game.key: file for file in self.files for game in file.games}

    def link(self, plan: GroupPlan, match: Match) -> str:
        """The path of the game's replay; "" if it has none."""
        return paths.game(plan, match) if self.file_of(plan, match) else ""

    def file_of(self, plan: GroupPlan, match: Match) -> GameFile | None:
        """The file with the game's turns; None if it has no replay."""
        return self._files.get(paths.game_key(plan, match)) if match.counted else None


def title_of_game(match: Match) -> str:
    """Name the players in the order of their seats, and the game where the pairing has several."""
    if len(match.players) > 2:
        title = gettext("The game of all")
    elif match.pairing.is_self:
        title = gettext("%(name)s against itself", name=match.players[0])
    else:
        title = gettext(
            "%(first)s against %(second)s", first=match.players[0], second=match.players[1]
        )
    if max(match.pairing.games, match.pairing.most) > 1:
        return gettext("%(title)s, game %(number)s", title=title, number=match.game)
    return title


def points_cell(half_points: int | None, point: int, link: str = "") -> Cell:
    """Points as people count them; `-` where there are none. `link`: to the replay of a game."""
    if half_points is None:
        return Cell("-", None)
    value = points_value(half_points, point)
    return Cell(points(half_points, point), value, link)
