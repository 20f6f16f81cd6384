"""Where games are played whose programs are asked in words: the jail."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from contest.config.settings import Settings
from contest.games.base import GameInfo, TextGame, TextProtocol
from contest.model import Fault, GameJob, GameResult, Missing, Moves, SeatResult, Verdict
from contest.protocols import Images, ProgressCallback, no_progress
from contest.sanitize import sanitize
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from sandbox.executable import player_from_bytes
from sandbox.oci.image import OciImage
from sandbox.players import FaultKind, Player
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import LANGUAGE as FUNCTION_LANGUAGE
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import Executable, ProgramFolder
from sandbox.sandbox import Sandbox
from tournament.text_referee import TextGameResult, Turn, play_game


@contextmanager
def open_text_runner(
    images: Images, rules: TextGame[Any, Any], settings: Settings, seeds: Seeds, progress: ProgressCallback
) -> Iterator[TextRunner]:
    """The arena of these programs; what it has started ends with the context."""
    programs = {digest: player_from_bytes(raw) for digest, raw in images.items()}
    with ExitStack() as held:
        for program in programs.values():
            held.enter_context(program.held())
        yield held.enter_context(closing(TextRunner(programs, rules, settings, seeds, progress)))


def not_unpacked(images: Images) -> tuple[OciImage, ...]:
    """The container images among the programs that have to be unpacked before the arena can be opened: the
    cache of this computer does not have them, or not any more."""
    players = map(player_from_bytes, images.values())
    return tuple(player for player in players if isinstance(player, OciImage) and not player.is_unpacked)


def player_of(program: Executable, info: GameInfo, sandbox: Sandbox, seconds: float) -> Player:
    """The player in the game's dialogue; a Python program is called where the game knows that.

    What is no bundle is an image, which is always given arguments.
    """
    if not isinstance(program, ProgramFolder):
        return ArgumentsPlayer(program, sandbox, seconds)
    if program.language == FUNCTION_LANGUAGE and TextProtocol.FUNCTION in info.protocols:
        return FunctionPlayer(program, sandbox, seconds)
    if info.protocols[0] is TextProtocol.STDIO:
        return LinesPlayer(program, sandbox, seconds)
    return ArgumentsPlayer(program, sandbox, seconds)


class TextRunner:
    """Games whose programs are asked in words; implements contest.protocols.Runner.

    To be closed by its thread.

    A program that lives through many games (LINES) plays all its games of the arena in one process, one after
    the other (B13); so there is one game at a time. All others are new in every game, and several games are
    played at once: never more than there are cores, so that everybody's time is his own.
    """

    def __init__(
        self,
        programs: Mapping[str, Executable],
        rules: TextGame[Any, Any],
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback = no_progress,
    ) -> None:
        self._progress = progress
        self._programs = programs
        self._rules = rules
        self._sandbox = Sandbox(settings.jail)
        self._seconds = settings.programs.seconds
        self._trial_seconds = settings.programs.trial_seconds
        self._workers = min(settings.tournament.workers or cores(), cores())
        self._draw = partial(seeds.below, "game")  # the same for each game: what is drawn once stays (C1)
        self._living: dict[tuple[str, int], Player] = {}

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises ToolMissing when the jail is not to be had."""
        if self._rules.info.protocols[0] is TextProtocol.STDIO:
            return [self._play(job, [self._companion(job, seat) for seat in _seats(job)]) for job in jobs]
        with ThreadPoolExecutor(self._workers, thread_name_prefix="table") as pool:
            return list(pool.map(self._play_alone, jobs))

    def close(self) -> None:
        for player in self._living.values():
            player.close()
        self._living.clear()

    def _companion(self, job: GameJob, seat: int) -> Player:
        """The player who sits there in every game; a second one where a program plays itself."""
        key = (job.names[seat], job.names[:seat].count(job.names[seat]))
        if key not in self._living:
            self._living[key] = self._player(job.images[seat])
        return self._living[key]

    def _play_alone(self, job: GameJob) -> GameResult:
        with ExitStack() as stack:
            players = [stack.enter_context(closing(self._player(digest))) for digest in job.images]
            return self._play(job, players)

    def _player(self, digest: str) -> Player:
        return player_of(self._programs[digest], self._rules.info, self._sandbox, self._seconds)

    def _play(self, job: GameJob, players: Sequence[Player]) -> GameResult:
        rules = self._rules.for_players(job.names, self._draw)
        seconds = self._trial_seconds if job.is_trial else math.inf
        deadline = time.monotonic() + seconds
        played = play_game(rules, players, drawer(job.streams), lambda: time.monotonic() > deadline)
        result = game_result(played, job.protocol)
        self._progress(1)
        return _with_words(result, players) if job.is_trial else result


