"""Write and read protocols of text games: the compact text that is mailed (DGP), and the full form.

The compact form, version 1, has lines of UTF-8, ended by newlines. They have at most 72 columns, except if a
single move or the reason of a fault is longer:

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

The first two lines are there once, at the top: the game's name, how many of its internal points make one
point of the reports, and its word for a turn. Then there is a block `game` to `end` for each attempt at a
game.

Points are the game's internal points, by seat. Each seat that was at fault has a line `fault`; seats count
from 1. It has the first such turn, the number of such turns, and the reason, which only the program's own
team gets. Below `turns` is a line for each turn: the moves by seat, with `;` between them. `-` is a seat that
was not asked. `!` is a fault; after it is the move that the rules made instead. `C>B` is a move that chance
changed: C was the player's, and B happened. A line that ends in `;` goes on in the next line, and so does a
line of players, points or verdicts that ends in a backslash. In a move `%`, `;`, `>`, control characters, a
blank at its ends, a leading `!` and a lone `-` are written as `%25` and so on. An empty move is written as
`%`. `turns 17 not kept`: the game had 17 turns, but nobody asked for them
when it was played. `digest` is over all moves, to compare a replay with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from urllib.parse import quote, unquote

from contest.games.game import GameInfo
from contest.model import (
    Changed,
    Fault,
    GameResult,
    Match,
    Missing,
    Pairing,
    SeatResult,
    Verdict,
    points_text,
)
from contest.util.plurals import form
from reports.knobeln_protocol import NAME
from reports.text import WIDTH, clean, columns_of, fold, one_line, table, wrap
from reports.words import VERDICTS

TITLE = "protocol in words 1"
_FAULT, _NOT_ASKED, _BETWEEN, _NOTHING, _CHANGED = "!", "-", ";", "%", ">"
_ESCAPED = re.compile(r"[%;>\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\s|\s$")


@dataclass(frozen=True)
class WordProtocol:
    """An attempt at a game, as one of its teams gets it: a fault's reason is "" if it was another team's."""

    game: str
    point: int
    turn_word: str
    round: int
    group: int
    match: Match


def of(game: GameInfo, match: Match, round_number: int, group: int, entry: str) -> WordProtocol:
    """Make the protocol of a game of the contest for this entry's team."""
    seats = tuple(
        replace(seat, fault=Fault(seat.fault.turn, one_line(seat.fault.reason) if name == entry else ""))
        if seat.fault
        else seat
        for name, seat in match.sides
    )
    shown = replace(match, result=replace(match.result, seats=seats))
    return WordProtocol(game.name, game.point, game.turn_word, round_number, group, shown)


# --- writing -----------------------------------------------------------------------------------------------
def write(games: Sequence[WordProtocol]) -> str:
    """Return the compact text of one or more games. Raises ValueError if a name has white space."""
    head = f"rules {games[0].game} point={games[0].point} turn={games[0].turn_word}"
    return "\n".join(chain([TITLE, head], *map(_block, games))) + "\n"


def _block(game: WordProtocol) -> Iterator[str]:
    match, result = game.match, game.match.result
    if not all(map(NAME.fullmatch, match.players)):
        raise ValueError(f"a player's name in a protocol has no white space: {match.players}")
    yield f"game round={game.round} group={game.group} game={match.game} attempt={match.attempt}"
    yield from _filled(("players", *match.players))
    yield from _filled(("points", *(str(seat.points) for seat in result.seats)))
    yield from _filled(("verdicts", *(seat.verdict for seat in result.seats)))
    for number, seat in enumerate(result.seats, start=1):
        if seat.fault:
            where = f"fault seat={number} turn={seat.fault.turn} turns={seat.faults}"
            yield f"{where} {seat.fault.reason}".rstrip()
    yield f"counted {'yes' if match.counted else 'no'}"
    yield f"digest {result.digest}"
    yield f"turns {result.turns}{' not kept' if result.moves is None else ''}"
    for moves in result.moves or ():
        yield from _filled([_move(move) for move in moves], _BETWEEN)
    yield "end"


def _filled(words: Sequence[str], between: str = " ") -> Iterator[str]:
    """Fill the words into lines; a line that goes on ends with `between`, or with a backslash for blanks."""
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
    text = _ESCAPED.sub(lambda found: quote(found.group(), safe="", errors="replace"), move)
    if text == _NOT_ASKED or text.startswith(_FAULT):
        return f"%{ord(text[0]):02X}{text[1:]}"
    return text or _NOTHING


# --- reading -----------------------------------------------------------------------------------------------
_NUMBER = r"(\d{1,10})"
_WORDS = r"((?: (?:\\\n)?\S+)+)\n"
_HEAD = re.compile(rf"{re.escape(TITLE)}\nrules (\S+) point=([1-9]\d{{0,17}}) turn=(\S+)\n")
_BLOCK = re.compile(
    rf"game round={_NUMBER} group={_NUMBER} game={_NUMBER} attempt={_NUMBER}\n"
    rf"players{_WORDS}points{_WORDS}verdicts{_WORDS}((?:fault .*\n)*)"
    rf"counted (yes|no)\ndigest ([0-9a-f]+)\nturns {_NUMBER}( not kept)?\n((?:.*\n)*?)end\n(?=game |\Z)"
)
_FAULT_LINE = re.compile(rf"fault seat={_NUMBER} turn={_NUMBER} turns={_NUMBER}(?: (.*))?")


