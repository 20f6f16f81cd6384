"""Write game protocols of KNOBELN: the compact text that is mailed (DGP), and the full form.

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

The first line is there once, at the top. Then there is a block `game` to `end` for each attempt at
a game. Below `throws` are the numbers in pairs of lines: some throws of the first player, and below
them those of the second. Verdicts are those of contest.model.Verdict; unless both are OK the
attempt was discarded, and its points are 0. `counted no` with two OK means that a player was
disqualified. `throws 17 not kept`: the game had 17 throws, but nobody asked for them when it was
played. `digest` is over all throws, to compare a replay with. A game outside the contest is
`round=0 group=0`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from contest.games.knobeln import Rules, ThrowLines
from contest.model import GameResult, Match, SeatResult
from knobellib.software.protocolfmt import TITLE, Game, in_full
from reports.text import WIDTH, one_line

NAME = re.compile(r"\S+")


@dataclass(frozen=True)
class GameProtocol:
    """An attempt at a game, and where it was played; outside the contest `round` and `group` are
    0."""

    round: int
    group: int
    rules: Rules
    match: Match


def throws_of(result: GameResult) -> Sequence[tuple[int, int]] | None:
    """Return the throws of a game of KNOBELN; None if they were not kept."""
    # on the machine a move is a number, and both always move
    return result.moves  # type: ignore[return-value]


# --- writing --------------------------------------------------------------------------------------
def write(games: Iterable[GameProtocol]) -> str:
    """Return the compact text of these games. Raises ValueError if a player's name has white
    space."""
    return "".join(chain([TITLE, "\n"], *map(_block, games)))


def packed(text: str) -> bytes:
    """Return the text gzipped; the same text gives the same bytes."""
    # Level 3 takes 40 % longer for 7 % fewer bytes, in the protocols of a contest of 41 teams.
    return gzip.compress(text.encode(), compresslevel=2, mtime=0)


def _block(game: GameProtocol) -> Iterator[str]:
    rules, match, result, throws = (
        game.rules,
        game.match,
        game.match.result,
        throws_of(game.match.result),
    )
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


# --- the full form --------------------------------------------------------------------------------
def full(game: GameProtocol) -> str:
    """Return the game for reading, in at most 72 columns, as `protocolfmt` writes it for teams at
    home."""
    match, result, rules = game.match, game.match.result, game.rules
    throws = throws_of(result)
    first, second = result.seats
    return in_full(
        Game(
            where=(str(game.round), str(game.group), str(match.attempt)),
            players=(match.players[0], match.players[1]),
            rules=(str(rules.a), str(rules.b), str(rules.k), str(rules.L)),
            points=(str(first.points), str(second.points)),
            verdicts=(first.verdict, second.verdict),
            counted=match.counted,
            played=result.turns,
            throws=list(throws or ()),
            kept=throws is not None,
            reasons=(_reason(first), _reason(second)),
        )
    )


def _reason(seat: SeatResult) -> str:
    return one_line(seat.fault.reason) if seat.fault else ""
