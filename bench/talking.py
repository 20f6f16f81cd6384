"""Bots that talk: a game of Bid-Tac-Toe as the contest plays it, against the same lines through bare pipes.

Two programs play game after game, as in a group. What they are asked is noted in games before. Then the same
programs get the same questions in the same order through plain pipes, without sandbox, referee and clock, and
must give the same answers. A third pair plays as in the contest, but is not stopped while the other program
thinks: that is what the rule costs. All take turns. bench/sandbox.py measures a single exchange.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import patch

from bench.timing import Spent, cpu_seconds_of
from compiler import languages
from compiler.languages import Problem
from contest import presets
from contest.games.base import Words
from contest.model import GameJob
from contest.protocols import Runner
from contest.seeds import Seeds
from knobellib.samples import samples
from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.players import AnswerFault, as_text
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tournament.runners import open_runner

GAME = "bid-tac-toe"
EVEN_HAND = "even_hand.sh"
RUNS = 9
GAMES = 50
MAX_RATIO = 1.5
# The same in Python: both always bid alike, so each game has three rounds, and leave nothing to chance.
EVEN_MIND = b"""
import sys
for line in sys.stdin:
    if not line.startswith("gameover"):
        print(*[100 // 9] * 9, flush=True)
"""


class Line(NamedTuple):
    """A line to the program in this seat, and its answer; None: it needs none."""

    seat: int
    text: str
    answer: str | None


class Way(NamedTuple):
    """A way to play GAMES games, and what each run took for a game."""

    name: str
    play: Callable[[], object]
    runs: list[Spent]

    def run(self) -> None:
        cpu, began = cpu_seconds_of(os.getpid()), time.perf_counter()
        self.play()
        seconds = time.perf_counter() - began
        self.runs.append(Spent(seconds / GAMES, (cpu_seconds_of(os.getpid()) - cpu) / GAMES))

    @property
    def median(self) -> Spent:
        return Spent(*map(median, zip(*self.runs, strict=True)))


def main() -> None:
    sandbox = Sandbox()
    sources = ({EVEN_HAND: samples(GAME)[EVEN_HAND]}, {"even_mind.py": EVEN_MIND})
    programs = [_built(files, sandbox) for files in sources]
    jobs = [GameJob(tuple(p.digest for p in programs), (b"", b""), names=("even_hand", "even_mind"))] * GAMES
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bare = [stack.enter_context(_started(p, folder / p.program)) for p in programs]
        stopped, unstopped = (stack.enter_context(_runner(programs)) for _ in range(2))
        with _noting(programs) as lines:
            assert all(result.is_flawless for result in stopped.play(jobs)), "a program broke the rules"

        def play_unstopped() -> None:
            with patch.multiple(BubblewrapSandbox, pause=_nothing, resume=_nothing):
                unstopped.play(jobs)

        ways = (
            Way("as in the contest", lambda: stopped.play(jobs), []),
            Way("never stopped", play_unstopped, []),
            Way("bare pipes", lambda: _talk(bare, lines), []),
        )
        for way in ways[1:]:
            way.play()
        for _run in range(RUNS):
            for way in ways:
                way.run()
    base = ways[-1].median
    print(f"a game of Bid-Tac-Toe, {len(lines) / GAMES:.0f} lines to programs (medians of {RUNS} runs)")
    for way in ways:
        took = way.median
        print(f"  {way.name:17} {took.seconds * 1e3:5.2f} ms", end="")
        print(f"   processor time {took.cpu_seconds * 1e3:.2f} ms", end="")
        print(f"   ratios {took.seconds / base.seconds:.2f} and {took.cpu_seconds / base.cpu_seconds:.2f}")
    print(f"  (by the clock at most {MAX_RATIO})")


def _nothing(_: BubblewrapSandbox) -> None:
    return


def _runner(programs: Sequence[ProgramFolder]) -> AbstractContextManager[Runner]:
    images = {program.digest: program.to_bytes() for program in programs}
    return open_runner(images, presets.settings(GAME, datetime.now(UTC)), Seeds(bytes(32)))


def _built(files: dict[str, bytes], sandbox: Sandbox) -> ProgramFolder:
    program = languages.build(files, sandbox)
    assert not isinstance(program, Problem), program
    return program


@contextmanager
def _noting(programs: Sequence[ProgramFolder]) -> Iterator[list[Line]]:
    """The lines to these programs, and their answers, while games are played."""
    lines: list[Line] = []
    move, tell = LinesPlayer.move, LinesPlayer.tell

    def noted_move(player: LinesPlayer, question: Words) -> str | AnswerFault:
        answer = move(player, question)
        assert isinstance(answer, str), answer
        lines.append(Line(programs.index(player.program), " ".join(as_text(question)), answer))
        return answer

    def noted_tell(player: LinesPlayer, words: Words) -> None:
        lines.append(Line(programs.index(player.program), " ".join(as_text(words)), None))
        tell(player, words)

    with patch.object(LinesPlayer, "move", noted_move), patch.object(LinesPlayer, "tell", noted_tell):
        yield lines


def _started(program: ProgramFolder, folder: Path) -> subprocess.Popen[bytes]:
    """Start it with plain pipes."""
    folder.mkdir()
    for name, data in program.files.items():
        (folder / name).write_bytes(data)
    return subprocess.Popen(program.command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _talk(programs: Sequence[subprocess.Popen[bytes]], lines: Sequence[Line]) -> None:
    for seat, text, answer in lines:
        stdin, stdout = programs[seat].stdin, programs[seat].stdout
        assert stdin is not None and stdout is not None  # noqa: PT018
        stdin.write(f"{text}\n".encode())
        stdin.flush()
        if answer is not None:
            found = stdout.readline().decode().strip()
            assert found == answer, f"{text!r} was answered by {found!r}, before by {answer!r}"


if __name__ == "__main__":
    main()
