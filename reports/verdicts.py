"""Names of verdicts, as people read them."""

from __future__ import annotations

from collections.abc import Mapping

from contest.model import Verdict

VERDICTS: Mapping[Verdict, str] = {
    Verdict.OK: "played to the end",
    Verdict.TIME: "time limit",
    Verdict.MEMORY: "out of memory",
    Verdict.CRASH: "crash",
    Verdict.ILLEGAL_MOVE: "illegal move",
    Verdict.PROTOCOL: "no proper answer",
    Verdict.INTERNAL: "a failure of our own machinery",
}
MACHINE_VERDICTS: Mapping[Verdict, str] = {
    **VERDICTS,
    Verdict.ILLEGAL_MOVE: "illegal throw",
    Verdict.PROTOCOL: "left the game",
}
"""On the contest machine, where programs throw numbers and are not asked for an answer."""
