#!/usr/bin/env python3
"""Write the games of compact protocols out in full, throw by throw.

    ./knobeln example leapfrog | ./protocolfmt
    ./protocolfmt round1-group1-our_team.protocol.gz --against jailer

Takes what the referee of this kit prints and what comes with the mails DGP, gzipped or not; without a file,
standard input. A `>` marks the first throw of a series. Needs Python 3.7 or later, and nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import re
import signal
import sys
import zlib
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

TITLE = "KNOBELN protocol 1"
WIDTH = 72
GZIP_MAGIC = b"\x1f\x8b"
VERDICTS = {
    "OK": "played to the end",
    "TIME": "time limit",
    "MEMORY": "out of memory",
    "CRASH": "crash",
    "ILLEGAL_MOVE": "illegal throw",
    "PROTOCOL": "left the game",
    "ASIDE": "set aside after failures of our engine",
    "INTERNAL": "a failure of our own machinery",
}
NUMBER = r"(\d{1,10})"
VERDICT = "(" + "|".join(VERDICTS) + ")"


class Game(NamedTuple):
    """One attempt at a game. Pairs are in the order of the players."""

    where: tuple[str, str, str]  # round, group, attempt; the round is 0 outside a contest
    players: tuple[str, str]
    rules: tuple[str, ...]  # a, b, k, L
    points: tuple[str, str]
    verdicts: tuple[str, str]
    counted: bool
    played: int
    throws: list[tuple[int, int]]
    kept: bool  # the throws are there
    reasons: tuple[str, str] = ("", "")  # of faults; no compact protocol has them


# --- reading ----------------------------------------------------------------------------------------------
class Lines:
    """The lines of a text, with their numbers for the messages."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.lines)

    def peek(self) -> str:
        """The next line, without going on to it; "" at the end."""
        return self.lines[self.at].strip() if self else ""

    def next(self) -> str:
        if not self:
            self.fail("the text ends in the middle of a game")
        self.at += 1
        return self.lines[self.at - 1].strip()

    def match(self, pattern: str, form: str) -> tuple[str, ...]:
        """The groups of the next line, which must have this form."""
        line = self.next()
        found = re.fullmatch(pattern, line, re.ASCII)
        if not found:
            self.fail(f"there must be `{form}`, not `{line[:60]}`")
        return found.groups()

    def fail(self, what: str) -> NoReturn:
        raise ValueError(f"line {max(self.at, 1)}: {what}")


def games_of(lines: Lines) -> Iterator[Game]:
    """All games. A title may come before each; several protocols may follow one another.

    Raises ValueError, naming the line and what it should be.
    """
    lines.match(re.escape(TITLE), TITLE)
    while lines:
        if lines.peek() == TITLE:
            lines.next()
        else:
            yield read_game(lines)


def read_game(lines: Lines) -> Game:
    round_, group, attempt = lines.match(
        f"game round={NUMBER} group={NUMBER} attempt={NUMBER}", "game round=1 group=1 attempt=1"
    )
    first, second = lines.match(r"players (\S+) (\S+)", "players NAME NAME")
    rules = lines.match(f"rules a={NUMBER} b={NUMBER} k={NUMBER} L={NUMBER}", "rules a=1 b=12288 k=8 L=1000")
    one, other = lines.match(f"points {NUMBER} {NUMBER}", "points 4123 3999")
    good, bad = lines.match(f"verdicts {VERDICT} {VERDICT}", "verdicts OK OK")
    (counted,) = lines.match("counted (yes|no)", "counted yes")
    lines.match("digest ([0-9a-f]+)", "digest 0123456789abcdef")
    played, missing = lines.match(f"throws {NUMBER}( not kept)?", "throws 1000")
    throws = [] if missing else read_throws(lines, int(played))
    lines.match("end", "end")
    return Game(
        (round_, group, attempt),
        (first, second),
        rules,
        (one, other),
        (good, bad),
        counted == "yes",
        int(played),
        throws,
        not missing,
    )


