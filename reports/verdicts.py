"""Names of verdicts, as people read them."""

from __future__ import annotations

from collections.abc import Mapping

from contest.language import noted
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
