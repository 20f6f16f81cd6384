"""Text games: programs in any language talk with the referee from inside the sandbox."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from contest.config.settings import Settings
from contest.errors import Differs, GiveUp
from contest.games.base import TextGame, TextProtocol
from contest.games.registry import text_game_of
from contest.language import speaking, spoken
from contest.model import GameJob, GameResult, GroupOutcome, SeatResult
from contest.protocols import Images, ProgressCallback, Runner, no_progress
from contest.sanitize import sanitize
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from sandbox.bubblewrap import PATH
from sandbox.executable import player_from_bytes
from sandbox.oci.image import OciImage
from sandbox.oci.refusal import ImageProblem
from sandbox.oci.unpack import unpack
from sandbox.players import Player
from sandbox.players.choice import player_of
from sandbox.program_folder import Executable, ProgramFolder
from sandbox.sandbox import Sandbox
from tournament.runners.base import RunnerPlugin
from tournament.runners.recorded import RecordedRunner, check_result
from tournament.runners.text_result import game_result
from tournament.text_referee import drawer, play_game


class TextPlay(RunnerPlugin):
    name = "text"

    @contextmanager
    def open(
        self, images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback
    ) -> Iterator[Runner]:
        programs = {digest: player_from_bytes(raw) for digest, raw in images.items()}
        rules = text_game_of(settings.game, settings.programs)
        with ExitStack() as held:
            for program in programs.values():
                held.enter_context(program.held())
            yield held.enter_context(closing(TextRunner(programs, rules, settings, seeds, progress)))

    def open_checking(
        self,
        recorded: GroupOutcome,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback,
    ) -> AbstractContextManager[Runner]:
        """The recorded results, with their moves checked."""
        rules = text_game_of(settings.game, settings.programs)
        return nullcontext(RecordedRunner(recorded, rules, seeds, progress))

    def prepare(self, images: Images, archive_of: Callable[[str], bytes]) -> None:
        """Unpack container images that the cache of this host lacks. Raises GiveUp."""
        for image in map(player_from_bytes, images.values()):
            if not isinstance(image, OciImage) or image.is_unpacked:
                continue
            unpacked = unpack(archive_of(image.digest), image.cache)
            if isinstance(unpacked, ImageProblem):
                raise GiveUp(f"an image that was accepted cannot be unpacked any more: {unpacked.text}")

    def host_files(self, images: Images) -> frozenset[str]:
        """The interpreters. What programs bring themselves, and images, is the same everywhere."""
        programs = map(player_from_bytes, images.values())
        commands = {each.command[0] for each in programs if isinstance(each, ProgramFolder)}
        return frozenset(found for command in commands if (found := shutil.which(command, path=PATH)))

    def splits(self, settings: Settings) -> bool:
        """Only if each game starts its programs anew (B13)."""
        rules = text_game_of(settings.game, settings.programs)
        return rules.info.protocols[0] is not TextProtocol.STDIO

    def check_results(
        self, settings: Settings, seeds: Seeds, jobs: Sequence[GameJob], results: Sequence[GameResult]
    ) -> None:
        """Raises Differs unless the moves give the results by the rules."""
        if len(results) != len(jobs):
            raise Differs(f"{len(jobs)} games have {len(results)} results")
        rules = text_game_of(settings.game, settings.programs)
        for job, result in zip(jobs, results, strict=True):
            check_result(rules, result, job, seeds)


class TextRunner:
    """Plays text games; implements contest.protocols.Runner. The thread that opened it closes it.

    A program that lives through many games (STDIO) plays all games of this runner in one process, one after
    the other (B13), so there is one game at a time. All other programs are started anew for every game, and
    several games are played at once: never more than there are cores, so that nobody uses another's time.
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
        """The results, in the order of the jobs. Raises ToolMissing when there is no sandbox."""
        if self._rules.info.protocols[0] is TextProtocol.STDIO:
            return [
                self._play(job, [self._living_player(job, seat) for seat in range(len(job.images))])
                for job in jobs
            ]
        with ThreadPoolExecutor(self._workers, thread_name_prefix="game") as pool:
            return list(pool.map(partial(self._play_alone, spoken()), jobs))

    def close(self) -> None:
        for player in self._living.values():
            player.close()
        self._living.clear()

    def _living_player(self, job: GameJob, seat: int) -> Player:
        """The player that has this seat in every game; a second one if a program plays itself."""
        key = (job.names[seat], job.names[:seat].count(job.names[seat]))
        if key not in self._living:
            self._living[key] = self._player(job.images[seat])
        return self._living[key]

    def _play_alone(self, language: str, job: GameJob) -> GameResult:
        """In a thread of the pool; `language`: of the sentences about faults."""
        with speaking(language), ExitStack() as stack:
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
        return _with_stderr(result, players) if job.is_trial else result


def _with_stderr(result: GameResult, players: Sequence[Player]) -> GameResult:
    """The result, with what each seat's program wrote last: at its first fault, if there was one."""
    pairs = zip(result.seats, players, strict=True)
    return replace(
        result, seats=tuple(replace(seat, stderr_tail=_stderr(seat, player)) for seat, player in pairs)
    )


def _stderr(seat: SeatResult, player: Player) -> str:
    return (seat.fault.stderr_tail if seat.fault else "") or sanitize(player.stderr_tail())


PLUGIN = TextPlay()
