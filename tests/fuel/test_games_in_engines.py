"""The same modules, requests and seeds give the same replies, units and memory: in wasmtime, in
another major version of it, and in node."""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from compiler import counted
from compiler.languages import is_installed, languages_of
from contest.schema.languages import usual_languages
from contest.schema.sections import Programs
from knobellib.samples import samples
from sandbox.fuel import engine
from sandbox.fuel.counting.counted import Limits
from sandbox.fuel.counting.counted import counted as with_counter
from sandbox.fuel.counting.prices import CURRENT, OF_GUESTS, prices
from sandbox.fuel.guests import JAVASCRIPT, PYTHON
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.sandbox import Sandbox
from store import results
from tests.support.archives import DRAW_BELIEVED, knobeln, played, publish
from tests.support.counted_programs import TALKING, settings_of, whole_day
from tests.support.counting import in_node, wasm
from tests.support.fuel_workers import COUNTABLE, UNITS, started
from trust.check_page import COUNTED_GUEST

pytestmark = pytest.mark.skipif(
    not engine.is_installed(), reason="no engine that counts is installed"
)

ROOT = Path(__file__).parents[2]
LINES = ROOT / "tests" / "programs" / "lines" / "plays"
OWN = ROOT / "tests" / "fuel" / "programs" / "lines"
OTHER_MAJOR = "48.0.0"
PAIRS = {"format": "group-elimination", "group_min": 2, "group_max": 3, "final_size": 3}
LARGE_GROUPS = ("standoff", "ultimate-tic-tac-toe")  # one game, and a bracket
REQUESTS = [
    {"ask": "next 4", "fuel": UNITS},
    {"tell": "over", "fuel": UNITS},
    {"ask": "next 17", "fuel": UNITS},
    {"ask": "next 99", "fuel": UNITS},
]
ECHO = """(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "\\40\\00\\00\\00\\00\\04\\00\\00")
  (func (export "_start") (local f64) (local.set 0 (f64.const 1)) (loop $again
    (i32.store (i32.const 4) (i32.const 1024))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)))
    (drop (call $random (i32.const 32) (i32.const 8)))
    (local.set 0 (f64.sqrt (f64.sub (f64.load (i32.const 32)) (local.get 0))))
    (f64.store (i32.const 40) (local.get 0))
    (drop (memory.grow (i32.const 1)))
    (memory.copy (i32.const 2000) (i32.const 32) (i32.load (i32.const 16)))
    (i32.store (i32.const 4) (i32.load (i32.const 16)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
    (br $again))))"""
ADDER_JS, ADDER_PY = (LINES / "adder.js").read_bytes(), (LINES / "adder.py").read_bytes()
COUNTED_QUICKJS = "f38a0a2f204bf7e4c2dd8acf1cb22aa33448ac3cc89ba69b16c0c3794c87fb88"
FIXED = {  # units that no compiler decides
    "WebAssembly": [343_759, 442_102, 242_677, 342_691],
    "JavaScript": [17_663_470, 305_551, 197_897, 320_802],
    "Python": [1_765_722, 248_047, 148_892, 258_986],
}


def in_javascript(files):
    """A program of these files, of which the first is started."""
    return FuelProgram("JavaScript", next(iter(files)), files, 64 * MB, guest=JAVASCRIPT.facts)


def in_python(files):
    return FuelProgram("Python", next(iter(files)), files, 256 * MB, guest=PYTHON.facts)


def program(name):
    """One of FIXED, or the file of this path, built."""
    if name == "WebAssembly":
        module = with_counter(wasm(ECHO), prices(CURRENT), Limits(16 * MB))
        return FuelProgram("C", "echo.c", {}, 16 * MB, module=module)
    if name == "JavaScript":
        return in_javascript({"adder.js": ADDER_JS})
    if name == "Python":
        return in_python({"adder.py": ADDER_PY})
    settings = Programs(counted_languages=COUNTABLE)
    language = next(row for row in languages_of(settings) if name.suffix[1:] in row.suffixes)
    if not is_installed(language):
        pytest.skip(f"{name.suffix}: no compiler for WebAssembly is installed")
    outcome = counted.examine(
        {name.name: name.read_bytes()}, Sandbox(), settings, languages_of(settings)
    )
    assert isinstance(outcome.result, FuelProgram), outcome
    return outcome.result


def in_wasmtime(made):
    replies = []
    with started(made) as worker:
        worker.ask(open=True)
        for request in REQUESTS:
            replies.append(worker.ask(**request))
            if "ended" in replies[-1]:
                break
    return replies


IN_ENGINES = [
    pytest.param(name, marks=pytest.mark.slow if name == "Python" else ()) for name in FIXED
]


@pytest.mark.parametrize("name", IN_ENGINES)
def test_these_units_are_the_same_for_ever(name: str) -> None:
    """If they change, raise a number of `COUNTER` in sandbox/fuel/engine.py, or add a price
    list."""
    assert [reply["fuel"] for reply in in_wasmtime(program(name))] == FIXED[name]


def test_the_pass_and_its_prices_give_the_same_bytes_for_ever():
    """They are in the key of each program by their numbers: `VERSION` in counted.py, and that of
    the list."""
    with_prices = with_counter(JAVASCRIPT.module, prices(OF_GUESTS), Limits(64 * MB, is_ours=True))
    assert hashlib.sha256(with_prices).hexdigest() == COUNTED_QUICKJS