def read(text: str) -> tuple[WordProtocol, ...]:
    """Read the games of a compact text. Raises ValueError: which line begins what cannot be read."""
    text = "".join(f"{line.strip()}\n" for line in text.splitlines())
    head = _HEAD.match(text)
    if not head:
        raise ValueError(
            f"line 1: there must be `{TITLE}`, and below it a line such as "
            "`rules bid-tac-toe point=2 turn=round`"
        )
    games, at = [], head.end()
    while at < len(text):
        found = _BLOCK.match(text, at)
        try:
            games.append(WordProtocol(head[1], int(head[2]), head[3], *_read_block(found)))
        except ValueError:
            number = text.count("\n", 0, at) + 1
            raise ValueError(f"line {number}: here is no whole and sound game") from None
        at = found.end() if found else at
    return tuple(games)


def _read_block(found: re.Match[str] | None) -> tuple[int, int, Match]:
    """The round, the group, and the game. Raises ValueError."""
    if not found:
        raise ValueError("no game")
    round_number, group, game, attempt = map(int, found.groups()[:4])
    players, points, verdicts = (found[n].replace("\\\n", "").split() for n in (5, 6, 7))
    seats = [SeatResult(int(won), Verdict(v), None) for won, v in zip(points, verdicts, strict=True)]
    for line in found[8].splitlines():
        fault = _FAULT_LINE.fullmatch(line)
        if not fault or not 1 <= int(fault[1]) <= len(seats):
            raise ValueError("a fault of nobody")
        at = int(fault[1]) - 1
        seats[at] = replace(seats[at], fault=Fault(int(fault[2]), fault[4] or ""), faults=int(fault[3]))
    turns, rows = int(found[11]), found[13].replace(f"{_BETWEEN}\n", _BETWEEN).split("\n")[:-1]
    moves = tuple(tuple(map(_read_move, row.split(_BETWEEN))) for row in rows)
    is_whole = len(moves) == (0 if found[12] else turns) and all(len(each) == len(seats) for each in moves)
    if len(players) != len(seats) or not is_whole:
        raise ValueError("something is missing")
    shift = (1 - game) % len(players)  # a pairing has its players in the order of its first game
    pairing = Pairing((*players[shift:], *players[:shift]))
    result = GameResult(tuple(seats), turns, found[10], None if found[12] else moves)
    return round_number, group, Match(pairing, attempt, result, found[9] == "yes", game)


def _read_move(text: str) -> str | Changed | Missing | None:
    if text == _NOT_ASKED:
        return None
    move, changed, instead = text.partition(_CHANGED)
    if changed:
        return Changed(_read_text(move), _read_text(instead))
    if text.startswith(_FAULT):
        return Missing(_read_text(text[1:]))
    return _read_text(text)


def _read_text(text: str) -> str:
    return "" if text == _NOTHING else unquote(text)


# --- the full form -----------------------------------------------------------------------------------------
def full(game: WordProtocol) -> str:
    """Return the game for reading: the moves of each turn, the faults, and the points."""
    parts = (_heading(game), _moves_in_full(game), _ending(game))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _heading(game: WordProtocol) -> Iterator[str]:
    attempt = f", attempt {game.match.attempt}" if game.match.attempt > 1 else ""
    yield fold(f"{game.game}: round {game.round}, group {game.group}, game {game.match.game}{attempt}")
    for number, player in enumerate(game.match.players, start=1):
        yield fold(f"{number:>4}  {player}")


def _moves_in_full(game: WordProtocol) -> Iterator[str]:
    result, turn_word = game.match.result, game.turn_word
    if result.moves is None:
        turns = form(result.turns, f"{turn_word} was", f"{turn_word}s were")
        yield f"In this game {result.turns} {turns} played, but not kept."
        return
    shown = [[_shown(move) for move in moves] for moves in result.moves]
    names = list(map(str, range(1, len(result.seats) + 1)))
    head = (turn_word, *names)
    rows = [head, *((str(number), *moves) for number, moves in enumerate(shown, start=1))]
    text = table(rows, "r" + "l" * len(names))
    if max(map(columns_of, text.split("\n"))) <= WIDTH:
        yield text
        return
    for number, moves in enumerate(shown, start=1):
        yield wrap(f"{turn_word} {number}:", indent="  ", first="")
        for name, move in zip(names, moves, strict=True):
            if move:
                yield wrap(f"{name:>3}: {move}", indent="       ", first="  ")


def _shown(move: int | str | Changed | Missing | None) -> str:
    if isinstance(move, Missing):
        return "FAULT" + (f" (instead: {clean(move.instead)})" if move.instead else "")
    return "" if move is None else clean(str(move))


def _ending(game: WordProtocol) -> Iterator[str]:
    for player, seat in game.match.sides:
        if seat.fault:
            times = f", and in {seat.faults - 1} more" if seat.faults > 1 else ""
            where = f"{player} was at fault in {game.turn_word} {seat.fault.turn}{times}"
            yield wrap(f"{where}: {seat.fault.reason or VERDICTS[seat.verdict]}", indent="  ", first="")
    for player, seat in game.match.sides:
        count = points_text(2 * seat.points, game.point)
        yield fold(f"{player}: {count} {'point' if count == '1' else 'points'}")
    if not game.match.counted:
        yield "The game does not count."
