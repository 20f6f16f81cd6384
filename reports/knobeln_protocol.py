"""Write and read game protocols of KNOBELN: the compact text that is mailed (DGP), and the full form.

The compact form, version 1, has lines of at most 72 columns of ASCII, ended by newlines:

    KNOBELN protocol 1
    game round=2 group=3 attempt=1
    players the_heavy_lords example
    rules a=1 b=12288 k=8 L=1000
    points 4123 3999
    verdicts OK OK
    counted yes
    digest 0123456789abcdef
    throws 1000
    120,130,180,200,...
    100,130,130,140,...
    500,...
    400,...
    end

The first line is there once, at the top. Then there is a block `game` to `end` for each attempt at a game.
Below `throws` are the numbers in pairs of lines: some throws of the first player, and below them those of the
second. Verdicts are those of contest.model.Verdict; unless both are OK the attempt was discarded, and its
points are 0. `counted no` with two OK means that a player was disqualified. `throws 17 not kept`: the game
had 17 throws, but nobody asked for them when it was played. `digest` is over all throws, to compare a replay
with. A game outside the contest is `round=0 group=0`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pydantic import ValidationError

from contest.games.knobeln import KnobelnSettings, Rules, ThrowLines, throw_points
from contest.model import GameResult, Match, Pairing, SeatResult, Verdict
from contest.util.plurals import form, plural
from reports.text import WIDTH, fold
from reports.words import MACHINE_VERDICTS

TITLE = "KNOBELN protocol 1"
NAME = re.compile(r"\S+")


class ProtocolError(ValueError):
    """The text is not in this format. The message names the line and what it should be."""


@dataclass(frozen=True)
class GameProtocol:
    """An attempt at a game, and where it was played; outside the contest `round` and `group` are 0."""

    round: int
    group: int
    rules: Rules
    match: Match


def throws_of(result: GameResult) -> Sequence[tuple[int, int]] | None:
    """Return the throws of a game of KNOBELN; None if they were not kept."""
    return result.moves  # type: ignore[return-value]  # on the machine a move is a number, and both always move


# --- writing -----------------------------------------------------------------------------------------------
def write(games: Iterable[GameProtocol]) -> str:
    """Return the compact text of these games. Raises ValueError if a player's name has white space."""
    return "".join(chain([TITLE, "\n"], *map(_block, games)))


def packed(text: str) -> bytes:
    """Return the text gzipped; the same text gives the same bytes."""
    # Level 3 takes 40 % longer for 7 % fewer bytes, in the protocols of a contest of 41 teams.
    return gzip.compress(text.encode(), compresslevel=2, mtime=0)


def _block(game: GameProtocol) -> Iterator[str]:
    rules, match, result, throws = game.rules, game.match, game.match.result, throws_of(game.match.result)
    if not all(map(NAME.fullmatch, match.players)):
        raise ValueError(f"a player's name in a protocol has no white space: {match.players}")
    yield (
        f"game round={game.round} group={game.group} attempt={match.attempt}\n"
        f"players {' '.join(match.players)}\n"
        f"rules a={rules.a} b={rules.b} k={rules.k} L={rules.L}\n"
        f"points {' '.join(str(seat.points) for seat in result.seats)}\n"
        f"verdicts {' '.join(seat.verdict for seat in result.seats)}\n"
        f"counted {'yes' if match.counted else 'no'}\n"
        f"digest {result.digest}\n"
        f"throws {result.turns}{' not kept' if throws is None else ''}\n"
    )
    if isinstance(throws, ThrowLines) and result.turns:
        yield throws.text
    elif throws:
        yield from _throw_lines(throws)
    yield "end\n"


def _throw_lines(throws: Sequence[tuple[int, int]]) -> Iterator[str]:
    sides = list(zip(*throws, strict=True))
    widest = max(len(str(extreme(side))) for side in sides for extreme in (min, max))
    per_line = (WIDTH + 1) // (widest + 1)
    first, second = (list(map(str, side)) for side in sides)
    for start in range(0, len(first), per_line):
        yield ",".join(first[start : start + per_line]) + "\n"
        yield ",".join(second[start : start + per_line]) + "\n"


