"""A Python function starts afresh for every move, whatever it did in the moves before."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from knobeln.home.kit.own_computer import home_sandbox
from sandbox.players import Player, driver
from sandbox.players.function import FunctionPlayer
from sandbox.program_folder import ProgramFolder

DRIVER = Path(driver.__file__)

# `find` tells whether there is a trace of a move before; `leave` leaves one.
TRACES = {
    "global": "here = []\ndef find(): return here\ndef leave(): here.append(1)",
    "module of the standard library": """
import random
def find(): return hasattr(random, "trace")
def leave(): random.trace = 1""",
    "environment": """
def find(): return "TRACE" in os.environ
def leave(): os.environ["TRACE"] = "1" """,
    "file in the working folder": """
def find(): return os.path.exists("trace")
def leave(): open("trace", "w").close()""",
    "file in TMPDIR": """
import tempfile
def find(): return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("trace")]
def leave(): tempfile.mkstemp(prefix="trace")""",
    "folders in folders": """
def find(): return os.path.exists("trace")
def leave():
    for _ in range(1500):
        os.mkdir("trace")
        open("file", "w").close()
        os.chdir("trace")""",
    "folder that nobody may enter": """
def find(): return os.path.exists("trace")
def leave():
    os.makedirs("trace/inner/innermost")
    os.chmod("trace/inner", 0)
    os.chmod("trace", 0)""",
    "mode of the working folder": """
def find(): return os.stat(".").st_mode & 0o777 == 0o500
def leave(): os.chmod(".", 0o500)""",
    "time of the working folder": """
def find(): return os.stat(".").st_mtime == 7
def leave(): os.utime(".", (7, 7))""",
    "attribute of the working folder": """
def find(): return os.listxattr(".")
def leave():
    try: os.setxattr(".", "user.trace", b"1")
    except OSError: pass  # the kernel may be older than 6.6""",
    "mode of the terminals": """
def find(): return os.stat("/dev/pts").st_mode & 0o777 == 0o500
def leave(): os.chmod("/dev/pts", 0o500)""",
    "time of a terminal": """
def find(): return os.stat("/dev/pts/ptmx").st_mtime == 7
def leave(): os.utime("/dev/pts/ptmx", (7, 7))""",
    "flags of descriptors": """
def find(): return [n for n in range(3) if not os.get_blocking(n)]
def leave():
    for n in range(3): os.set_blocking(n, False)""",
    "background process": """
import socket
def find():
    try: socket.socket(socket.AF_UNIX).connect(chr(0) + "trace")
    except OSError: return False
    return True
def leave():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(chr(0) + "trace")
    listener.listen()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)""",
    "thread": """
import socket, threading
def find():
    try: socket.socket(socket.AF_UNIX).connect(chr(0) + "trace")
    except OSError: return False
    return True
def listen(ready):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(chr(0) + "trace")
    listener.listen()
    ready.set()
    time.sleep(1000)
def leave():
    ready = threading.Event()
    threading.Thread(target=listen, args=(ready,)).start()
    ready.wait()""",
}
NEEDS_A_NEW_KERNEL = "attribute of the working folder"
MOVES = """
def get_move(n):
    before, here = bool(find()), os.getcwd()
    leave()
    os.chdir(here)
    return 100 * n + 10 * before + bool(find())
"""


