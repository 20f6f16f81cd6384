"""Choose how a program is asked for its moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.games.game import GameInfo, TextProtocol
from sandbox.players import Player
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import LANGUAGE as FUNCTION_LANGUAGE
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import ProgramFolder

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.images.oci_image import OciImage
    from sandbox.sandbox import Sandbox


def protocol_of(language: str, info: GameInfo) -> TextProtocol:
    """Return how a program in this language is asked: a Python program as a function, if the game
    has that."""
    if language == FUNCTION_LANGUAGE and TextProtocol.FUNCTION in info.protocols:
        return TextProtocol.FUNCTION
    return info.protocols[0]


def player_of(
    program: ProgramFolder | OciImage, info: GameInfo, sandbox: Sandbox, seconds: float
) -> Player:
    """Return the player for the game's protocol. An image is always given arguments."""
    if not isinstance(program, ProgramFolder):
        return ArgumentsPlayer(program, sandbox, seconds)
    protocol = protocol_of(program.language, info)
    if protocol is TextProtocol.FUNCTION:
        return FunctionPlayer(program, sandbox, seconds)
    if protocol is TextProtocol.STDIO:
        return LinesPlayer(program, sandbox, seconds)
    return ArgumentsPlayer(program, sandbox, seconds)
