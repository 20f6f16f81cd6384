#!/usr/bin/env python3
"""Write the games of compact protocols out in full, throw by throw.

    ./knobeln example leapfrog | ./protocolfmt
    ./protocolfmt round1-group1-our_team.protocol.gz --against jailer

Takes what the referee of this kit prints and what comes with the mails DGP, gzipped or not; without
a file, standard input. A `>` marks the first throw of a series. Needs Python 3.7 or later, and
nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import re
import signal
import sys
import zlib
from collections.abc import Iterator
from typing import NamedTuple

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
THROWS = r"-?\d{1,10}(?:,-?\d{1,10})*\n"
GAME = re.compile(
    f"game round={NUMBER} group={NUMBER} attempt={NUMBER}\n"
    r"players (\S+) (\S+)\n"
    f"rules a={NUMBER} b={NUMBER} k={NUMBER} L={NUMBER}\n"
    f"points {NUMBER} {NUMBER}\n"
    f"verdicts {VERDICT} {VERDICT}\n"
    "counted (yes|no)\n"
    "digest [0-9a-f]+\n"
    f"throws {NUMBER}( not kept)?\n"
    f"((?:{THROWS}{THROWS})*)"  # one player's, then the other's
    "end\n",
    re.ASCII,
)


class Game(NamedTuple):
    """One attempt at a game. Pairs are in the order of the players."""

    where: tuple[str, ...]  # round, group, attempt; the round is 0 outside a contest
    players: tuple[str, ...]
    rules: tuple[str, ...]  # a, b, k, L
    points: tuple[str, ...]
    verdicts: tuple[str, ...]
    counted: bool
    played: int
    throws: list[tuple[int, int]]
    kept: bool  # the throws are there
    reasons: tuple[str, str] = ("", "")  # of faults; no compact protocol has them


# --- reading --------------------------------------------------------------------------------------
def games_of(text: str) -> Iterator[Game]:
    """All games. A title may come before each; several protocols may follow one another.

    Raises ValueError, naming the first line that is not as it should be, or that of a game that is
    not.
    """
    text = "".join(f"{line.strip()}\n" for line in text.splitlines())
    title = f"{TITLE}\n"
    if not text.startswith(title):
        raise ValueError(f"line 1: there must be `{TITLE}`")
    position = len(title)
    while position < len(text):
        if text.startswith(title, position):
            position += len(title)
            continue
        match = GAME.match(text, position)
        game = match and read_game(match)
        if not match or not game:
            raise ValueError(
                f"line {text.count(chr(10), 0, position) + 1}: here is no whole and sound game"
            )
        yield game
        position = match.end()


def read_game(match: re.Match[str]) -> Game | None:
    """The game in its lines; None unless it has as many throws as it says."""
    words = match.groups()
    counted, played, missing, rows = words[13:]
    lines = rows.split()
    first, second = (
        [int(n) for line in lines[side::2] for n in line.split(",")] for side in (0, 1)
    )
    if not len(first) == len(second) == (0 if missing else int(played)):
        return None
    return Game(
        where=words[:3],
        players=words[3:5],
        rules=words[5:9],
        points=words[9:11],
        verdicts=words[11:13],
        counted=counted == "yes",
        played=int(played),
        throws=list(zip(first, second)),
        kept=not missing,
    )


# --- writing --------------------------------------------------------------------------------------
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
    """The higher wins, unless it is more than twice the lower; it wins the logarithm of its own
    number."""
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
    for player, points, verdict, reason in zip(
        game.players, game.points, game.verdicts, game.reasons
    ):
        won = f"{int(points)} point{'s' * (int(points) != 1)}"
        end = "kept to the rules until then" if verdict == "OK" and stopped else VERDICTS[verdict]
        yield from folded(f"{player}: {won}, {end}{': ' if reason else ''}{reason}")
    if stopped:
        yield "The game was stopped; its points are discarded."
    elif not game.counted:
        yield "The game does not count."


def folded(line: str) -> Iterator[str]:
    """Wrap a long line; its rest is indented by two columns more."""
    indent, position = "", 0
    while len(indent) + len(line) - position > WIDTH:
        begin = indent + line[position : position + WIDTH + 1]
        blank = begin.rfind(" ", 2, WIDTH + 1)
        cut = blank if blank > 0 and begin[:blank].strip() else WIDTH
        yield begin[:cut].rstrip()
        position += cut - len(indent)
        while line.startswith(" ", position):
            position += 1
        indent = "  "
    yield indent + line[position:]


# --- the command ----------------------------------------------------------------------------------
def games_in(name: str) -> list[Game]:
    """The games in the file; `-` is standard input."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                raw = file.read()
        text = (gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw).decode()
        return list(games_of(text))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        sys.exit(f"protocolfmt: {name}: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="protocolfmt", description="Write compact protocols out in full."
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", default=["-"], help="default: standard input"
    )
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
        sys.exit(
            "protocolfmt: there is no such game"
            if wanted.against
            else "protocolfmt: there is no game"
        )
    print("\n".join(shown), end="")


if __name__ == "__main__":
    main()
