"""Write protocols of text games: the compact text that is mailed (DGP).

The compact form, version 1, has lines of UTF-8, ended by newlines. They have at most 72 columns,
except if a single move or the reason of a fault is longer:

    protocol in words 1
    rules bid-tac-toe point=2 turn=round
    game round=1 group=1 game=17 attempt=1
    players the_heavy_lords example
    points 0 2
    verdicts ILLEGAL_MOVE OK
    fault seat=1 turn=3 turns=1 the bids add up to 120, but the bankroll is 86
    counted yes
    digest 0123456789abcdef
    turns 3
    2 4 2 4 10 4 2 4 2;2 7 2 14 2 1 6 4 2
    25 0 25 0 0 0 0 0 30;25 0 17 0 0 0 0 13 31
    !0 0 0 0 0 0 0 0 0;29 0 0 0 0 0 0 0 0
    end

The first two lines are there once, at the top: the game's name, how many of its internal points
make one point of the reports, and its word for a turn. Then there is a block `game` to `end` for
each attempt at a game.

Points are the game's internal points, by seat. Each seat that was at fault has a line `fault`;
seats count from 1. It has the first such turn, the number of such turns, and the reason, which only
the program's own team gets. Below `turns` is a line for each turn: the moves by seat, with `;`
between them. `-` is a seat that was not asked. `!` is a fault; after it is the move that the rules
made instead. `C>B` is a move that chance changed: C was the player's, and B happened. A line that
ends in `;` goes on in the next line, and so does a line of players, points or verdicts that ends in
a backslash. In a move `%`, `;`, `>`, control characters, a blank at its ends, a leading `!` and a
lone `-` are written as `%25` and so on. An empty move is written as `%`. `turns 17 not kept`: the
game had 17 turns, but nobody asked for them when it was played. `digest` is over all moves, to
compare a replay with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from contest.games.game import GameInfo
from contest.model import Changed, Match, Missing
from reports.knobeln_protocol import NAME
from reports.text import WIDTH, one_line

TITLE = "protocol in words 1"
_FAULT, _NOT_ASKED, _BETWEEN, _NOTHING, _CHANGED = "!", "-", ";", "%", ">"
_ESCAPED = re.compile(r"[%;>\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\s|\s$")


def write(
    game: GameInfo, matches: Sequence[Match], round_number: int, group: int, entry: str
) -> str:
    """Return the compact text of these games of a group for this entry's team.

    Raises ValueError if a name has white space.
    """
    lines = [TITLE, f"rules {game.name} point={game.point} turn={game.turn_word}"]
    for match in matches:
        lines.append(
            f"game round={round_number} group={group} game={match.game} attempt={match.attempt}"
        )
        lines += _block(match, entry)
    return "\n".join(lines) + "\n"


def _block(match: Match, entry: str) -> Iterator[str]:
    result = match.result
    if not all(map(NAME.fullmatch, match.players)):
        raise ValueError(f"a player's name in a protocol has no white space: {match.players}")
    yield from _filled(("players", *match.players))
    yield from _filled(("points", *(str(seat.points) for seat in result.seats)))
    yield from _filled(("verdicts", *(seat.verdict for seat in result.seats)))
    for number, (name, seat) in enumerate(match.sides, start=1):
        if seat.fault:
            where = f"fault seat={number} turn={seat.fault.turn} turns={seat.faults}"
            reason = one_line(seat.fault.reason) if name == entry else ""
            yield f"{where} {reason}".rstrip()
    yield f"counted {'yes' if match.counted else 'no'}"
    yield f"digest {result.digest}"
    yield f"turns {result.turns}{' not kept' if result.moves is None else ''}"
    for moves in result.moves or ():
        yield from _filled([_move(move) for move in moves], _BETWEEN)
    yield "end"


def _filled(words: Sequence[str], between: str = " ") -> Iterator[str]:
    """Fill the words into lines; a line that goes on ends with `between`, or with a backslash for
    blanks."""
    broken = between + "\\" if between == " " else between
    line = words[0]
    for word in words[1:]:
        if len(line) + len(between) + len(word) + len(broken) > WIDTH:
            yield line + broken
            line = word
        else:
            line += between + word
    yield line


def _move(move: int | str | Changed | Missing | None) -> str:
    if move is None:
        return _NOT_ASKED
    if isinstance(move, Changed):
        return _written(move.move) + _CHANGED + _written(move.instead)
    if isinstance(move, Missing):
        return _FAULT + (_written(move.instead) if move.instead else "")
    return _written(str(move))


def _written(move: str) -> str:
    text = _ESCAPED.sub(lambda match: quote(match.group(), safe="", errors="replace"), move)
    if text == _NOT_ASKED or text.startswith(_FAULT):
        return f"%{ord(text[0]):02X}{text[1:]}"
    return text or _NOTHING
