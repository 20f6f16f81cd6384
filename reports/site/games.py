"""Choose the games that can be replayed, and make what a replay shows: turn by turn, as text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise

from contest.games.base import GameInfo
from contest.games.drawing import Course
from contest.language import gettext, listed, ngettext, noted_plural
from contest.model import GroupPlan, Match, Missing, Moves
from reports.render import plural
from reports.site import paths
from reports.site.boards import Pictures, pictures_of
from reports.site.facts import ReleasedRound
from reports.site.tables import Cell, points_value
from reports.text import grouped_points as points
from reports.text import one_line

MAX_GAMES = 3_000  # with replays; some 30 MB of files
FILE_SIZE = 200_000  # bytes that a file of games has about, unless a single game is larger
_CURVES = 12  # of more players nobody could tell the curves apart


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

    @property
    def path(self) -> str:
        """Where it is replayed, with the question in the address."""
        return paths.game(self.plan, self.match)


def chosen_games(rounds: Sequence[ReleasedRound]) -> tuple[tuple[GameKey, ...], int]:
    """The games that can be replayed, at most MAX_GAMES, and how many counted games there are.

    The last round's games come first, then those of the one before, and so on; in a round those between the
    best.
    """
    counted = [key for each in reversed(rounds) for key in sorted(_counted(each), key=lambda k: k[0])]
    return tuple(key for _, key in counted[:MAX_GAMES]), len(counted)


def _counted(released: ReleasedRound) -> Iterator[tuple[tuple[int, int], GameKey]]:
    """Each counted game with the places of its players, added up, and its group."""
    for group in released.outcome.groups:
        place = {line.entry: number for number, line in enumerate(group.standings)}
        for match in group.matches:
            if match.counted:
                weight = sum(place[name] for name in match.players)
                yield (weight, group.plan.number), GameKey(group.plan, match)


# --- files -------------------------------------------------------------------------------------------------
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
    """Put the games into files of about FILE_SIZE, round by round. `drawn`: each turn has a picture."""
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
    found: list[GameKey] = []
    size = 0
    for game in games:
        seats = len(game.match.players)
        per_turn = 6 + 7 * seats + (150 + 14 * seats) * drawn
        own = 700 + 100 * seats + per_turn * game.match.result.turns
        if found and size + own > FILE_SIZE:
            yield found
            found, size = [], 0
        found.append(game)
        size += own
    yield found


@dataclass(frozen=True)
class Replays:
    """Where games can be seen. `files` have the games with a replay; `pages`: by its key, the page of each
    game that has one of its own."""

    files: Sequence[GameFile] = ()
    pages: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return {game.key: file.path for file in self.files for game in file.games}

    def link(self, plan: GroupPlan, match: Match) -> str:
        """The path of the game's replay; "" if it has none."""
        return paths.game(plan, match) if self.text(plan, match) else ""

    def text(self, plan: GroupPlan, match: Match) -> str:
        """The path of the file with the game; "" if it has no replay."""
        return self._texts.get(paths.game_key(plan, match), "") if match.counted else ""

    def page(self, plan: GroupPlan, match: Match, turn: int = 0, word: str = "") -> str:
        """The path of the game's own page, or else of its replay, opened at this turn; "" if it has none."""
        path = self.pages.get(paths.game_key(plan, match), "") or self.link(plan, match)
        return f"{path}#{word}={turn}" if path and turn > 1 else path


Neighbours = Mapping[str, tuple[tuple[str, str], ...]]
"""By a game's key and by seat: the keys of the player's games before and after it in the round, or ""."""


def neighbours(games: Sequence[GameKey]) -> Neighbours:
    """Find the games of the same players, in the order of their keys. They never lead to another round: its
    release would change the files of this one."""
    of_player: dict[tuple[int, str], list[str]] = {}
    for game in sorted(games, key=lambda g: g.place):
        for name in dict.fromkeys(game.match.players):
            of_player.setdefault((game.plan.round, name), []).append(game.key)
    before: dict[tuple[str, str], str] = {}
    after: dict[tuple[str, str], str] = {}
    for (_, name), keys in of_player.items():
        for one, other in pairwise(keys):
            after[one, name], before[other, name] = other, one
    return {
        game.key: tuple(
            (before.get((game.key, name), ""), after.get((game.key, name), "")) for name in game.match.players
        )
        for game in games
    }


# --- what a replay shows -----------------------------------------------------------------------------------
Totals = Sequence[Sequence[int]]
"""Every seat's points after each turn."""