# --- reading -----------------------------------------------------------------------------------------------
class ProtocolLines:
    """The lines of a protocol, with their numbers for the messages."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._lines)

    def next(self) -> str:
        if not self:
            raise ProtocolError(f"line {self._at + 1}: the text ends in the middle of a game")
        self._at += 1
        return self._lines[self._at - 1].strip()

    def peek(self) -> str:
        """Return the next line without going on to it; "" at the end."""
        return self._lines[self._at].strip() if self else ""

    def match(self, pattern: str, form: str) -> tuple[str, ...]:
        """Return the groups of `pattern` in the next line. Raises ProtocolError if it does not match."""
        line = self.next()
        found = re.fullmatch(pattern, line, re.ASCII)
        if not found:
            raise self.error(f"there must be `{form}`, not `{line[:60]}`")
        return found.groups()

    def error(self, what: str) -> ProtocolError:
        return ProtocolError(f"line {self._at}: {what}")


def read(text: str) -> tuple[GameProtocol, ...]:
    """Read the games of a compact text. Raises ProtocolError, which names the line and what it should be."""
    lines = ProtocolLines(text)
    lines.match(re.escape(TITLE), TITLE)
    games = []
    while lines:
        games.append(_read_block(lines))
    return tuple(games)


_VERDICT = "|".join(Verdict)
_NUMBER = r"(\d{1,10})"


def _read_block(lines: ProtocolLines) -> GameProtocol:
    round_number, group, attempt = lines.match(
        rf"game round={_NUMBER} group={_NUMBER} attempt={_NUMBER}", "game round=1 group=1 attempt=1"
    )
    players = lines.match(r"players (\S+) (\S+)", "players NAME NAME")
    rules = _read_rules(lines)
    points = lines.match(rf"points {_NUMBER} {_NUMBER}", "points 4123 3999")
    verdicts = lines.match(rf"verdicts ({_VERDICT}) ({_VERDICT})", "verdicts OK OK")
    (counted,) = lines.match(r"counted (yes|no)", "counted yes")
    (digest,) = lines.match(r"digest ([0-9a-f]+)", "digest 0123456789abcdef")
    played, not_kept = lines.match(rf"throws {_NUMBER}( not kept)?", "throws 1000")
    throws = None if not_kept else _read_throws(lines, int(played))
    lines.match("end", "end")
    seats = (SeatResult(int(won), Verdict(v), None) for won, v in zip(points, verdicts, strict=True))
    result = GameResult(tuple(seats), int(played), digest, throws)
    match = Match(Pairing(players), int(attempt), result, counted == "yes")
    return GameProtocol(int(round_number), int(group), rules, match)


def _read_rules(lines: ProtocolLines) -> Rules:
    a, b, k, length = lines.match(
        rf"rules a={_NUMBER} b={_NUMBER} k={_NUMBER} L={_NUMBER}", "rules a=1 b=12288 k=8 L=1000"
    )
    try:
        return KnobelnSettings(a=int(a), b=int(b), k=int(k), L=int(length)).rules
    except ValidationError as error:
        wrong = "; ".join(" ".join(map(str, (*e["loc"], e["msg"]))) for e in error.errors())
        raise lines.error(f"these are no rules of the game: {wrong}") from None


def _read_throws(lines: ProtocolLines, played: int) -> tuple[tuple[int, int], ...]:
    throws: list[tuple[int, int]] = []
    while len(throws) < played:
        first, second = _numbers(lines), _numbers(lines)
        if len(first) != len(second):
            raise lines.error(f"the line above has {plural(len(first), 'throw')}, this one {len(second)}")
        throws.extend(zip(first, second, strict=True))
    if len(throws) > played:
        raise lines.error(f"there are more throws than the {played} announced")
    return tuple(throws)


def _numbers(lines: ProtocolLines) -> list[int]:
    line = lines.next()
    try:
        return list(map(int, line.split(",")))
    except ValueError:
        raise lines.error(f"there must be throws, `120,130,...`, not `{line[:60]}`") from None


# --- the full form -----------------------------------------------------------------------------------------
def full(game: GameProtocol) -> str:
    """Return the game for reading, in at most 72 columns: every throw with its points and the totals so far.

    A `>` marks the first throw of a series. Points are computed from the throws by the rules (K3 to K5).
    """
    throws = throws_of(game.match.result) or ()
    return "\n".join((*_heading(game), *_throws_in_full(throws), *_ending(game.match))) + "\n"


def _heading(game: GameProtocol) -> Iterator[str]:
    if game.round:
        yield f"Round {game.round}, group {game.group}, attempt {game.match.attempt}"
    rules = game.rules
    yield f"a = {rules.a}, b = {rules.b}, k = {rules.k}, L = {rules.L}"
    yield ""
    first, second = game.match.players
    yield f"         {first:<30}   {second}".rstrip()
    yield "  throw       number points      total         number points      total"


def _throws_in_full(throws: Sequence[tuple[int, int]]) -> Iterator[str]:
    before: tuple[int, int] | None = None
    totals = (0, 0)
    for number, pair in enumerate(throws, 1):
        points = throw_points(*pair)
        totals = (totals[0] + points[0], totals[1] + points[1])
        marks = [">" if before is None or pair[at] < before[at] else " " for at in (0, 1)]
        sides = (
            f"{mark}{throw:>11} {won:>6} {total:>10}"
            for mark, throw, won, total in zip(marks, pair, points, totals, strict=True)
        )
        yield f"{number:>7} " + "   ".join(sides)
        before = pair


def _ending(match: Match) -> Iterator[str]:
    turns, is_stopped = match.result.turns, not match.result.is_flawless
    yield ""
    if match.result.moves is None:
        yield f"In this game {turns} {form(turns, 'throw was', 'throws were')} played, but not kept."
    for player, seat in match.sides:
        kept = is_stopped and seat.verdict is Verdict.OK
        end = "kept to the rules until then" if kept else MACHINE_VERDICTS[seat.verdict]
        reason = f": {seat.fault.reason}" if seat.fault and seat.fault.reason else ""
        yield fold(f"{player}: {seat.points} {form(seat.points, 'point')}, {end}{reason}")
    if is_stopped:
        yield "The game was stopped; its points are discarded."
    elif not match.counted:
        yield "The game does not count."