IMPORTS = {
    "reads.mjs": (
        b"""\xef\xbb\xbfimport { createInterface } from "node:readline";
import * as path from "path";
import { readFileSync } from "fs";
import own from "./adds.cjs";
createInterface({ input: process.stdin }).on("line", async (line) => {
  if (line.startsWith("next")) console.log(await own.add(line.split(" ")[1], path.basename("a/7")));
  else console.error(readFileSync("w\xc3\xb6rter.txt", "utf8"), Math.random());
});"""
    ),
    "adds.cjs": (
        b"#!/usr/bin/env node\nexports.add = (...all) => all.map(Number).reduce((a, b) => a + b);"
    ),
    "package.json": b'{"type": "module"}',
    "w\xf6rter.txt": "gr\xfc\xdfe\n".encode(),
}
"""A program with modules and scripts, a mark at its beginning, and a file's name outside of
ASCII."""
IN_PYTHON = {
    "reads.py": (
        b"""import math, random, sys, time
from adds import Sum
for line in sys.stdin:
    if line.startswith("next"):
        print(Sum(line.split()[1], "7").text())
    else:
        print(open("w\xc3\xb6rter.txt").read(), random.random(), math.sin(time.time()),
        file=sys.stderr)
"""
    ),
    "adds.py": (
        b"""from dataclasses import dataclass
@dataclass
class Sum:
    one: str
    two: str
    def text(self): return str(int(self.one) + int(self.two))
"""
    ),
    "w\xf6rter.txt": "gr\xfc\xdfe\n".encode(),
}
COMPARED = [LINES / "adder.cpp", OWN / "plays" / "adder.rs", OWN / "crash" / "deep_recursion.c"]
COMPARED += [OWN / "plays" / "gets_memory_until_there_is_none.c"]
COMPARED += [OWN / "plays" / "hands_wild_pointers_to_the_host.c"]


@pytest.mark.parametrize(
    "name",
    [*IN_ENGINES, *(pytest.param(path, id=path.name, marks=pytest.mark.slow) for path in COMPARED)],
)
def test_node_gives_the_same_replies(name: Path | str) -> None:
    made = program(name)
    assert in_node(made, REQUESTS) == in_wasmtime(made)


@pytest.mark.slow
@pytest.mark.parametrize(
    "made", [in_javascript(IMPORTS), in_python(IN_PYTHON)], ids=["JavaScript", "Python"]
)
def test_node_gives_the_same_replies_of_programs_in_several_files(made: FuelProgram) -> None:
    replies = in_wasmtime(made)
    assert [reply.get("line") for reply in replies] == ["11", None, "24", "106"], replies
    assert "gr\xfc\xdfe" in replies[-1]["stderr"]
    assert in_node(made, REQUESTS) == replies


@pytest.mark.parametrize(
    "megabytes",
    [pytest.param(8, marks=pytest.mark.slow), pytest.param(100, marks=pytest.mark.slow), 1_023],
)
def test_the_check_page_knows_the_interpreter_for_any_memory(megabytes: int) -> None:
    limits = Limits(megabytes * MB, is_ours=True)
    module = with_counter(JAVASCRIPT.module, prices(OF_GUESTS), limits)
    at, pages = COUNTED_GUEST["memoryAt"], megabytes * 16
    assert module[at : at + 2] == bytes([pages % 128 | 128, pages >> 7])
    usual = module[:at] + bytes.fromhex("c00c") + module[at + 2 :]
    assert hashlib.sha256(usual).hexdigest() == COUNTED_GUEST["module"]


@pytest.mark.slow
@pytest.mark.night
@pytest.mark.parametrize("game", TALKING)
def test_a_contest_is_killed_and_goes_on_with_another_major_version(
    game: str, other_wasmtime: str, tmp_path: Path
) -> None:
    if missing := [
        row.name for row in usual_languages() if row.counted and not is_installed(row.as_counted())
    ]:
        pytest.skip(f"no compiler for WebAssembly is installed, for {missing}")
    pairs = {} if game in LARGE_GROUPS else PAIRS
    chosen, sent = settings_of(game, games=2, workers=1, **pairs), samples(game)
    field = {name.replace(".", "_"): {name: sent[name]} for name in TALKING[game]}

    def day(contest):
        most = "20" if game in LARGE_GROUPS else "100000"
        command = [sys.executable, "-m", "tests.support.half_a_day", str(contest.path), most]
        begun = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": other_wasmtime},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (begun.returncode, begun.stdout) == (-signal.SIGKILL, f"wasmtime {OTHER_MAJOR}\n"), (
            begun.stderr
        )
        with contest.store.read() as tx:
            done = sum(each.groups_done for each in results.progress_of_rounds(tx))
        assert bool(done) == (game not in LARGE_GROUPS)
        whole_day(contest)

    contest, strings = played(tmp_path / "contest", chosen, field, day)
    verified = knobeln("verify", publish(contest, tmp_path / "archive", strings).archive)
    assert verified.exit_code == DRAW_BELIEVED, verified.output
    assert "played again: the same" in " ".join(verified.output.split())


@pytest.fixture(scope="session")
def other_wasmtime(tmp_path_factory: pytest.TempPathFactory):
    """A folder with the package, which only these tests import."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wasmtime"
    folder.mkdir(exist_ok=True)
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # all test processes want it
    try:
        if not any(folder.iterdir()):
            subprocess.run(
                [*install, f"wasmtime=={OTHER_MAJOR}"], capture_output=True, text=True, check=True
            )
    except subprocess.CalledProcessError as error:
        reason = f"wasmtime {OTHER_MAJOR} cannot be installed: {error.stderr[-200:]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    finally:
        os.close(lock)
    return str(folder)
