"""The same modules, requests and seeds give the same replies, units and memory: in wasmtime, in another major
version of it, and in node."""

import base64
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from compiler import counted
from compiler.languages import is_installed, languages_of
from contest.schema.languages import usual_languages
from contest.schema.sections import Programs
from contest.store import results
from knobellib.samples import samples
from sandbox.fuel import engine, guests
from sandbox.fuel.counting.counted import Limits
from sandbox.fuel.counting.counted import counted as with_counter
from sandbox.fuel.counting.prices import CURRENT, prices
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.sandbox import Sandbox
from tests.support.archives import DRAW_BELIEVED, knobeln, played, publish
from tests.support.counted_programs import TALKING, settings_of, whole_day
from tests.support.counting import node, wasm
from tests.support.fuel_workers import COUNTABLE, SEED, UNITS, started

pytestmark = pytest.mark.skipif(not engine.is_installed(), reason="no engine that counts is installed")

ROOT = Path(__file__).parents[2]
LINES = ROOT / "tests" / "programs" / "lines" / "plays"
OWN = ROOT / "tests" / "fuel" / "programs" / "lines"
IN_NODE = ROOT / "tests" / "support" / "games_in_node.mjs"
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
ADDER_JS = (LINES / "adder.js").read_bytes()
COUNTED_QUICKJS = "90669917eec807bca84922c9360620e52f58afd3210cfb846d09607f486d3775"
FIXED = {  # units that no compiler decides
    "WebAssembly": [342_492, 442_102, 242_677, 342_691],
    "JavaScript": [17_663_470, 305_551, 197_897, 320_802],
}


def program(name):
    """One of FIXED, or the file of this path, built."""
    if name == "WebAssembly":
        module = with_counter(wasm(ECHO), prices(CURRENT), Limits(16 * MB))
        return FuelProgram("C", "echo.c", {}, 16 * MB, module=module)
    if name == "JavaScript":
        guest = guests.GUESTS["JavaScript"].facts
        return FuelProgram("JavaScript", "adder.js", {"adder.js": ADDER_JS}, 64 * MB, guest=guest)
    settings = Programs(counted_languages=COUNTABLE)
    language = next(row for row in languages_of(settings) if name.suffix[1:] in row.suffixes)
    if not is_installed(language):
        pytest.skip(f"{name.suffix}: no compiler for WebAssembly is installed")
    outcome = counted.examine({name.name: name.read_bytes()}, Sandbox(), settings, languages_of(settings))
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


def in_node(made):
    job = {"words": [made.program], "files": made.files, "ownFiles": {}, "seed": SEED}
    job |= {"unitsPerSecond": 10_000_000_000, "requests": REQUESTS, "module": made.module}
    if made.language == "JavaScript":
        guest = guests.GUESTS["JavaScript"]._module
        job["module"] = with_counter(guest, prices(CURRENT), Limits(made.memory_bytes))
        job["start"], job["ownFiles"] = _script_of(made)
    for key in ("files", "ownFiles"):
        job[key] = {name: base64.b64encode(data).decode() for name, data in job[key].items()}
    job["module"] = base64.b64encode(job["module"]).decode()
    done = subprocess.run(
        [node(), str(IN_NODE)], input=json.dumps([job]), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]


def _script_of(made):
    """The script, its argument and the files that the worker gives QuickJS for this program."""
    from sandbox.fuel.worker.javascript import JavaScript
    from sandbox.fuel.worker.limits import STACK_BYTES

    class Asked(JavaScript):
        def _evaluate(self, host, store, script, argument, own_files):
            if script == self._start and host.files == made.files:
                found.append(([script, argument], dict(own_files)))
            else:
                super()._evaluate(host, store, script, argument, own_files)

    found = []
    files = {name: base64.b64encode(data).decode() for name, data in made.files.items()}
    facts = {"program": made.program, "files": files, "memory_bytes": made.memory_bytes}
    facts |= {"units_per_second": 10_000_000_000, **made.prepared(Sandbox())}

    def run():
        from sandbox.fuel.worker.host import Host, Requests

        interpreter = Asked(facts)
        interpreter.run(Host(Requests(), bytes.fromhex(SEED), facts), interpreter.store(), [])

    before = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run)
    thread.start()
    threading.stack_size(before)
    thread.join()
    return found[0]


@pytest.mark.parametrize("name", FIXED)
def test_these_units_are_the_same_for_ever(name):
    """If they change, raise a number of `COUNTER` in sandbox/fuel/engine.py, or add a price list."""
    assert [reply["fuel"] for reply in in_wasmtime(program(name))] == FIXED[name]


def test_the_pass_and_its_prices_give_the_same_bytes_for_ever():
    """They are in the key of each program by their numbers: `VERSION` in counted.py, and that of the list."""
    with_prices = with_counter(guests.GUESTS["JavaScript"]._module, prices(1), Limits(64 * MB))
    assert hashlib.sha256(with_prices).hexdigest() == COUNTED_QUICKJS


COMPARED = [LINES / "adder.c", LINES / "adder.cpp", OWN / "plays" / "adder.rs"]
COMPARED += [
    OWN / "plays" / "gets_memory_until_there_is_none.c",
    OWN / "plays" / "asks_for_time_signals_and_chance.c",
]
COMPARED += [OWN / "plays" / "hands_wild_pointers_to_the_host.c", OWN / "crash" / "deep_recursion.c"]
COMPARED += [OWN / "crash" / "writes_everywhere.c", OWN / "late" / "calls_the_host_for_ever.c"]
EVERYTHING = pytest.mark.parametrize(
    "name", [*FIXED, *COMPARED], ids=lambda name: getattr(name, "name", name)
)


@EVERYTHING
def test_node_gives_the_same_replies(name):
    made = program(name)
    assert in_node(made) == in_wasmtime(made)


@pytest.mark.slow
@EVERYTHING
def test_another_major_version_of_wasmtime_gives_the_same_replies(name, other_wasmtime, monkeypatch):
    made = program(name)
    here, first = in_wasmtime(made), engine.name()
    monkeypatch.syspath_prepend(other_wasmtime)
    engine._engine_key.cache_clear()
    try:
        assert engine.name() == f"wasmtime {OTHER_MAJOR}" != first
        assert in_wasmtime(made) == here
    finally:
        monkeypatch.undo()
        engine._engine_key.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=[] if game == "cooperation" else pytest.mark.night) for game in TALKING]
)
def test_a_contest_is_killed_and_goes_on_with_another_major_version(game, other_wasmtime, tmp_path):
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
def other_wasmtime(tmp_path_factory):
    """A folder with the package, which only these tests import."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wasmtime"
    folder.mkdir(exist_ok=True)
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # all test processes want it
    try:
        if not any(folder.iterdir()):
            subprocess.run([*install, f"wasmtime=={OTHER_MAJOR}"], capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError as error:
        reason = f"wasmtime {OTHER_MAJOR} cannot be installed: {error.stderr[-200:]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    finally:
        os.close(lock)
    return str(folder)