@pytest.fixture
def function(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> Callable[..., Player]:
    def make(text: str, seconds: float = 20.0) -> Player:
        made = player("function", build_text("bot.py", text), seconds)
        made.begin()
        return made

    return make


def outcomes(player: Player, *numbers: int) -> list[object]:
    answers = [player.move((number,)) for number in numbers]
    return [answer if isinstance(answer, str) else answer.kind.value for answer in answers]


@pytest.mark.parametrize("trace", TRACES)
def test_a_trace_is_found_within_its_move_and_not_in_the_next(
    trace: str, function: Callable[..., Player]
) -> None:
    one = function("import os, time\n" + TRACES[trace] + MOVES)
    found = [*outcomes(one, 1, 2, 3)]
    one.begin()
    found += outcomes(one, 1)
    expected = ["101", "201", "301", "101"]
    assert found == expected or (
        trace == NEEDS_A_NEW_KERNEL and found == ["100", "200", "300", "100"]
    )


def test_the_time_of_a_device_tells_nothing(function: Callable[..., Player]) -> None:
    one = function("""
import os, time
def get_move(n):
    told = os.stat("/dev/null").st_mtime_ns
    time.sleep(0.02)  # the kernel's clock for files has steps of some milliseconds
    return told
""")
    first, second, third = (int(one.move((0,))) for _ in range(3))
    assert first < second < third


# What a function does with 1; other numbers it returns. And what becomes of that move.
ACTIONS = {
    "forges": ('write_everywhere(b\'{"answer": "7"}\\n\')', "7"),
    "forges a line more": ('write_everywhere(b\'{"answer": "7"}\\n{"answer": "8"}\\n\')', "7"),
    "kills all": ("os.kill(-1, 9); time.sleep(1000)", "crash"),
    "leaves": ("os._exit(0)", "crash"),
    "cannot be ended": ("os._exit = lambda code: None", "1"),
    "SystemExit": ("sys.exit(0)", "crash"),
    "prints": ("print(7); sys.stderr.write('8\\n'); os.system('echo 9')", "1"),
    "closes all": ("os.closerange(0, 64)", "crash"),
    "returns a bool": ("return True", "unreadable"),
    "goes on as two": ("os.fork()", "1"),
    "ends before its child": ("os.fork() or time.sleep(1000); os._exit(3)", "crash"),
    "bomb": ("bomb()", "1"),
    "opens everything": ("keep = [os.dup(0) for _ in range(40)]", "1"),
}
ACTOR = """
import os, sys, time

def write_everywhere(data):
    for descriptor in range(3, 64):
        try: os.write(descriptor, data)
        except OSError: pass

def bomb():
    try:
        while True:
            if os.fork() == 0:
                while True:
                    try: os.fork()
                    except OSError: pass
    except OSError:
        return

def get_move(n):
    if n == 1:
        ACTION
    return n
"""


@pytest.mark.parametrize("action", ACTIONS)
def test_whatever_a_move_does_the_next_is_as_the_first(
    action: str, function: Callable[..., Player]
) -> None:
    source, expected = ACTIONS[action]
    one = function(ACTOR.replace("ACTION", source))
    assert outcomes(one, 0, 1, 2, 1, 3) == ["0", expected, "2", expected, "3"]


@pytest.mark.slow
def test_who_stops_the_driver_is_late_and_only_then(function: Callable[..., Player]) -> None:
    one = function(
        "import os\ndef get_move(n):\n    n == 1 and os.kill(os.getppid(), 19)\n    return n"
    )
    assert outcomes(one, 0) == ["0"]
    one.seconds = 0.5
    assert outcomes(one, 1) == ["late"]
    one.seconds = 20.0
    assert outcomes(one, 2) == ["2"]


@pytest.mark.slow
def test_a_move_has_its_import_in_its_time(function: Callable[..., Player]) -> None:
    one = function(
        "import time\nwhile time.process_time() < 0.6: pass\ndef get_move(n): return n", 0.4
    )
    assert outcomes(one, 1) == ["late"]
    one.seconds = 20.0
    assert outcomes(one, 2) == ["2"]


def test_own_modules_come_before_those_of_python(
    build_text: Callable[..., ProgramFolder], player: Callable[..., Player]
) -> None:
    text = "import random, json, statistics\ndef get_move(n): return random.own + json.own"
    own = {f"{name}.py": b"import os\nown = os.getpid() and 1\n" for name in ("random", "json")}
    program = build_text("bot.py", text)
    one = player("function", replace(program, files={**program.files, **own}))
    assert outcomes(one, 1, 2) == ["2", "2"]


def test_output_is_kept_for_the_team(function: Callable[..., Player]) -> None:
    one = function(
        "import sys\nprint('import')\ndef get_move(n):\n    print('call', n)\n    return n"
    )
    assert outcomes(one, 1, 2) == ["1", "2"]
    assert one.stderr_tail().split("\n") == ["import", "import", "call 1", "import", "call 2"]


def test_a_crash_keeps_its_output(function: Callable[..., Player]) -> None:
    fault = function(
        "import os\ndef get_move(n):\n    print('last words', n)\n    os._exit(3)"
    ).move((5,))
    assert fault.sentence == "the program ended with exit code 3 instead of answering"
    assert fault.stderr_tail == "last words 5"


# --- where the driver may kill --------------------------------------------------------------------
REFUSED = "driver.py: this is not the inside of a sandbox"


def test_the_driver_kills_nothing_outside_of_a_sandbox(tmp_path: Path) -> None:
    """It refuses before it looks for requests, and there is none."""
    words = [sys.executable, str(DRIVER), "bot.py", "get_move", "100", "sandbox"]
    done = subprocess.run(
        words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.decode().strip()) == (1, b"", REFUSED)


INSIDE = {
    "__file__": "/box/driver.py",
    "os.getppid": lambda: 1,
    "os.getuid": lambda: 65534,
    "os.statvfs": lambda path: SimpleNamespace(f_flag=os.ST_RDONLY),
    "os.path.lexists": lambda path: False,
}
OUTSIDE = {
    "__file__": "/home/somebody/box/driver.py",
    "os.getppid": lambda: 2,
    "os.getuid": lambda: 1000,
    "os.statvfs": lambda path: SimpleNamespace(f_flag=0),
    "os.path.lexists": lambda path: True,
}


@pytest.mark.parametrize("wrong", OUTSIDE)
def test_a_single_fact_of_the_outside_keeps_the_driver_from_killing(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asks the check alone, which kills nothing."""
    with monkeypatch.context() as inside:
        for name, value in INSIDE.items():
            inside.setattr(f"{driver.__name__}.{name}", value)
        driver._require_sandbox()
        inside.setattr(f"{driver.__name__}.{wrong}", OUTSIDE[wrong])
        with pytest.raises(SystemExit) as refused:
            driver._require_sandbox()
    assert refused.value.code == REFUSED


@pytest.fixture
def at_home(build_text: Callable[..., ProgramFolder]):
    made: list[FunctionPlayer] = []

    def make(text: str) -> FunctionPlayer:
        one = FunctionPlayer(build_text("bot.py", text), home_sandbox(), 20.0)
        made.append(one)
        one.begin()
        return one

    yield make
    for one in made:
        one.close()


# Only what is harmless outside of a sandbox.
HOME_TRACES = ("global", "environment", "file in TMPDIR", "folder that nobody may enter", "thread")


@pytest.mark.parametrize("trace", HOME_TRACES)
def test_at_home_a_move_is_fresh_as_well(
    trace: str, at_home: Callable[[str], FunctionPlayer]
) -> None:
    assert outcomes(at_home("import os, time\n" + TRACES[trace] + MOVES), 1, 2) == ["101", "201"]


def test_at_home_only_the_programs_own_are_ended_and_removed(
    at_home: Callable[[str], FunctionPlayer], tmp_path: Path
) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    source = f"""
import os, signal, time
def get_move(n):
    os.symlink({str(tmp_path)!r}, "link")
    os.mkdir("folder")
    os.symlink({str(tmp_path)!r}, "folder/link")
    os.symlink({str(kept)!r}, "folder/file")
    child = os.fork()
    if child == 0:
        time.sleep(1000)
    return child
"""
    bystander = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    neighbour = subprocess.Popen(["sleep", "1000"])  # in our own group
    try:
        one = at_home(source)
        children = [int(one.move((number,))) for number in range(3)]
        until = time.monotonic() + 60
        while any(map(is_sleeping, children)) and time.monotonic() < until:
            time.sleep(0.01)
        assert not any(map(is_sleeping, children))
        assert bystander.poll() is None
        assert neighbour.poll() is None
        assert kept.read_text() == "kept"
    finally:
        for process in (bystander, neighbour):
            process.kill()
            process.wait()


def is_sleeping(process: int) -> bool:
    try:
        return "sleeping" in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_at_home_the_driver_runs_in_a_folder_of_the_referee_only(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("precious")
    words = [sys.executable, str(DRIVER), "bot.py", "get_move", "100", "home"]
    done = subprocess.run(
        words, cwd=tmp_path, input=b'{"call": [1]}\n', capture_output=True, check=False
    )
    told = done.stderr.decode().strip()
    assert (done.returncode, done.stdout, told) == (
        1,
        b"",
        "driver.py: the referee has not started this",
    )
    assert [file.name for file in tmp_path.iterdir()] == ["precious.txt"]
