"""Python in the worker: what programs see there, and that a reply follows whatever they do."""

import hashlib
import json

import pytest

from sandbox.fuel import cpython, guests
from sandbox.sandbox import Sandbox
from tests.support.fuel_workers import UNITS, python

pytest.importorskip("wasmtime")
pytestmark = pytest.mark.slow

EXIT = {"exit": 0}
OUT_OF_FUEL = {"trap": "out of fuel"}
SECOND = 10_000_000_000


def run(source, *words, **options):
    with python(source, **options) as worker:
        return worker.run(*words)


def call(source, *words, **options):
    with python(source, **options) as worker:
        reply = worker.ask(call=list(words))
        assert worker.ask(call=list(words)) == reply
        return reply | json.loads(reply["returned"])


# --- scripts --------------------------------------------------------------------------------------
def test_a_script_sees_its_words_and_prints():
    reply = run("import sys\nprint(sys.argv, __name__, __file__)", "a", "b c")
    assert reply["output"] == "['bot.py', 'a', 'b c'] __main__ bot.py\n"
    assert reply["ended"] == EXIT


@pytest.mark.parametrize(
    ("end", "code", "stderr"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit('too bad')", 1, "too bad\n"),
        ("os._exit(4)", 4, ""),
    ],
)
def test_a_script_ends_with_its_exit_code(end: str, code: int, stderr: str) -> None:
    reply = run(f"import os, sys\nprint('x')\n{end}\nprint('y')")
    assert (reply["ended"], reply["output"], reply["stderr"]) == ({"exit": code}, "x\n", stderr)


def test_an_exception_is_reported_as_python_reports_it():
    reply = run("def f(x):\n    return 1 / x\n\nf(0)\n")
    assert reply["ended"] == {"exit": 1}
    assert reply["stderr"] == (
        "Traceback (most recent call last):\n"
        '  File "bot.py", line 4, in <module>\n'
        "    f(0)\n"
        "    ~^^^\n"
        '  File "bot.py", line 2, in f\n'
        "    return 1 / x\n"
        "           ~~^~~\n"
        "ZeroDivisionError: division by zero\n"
    )


def test_an_instance_does_not_compile_again():
    functions = "".join(f"def f{number}(x):\n    return x + {number}\n" for number in range(500))
    with python(f"import other\n{functions}", other=functions) as worker:
        assert worker.run()["fuel"] < 30_000_000
    fields = "".join(f"    x{number}: int = {number}\n" for number in range(50))
    with python(
        f"import dataclasses\n@dataclasses.dataclass\nclass A:\n{fields}print(A().x7, A())"
    ) as worker:
        reply = worker.run()
        assert reply["output"].startswith("7 A(x0=0, ")
        assert reply["fuel"] < 30_000_000


def test_a_program_that_rehearses_for_ever_is_compiled_nevertheless():
    functions = "".join(f"def f{number}(x):\n    return x + {number}\n" for number in range(500))
    with python(f"{functions}import sys\nwhile len(sys.argv) == 1: pass") as worker:
        assert worker.run("a")["fuel"] < 20_000_000


def test_standard_input_of_a_script_is_empty():
    assert run("import sys\nprint(repr(sys.stdin.read()))")["output"] == "''\n"
    assert "EOFError" in run("input()")["stderr"]


# --- functions ------------------------------------------------------------------------------------
def test_a_function_is_called_afresh():
    source = (
        "n = 0\ndef get_move(a, b):\n    global n\n    n += 1\n    print('seen')\n    return a *"
        " b + n"
    )
    reply = call(source, 6, 7)
    assert (reply["answer"], reply["stderr"]) == ("43", "seen\n")


@pytest.mark.parametrize(
    ("body", "key", "value"),
    [
        ("return True", "wrong", "True (bool)"),
        ("raise ValueError('no')", "raised", "ValueError: no"),
        ("import sys; sys.exit(3)", "raised", "SystemExit: 3"),
    ],
)
def test_a_function_gets_the_reply_of_the_driver(body: str, key: str, value: str) -> None:
    assert call(f"def get_move(a):\n    {body}\n", 1)[key] == value


def test_the_trace_of_a_function_shows_its_own_lines_alone():
    trace = call("def get_move(a):\n    return 1 / a\n", 0)["trace"]
    assert trace.count("File") == 1
    assert '  File "bot.py", line 2, in get_move\n    return 1 / a\n' in trace


def test_a_file_without_the_function_is_told():
    assert call("x = 1", 1)["raised"] == "bot.py has no function of this name"


