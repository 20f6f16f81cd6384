#!/usr/bin/env python3
"""The referee: computes how often Hog strategies win against each other, as the contest does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - a team may have an older one
    sys.exit("referee.py needs Python 3.11 or later; this is " + sys.version.split()[0] + ".")
if os.name != "posix":
    sys.exit(
        "referee.py works on Linux and macOS; on Windows run it in the Windows Subsystem for Linux."
    )
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "server"))

from contest.errors import GiveUp
from contest.games.hog import (
    FUNCTION,
    LABEL,
    MATCH_POINT,
    MAX_DICE,
    PROGRAM,
    SCORES,
    TABULATION_SECONDS,
    HogEntry,
    goal_for,
    why_illegal_name,
    win_rate,
)
from contest.util.plurals import plural
from contest.util.sanitize import sanitize
from knobellib.hog_course import with_course
from knobeln.home.home_game import distinct_names
from knobeln.home.kit.own_computer import (
    full_path,
    home_sandbox,
    program_folder,
    referee,
)
from sandbox.players import AnswerFault
from sandbox.players.function import LANGUAGE
from sandbox.players.table import Domain, constant, tabulate


def lines(contest: Mapping[str, Any], files: Sequence[str], _seed: str) -> Iterator[str]:
    """Compute all win rates, and yield what tells about them. Raises GiveUp."""
    if len(files) < 2:
        raise GiveUp("two strategies or more are needed, to compute who wins how often")
    entries = [_entry(program, contest) for program in files]
    names = distinct_names(map(full_path, files))
    for name, entry in zip(names, entries, strict=True):
        yield f"{name}: goal {entry.goal}"
    won = dict.fromkeys(names, 0)
    for (first, one), (second, other) in combinations(zip(names, entries, strict=True), 2):
        rate = win_rate(one, other)
        yield f"{first} wins {rate:.6%} of its games against {second}"
        won[first] += rate > MATCH_POINT
        won[second] += 1 - rate > MATCH_POINT
    for name in sorted(names, key=lambda name: -won[name]):
        rank = 1 + sum(more > won[name] for more in won.values())
        yield f"{rank}. {name}: {plural(won[name], 'match point')}"


def _entry(program: str, contest: Mapping[str, Any]) -> HogEntry:
    """The strategy's answers for all scores, and its goal."""
    folder = program_folder(
        program,
        contest,
        only=LANGUAGE,
        called=PROGRAM,
        function=FUNCTION,
        beside=with_course,
    )
    sandbox = home_sandbox()
    label = constant(folder, FUNCTION, LABEL, sandbox, TABULATION_SECONDS)
    why_wrong = (
        label.sentence
        if isinstance(label, AnswerFault)
        else why_illegal_name(" ".join(label.split()))
    )
    if why_wrong:
        raise GiveUp(f"{program}: {_told(label, why_wrong)}")
    table = tabulate(
        folder, FUNCTION, Domain(SCORES, SCORES, 0, MAX_DICE), sandbox, TABULATION_SECONDS
    )
    if isinstance(table, AnswerFault):
        raise GiveUp(f"{program}: {_told(table, table.sentence)}")
    return HogEntry(table, goal_for(len(folder.files[folder.program])))


def _told(outcome: AnswerFault | str, sentence: str) -> str:
    stderr = outcome.stderr_tail if isinstance(outcome, AnswerFault) else ""
    return sanitize(f"{sentence}\n{stderr}".strip())


if __name__ == "__main__":
    referee("Compute how often Hog strategies win against each other.", lines, with_seed=False)
