"""Programs that talk: a start of the sandbox, an exchange of lines, a game; beside bubblewrap and bare pipes.

In a game of Bid-Tac-Toe two programs play game after game, as in a group. What they are asked is noted
before. Then they get the same questions in the same order through plain pipes, and must answer the same.
Programs whose time is counted stand beside the same programs as the system runs them.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from bench.harness import compare, spent
from compiler.builders.text import TextBuilder
from compiler.languages import Problem, build
from contest import presets
from contest.games.game import TextProtocol, Words
from contest.model import GameJob
from contest.seeds import Seeds
from knobellib.samples import samples
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.players import AnswerFault, as_text
from sandbox.players.fuel import FuelPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import USER, Sandbox
from tournament.runners import open_runner

STARTS, EXCHANGES, RUNS, GAMES = 100, 500, 9, 50
TRUE = "/usr/bin/true"
ECHO = ("/usr/bin/cat",)  # writes each line as soon as it has read it
LINE = "next 17"
# What a person would write who wants a program without network, files of others and writable system.
BUBBLEWRAP = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"),
    *("--symlink", "usr/lib64", "/lib64", "--dev", "/dev", "--tmpfs", "/work", "--chdir", "/work", "--"),
    *("prlimit", "--cpu=10", f"--as={1 << 29}", "--nproc=16", "--nofile=64", "--core=0", TRUE),
)
GAME, EVEN_HAND = "bid-tac-toe", "even_hand.sh"
# The same in Python: both always bid alike, so each game has three rounds, and leave nothing to chance.
EVEN_MIND = b"""
import sys
for line in sys.stdin:
    if not line.startswith("gameover"):
        print(*[100 // 9] * 9, flush=True)
"""


def sandbox() -> None:
    user, quiet = USER, subprocess.DEVNULL
    how: dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}

    def alone() -> None:
        subprocess.run(BUBBLEWRAP, check=True, stdin=quiet, stdout=quiet, stderr=quiet, cwd="/", **how)

    ways = {"ours": lambda: spent(lambda: Sandbox().run([TRUE])), "bubblewrap alone": lambda: spent(alone)}
    compare("a sandbox, from start to end", STARTS, ways)
    with Sandbox().open(ECHO) as boxed:
        exchange("a line to a program and its line back", lambda: boxed.ask(LINE, 10.0).text, ECHO)


def exchange(stage: str, ours: Callable[[], str], command: Sequence[str]) -> None:
    """Compare this way to send LINE to a program and to get a line back with plain pipes."""
    with Piped(command) as bare:
        answers = {"ours": ours, "plain pipes": lambda: bare.ask(LINE)}

        def talk(answer: Callable[[], str]) -> None:
            for _ in range(EXCHANGES):
                assert answer() == LINE

        ways = {name: lambda a=answer: spent(lambda: talk(a)) for name, answer in answers.items()}
        compare(stage, RUNS, ways, EXCHANGES)


class Piped(subprocess.Popen[bytes]):
    """A program with plain pipes, and nothing else."""

    def __init__(self, command: Sequence[str], folder: str | None = None) -> None:
        super().__init__(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def tell(self, text: str) -> None:
        assert self.stdin
        os.write(self.stdin.fileno(), f"{text}\n".encode())

    def ask(self, text: str) -> str:
        self.tell(text)
        line = b""
        while not line.endswith(b"\n"):
            assert self.stdout
            line += os.read(self.stdout.fileno(), 65_536)
        return line.decode().strip()


class Line(NamedTuple):
    """A line to the program in this seat, and its answer; None: it needs none."""

    seat: int
    text: str
    answer: str | None


def games() -> None:
    sources = ({EVEN_HAND: samples(GAME)[EVEN_HAND]}, {"even_mind.py": EVEN_MIND})
    programs = [program for files in sources if not isinstance(program := build(files, Sandbox()), Problem)]
    jobs = [GameJob(tuple(p.digest for p in programs), (b"", b""), names=("even_hand", "even_mind"))] * GAMES
    images = {program.digest: program.to_bytes() for program in programs}
    with ExitStack() as stack:
        bare = []
        for program in programs:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            for name, data in program.files.items():
                (folder / name).write_bytes(data)
            bare.append(stack.enter_context(Piped(program.command, str(folder))))
        settings = presets.settings(GAME, datetime.now(UTC))
        runner = stack.enter_context(open_runner(images, settings, Seeds(bytes(32))))
        with _noting(programs) as lines:
            assert all(result.is_flawless for result in runner.play(jobs)), "a program broke the rules"

        def talk() -> None:
            for seat, text, answer in lines:
                if answer is None:
                    bare[seat].tell(text)
                else:
                    assert bare[seat].ask(text) == answer

        ways = {"ours": lambda: spent(lambda: runner.play(jobs)), "bare pipes": lambda: spent(talk)}
        count = len(lines) / GAMES
        compare(f"a game of Bid-Tac-Toe, {count:.0f} lines to programs", RUNS, ways, GAMES)


@contextmanager
def _noting(programs: Sequence[ProgramFolder]) -> Iterator[list[Line]]:
    """The lines to these programs, and their answers, while games are played."""
    lines: list[Line] = []
    move, told = LinesPlayer.move, LinesPlayer.tell

    def noted_move(player: LinesPlayer, question: Words) -> str | AnswerFault:
        answer = move(player, question)
        assert isinstance(answer, str), answer
        lines.append(Line(programs.index(player.program), " ".join(as_text(question)), answer))
        return answer

    def noted_tell(player: LinesPlayer, words: Words) -> None:
        lines.append(Line(programs.index(player.program), " ".join(as_text(words)), None))
        told(player, words)

    with patch.object(LinesPlayer, "move", noted_move), patch.object(LinesPlayer, "tell", noted_tell):
        yield lines


# --- programs whose time is counted ---------------------------------------------------------------------
UNITS = 1_000_000_000_000


class Sample(NamedTuple):
    """A language: how the system runs {program}, what computes so many rounds, and what answers lines."""

    peer: str
    suffix: str
    native: tuple[str, ...]
    rounds: int
    computes: str
    echoes: str = ""


FLOATING_POINT = Sample(
    "gcc -O2",
    "c",
    ("{folder}/program",),
    30_000_000,
    r"""
#include <stdio.h>
#include <stdlib.h>
static double seen[64];
int main(int count, char **words) {
    double x = 0.1, y = 0.2;
    for (int round = atoi(words[1]); round > 0; round--) {
        double next = x * x - y * y + 0.3;
        y = 2 * x * y + 0.01;
        x = next * next + y * y > 4 ? 0.1 * next : next;
        seen[round % 64] += x * y - 0.25 * seen[(round + 7) % 64];
    }
    printf("%.6f\n", seen[0]);
}
""",
)
SAMPLES = {
    "C": Sample(
        "gcc -O2",
        "c",
        ("{folder}/program",),
        60_000_000,
        r"""
#include <stdio.h>
#include <stdlib.h>
static unsigned marks[4096], seed = 1, sum;
int main(int count, char **words) {
    for (int round = atoi(words[1]); round > 0; round--) {
        seed = seed * 1664525u + 1013904223u;
        unsigned *mark = &marks[(seed >> 8) % 4096];
        if (*mark > seed) sum += *mark ^ marks[(round + sum) % 4096];
        *mark = seed;
    }
    printf("%u\n", sum);
}
""",
        "#include <stdio.h>\n"
        "int main(void) { for (char s[99]; fgets(s, 99, stdin); fflush(stdout)) fputs(s, stdout); }\n",
    ),
    "Python": Sample(
        "the system's Python",
        "py",
        ("/usr/bin/python3", "{program}"),
        1_000_000,
        """
import sys
found, seed = {}, 1
for number in range(int(sys.argv[1])):
    seed = (seed * 1664525 + 1013904223) % 4294967296
    found[seed % 997] = found.get(seed % 991, 0) + number
print(sum(found.values()))
""",
        "import sys\nfor line in sys.stdin:\n    print(line.strip(), flush=True)\n",
    ),
    "JavaScript": Sample(
        "node",
        "js",
        ("node", "{program}"),
        300_000,
        """
let found = new Map(), seed = 1;  // keys are strings: docs/javascript.md says why
for (let number = 0; number < process.argv[2]; number++) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  found.set(`${seed % 997}`, (found.get(`${seed % 991}`) ?? 0) + number);
}
console.log([...found.values()].reduce((sum, value) => sum + value, 0));
""",
        'require("readline").createInterface({ input: process.stdin }).on("line", (l) => console.log(l));\n',
    ),
}


def counted() -> None:
    if not engine.is_installed():
        print("| programs whose time is counted | left out: the engine is not installed here | | |")
        return
    for name, sample in {**SAMPLES, "C, floating point": FLOATING_POINT}.items():
        with tempfile.TemporaryDirectory() as folder:
            _compare_counted(name, sample, Path(folder))


def _compare_counted(name: str, sample: Sample, folder: Path) -> None:
    language = name.partition(",")[0]
    native = _native(sample, sample.computes, folder)
    player = FuelPlayer(
        _built(language, sample, sample.computes), Sandbox(), TextProtocol.ARGV, UNITS, 1_000 * UNITS
    )
    with closing(player):

        def count(rounds: int) -> str:
            player.begin(b"")
            return str(player.move((rounds,)))

        def run(rounds: int) -> str:
            done = subprocess.run([*native, str(rounds)], check=True, capture_output=True, text=True)
            return done.stdout.strip()

        assert count(sample.rounds) == run(sample.rounds), "the two ways compute different results"
        for stage, rounds in (("a new start", 1), ("tables and loops", sample.rounds)):
            ways = {
                "ours": lambda r=rounds: spent(lambda: count(r)),
                sample.peer: lambda r=rounds: spent(lambda: run(r)),
            }
            compare(f"{name}, counted: {stage}", RUNS, ways)
    if not sample.echoes:
        return
    player = FuelPlayer(
        _built(language, sample, sample.echoes), Sandbox(), TextProtocol.STDIO, UNITS, 1_000 * UNITS
    )
    with closing(player):
        player.begin(b"")
        stage = f"{language}, counted: a line and its line back"
        exchange(stage, lambda: str(player.move(tuple(LINE.split()))), _native(sample, sample.echoes, folder))


def _built(language: str, sample: Sample, source: str) -> FuelProgram:
    chosen = presets.settings("cooperation", datetime.now(UTC))
    counted = chosen.changed(programs={"counted_languages": (language,), "description": "none"})
    builder = TextBuilder(counted, open_runner)
    built = builder.rebuild({f"program.{sample.suffix}": source.encode()}, "")
    assert isinstance(built.image, FuelProgram), built.report.findings
    return built.image


def _native(sample: Sample, source: str, folder: Path) -> list[str]:
    """How the system runs it; C is compiled first."""
    program = folder / f"program.{sample.suffix}"
    program.write_text(source)
    if sample.suffix == "c":
        subprocess.run(["gcc", "-O2", str(program), "-o", str(folder / "program")], check=True)
    return [word.format(program=program, folder=folder) for word in sample.native]
