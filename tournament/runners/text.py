"""Text games: programs in any language talk with the referee from inside the sandbox."""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any

from contest.config.settings import Settings
from contest.errors import Differs, GiveUp, ToolMissing
from contest.games.game import GameInfo, TextGame, TextProtocol
from contest.games.registry import text_game_of
from contest.interfaces.protocols import Images, ProgressCallback, Runner, no_progress
from contest.model import GameJob, GameResult, GroupOutcome
from contest.schema.sections import Programs
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from contest.util.sanitize import sanitize
from sandbox.bubblewrap import PATH
from sandbox.executable import AsidePlayer, Executable, SetAside, is_counted, player_from_bytes
from sandbox.fuel.guests import GUESTS, PYTHON
from sandbox.fuel.program import FuelProgram
from sandbox.images.oci_image import OciImage, Refused
from sandbox.images.unpacking import fetch, unpack
from sandbox.players import Player
from sandbox.players.choice import player_of, protocol_of
from sandbox.players.fuel import FuelPlayer
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tournament.behaviour import text_twins
from tournament.runners.plugin import RunnerPlugin
from tournament.runners.recorded import (
    Asked,
    RecordedPlayer,
    asked,
    check_result,
    compare_counted,
    job_of,
    name_of,
    was_aside,
)
from tournament.runners.text_result import game_result
from tournament.text_referee import drawer, play_game, program_seeds

_MAX_WARM = 16  # workers that one thread keeps


def open_player(program: Executable, info: GameInfo, sandbox: Sandbox, limits: Programs) -> Player:
    """The player for any program; nothing is started yet."""
    if isinstance(program, SetAside):
        return AsidePlayer(info.protocols[0])
    if isinstance(program, FuelProgram):
        protocol = protocol_of(program.language, info)
        return FuelPlayer(program, sandbox, protocol, limits.fuel, limits.game_fuel)
    return player_of(program, info, sandbox, limits.seconds)


class TextPlay(RunnerPlugin):
    @contextmanager
    def open(
        self, images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback
    ) -> Iterator[Runner]:
        programs = {digest: player_from_bytes(raw) for digest, raw in images.items()}
        rules = text_game_of(settings.game, settings.programs)
        with ExitStack() as held:
            for program in programs.values():
                if isinstance(program, OciImage):
                    held.enter_context(program.held())
            yield held.enter_context(
                closing(TextRunner(programs, rules, settings, seeds, progress))
            ).play

    @contextmanager
    def open_checking(
        self,
        recorded: GroupOutcome,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback,
    ) -> Iterator[Runner]:
        """The recorded results, with their moves checked, and computed again where time is
        counted."""
        known = {
            job_of(match, recorded.plan.round, seeds).streams: (name_of(match), match.result)
            for match in recorded.matches
        }
        with closing(CheckingRunner(known, _counted(images), settings, seeds, progress)) as runner:
            yield runner.play

    def computed(self, images: Images, settings: Settings) -> frozenset[str]:
        return frozenset(_counted(images))

    def asked(
        self, group: GroupOutcome, images: Mapping[str, bytes], settings: Settings, seeds: Seeds
    ) -> Asked | None:
        counted = _counted({name: images[name] for name in group.plan.members if name in images})
        names = {
            name for name, program in counted.items() if GUESTS.get(program.language) is not PYTHON
        }
        rules, number = text_game_of(settings.game, settings.programs), group.plan.round
        questions = (tuple(asked(rules, match, number, seeds, names)) for match in group.matches)
        return tuple(questions) if names else None

    def why_not_here(self, image: bytes, settings: Settings) -> str:
        program = player_from_bytes(image)
        return _why_not_here(program, Sandbox()) if isinstance(program, FuelProgram) else ""

    def behaviour_twins(
        self, images: Images, settings: Settings, build_c: Callable[[str], tuple[str, bytes]]
    ) -> tuple[tuple[str, ...], ...] | None:
        """Of the programs whose time is counted; None if there is none."""
        counted, sandbox = _counted(images), Sandbox()
        if not counted:
            return None
        game = text_game_of(settings.game, settings.programs)
        limits = settings.programs
        return text_twins(
            counted, game, lambda d: open_player(counted[d], game.info, sandbox, limits)
        )

    def prepare(self, images: Images, archive_of: Callable[[str], bytes]) -> None:
        """Get container images that the cache of this host lacks. Raises GiveUp."""
        for image in map(player_from_bytes, images.values()):
            if not isinstance(image, OciImage) or image.is_unpacked:
                continue
            try:
                if image.name:
                    fetch(image.name, Sandbox(), image.cache, image.digest)
                else:
                    unpack(archive_of(image.digest), Sandbox(), image.cache)
            except Refused as why:
                raise GiveUp(
                    f"an image that was accepted cannot be unpacked any more: {why}"
                ) from None

    def speed_up(self, images: Images, settings: Settings) -> Sequence[str]:
        """Make the machine code of programs that are counted. Raises ToolMissing if they cannot
        be."""
        sandbox = Sandbox()
        for image in map(player_from_bytes, images.values()):
            if isinstance(image, FuelProgram):
                image.prepared(sandbox)
        return ()

    def host_files(self, images: Images) -> frozenset[str]:
        """The interpreters. What programs bring themselves, and images, is the same everywhere.

        Programs that are counted name their engine and guest themselves: `speed_up` refuses others.
        """
        programs = map(player_from_bytes, images.values())
        commands = {
            program.command[0] for program in programs if isinstance(program, ProgramFolder)
        }
        return frozenset(tool for command in commands if (tool := shutil.which(command, path=PATH)))

    def splits(self, settings: Settings) -> bool:
        """Only if each game starts its programs anew (B13)."""
        rules = text_game_of(settings.game, settings.programs)
        return rules.info.protocols[0] is not TextProtocol.STDIO

    def check_results(
        self,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        jobs: Sequence[GameJob],
        results: Sequence[GameResult],
    ) -> None:
        """Raises Differs unless the moves give the results by the rules, and programs whose time is
        counted do the same here."""
        if len(results) != len(jobs):
            raise Differs(f"{len(jobs)} games have {len(results)} results")
        known = {
            job.streams: (" against ".join(job.names), result)
            for job, result in zip(jobs, results, strict=True)
        }
        with closing(CheckingRunner(known, _counted(images), settings, seeds)) as runner:
            runner.play(jobs)


