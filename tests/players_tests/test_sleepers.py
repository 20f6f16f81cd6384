"""Programs whose time is not counted, and that sleep: for how long, in an answer and in a game."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sandbox import bubblewrap
from sandbox.groups import Group
from sandbox.limits import Limits
from sandbox.players import AnswerFault, AnswerFaultKind, ProcessPlayer
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.process import AnswerKind
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

Build = Callable[[str, str], ProgramFolder]
MAY_SLEEP = 0.6
PYTHON = {
    "sleep": "time.sleep(600)",
    "select": "select.select([], [], [], 600)",
    "a pipe": "os.read(os.pipe()[0], 1)",
    "a socket": "ends = socket.socketpair(); ends[0].recv(1)",
    "a signal": "signal.pause()",
    "itself stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "a thread": "threading.Thread(target=time.sleep, args=(600,)).start()",
    "a lock": "threading.Lock().acquire() and threading.Event().wait()",
    "a child": "os.fork() or time.sleep(600); os.wait()",
    "a child in a session": "os.fork() or (os.setsid(), time.sleep(600)); os.wait()",
    "a stopped child": "os.fork() or os.kill(os.getpid(), signal.SIGSTOP); os.wait()",
    "many short sleeps": "[time.sleep(0.002) for _ in range(300_000)]",
    "sleeps between work": "[(time.sleep(0.03), sum(range(50_000))) for _ in range(20_000)]",
    "no more output": "os.close(1); time.sleep(600)",
    "half a line": "print(5, end='', flush=True); time.sleep(600)",
}
IMPORTS = "import os, select, signal, socket, threading, time\n"
VFORK = """
#include <unistd.h>
int main (void) { if (vfork () == 0) { sleep (600); _exit (0); } return 0; }
"""
WAYS = ("group", "tree")


@contextmanager
def no_group(_limits: Limits) -> Iterator[Group | None]:
    yield None


@pytest.fixture
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How a sandbox's processes are looked at."""
    monkeypatch.setattr("sandbox.process.sleep_seconds", lambda _: MAY_SLEEP)
    if request.param == "tree":
        monkeypatch.setattr(bubblewrap, "group", no_group)


def is_late(command: list[str], files: dict[str, bytes]) -> None:
    with Sandbox().open(command, files=files, limits=Limits(cpu_seconds=60)) as process:
        began = time.monotonic()
        answer = process.ask("", 20)
        assert time.monotonic() - began < 10  # on a busy host
    assert answer.kind is AnswerKind.LATE
    assert "has slept for 0.6 s, which is as long as it may" in answer.text
    assert answer.seconds < 5


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("way", WAYS, indirect=True)
def test_however_a_program_sleeps_it_is_late(tmp_path: Path) -> None:
    for code in PYTHON.values():
        is_late(["/usr/bin/python3", "-c", IMPORTS + code], {})
    (tmp_path / "vfork.c").write_text(VFORK)
    subprocess.run(["cc", "-O1", "-w", "vfork.c", "-o", "vfork"], cwd=tmp_path, check=True)
    is_late(["/work/vfork"], {"/work/vfork": (tmp_path / "vfork").read_bytes()})


WAIT = "import time; time.sleep(0.25)\n"
IN_EACH_ANSWER = {
    ArgumentsPlayer: WAIT + "print(5)",
    LinesPlayer: "import sys, time\nfor _ in sys.stdin: time.sleep(0.25); print(5, flush=True)",
    FunctionPlayer: "import time\ndef get_move(n): time.sleep(0.25); return 5",
}


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("way", WAYS[:1], indirect=True)
@pytest.mark.parametrize("kind", IN_EACH_ANSWER)
def test_all_answers_of_a_game_sleep_from_one_budget(
    kind: type[ArgumentsPlayer | LinesPlayer | FunctionPlayer], build_text: Build
) -> None:
    made: ProcessPlayer = kind(build_text("bot.py", IN_EACH_ANSWER[kind]), Sandbox(), 20.0)
    with closing(made) as player:
        for _ in range(2):  # games
            player.begin()
            moves = [player.move((1,)) for _ in range(4)]
            assert moves[0] == "5"
            last = moves[-1]
            assert isinstance(last, AnswerFault)
        late = [move.kind for move in moves if isinstance(move, AnswerFault)]
        assert late[0] is AnswerFaultKind.LATE


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("way", WAYS[:1], indirect=True)
def test_many_answers_that_sleep_a_moment_count_like_one_long_sleep(build_text: Build) -> None:
    naps = "import sys, time\nfor _ in sys.stdin: time.sleep(0.02); print(5, flush=True)"
    with closing(LinesPlayer(build_text("bot.py", naps), Sandbox(), 20.0)) as player:
        player.begin()
        moves = [player.move((1,)) for _ in range(400)]
    in_time = sum(isinstance(move, str) for move in moves)
    # 0.6 s of 0.02 s: 30 expected, each is seen or not by chance; fewer are seen on a busy host
    assert 10 < in_time < 300
