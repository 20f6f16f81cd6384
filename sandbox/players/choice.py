"""Choose how a program is asked for its moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.games.base import GameInfo, TextProtocol
from sandbox.players import Player
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import LANGUAGE as FUNCTION_LANGUAGE
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import Executable, ProgramFolder

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox


def player_of(program: Executable, info: GameInfo, sandbox: Sandbox, seconds: float) -> Player:
    """The player for the game's protocol; a Python program is called as a function if the game knows that.

    An executable that is no program folder is an image, which is always given arguments.
    """
    if not isinstance(program, ProgramFolder):
        return ArgumentsPlayer(program, sandbox, seconds)
    if program.language == FUNCTION_LANGUAGE and TextProtocol.FUNCTION in info.protocols:
        return FunctionPlayer(program, sandbox, seconds)
    if info.protocols[0] is TextProtocol.STDIO:
        return LinesPlayer(program, sandbox, seconds)
    return ArgumentsPlayer(program, sandbox, seconds)