def _counted(images: Images) -> dict[str, FuelProgram]:
    """Those of the programs whose time is counted, by digest."""
    programs = (
        (digest, player_from_bytes(raw)) for digest, raw in images.items() if is_counted(raw)
    )
    return {digest: program for digest, program in programs if isinstance(program, FuelProgram)}


class TextRunner:
    """Plays text games. The thread that opened it closes it.

    A program that lives through many games (STDIO) plays all games of this runner in one process,
    one after the other (B13), so there is one game at a time. All other programs are started anew
    for every game, and several games are played at once: never more than there are cores, so that
    nobody uses another's time.
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
        self._sandbox = Sandbox()
        self._limits = settings.programs
        self._pool = ThreadPoolExecutor(
            min(settings.tournament.workers or cores(), cores()), thread_name_prefix="game"
        )
        # By thread of the pool: its workers that wait for a next game; they end with their thread
        # at latest.
        self._warm: dict[int, OrderedDict[tuple[str, int], Player]] = {}
        # the same for each game: what is drawn once stays (C1)
        self._draw = partial(seeds.below, "game")
        self._living: dict[tuple[str, int], Player] = {}

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises ToolMissing when there is no sandbox."""
        if self._rules.info.protocols[0] is TextProtocol.STDIO:
            return [self._play(job, self._living_players(job)) for job in jobs]
        games = [self._pool.submit(copy_context().run, self._play_alone, job) for job in jobs]
        try:
            return [game.result() for game in games]
        except BaseException:  # nobody may close a player that another thread still asks
            for game in games:
                game.cancel()
            wait(games)
            raise

    def close(self) -> None:
        """End all programs, before the threads that started them."""
        for players in (self._living, *self._warm.values()):
            for player in players.values():
                player.close()
            players.clear()
        self._pool.shutdown()

    def _living_players(self, job: GameJob) -> list[Player]:
        return [self._living_player(job, seat) for seat in range(len(job.images))]

    def _living_player(self, job: GameJob, seat: int) -> Player:
        """The player that has this seat in every game; a second one if a program plays itself."""
        key = (job.names[seat], job.names[:seat].count(job.names[seat]))
        if key not in self._living:
            self._living[key] = self._player(job.images[seat])
        return self._living[key]

    def _play_alone(self, job: GameJob) -> GameResult:
        """In a thread of the pool, in the language and with the budget of the one who asked."""
        with ExitStack() as stack:
            players = [
                stack.enter_context(self._fresh(job, seat)) for seat in range(len(job.images))
            ]
            return self._play(job, players)

    @contextmanager
    def _fresh(self, job: GameJob, seat: int) -> Iterator[Player]:
        """A player for one game. A worker that counts starts its program anew by itself, so it is
        kept."""
        digest = job.images[seat]
        if not isinstance(self._programs[digest], FuelProgram):
            with closing(self._player(digest)) as player:
                yield player
            return
        warm = self._warm.setdefault(threading.get_ident(), OrderedDict())
        key = (digest, job.images[:seat].count(digest))
        if key not in warm:
            warm[key] = self._player(digest)
            if len(warm) > _MAX_WARM:
                warm.popitem(last=False)[1].close()
        warm.move_to_end(key)
        yield warm[key]

    def _player(self, digest: str) -> Player:
        return open_player(self._programs[digest], self._rules.info, self._sandbox, self._limits)

    def _play(self, job: GameJob, players: Sequence[Player]) -> GameResult:
        rules = self._rules.for_players(job.names, self._draw)
        seconds = self._limits.TRIAL_SECONDS if job.is_trial else math.inf
        deadline = time.monotonic() + seconds
        played = play_game(
            rules,
            players,
            drawer(job.streams),
            lambda: time.monotonic() > deadline,
            program_seeds(job.streams),
        )
        result = game_result(played, job.protocol)
        self._progress(1)
        return _with_stderr(result, players) if job.is_trial else result


