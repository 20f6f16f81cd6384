"""Draw the picture that a link to a game shows: who played, what came of it, and how it went. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import cos, pi, sin

from contest.games.base import GameInfo
from contest.games.drawing import Course, Drawing, Ring, Square
from contest.language import gettext, number
from contest.model import Match
from reports.site.canvas import ACCENT, FAINT, INK, LINE, MARGIN, RIGHT, Canvas, width_of
from reports.site.games import Replay, player_names, title_of_game
from reports.site.preview import HEIGHT
from reports.text import grouped_points as points

_SEATS = ("#5aa9f0", ACCENT, "#6fce80", "#e58ac0", "#c3cf5e", "#b5a2ee", "#59d3d3", "#f08c8c")
_GROUNDS = ("#1f4a70", "#6b4717", *("#33465c",) * 6)
_LETTERS = ("#3d7fba", "#c8640f", "#4f8322", "#6c747d")
_SIDE, _RING_WIDTH = 456, 540  # of a board, and of a ring with its names
_TOP, _BOTTOM = 126, HEIGHT - 48
_MAX_COLUMNS = 400  # corners of a curve
_MAX_NAMED = 3  # players of a game of many
_MAX_AROUND = 16  # names that have room around a ring
_MAX_LETTERS = 12  # of such a name

Box = tuple[float, float, float, float]
Draw = Callable[[Canvas, Box], None]


@dataclass(frozen=True)
class GameOnPicture:
    """What the picture of a game shows. `heading`: the contest, and where in it the game was played."""

    heading: str
    match: Match
    game: GameInfo
    replay: Replay
    course: Course | None


def game_picture(shown: GameOnPicture) -> bytes:
    """Draw a game; how it went is beside the names if it has a board or a ring, and else below them."""
    canvas = Canvas()
    canvas.emblem(52, 40)
    canvas.paragraph((MARGIN + 62, 48), shown.heading, 26, RIGHT, lines=1, colour=FAINT)
    (beside, width), below = _beside(shown), _below(shown)
    right = RIGHT - width - 40 if beside else RIGHT
    bottom = _players(canvas, shown, right)
    lines = 2 if below and not beside else 9
    bottom = canvas.paragraph((MARGIN, bottom + 14), shown.replay.story, 24, right, lines=lines, colour=INK)
    if beside:
        beside(canvas, (RIGHT - width, _TOP, RIGHT, _TOP + _SIDE))
    elif below:
        below(canvas, (MARGIN, bottom + 26, RIGHT, _BOTTOM))
    return canvas.png


def _beside(shown: GameOnPicture) -> tuple[Draw | None, float]:
    """How to draw the game's board or ring, and how wide it is."""
    course = shown.course
    if course and course.drawings:
        return lambda canvas, box: _board(canvas, course.drawings[-1], box), _SIDE
    if course and course.rings:
        names = player_names(shown.match)
        return lambda canvas, box: _ring(canvas, course.rings[-1], names, box), _RING_WIDTH
    return None, 0


def _below(shown: GameOnPicture) -> Draw | None:
    views = shown.replay.views
    if "letters" in views:
        return lambda canvas, box: _letters(canvas, shown, box)
    return (lambda canvas, box: _curves(canvas, shown, box)) if "points" in views else None


def _players(canvas: Canvas, shown: GameOnPicture, right: float) -> float:
    """Draw names and points, a row for each player; of a game of many the best. Returns where it ends."""
    y: float = _TOP
    seats = list(enumerate(zip(player_names(shown.match), shown.match.result.seats, strict=True)))
    if len(seats) > 2:
        y = canvas.paragraph((MARGIN, y - 6), title_of_game(shown.match), 44, right, bold=True, lines=1)
        seats = sorted(seats, key=lambda each: -each[1][1].points)[:_MAX_NAMED]
    for seat, (name, result) in seats:
        colour = _SEATS[seat % len(_SEATS)]
        won = points(2 * result.points, shown.game.point)
        room = right - width_of(won, 44, bold=True) - 24
        _mark(canvas, seat, (MARGIN, y + 16))
        canvas.paragraph((MARGIN + 40, y), name, 44, room, bold=True, lines=1)
        canvas.text((right, y), won, 44, bold=True, colour=colour, anchor="ra")
        y += 60
    return y


def _mark(canvas: Canvas, seat: int, at: tuple[float, float]) -> None:
    """The player's sign: as in the replay, round marks for the first seat and square ones for the second."""
    x, y = at
    if seat % 2:
        canvas.box((x, y), (x + 24, y + 24), _SEATS[seat % len(_SEATS)])
    else:
        canvas.circle((x + 12, y + 12), 13, _SEATS[seat % len(_SEATS)])


