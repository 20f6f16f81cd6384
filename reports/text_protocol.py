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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import quote, unquote

from contest.games.game import GameInfo
from contest.model import Changed, Match, Missing, Moves, Verdict, points_text
from contest.util.plurals import form
from reports.knobeln_protocol import NAME, ProtocolLines
from reports.text import WIDTH, clean, columns_of, fold, one_line, table, wrap
from reports.words import VERDICTS

TITLE = "protocol in words 1"
_FAULT, _NOT_ASKED, _BETWEEN, _NOTHING, _CHANGED = "!", "-", ";", "%", ">"
_ESCAPED = re.compile(r"[%;>\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\s|\s$")


@dataclass(frozen=True)
class SeatFault:
    """A seat's first fault: seat and turn from 1, in how many turns it was at fault, and what was wrong."""

    seat: int
    turn: int
    turns: int
    reason: str  # "" if it was another team's fault


@dataclass(frozen=True)
class WordProtocol:
    """An attempt at a game, as one of its teams gets it. `moves` is None if they were not kept."""

    round: int
    group: int
    game: int
    attempt: int
    players: tuple[str, ...]
    points: tuple[int, ...]
    verdicts: tuple[Verdict, ...]
    faults: tuple[SeatFault, ...]
    counted: bool
    digest: str
    turns: int
    moves: Sequence[Moves] | None


@dataclass(frozen=True)
class WordProtocols:
    """The games of a compact text, and the facts that hold for all of them."""

    game: str
    point: int
    turn_word: str
    games: tuple[WordProtocol, ...]


def of(match: Match, round_number: int, group: int, entry: str) -> WordProtocol:
    """Make the protocol of a game of the contest for this entry's team."""
    return WordProtocol(
        round=round_number,
        group=group,
        game=match.game,
        attempt=match.attempt,
        players=match.players,
        points=tuple(seat.points for seat in match.result.seats),
        verdicts=tuple(seat.verdict for seat in match.result.seats),
        faults=tuple(
            SeatFault(
                number, seat.fault.turn, seat.faults, one_line(seat.fault.reason) if name == entry else ""
            )
            for number, (name, seat) in enumerate(match.sides, start=1)
            if seat.fault
        ),
        counted=match.counted,
        digest=match.result.digest,
        turns=match.result.turns,
        moves=match.result.moves,
    )


# --- writing -----------------------------------------------------------------------------------------------
def write(game: GameInfo, games: Iterable[WordProtocol]) -> str:
    """Return the compact text. Raises ValueError for a player's name with white space in it."""
    head = f"rules {game.name} point={game.point} turn={game.turn_word}"
    return "\n".join(chain([TITLE, head], *map(_block, games))) + "\n"


def _block(game: WordProtocol) -> Iterator[str]:
    if not all(map(NAME.fullmatch, game.players)):
        raise ValueError(f"a player's name in a protocol has no white space: {game.players}")
    yield f"game round={game.round} group={game.group} game={game.game} attempt={game.attempt}"
    yield from _filled(("players", *game.players))
    yield from _filled(("points", *map(str, game.points)))
    yield from _filled(("verdicts", *game.verdicts))
    for fault in game.faults:
        yield f"fault seat={fault.seat} turn={fault.turn} turns={fault.turns} {fault.reason}".rstrip()
    yield f"counted {'yes' if game.counted else 'no'}"
    yield f"digest {game.digest}"
    yield f"turns {game.turns}{' not kept' if game.moves is None else ''}"
    for moves in game.moves or ():
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


def read(text: str) -> WordProtocols:
    """Read the games of a compact text. Raises ProtocolError, which names the line and what it should be."""
    lines = ProtocolLines(text)
    lines.match(re.escape(TITLE), TITLE)
    name, point, turn_word = lines.match(
        r"rules (\S+) point=([1-9]\d{0,17}) turn=(\S+)", "rules bid-tac-toe point=2 turn=round"
    )
    games = []
    while lines:
        games.append(_read_block(lines))
    return WordProtocols(name, int(point), turn_word, tuple(games))