def _seats(job: GameJob) -> range:
    return range(len(job.images))


def drawer(streams: Sequence[bytes]) -> Callable[[int], int]:
    """Random numbers one after the other, for the moves that the rules make in the place of missing ones."""
    seeds = Seeds(hashlib.sha256(b"".join(streams)).digest())
    numbers = iter(range(10**9))
    return lambda bound: seeds.below(f"move/{next(numbers)}", bound)


# --- a spoken game as the tournament sees it ---------------------------------------------------------------
_VERDICTS = {
    FaultKind.LATE: Verdict.TIME,
    FaultKind.CRASH: Verdict.CRASH,
    FaultKind.NO_ANSWER: Verdict.PROTOCOL,
    FaultKind.TOO_LONG: Verdict.PROTOCOL,
    FaultKind.UNREADABLE: Verdict.PROTOCOL,
    FaultKind.FORBIDDEN: Verdict.ILLEGAL_MOVE,
}


def game_result(played: TextGameResult, with_moves: bool) -> GameResult:
    """The game with each seat's first fault, and every move where they are wanted."""
    seats = tuple(_side(played, seat, points) for seat, points in enumerate(played.points))
    moves = tuple(_moves(turn, len(seats)) for turn in played.turns) if with_moves else None
    return GameResult(seats, len(played.turns), played.digest, moves, played.is_whole)


def _with_words(result: GameResult, players: Sequence[Player]) -> GameResult:
    """Each seat with what its program has said, at its first fault if there was one."""
    pairs = zip(result.seats, players, strict=True)
    return replace(result, seats=tuple(replace(seat, said=_last_words(seat, p)) for seat, p in pairs))


def _last_words(seat: SeatResult, player: Player) -> str:
    return (seat.fault.said if seat.fault else "") or sanitize(player.stderr_tail())


def _side(played: TextGameResult, seat: int, points: int) -> SeatResult:
    last = max((number for number, turn in enumerate(played.turns, 1) if _is_asked(turn, seat)), default=0)
    faults = [(number, fault) for number, who, fault in played.faults if who == seat]
    if not faults:
        return SeatResult(points, Verdict.OK, None, last_turn=last)
    number, first = faults[0]
    progress = Fault(number, sanitize(first.sentence), sanitize(first.stderr_tail))
    return SeatResult(points, _VERDICTS[first.kind], progress, faults=len(faults), last_turn=last)


def _is_asked(turn: Turn, seat: int) -> bool:
    return seat in turn.moves or seat in turn.faults


def _moves(turn: Turn, seats: int) -> Moves:
    return tuple(_move(turn, seat) for seat in range(seats))


def _move(turn: Turn, seat: int) -> str | Missing | None:
    if seat in turn.faults:
        instead = move_text(turn.instead[seat]) if seat in turn.instead else ""
        return Missing(instead, turn.faults[seat].kind.value)
    return move_text(turn.moves[seat]) if seat in turn.moves else None


def move_text(move: object) -> str:
    """A move in words, on one line."""
    return " ".join(map(str, move)) if isinstance(move, tuple) else str(move)