def read_throws(lines: Lines, played: int) -> list[tuple[int, int]]:
    throws: list[tuple[int, int]] = []
    while len(throws) < played:
        first, second = numbers(lines), numbers(lines)
        if len(first) != len(second):
            lines.fail(f"the line above has {len(first)} throws, this one {len(second)}")
        throws.extend(zip(first, second))
    if len(throws) > played:
        lines.fail(f"there are more throws than the {played} announced")
    return throws


def numbers(lines: Lines) -> list[int]:
    line = lines.next()
    if not re.fullmatch(r"-?\d{1,10}(,-?\d{1,10})*", line, re.ASCII):
        lines.fail(f"there must be throws, `120,130,...`, not `{line[:60]}`")
    return [int(number) for number in line.split(",")]


# --- writing ----------------------------------------------------------------------------------------------
def in_full(game: Game) -> str:
    """The game for reading, in lines of at most 72 columns."""
    return "\n".join([*heading(game), *table(game.throws), *ending(game)]) + "\n"


def heading(game: Game) -> Iterator[str]:
    if game.where[0] != "0":
        yield "Round {}, group {}, attempt {}".format(*game.where)
    yield "a = {}, b = {}, k = {}, L = {}".format(*game.rules)
    yield ""
    first, second = game.players
    yield f"         {first:<30}   {second}".rstrip()
    yield "  throw       number points      total         number points      total"


def table(throws: list[tuple[int, int]]) -> Iterator[str]:
    """Each throw with its points and the totals so far."""
    before = None
    totals = [0, 0]
    for number, pair in enumerate(throws, 1):
        sides = []
        for side, won in enumerate(points_of(*pair)):
            totals[side] += won
            mark = ">" if before is None or pair[side] < before[side] else " "
            sides.append(f"{mark}{pair[side]:>11} {won:>6} {totals[side]:>10}")
        yield f"{number:>7} " + "   ".join(sides)
        before = pair


def points_of(first: int, second: int) -> tuple[int, int]:
    """The higher wins, unless it is more than twice the lower; it wins the logarithm of its own number."""
    if first == second:
        return 0, 0
    first_wins = first <= 2 * second if first > second else second > 2 * first
    return (first.bit_length() - 1, 0) if first_wins else (0, second.bit_length() - 1)


def ending(game: Game) -> Iterator[str]:
    yield ""
    if not game.kept:
        played = f"{game.played} throw{' was' if game.played == 1 else 's were'}"
        yield f"In this game {played} played, but not kept."
    stopped = game.verdicts != ("OK", "OK")
    for player, points, verdict, reason in zip(game.players, game.points, game.verdicts, game.reasons):
        won = f"{int(points)} point{'s' * (int(points) != 1)}"
        end = "kept to the rules until then" if verdict == "OK" and stopped else VERDICTS[verdict]
        yield from folded(f"{player}: {won}, {end}{': ' if reason else ''}{reason}")
    if stopped:
        yield "The game was stopped; its points are discarded."
    elif not game.counted:
        yield "The game does not count."


def folded(line: str) -> Iterator[str]:
    """Wrap a long line; its rest is indented by two columns more."""
    while len(line) > WIDTH:
        blank = line.rfind(" ", 2, WIDTH + 1)
        cut = blank if blank > 0 and line[:blank].strip() else WIDTH
        yield line[:cut].rstrip()
        line = "  " + line[cut:].lstrip(" ")
    yield line


# --- the command ------------------------------------------------------------------------------------------
def games_in(name: str) -> list[Game]:
    """The games in the file; `-` is standard input."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                raw = file.read()
        text = (gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw).decode()
        return list(games_of(Lines(text)))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        sys.exit(f"protocolfmt: {name}: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="protocolfmt", description="Write compact protocols out in full.")
    parser.add_argument("files", metavar="FILE", nargs="*", default=["-"], help="default: standard input")
    parser.add_argument("--against", metavar="NAME", help="only the games with this player")
    wanted = parser.parse_args()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever reads us may stop early
    shown = [
        in_full(game)
        for name in wanted.files
        for game in games_in(name)
        if wanted.against is None or wanted.against in game.players
    ]
    if not shown:
        sys.exit("protocolfmt: there is no such game" if wanted.against else "protocolfmt: there is no game")
    print("\n".join(shown), end="")


if __name__ == "__main__":
    main()