# --- below the names ---------------------------------------------------------------------------------------
def _curves(canvas: Canvas, shown: GameOnPicture, box: Box) -> None:
    """The points of each player, turn by turn."""
    left, top, right, bottom = box
    totals = [[0, *accumulate(gains)] for gains in zip(*shown.replay.points, strict=True)]
    low, high = min(map(min, totals)), max(1, *map(max, totals))
    left += max(width_of(number(round(each / shown.game.point)), 18) for each in (low, high)) + 12
    floor, last = bottom - 30, len(totals[0]) - 1
    for level in (low, (low + high) / 2, high):
        y = floor - (level - low) / (high - low) * (floor - top)
        canvas.line([(left, y), (right, y)], LINE, 1.5)
        said = number(round(level / shown.game.point))
        canvas.text((left - 10, y), said, 18, colour=FAINT, anchor="rm")
    canvas.text((left, bottom), "0", 18, colour=FAINT, anchor="ls")
    counted = f"{gettext(shown.game.turn_word)} {number(last)}"
    canvas.text((right, bottom), counted, 18, colour=FAINT, anchor="rs")
    chosen = sorted({round(at * last / _MAX_COLUMNS) for at in range(_MAX_COLUMNS + 1)})
    for seat, of_one in reversed(list(enumerate(totals))):
        corners = [
            (left + at / last * (right - left), floor - (of_one[at] - low) / (high - low) * (floor - top))
            for at in chosen
        ]
        canvas.line(corners, _SEATS[seat % len(_SEATS)], 4)


def _letters(canvas: Canvas, shown: GameOnPicture, box: Box) -> None:
    """What each player did: a row of cells for each, a cell for each turn."""
    left, top, right, bottom = box
    moves = shown.replay.moves
    signs = {sign: at for at, (sign, _) in enumerate(shown.game.letters)}
    left += 40
    step = min(84.0, (right - left) / len(moves))
    height = min(84.0, (bottom - top - 46) / len(moves[0]))
    gap = min(4.0, step / 5)
    for at, turn in enumerate(moves):
        for seat, move in enumerate(turn):
            x, y = left + at * step, top + seat * height
            which = signs.get(move.lstrip("!"))
            colour = LINE if which is None else _LETTERS[which % len(_LETTERS)]
            canvas.box((x, y), (x + step - gap, y + height - 6), colour, round_by=min(6.0, gap * 2))
            if step >= 26:
                canvas.text((x + (step - gap) / 2, y + height / 2 - 3), move, 26, bold=True, anchor="mm")
    for seat in range(len(moves[0])):
        _mark(canvas, seat, (MARGIN, top + (seat + 0.5) * height - 15))
    x, y = left, top + len(moves[0]) * height + 10
    for sign, word in shown.game.letters:
        said = f"{sign} {gettext(word)}"
        canvas.box((x, y + 4), (x + 20, y + 24), _LETTERS[signs[sign] % len(_LETTERS)])
        canvas.text((x + 30, y), said, 20, colour=FAINT)
        x += 30 + width_of(said, 20) + 32


# --- beside the names --------------------------------------------------------------------------------------
def _board(canvas: Canvas, drawing: Drawing, box: Box) -> None:
    left, top, right, bottom = box
    rows, columns = len(drawing.rows), len(drawing.rows[0])
    side = min((right - left) / columns, (bottom - top) / rows)
    left = right - side * columns
    for row, squares in enumerate(drawing.rows):
        for column, square in enumerate(squares):
            _square(canvas, square, (left + column * side, top + row * side), side)
    for count, length, is_row in ((rows, columns, True), (columns, rows, False)):
        for at in range(count + 1):
            is_heavy = at % (drawing.block or count) == 0
            along = [(0.0, at * side), (length * side, at * side)]
            corners = [(left + x, top + y) if is_row else (left + y, top + x) for x, y in along]
            canvas.line(corners, FAINT if is_heavy else LINE, 3 if is_heavy else 1.5)


def _square(canvas: Canvas, square: Square, at: tuple[float, float], side: float) -> None:
    x, y = at
    if square.ground is not None:
        canvas.box(at, (x + side, y + side), _GROUNDS[square.ground % len(_GROUNDS)])
    colour = INK if square.seat is None else _SEATS[square.seat % len(_SEATS)]
    middle = (x + side / 2, y + side * (0.58 if square.small else 0.5))
    canvas.text(middle, square.text, round(side * 0.55), bold=True, colour=colour, anchor="mm")
    if square.small:
        canvas.text((x + side / 2, y + side * 0.16), square.small, round(side * 0.14), anchor="mm")


def _ring(canvas: Canvas, ring: Ring, names: Sequence[str], box: Box) -> None:
    """Those who are alive are full, the others crossed out. Names are outside."""
    left, top, right, bottom = box
    middle = ((left + right) / 2, (top + bottom) / 2)
    has_names = len(names) <= _MAX_AROUND
    radius = 140 if has_names else (bottom - top) / 2 - 24
    size = min(22.0, pi * radius / len(names) * 0.8)
    for seat, (name, figure) in enumerate(zip(names, ring.figures, strict=True)):
        angle = 2 * pi * seat / len(names) - pi / 2
        x, y = middle[0] + radius * cos(angle), middle[1] + radius * sin(angle)
        if figure.health:
            canvas.circle((x, y), size, _SEATS[0])
        else:
            far = size * 0.6
            for slope in (1, -1):
                canvas.line([(x - far, y - slope * far), (x + far, y + slope * far)], FAINT, 4)
        if has_names:
            away = radius + size + 8
            place = (middle[0] + away * cos(angle), middle[1] + away * sin(angle))
            side = "m" if abs(cos(angle)) < 0.1 else "l" if cos(angle) > 0 else "r"
            level = "m" if side != "m" else "s" if sin(angle) < 0 else "a"
            short = name if len(name) <= _MAX_LETTERS else f"{name[: _MAX_LETTERS - 1]}..."
            canvas.text(place, short, 16, colour=INK if figure.health else FAINT, anchor=side + level)