# --- lines ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "loop",
    [
        "while True: print('got', input())",
        "for line in sys.stdin: print('got', line.strip(), flush=True)",
        (
            "while True: sys.stdout.write('got '); sys.stdout.write(sys.stdin.readline());"
            " sys.stdout.flush()"
        ),
        (
            "for line in sys.stdin.buffer: sys.stdout.buffer.write(b'got ' + line);"
            " sys.stdout.buffer.flush()"
        ),
    ],
)
def test_lines_are_answered_however_they_are_read_and_written(loop: str) -> None:
    with python(f"import os, sys\n{loop}\n") as worker:
        worker.ask(open=True)
        replies = [worker.ask(ask=text) for text in ("one", "zwei äöü", "3")]
        assert [reply["line"] for reply in replies] == ["got one", "got zwei äöü", "got 3"]
        assert worker.ask(tell="over")["unasked"] == 1


# --- the world ------------------------------------------------------------------------------------
def test_files_of_the_program_can_be_read():
    source = """
import glob, io, os, pathlib
first = "import glob, io, os, pathlib"
names = ["bot.py", "other.py"]
assert open("bot.py").readlines()[1].strip() == first
assert io.open(__file__, "rb").read(2) == b"\\ni"
assert pathlib.Path("other.py").read_text() == "x = 5"
assert os.listdir() == os.listdir(".") == glob.glob("*.py") == names
assert [str(path) for path in pathlib.Path(".").iterdir()] == names
assert os.path.isfile("bot.py") and os.path.isdir(".") and not os.path.exists("none")
assert os.path.getsize("other.py") == 5 and os.path.abspath("x") == "/work/x"
import other
assert other.x == 5
print("all")
"""
    reply = run(source, other="x = 5")
    assert (reply["output"], reply["stderr"]) == ("all\n", "")


SYSTEM = {
    "os.environ": "environ({})",
    "os.getcwd()": "/work",
    "os.stat('bot.py').st_size == os.fstat(os.open('bot.py', 0)).st_size > 100": "True",
    "[os.access('bot.py', mode) for mode in (os.F_OK, os.R_OK, os.W_OK)]": "[True, True, False]",
    "[entry.is_dir() for entry in os.scandir('/work')]": "[False]",
    "stat.filemode(os.stat('.').st_mode), stat.filemode(os.stat(0).st_mode)": (
        "dr-xr-xr-x crw-------"
    ),
    "sys.stdin.isatty(), sys.stdout.fileno(), sys.stdout.encoding": "False 1 utf-8",
    "[file.seek(2), file.read(3), file.tell(), file.seek(0, 2) > 100]": "[2, b'por', 5, True]",
    "[os.path.exists(path) for path in ('/python', '/etc/passwd', 'a/../bot.py')]": (
        "[False, False, True]"
    ),
    "time.get_clock_info('monotonic').resolution, time.localtime().tm_zone": "1e-09 UTC",
}


def test_the_system_answers_as_elsewhere():
    lines = "".join(f"print({expression})\n" for expression in SYSTEM)
    reply = run(f"import os, stat, sys, time\nfile = open('bot.py', 'rb')\n{lines}")
    assert (reply["output"].splitlines(), reply["stderr"]) == ([*SYSTEM.values()], "")


def test_a_file_comes_before_a_module_of_the_same_name():
    assert run("import random\nprint(random.x)", random="x = 1")["output"] == "1\n"


REFUSED = (
    "open('x', 'w')",
    "open('bot.py', 'a')",
    "pathlib.Path('x').write_text('y')",
    "open('/etc/passwd')",
    "open('../box/program.json')",
    "os.mkdir('x')",
    "os.remove('bot.py')",
    "socket.socket()",
    "socket.create_connection(('127.0.0.1', 80))",
    "select.select([0], [], [], 1)",
    "subprocess.run(['ls'])",
)


def test_what_is_not_there_is_an_oserror():
    tries = "".join(
        f"try:\n    {each}\nexcept OSError:\n    print('refused')\n" for each in REFUSED
    )
    reply = run(f"import os, pathlib, select, socket, subprocess\n{tries}")
    assert (reply["output"], reply["stderr"]) == ("refused\n" * len(REFUSED), "")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (
            "import threading; threading.Thread(target=print).start()",
            "RuntimeError: can't start new thread",
        ),
        ("import numpy", "ModuleNotFoundError"),
        (
            "import asyncio",
            "ModuleNotFoundError: programs whose time is counted have no module asyncio",
        ),
    ],
)
def test_threads_and_other_modules_are_refused_by_an_exception(source: str, error: str) -> None:
    assert error in run(source)["stderr"]