def _why_not_here(program: FuelProgram, sandbox: Sandbox) -> str:
    """Why this computer cannot run the program with the same counts; "" if it can."""
    if reason := program.why_not_countable_here:
        return reason
    try:
        program.prepared(sandbox)
    except ToolMissing as error:
        return f"is not ready to run here: {error}"
    return ""


class CheckingRunner(TextRunner):
    """Gives each game its recorded result, after checking it.

    A program whose time is counted plays again, against the recorded moves of all others. Where
    this computer counts otherwise, its moves are recorded ones, too. So the referee does with the
    results what it did on the contest day, and a program that lives through many games plays them
    in the same order.
    """

    def __init__(
        self,
        recorded: Mapping[tuple[bytes, ...], tuple[str, GameResult]],
        counted: Mapping[str, FuelProgram],
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback = no_progress,
    ) -> None:
        """`recorded`: by the games' random streams, each game's name in a few words, and how it is
        claimed to have been played. `counted`: all programs whose time is counted."""
        sandbox = Sandbox()
        here = {d: p for d, p in counted.items() if not _why_not_here(p, sandbox)}
        rules = text_game_of(settings.game, settings.programs)
        super().__init__(here, rules, settings, seeds, progress)
        self._recorded = recorded
        self._counted = counted
        self._seeds = seeds

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises Differs if one is missing or cannot be
        true."""
        for job in jobs:
            if job.streams not in self._recorded:
                raise Differs(
                    f"a game of {' and '.join(job.names)} is missing, but the rules require it"
                )
            name, result = self._recorded[job.streams]
            with _in_game(name):
                check_result(self._rules, result, job, self._seeds, self._seats(job, self._counted))
        return super().play(jobs)

    def _seats(self, job: GameJob, programs: Container[str]) -> frozenset[int]:
        """Where these programs sit, unless they were set aside and not asked in this game."""
        moves = self._recorded[job.streams][1].moves or ()
        return frozenset(
            seat
            for seat, digest in enumerate(job.images)
            if digest in programs and not was_aside(moves, seat)
        )

    def _living_player(self, job: GameJob, seat: int) -> Player:
        if seat not in self._seats(job, self._programs):
            return self._recorded_player(job, seat)
        return self._limited(super()._living_player(job, seat), job, seat)

    @contextmanager
    def _fresh(self, job: GameJob, seat: int) -> Iterator[Player]:
        if seat not in self._seats(job, self._programs):
            yield self._recorded_player(job, seat)
            return
        with super()._fresh(job, seat) as player:
            yield self._limited(player, job, seat)

    def _recorded_player(self, job: GameJob, seat: int) -> Player:
        moves = self._recorded[job.streams][1].moves or ()
        return RecordedPlayer.at(seat, moves, self._rules.info.protocols[0])

    def _limited(self, player: Player, job: GameJob, seat: int) -> Player:
        """The player, with hardly more fuel than it is claimed to have used: a lie is found
        soon."""
        if isinstance(player, FuelPlayer):
            claimed = self._recorded[job.streams][1].seats[seat].instructions
            player.game_fuel = min(self._limits.game_fuel, claimed + 1)
        return player

    def _play(self, job: GameJob, players: Sequence[Player]) -> GameResult:
        name, recorded = self._recorded[job.streams]
        here = self._seats(job, self._programs)
        if not here:
            self._progress(1)
            return recorded
        computed = super()._play(replace(job, protocol=True), players)
        with _in_game(name):
            compare_counted(job.names, recorded, computed, here)
        return recorded


@contextmanager
def _in_game(name: str) -> Iterator[None]:
    try:
        yield
    except Differs as error:
        raise Differs(f"{name}: {error}") from None


def _with_stderr(result: GameResult, players: Sequence[Player]) -> GameResult:
    """The result, with what each seat's program wrote last: at its first fault, if there was
    one."""
    seats = tuple(
        replace(
            seat,
            stderr_tail=(seat.fault and seat.fault.stderr_tail) or sanitize(player.stderr_tail()),
        )
        for seat, player in zip(result.seats, players, strict=True)
    )
    return replace(result, seats=seats)


PLUGIN = TextPlay()
