"""Make what a replay shows: turn by turn, as text, and the result in a sentence. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contest.games.drawing import Course
from contest.games.game import GameInfo
from contest.language import gettext, listed, ngettext, noted_plural
from contest.model import Match, Moves, recorded_text
from reports.replay.boards import Pictures, pictures_of
from reports.text import grouped_points as points
from reports.text import one_line, plural

_CURVES = 12  # of more players nobody could tell the curves apart

Totals = Sequence[Sequence[int]]
"""Every seat's points after each turn."""


@dataclass(frozen=True)
class Replay:
    """What is known of how a game went.

    `moves`: of each turn and seat, as text; () if they were not kept. `points`: what each seat won
    in each turn, may be (). `views`: what the page draws, of "numbers", "board", "ring", "letters"
    and "points".
    """

    moves: Sequence[Sequence[str]]
    points: Totals
    story: str
    views: tuple[str, ...]
    pictures: Pictures | None = None


def replay_of(
    match: Match, moves: Sequence[Moves] | None, course: Course | None, game: GameInfo
) -> Replay:
    """Make the replay of any game. `moves` and `course` are None if they are not known any more."""
    story = result_story(match, game)
    if not moves:
        return Replay((), (), story, ())
    points = course.gains if course else []
    pictures = pictures_of(course) if course else None
    texts = [[one_line(recorded_text(move)) for move in turn] for turn in moves]
    return Replay(texts, points, story, _views(game, points, pictures), pictures)


def _views(game: GameInfo, points: Totals, pictures: Pictures | None) -> tuple[str, ...]:
    """What is drawn: the picture of the position, or what each did and how the points ran."""
    if pictures:
        return (pictures.view,)
    if points and len(points[0]) > _CURVES:
        return ()
    views = []
    if game.letters:
        views.append("letters")
    if sum(map(any, points)) > 1:  # a curve of one step tells nothing that the result does not
        views.append("points")
    return tuple(views)


def result_story(match: Match, game: GameInfo) -> str:
    """Tell the result in a sentence."""
    seats = match.result.seats
    turns = plural(match.result.turns, game.turn_word)
    best = max(seat.points for seat in seats)
    won = points(2 * best, game.point)
    first = [
        name for name, seat in zip(player_names(match), seats, strict=True) if seat.points == best
    ]
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


def lines_of(replay: Replay) -> Iterator[str]:
    """Yield a line for each turn: nothing, the moves by seat, the points won by seat, caption,
    picture."""
    for turn, moves in enumerate(replay.moves):
        cells = ["", *moves]
        if replay.points:
            cells += map(str, replay.points[turn])
        # the first picture is that of the position at the beginning
        if replay.pictures and (picture := replay.pictures.changes[turn + 1]):
            cells += one_line(replay.pictures.captions[turn + 1]), picture
        yield "\t".join(cells)