def test_clocks_show_counted_time():
    source = (
        "import time\na = time.time()\nfor _ in range(10**5): pass\nb ="
        " time.time()\ntime.sleep(2.5)\n"
    )
    reply = run(source + "print(a, b - a, time.time() - b, time.perf_counter(), time.monotonic())")
    start, loop, sleep, *others = map(float, reply["output"].split())
    assert 768_960_000 <= start < 768_960_001
    assert 0 < loop < reply["fuel"] / SECOND
    assert 2.5 <= sleep < 2.6
    assert all(2.5 < other < 2.6 for other in others)


RANDOM = """
import os, random, secrets
print(random.random(), os.urandom(3), random.Random().random(), secrets.token_hex(2))
"""


def test_random_numbers_come_from_the_seed():
    with python(RANDOM) as worker:
        same = [worker.run(seed="aa")["output"] for _ in range(2)]
        assert same[0] == same[1]
        assert worker.run(seed="bb")["output"] != same[0]


# --- hostile programs -----------------------------------------------------------------------------
LOOP = "while True: pass"
ENDLESS = {
    "in a module": "import other",
    "at exit": f"import atexit\ndef f():\n  {LOOP}\natexit.register(f)",
    "in a finalizer": f"class A:\n  def __del__(self):\n    {LOOP}\na = A()",
    "while it is imported by a hook": (
        f"import sys\nclass A:\n  def find_spec(*a):\n    {LOOP}\n"
        "sys.meta_path.insert(0, A)\nimport nothing"
    ),
    "in a factorial": "import math\nmath.factorial(10**7)",
    "in a pattern": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "in recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nf()"
    ),
    "catching all": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
}


@pytest.mark.parametrize("where", ENDLESS)
def test_what_does_not_end_uses_up_its_fuel(where: str) -> None:
    with python(ENDLESS[where], other=LOOP) as worker:
        for fuel in (UNITS // 10, UNITS // 5):
            reply = worker.run(fuel=fuel)
            assert (reply["ended"], reply["fuel"]) == (OUT_OF_FUEL, fuel)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("'a' * 10**9", "MemoryError"),
        ("x = []\nwhile True: x.append('y' * 100000)", "MemoryError"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("import json\njson.loads('[' * 10**5)", "RecursionError"),
        (
            (
                "import functools, sys\nsys.setrecursionlimit(10**9)\ndef f(x): return sorted([x],"
                " key=f)\nf(1)"
            ),
            "RecursionError",
        ),
        ("eval('(' * 10**5)", "MemoryError"),
    ],
)
def test_memory_and_recursion_end_in_an_exception(source: str, error: str) -> None:
    with python(source, memory_mb=128) as worker:
        reply = worker.run(fuel=10 * UNITS)
    assert reply["ended"] == {"exit": 1}
    assert reply["stderr"].strip().rpartition("\n")[2].startswith(error)


ODD = {
    "builtins are cleared": "import builtins\nvars(builtins).clear()\nx",
    "modules are gone": "import sys\nsys.modules.clear()\nimport os",
    "streams are closed": (
        "import os, sys\nos.close(1)\nsys.stdin.close()\nsys.stdout.close()\nsys.stderr.close()"
    ),
    "all dictionaries are cleared": (
        "import gc\nfor o in gc.get_objects():\n  if isinstance(o, dict): o.clear()"
    ),
    "frames of others are cleared": (
        "import sys\nf = sys._getframe()\nwhile f:\n  f.f_globals.clear()\n  f = f.f_back"
    ),
    "nonsense is executed": "c = (lambda: 0).__code__\nexec(c.replace(co_code=b'\\x99' * 1000))",
    "an answer is forged": "import os\nos.write(4, b'{\"raised\": 1}')\nos._exit(0)",
    "the request is read again": (
        "import os\nprint(os.read(4, 10), os.read(5, 10))\nos.close(4)\nos.close(5)"
    ),
    "the guest is started again": "import knobeln_guest\nknobeln_guest.main()",
    "a lock waits for ever": "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()",
    "a fault is forged": "import faulthandler\nfaulthandler._sigabrt()",
    "exit in a finalizer": "import os\nclass A:\n  def __del__(self): os._exit(7)\na = A()\ndel a",
}


@pytest.mark.parametrize("what", ODD)
def test_the_worker_lives_on_whatever_a_program_breaks(what: str) -> None:
    with python(ODD[what]) as worker:
        first = worker.run()
        assert "ended" in first
        assert worker.run() == first
        reply = worker.ask(call=[1])
        assert "ended" in reply or "raised" in json.loads(reply["returned"])


# --- the module -----------------------------------------------------------------------------------
@pytest.mark.night
def test_the_module_has_the_noted_bytes_wherever_it_is_made():
    """Its sources have changed if this fails: run `python tools/python_guest.py`."""
    assert hashlib.sha256(cpython.made_python_module(Sandbox())).hexdigest() == cpython.SHA256
    assert cpython.SHA256 in guests.GUESTS["Python"].facts
