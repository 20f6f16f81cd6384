"""Words that are looked up by value: names of verdicts, words of games and reports for the
catalogue."""

from __future__ import annotations

from collections.abc import Mapping

from contest.language import noted, noted_plural
from contest.model import Verdict

VERDICTS: Mapping[Verdict, str] = {
    Verdict.OK: noted("played to the end"),
    Verdict.TIME: noted("time limit"),
    Verdict.MEMORY: noted("out of memory"),
    Verdict.CRASH: noted("crash"),
    Verdict.ILLEGAL_MOVE: noted("illegal move"),
    Verdict.PROTOCOL: noted("no proper answer"),
    Verdict.ASIDE: noted("set aside after failures of our engine"),
    Verdict.INTERNAL: noted("a failure of our own machinery"),
}
MACHINE_VERDICTS: Mapping[Verdict, str] = {
    **VERDICTS,
    Verdict.ILLEGAL_MOVE: noted("illegal throw"),
    Verdict.PROTOCOL: noted("left the game"),
}
"""On the contest machine, where programs throw numbers and are not asked for an answer."""


TURNS = (
    noted("turn"),
    noted("turns"),
    noted("throw"),
    noted("throws"),
    noted("round"),
    noted("rounds"),
    noted("move"),
    noted("moves"),
    noted_plural("%(num)s turn", "%(num)s turns"),
    noted_plural("%(num)s throw", "%(num)s throws"),
    noted_plural("%(num)s round", "%(num)s rounds"),
    noted_plural("%(num)s move", "%(num)s moves"),
    noted_plural("%(num)s more turn", "%(num)s more turns"),
    noted_plural("%(num)s more throw", "%(num)s more throws"),
    noted_plural("%(num)s more round", "%(num)s more rounds"),
    noted_plural("%(num)s more move", "%(num)s more moves"),
)
"""What games call a turn (`GameInfo.turn_word`)."""


POINTS = (noted("point"), noted("points"), noted("match point"), noted("match points"))
"""What formats count (the template `_point_word`)."""

STATUS = (noted("discarded"), noted("not counted"), noted("not played"), noted("replayed"))
"""What became of a game, in the table of a team's own games."""

FAULT_RULES = (
    noted("the game is discarded and played again once, the second fault disqualifies"),
    noted("the game ends and is lost"),
    noted("a random move is made instead, and points are taken off"),
    noted("the player does nothing in this turn"),
)
"""The values of `contest.games.game.FaultRule`; teams get that module, so it knows no catalogue."""

SIDES = (
    noted("winners' side"),
    noted("losers' side"),
    noted("final"),
    noted("final, second match"),
    noted("bye"),
)
"""Titles of matches (`contest.formats.bracket.Side`): data of a contest, so they are kept in
English."""

STATUSES = (noted("disqualified"), noted("taken out"), noted("proceeds"))
"""What happens to an entry (`Standing.status`)."""

PRACTICE = (
    noted("rank"),
    noted("opponent"),
    noted("won"),
    noted("drawn"),
    noted("lost"),
    noted("own"),
    noted("theirs"),
    noted("spread"),
    noted("player"),
    noted("first"),
    noted("shared"),
    noted("behind"),
    noted("points"),
)
"""The columns of the tables of practice (`reports.practice_table`)."""

ENDINGS = (
    noted("cycle"),
    noted("nobody won a point"),
    noted("a single exemplar was left"),
    noted("generation limit"),
)
"""How an evolution ended (`contest.model.EvolutionEnding`)."""