def _read_block(lines: ProtocolLines) -> WordProtocol:
    round_number, group, game, attempt = lines.match(
        rf"game round={_NUMBER} group={_NUMBER} game={_NUMBER} attempt={_NUMBER}",
        "game round=1 group=1 game=1 attempt=1",
    )
    players = _words(lines, "players", "players NAME NAME")
    points = _words(lines, "points", "points 2 0", r"-?\d{1,18}", len(players))
    verdicts = _words(lines, "verdicts", "verdicts OK OK", "|".join(Verdict), len(players))
    faults = []
    while lines.peek().startswith("fault "):
        faults.append(_read_fault(lines, len(players)))
    (counted,) = lines.match(r"counted (yes|no)", "counted yes")
    (digest,) = lines.match(r"digest ([0-9a-f]+)", "digest 0123456789abcdef")
    turns, not_kept = lines.match(rf"turns {_NUMBER}( not kept)?", "turns 12")
    moves = None if not_kept else tuple(_read_moves(lines, len(players)) for _ in range(int(turns)))
    lines.match("end", "end")
    return WordProtocol(
        round=int(round_number),
        group=int(group),
        game=int(game),
        attempt=int(attempt),
        players=players,
        points=tuple(map(int, points)),
        verdicts=tuple(map(Verdict, verdicts)),
        faults=tuple(faults),
        counted=counted == "yes",
        digest=digest,
        turns=int(turns),
        moves=moves,
    )


def _words(
    lines: ProtocolLines, title: str, form: str, pattern: str = r"\S+", number: int | None = None
) -> tuple[str, ...]:
    words = lines.next().split()
    while words and words[-1] == "\\":
        words = words[:-1] + lines.next().split()
    right = words[:1] == [title] and len(words) > 1 and all(re.fullmatch(pattern, w) for w in words[1:])
    if not right or number not in (None, len(words) - 1):
        raise lines.error(f"there must be `{form}`" + (f", {number} of them" if number else ""))
    return tuple(words[1:])


def _read_fault(lines: ProtocolLines, seats: int) -> SeatFault:
    seat, turn, turns, reason = lines.match(
        rf"fault seat={_NUMBER} turn={_NUMBER} turns={_NUMBER}(?: (.*))?",
        "fault seat=1 turn=3 turns=1 REASON",
    )
    if not 1 <= int(seat) <= seats:
        raise lines.error(f"there is no seat {seat}, only 1 to {seats}")
    return SeatFault(int(seat), int(turn), int(turns), reason or "")


def _read_moves(lines: ProtocolLines, seats: int) -> Moves:
    text = lines.next()
    while text.endswith(_BETWEEN):
        text += lines.next()
    moves = text.split(_BETWEEN)
    if len(moves) != seats:
        raise lines.error(f"there must be {seats} moves with `;` between them, not {len(moves)}")
    return tuple(map(_read_move, moves))


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
def full(protocols: WordProtocols, game: WordProtocol) -> str:
    """Return the game for reading: the moves of each turn, the faults, and the points."""
    parts = (_heading(protocols, game), _moves_in_full(protocols, game), _ending(protocols, game))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _heading(protocols: WordProtocols, game: WordProtocol) -> Iterator[str]:
    attempt = f", attempt {game.attempt}" if game.attempt > 1 else ""
    yield fold(f"{protocols.game}: round {game.round}, group {game.group}, game {game.game}{attempt}")
    for number, player in enumerate(game.players, start=1):
        yield fold(f"{number:>4}  {player}")


def _moves_in_full(protocols: WordProtocols, game: WordProtocol) -> Iterator[str]:
    if game.moves is None:
        turns = form(game.turns, f"{protocols.turn_word} was", f"{protocols.turn_word}s were")
        yield f"In this game {game.turns} {turns} played, but not kept."
        return
    shown = [[_shown(move) for move in moves] for moves in game.moves]
    names = list(map(str, range(1, len(game.players) + 1)))
    head = (protocols.turn_word, *names)
    rows = [head, *((str(number), *moves) for number, moves in enumerate(shown, start=1))]
    text = table(rows, "r" + "l" * len(names))
    if max(map(columns_of, text.split("\n"))) <= WIDTH:
        yield text
        return
    for number, moves in enumerate(shown, start=1):
        yield wrap(f"{protocols.turn_word} {number}:", indent="  ", first="")
        for name, move in zip(names, moves, strict=True):
            if move:
                yield wrap(f"{name:>3}: {move}", indent="       ", first="  ")


def _shown(move: int | str | Changed | Missing | None) -> str:
    if isinstance(move, Missing):
        return "FAULT" + (f" (instead: {clean(move.instead)})" if move.instead else "")
    return "" if move is None else clean(str(move))


def _ending(protocols: WordProtocols, game: WordProtocol) -> Iterator[str]:
    for fault in game.faults:
        times = f", and in {fault.turns - 1} more" if fault.turns > 1 else ""
        reason = fault.reason or VERDICTS[game.verdicts[fault.seat - 1]]
        where = f"{game.players[fault.seat - 1]} was at fault in {protocols.turn_word} {fault.turn}{times}"
        yield wrap(f"{where}: {reason}", indent="  ", first="")
    for player, points in zip(game.players, game.points, strict=True):
        count = points_text(2 * points, protocols.point)
        yield fold(f"{player}: {count} {'point' if count == '1' else 'points'}")
    if not game.counted:
        yield "The game does not count."
