"""Core modules in the worker: what the host offers, and that nothing a module does harms the
worker."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest

from sandbox.fuel import engine, guests
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.sandbox import Sandbox
from tests.support.fuel_workers import UNITS, module, started

wasmtime = pytest.importorskip("wasmtime")

WASI = "wasi_snapshot_preview1"


def imports(*names_and_types):
    return "\n".join(
        f'(import "{WASI}" "{name}" (func ${name} {kind}))' for name, kind in names_and_types
    )


WRITE = ("fd_write", "(param i32 i32 i32 i32) (result i32)")
READ = ("fd_read", "(param i32 i32 i32 i32) (result i32)")
EXIT = ("proc_exit", "(param i32)")

ECHO = f"""(module {imports(READ, WRITE)} (memory (export "memory") 1)
  (data (i32.const 0) "\\40\\00\\00\\00\\00\\04\\00\\00")
  (func (export "_start") (loop $again
    (i32.store (i32.const 4) (i32.const 1024))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)))
    (if (i32.load (i32.const 16)) (then
      (i32.store (i32.const 4) (i32.load (i32.const 16)))
      (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
      (br $again))))))"""


def start_with(code, *functions, memory=1):
    return f"""(module {imports(*functions)} (memory (export "memory") {memory})
        (func (export "_start") {code}))"""


def test_lines_go_in_and_out_and_one_instance_lives_through_many():
    with module(ECHO) as worker:
        assert worker.ask(open=True) == {}
        replies = [worker.ask(ask=text) for text in ("one", "two", "tre")]
        assert [reply["line"] for reply in replies] == ["one", "two", "tre"]
        assert replies[1]["fuel"] == replies[2]["fuel"] > 0
        assert worker.ask(tell="over")["unasked"] == 1
        assert worker.ask(ask="four")["line"] == "four"


def test_what_a_line_costs_changes_with_the_number_of_the_host_alone():
    """Archives say by what they were counted. If they change, raise `_HOST` in
    sandbox/fuel/engine.py."""
    with module(ECHO) as worker:
        worker.ask(open=True)
        assert (engine.COUNTER, worker.ask(ask="a line")["fuel"]) == (
            "counter 3, prices 3, host 3",
            201_447,
        )


def test_an_endless_loop_uses_up_its_fuel_and_the_worker_goes_on():
    with module(start_with("(loop $l (br $l))")) as worker:
        for fuel in (1, 1_000_000, UNITS):
            reply = worker.run(fuel=fuel)
            assert reply["ended"] == {"trap": "out of fuel"}
            assert reply["fuel"] == fuel


@pytest.mark.parametrize(
    ("code", "trap"),
    [
        ("unreachable", "unreachable"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "division by zero"),
        ("(drop (i32.load (i32.const -4)))", "memory access"),
        ("(drop (i32.trunc_f64_s (f64.const 1e300)))", "integer overflow"),
    ],
)
def test_a_trap_ends_the_instance_alone(code: str, trap: str) -> None:
    with module(start_with(code)) as worker:
        assert worker.run()["ended"] == {"trap": trap}
        assert worker.run()["ended"] == {"trap": trap}


def test_memory_grows_to_the_limit_and_no_further():
    wat = start_with("(loop $l (br_if $l (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))")
    with module(wat, memory_mb=2) as worker:
        reply = worker.run()
        assert reply["ended"] == {"exit": 0}
        assert reply["memory"] == 2 * MB


def test_a_module_that_does_not_count_is_not_compiled():
    """Builds come from archives, too."""
    with pytest.raises(engine.NotCompiled, match="it does not count"):
        engine.machine_code(bytes(wasmtime.wat2wasm(start_with(""))), Sandbox())


def test_output_and_its_limit():
    flood = start_with(
        "(i32.store (i32.const 4) (i32.const 60000)) (loop $l (drop (call $fd_write (i32.const FD) "
        "(i32.const 0) (i32.const 1) (i32.const 16))) (br $l))",
        WRITE,
    )
    with module(flood.replace("FD", "1")) as worker:
        assert worker.run()["ended"] == {"too long": True}
        worker.ask(open=True)
        assert worker.ask(ask="x")["ended"] == {"too long": True}
        worker.ask(open=True)
        assert worker.ask(tell="x")["ended"] == {"trap": "out of fuel"}
    with module(flood.replace("FD", "2")) as worker:
        reply = worker.run()
        assert reply["ended"] == {"trap": "out of fuel"}
        assert len(reply["stderr"]) <= 4_096


@pytest.mark.parametrize(
    ("wat", "why"),
    [
        ('(module (import "env" "fork" (func (result i32))))', "env.fork, which is not there"),
        (f'(module (import "{WASI}" "fd_write" (func (param i32))))', "another type"),
        (f'(module (import "{WASI}" "fd_write" (memory 1)))', "which is not there"),
        ("(module (memory i64 1))", "refuses"),
    ],
)
def test_a_module_that_wants_what_is_not_there_is_refused(wat: str, why: str) -> None:
    with pytest.raises(engine.NotCompiled, match=why):
        engine.machine_code(bytes(wasmtime.wat2wasm(wat)), Sandbox())


@pytest.mark.parametrize("garbage", [b"", b"\0asm\1\0\0\0\xff\xff\xff\xff\x0f"])
def test_what_is_no_module_is_refused(garbage: bytes) -> None:
    with pytest.raises(engine.NotCompiled):
        engine.machine_code(garbage, Sandbox())


def test_an_unknown_function_of_the_interface_says_that_it_is_not_there():
    wat = start_with(
        "(call $proc_exit (call $sock_send (i32.const 1)))",
        EXIT,
        ("sock_send", "(param i32) (result i32)"),
    )
    with module(wat) as worker:
        assert worker.run()["ended"] == {"exit": 52}


def test_a_program_for_other_functions_of_the_host_is_not_started():
    counter = "counter 7, prices 7, host 1"
    program = FuelProgram("C", "p.c", {"p.c": b""}, MB, module=b"\0asm\1\0\0\0", counter=counter)
    with (
        pytest.raises(engine.ToolMissing, match="was built for host 1, and here is host 3"),
        started(program),
    ):
        pass


def test_a_module_with_another_counter_and_other_prices_is_started():
    """Both are in it. A guest has no module in the build, so the counter in it must be ours; its
    prices are those of guests."""
    counter, _, host = engine.COUNTER.split(", ")
    program = FuelProgram("C", "p.c", {}, MB, module=b"\0", counter=f"counter 7, prices 7, {host}")
    assert program.why_not_countable_here == ""
    guest = guests.GUESTS["JavaScript"].facts
    reasons = {
        first: FuelProgram(
            "JavaScript", "p.js", {}, MB, guest=guest, counter=f"{first}, prices 7, {host}"
        ).why_not_countable_here
        for first in (counter, "counter 7")
    }
    assert reasons == {
        counter: "",
        "counter 7": f"was built for counter 7, {host}, and here is {counter}, {host}",
    }


def test_a_program_is_the_same_after_the_store_has_kept_it():
    program = FuelProgram("C", "p.c", {"p.c": b"x", "a.txt": b"\xff"}, MB, module=b"\0asm\1\0\0\0")
    again = FuelProgram.from_facts(json.loads(program.to_bytes()))
    assert again == program
    assert again.digest == program.digest
    with pytest.raises(ValueError, match="no program"):
        FuelProgram.from_facts(json.loads(program.to_bytes()) | {"odd": 1})


def test_a_cache_that_was_cleaned_is_filled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services run for weeks, and people clean caches."""
    # the user of sandboxes cannot enter pytest's folders
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o755)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        for _ in range(2):
            with module(ECHO) as worker:
                assert worker.ask(open=True) == {}
            assert engine.engine_folder().is_relative_to(cache)
            shutil.rmtree(engine.fuel_cache())
