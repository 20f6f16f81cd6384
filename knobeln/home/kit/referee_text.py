#!/usr/bin/env python3
"""The referee: lets programs play one game by the rules of the contest, and prints every move."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - a team may have an older one
    sys.exit("referee.py needs Python 3.11 or later; this is " + sys.version.split()[0] + ".")
if os.name != "posix":
    sys.exit(
        "referee.py works on Linux and macOS; on Windows run it in the Windows Subsystem for Linux."
    )
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "server"))

from contest.games.game import TextProtocol
from knobeln.home.home_game import check_number, distinct_names, game_at_home, lines_about
from knobeln.home.kit.own_computer import full_path, home_sandbox, program_folder, referee
from sandbox.players.choice import player_of
from sandbox.players.function import NAME


def lines(contest: Mapping[str, Any], files: Sequence[str], seed: str) -> Iterator[str]:
    """Play one game in the order of the seats, and yield what tells about it. Raises GiveUp."""
    facts = contest["rules"]
    rules = getattr(import_module(facts["module"]), facts["class"])(**facts["parameters"])
    check_number(rules.info, len(files))
    function = NAME if TextProtocol.FUNCTION in rules.info.protocols else ""
    programs = [program_folder(program, contest, function=function) for program in files]
    sandbox, seconds = home_sandbox(), contest["programs"]["seconds"]
    players = [player_of(program, rules.info, sandbox, seconds) for program in programs]
    names = distinct_names(map(full_path, files))
    played = game_at_home(rules, names, players, seed)
    yield from lines_about(played.result, names, rules.info.point, with_moves=True)


if __name__ == "__main__":
    referee("Play one game by the rules of the contest.", lines, with_seed=True)
