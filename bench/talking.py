"""Bots that talk: a game of Bid-Tac-Toe as the contest plays it, against the same lines through bare pipes.

Two programs play game after game, as in a group. What they are asked is noted in games before. Then the same
programs get the same questions in the same order through plain pipes, without sandbox, referee and clock, and
must give the same answers. Both take turns. bench/sandbox.py measures a single exchange.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import patch

from compiler import languages
from compiler.languages import Problem
from contest import presets
from contest.games.base import Words
from contest.model import GameJob
from contest.seeds import Seeds
from knobellib.samples import samples
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


def main() -> None:
    sandbox = Sandbox()
    sources = ({EVEN_HAND: samples(GAME)[EVEN_HAND]}, {"even_mind.py": EVEN_MIND})
    programs = [_built(files, sandbox) for files in sources]
    times: tuple[list[float], list[float]] = ([], [])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bare = [stack.enter_context(_started(p, folder / p.program)) for p in programs]
        digests = tuple(program.digest for program in programs)
        images = {program.digest: program.to_bytes() for program in programs}
        seeds = Seeds(bytes(32))
        settings = presets.settings(GAME, datetime.now(UTC))
        runner = stack.enter_context(open_runner(images, settings, seeds))
        jobs = [GameJob(digests, (b"", b""), names=("even_hand", "even_mind"))] * GAMES
        with _noting(programs) as lines:
            assert all(result.is_flawless for result in runner.play(jobs)), "a program broke the rules"
        _talk(bare, lines)
        for _run in range(RUNS):
            for way, work in enumerate((lambda: runner.play(jobs), lambda: _talk(bare, lines))):
                began = time.perf_counter()
                work()
                times[way].append((time.perf_counter() - began) / GAMES)
    ours, base = (median(values) * 1e3 for values in times)
    print(f"a game of Bid-Tac-Toe, {len(lines) / GAMES:.0f} lines to programs (medians of {RUNS} runs)")
    print(f"  {ours:.2f} ms   bare pipes {base:.2f} ms   ratio {ours / base:.2f} (at most {MAX_RATIO})")


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