@dataclass(frozen=True)
class Replay:
    """What is known of how a game went.

    `moves`: of each turn and seat, as text; () if they were not kept. `points`: what each seat won in each
    turn, may be (). `views`: what the page draws, of "numbers", "board", "ring", "letters" and "points".
    """

    moves: Sequence[Sequence[str]]
    points: Totals
    story: str
    views: tuple[str, ...]
    pictures: Pictures | None = None


def replay_of(match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo) -> Replay:
    """Make the replay of any game. `moves` and `course` are None if they are not known any more."""
    story = (course.story if course else "") or result_story(match, game)
    if not moves:
        return Replay((), (), story, ())
    points = course.gains if course else []
    pictures = pictures_of(course) if course else None
    texts = [[one_line(move_text(move)) for move in turn] for turn in moves]
    return Replay(texts, points, story, _views(game, points, pictures), pictures)


def _views(game: GameInfo, points: Totals, pictures: Pictures | None) -> tuple[str, ...]:
    """What is drawn: the picture of the position, or what each did and how the points ran."""
    if pictures:
        return (pictures.view,)
    if points and len(points[0]) > _CURVES:
        return ()
    # A curve of one step tells nothing that the result does not tell.
    return (*["letters"] * bool(game.letters), *["points"] * (sum(map(any, points)) > 1))


def move_text(move: int | str | Missing | None) -> str:
    """A move as text: `!` marks a fault, before what the rules did instead; `-` was not asked."""
    if isinstance(move, Missing):
        return f"!{move.instead}"
    return "-" if move is None else str(move)


def result_story(match: Match, game: GameInfo) -> str:
    """Tell the result in a sentence."""
    seats = match.result.seats
    turns = plural(match.result.turns, game.turn_word)
    best = max(seat.points for seat in seats)
    won = points(2 * best, game.point)
    first = [name for name, seat in zip(player_names(match), seats, strict=True) if seat.points == best]
    if len(first) == len(seats):
        return gettext("After %(turns)s all were level at %(points)s.", turns=turns, points=won)
    if len(seats) == 2:
        return gettext(
            "%(winner)s won by %(points)s to %(least)s after %(turns)s.",
            winner=first[0],
            points=won,
            least=points(2 * min(seat.points for seat in seats), game.point),
            turns=turns,
        )
    # For translators: the number is that of the names.
    sentence = noted_plural(
        "%(names)s won with a score of %(points)s after %(turns)s.",
        "%(names)s won with a score of %(points)s after %(turns)s.",
    )
    return ngettext(*sentence, len(first), names=listed(first), points=won, turns=turns)


def player_names(match: Match) -> tuple[str, ...]:
    """Name the players by seat; in a self-game the two names differ."""
    if match.pairing.is_self:
        return tuple(
            gettext("%(name)s (seat %(seat)s)", name=name, seat=seat)
            for seat, name in enumerate(match.players, start=1)
        )
    return match.players


def title_of_game(match: Match) -> str:
    """Name the players in the order of their seats, and the game where the pairing has several."""
    number = match.game if max(match.pairing.games, match.pairing.most) > 1 else 0
    if len(match.players) > 2:
        return (
            gettext("The game of all, game %(number)s", number=number)
            if number
            else gettext("The game of all")
        )
    first, second = match.players
    if first == second:
        if number:
            return gettext("%(name)s against itself, game %(number)s", name=first, number=number)
        return gettext("%(name)s against itself", name=first)
    if number:
        return gettext(
            "%(first)s against %(second)s, game %(number)s", first=first, second=second, number=number
        )
    return gettext("%(first)s against %(second)s", first=first, second=second)


def lines_of(replay: Replay) -> Iterator[str]:
    """Yield a line for each turn: its number, the moves by seat, the points won by seat, caption, picture."""
    nothing = [""] * len(replay.moves)
    points = [[str(won) for won in turn] for turn in replay.points] or [[] for _ in nothing]
    captions = replay.pictures.captions[1:] if replay.pictures else nothing
    drawn = replay.pictures.changes[1:] if replay.pictures else nothing
    rows = zip(replay.moves, points, captions, drawn, strict=True)
    for number, (moves, won, caption, picture) in enumerate(rows, start=1):
        yield "\t".join(chain([str(number)], moves, won, (one_line(caption), picture) if picture else ()))


def points_cell(half_points: int | None, point: int, link: str = "", text_link: str = "") -> Cell:
    """Points as people count them; `-` where there are none. Links: to the replay and the text of a game."""
    if half_points is None:
        return Cell("-", None)
    value = points_value(half_points, point)
    return Cell(points(half_points, point), value, link, text_link=text_link)
