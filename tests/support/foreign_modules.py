"""Modules that no compiler of ours makes, and what becomes of them, from the door to the player."""

import json
import random
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest.games.game import TextProtocol
from sandbox.fuel.counting.operators import Refused, leb
from sandbox.fuel.guests import GUESTS
from sandbox.fuel.program import FuelProgram
from sandbox.fuel.worker import main as worker
from sandbox.fuel.worker.compile import program_with_counter
from sandbox.fuel.worker.core import CoreModules, why_refused
from sandbox.fuel.worker.host import Host, Left, Reply, Request, Requests
from sandbox.fuel.worker.limits import STACK_BYTES, engine
from sandbox.limits import MB
from sandbox.players.fuel import FuelPlayer, _Reply
from sandbox.sandbox import Sandbox
from tests.support.counting import wasm
from tests.support.fuel_workers import UNITS
from tests.support.host_calls import WASI, escaped, kinds

FUEL = 1_500_000  # of each request: some calls of the host, or a loop of milliseconds
REQUESTS: tuple[tuple[Request, ...], ...] = (
    ({"run": ["7"]},),
    ({"open": True}, {"ask": "one"}, {"tell": "two"}, {"ask": "three"}),
)
_SMITH_OFF = """simd relaxed-simd exceptions gc tail-call threads memory64 compact-imports
  custom-page-sizes wide-arithmetic"""
"""What no program may have: a module with it is refused at once."""
_NUMBERS = (0, 1, 2, 3, 4, 8, 64, 1_024, 65_528, 65_535, 65_536, 2**31 - 1, -1, -(2**31))
_NAMES = ("nobody_knows", "path_rename", "PROC_EXIT", "", "kn_left")
_KINDS = ("i32", "i32", "i32", "i64", "i64", "f64")
_RESULTS = ("i32",) * 6 + ("i64", "i32 i32", "")


@dataclass(frozen=True)
class _Import:
    """A function of the host, as a module asks for it."""

    name: str
    parameters: list[str]
    result: str
    module: str = "wasi_snapshot_preview1"

    def text(self, number: int) -> str:
        kind = f"(param {' '.join(self.parameters)}) (result {self.result})"
        return f'(import "{self.module}" "{self.name}" (func $f{number} {kind}))'

    def call(self, number: int, draw: random.Random) -> str:
        words = " ".join(f"({kind}.const {draw.choice(_NUMBERS)})" for kind in self.parameters)
        return f"(call $f{number} {words}) {'drop ' * len(self.result.split())}"


def _of_wasi(name: str) -> _Import:
    return _Import(name, kinds(name), "" if name == "proc_exit" else "i32")


def _odd(draw: random.Random) -> _Import:
    """One that a compiler of ours would not ask for."""
    return _Import(
        draw.choice((*_NAMES, *WASI)),
        draw.choices(_KINDS, k=draw.randint(0, 4)),
        draw.choice(_RESULTS),
        draw.choice(("wasi_snapshot_preview1",) * 9 + ("env",)),
    )


def calls_of_wasi(draw: random.Random) -> str:
    """The text of a module that calls functions of the host with any numbers. A few of them have
    types or names that ours do not have."""
    asked = [_of_wasi(name) for name in draw.sample(sorted(WASI), k=draw.randint(1, 6))]
    asked += [_odd(draw) for _ in range(draw.choice((0, 0, 0, 1, 2)))]
    imports = "".join(one.text(number) for number, one in enumerate(asked))
    called = draw.choices(range(len(asked)), k=draw.randint(1, 12))
    code = " ".join(asked[number].call(number, draw) for number in called)
    memory = draw.choice(('(memory (export "memory") 1)',) * 6 + ("(memory 1)", ""))
    begin = escaped(draw.randbytes(draw.randint(0, 64)))
    data = f'(data (i32.const 0) "{begin}")' if memory else ""
    return f'(module {imports} {memory} {data} (func (export "_start") {code}))'


def started(text: str) -> str:
    """This module of `made_modules`, as a program: its host is WASI, and "f" its start."""
    host, exported = '"host" "call"', '(export "f" (func '
    last = text[text.rindex(exported) + len(exported) :].split(")", maxsplit=1)[0]
    return text.replace(host, '"wasi_snapshot_preview1" "fd_close"').replace(
        exported, f'(func (export "_start") (call {last} (i32.const 7)) unreachable) {exported}'
    )


class Smith:
    """The generator of wasm-tools, for modules that import WASI, and have a start and a memory."""

    def __init__(self, program: str, folder: Path) -> None:
        shown = '(memory (export "memory") 1) (func (export "_start"))'
        imports = "".join(_of_wasi(name).text(number) for number, name in enumerate(sorted(WASI)))
        for name, text in (("exports", shown), ("available-imports", imports)):
            (folder / name).write_bytes(wasm(f"(module {text})"))
        self._command = [
            program,
            "smith",
            "--max-imports=8",
            "--allow-start-export=false",
            "--max-memories=0",  # but for the one that it exports
            *(f"--{name}={folder / name}" for name in ("exports", "available-imports")),
            *(f"--{name}-enabled=false" for name in _SMITH_OFF.split()),
        ]

    def module(self, draw: random.Random) -> bytes:
        seed = draw.randbytes(draw.choice((100, 500, 2_000, 8_000)))
        return subprocess.run(self._command, input=seed, capture_output=True, check=True).stdout


def damaged(draw: random.Random, module: bytes) -> bytes:
    """The module with some bytes behind its head changed, left out, added or doubled; or as it
    is."""
    for _ in range(draw.choice((0, 0, 0, 0, 1, 1, 2, 4))):
        at = draw.randint(8, len(module))
        size = draw.choice((1, 1, 1, 2, 5, 30))
        new = draw.choice(
            (
                draw.randbytes(size),
                b"",
                module[at : at + size] * 2,
                leb(draw.choice((0, 1, 127, 128, 2**31, 2**32 - 1, 2**40))),
            )
        )
        module = module[:at] + new + module[at + size :]
    return module


class _Kept(Requests):
    """Requests from a list; what is replied is kept."""

    def __init__(self, requests: tuple[Request, ...]) -> None:
        super().__init__()
        self._unread: Iterator[Request] = iter(requests)
        self.replies: list[Reply] = []

    def next(self) -> Request | None:
        if self._returned is not None:
            return super().next()
        return next(self._unread, None)

    def reply(self, reply: Reply) -> None:  # type: ignore[override]
        self.replies.append(json.loads(json.dumps(reply)))


class Tries:
    """Tries modules, and counts what became of them."""

    def __init__(self, folder: Path) -> None:
        self._code = folder / "code"
        guest = GUESTS["Python"].facts
        program = FuelProgram("Python", "bot.py", {"bot.py": b""}, MB, guest=guest)
        self._player = FuelPlayer(program, Sandbox(), TextProtocol.STDIO, UNITS, UNITS)
        self.outcomes: Counter[str] = Counter()

    def all_of(self, modules: Iterator[bytes]) -> None:
        """Raises whatever is a failure of ours."""
        failures: list[BaseException] = []

        def run() -> None:
            try:
                for module in modules:
                    self.outcomes[self._outcome(module)] += 1
            except BaseException as error:
                error.add_note(f"module {module.hex()}")
                failures.append(error)

        _with_a_large_stack(run)
        for failure in failures:
            raise failure

    def _outcome(self, module: bytes) -> str:
        from wasmtime import Module

        try:
            counted = program_with_counter(module, MB)
        except Refused as reason:
            str(reason).encode()
            return "not counted"
        compiled = Module(engine(), counted)
        if reason := why_refused(compiled):
            reason.encode()
            return "not linked"
        self._code.write_bytes(compiled.serialize())
        facts: dict[str, Any] = {
            "program": "a.c",
            "files": {"a.txt": "c29tZSB3b3Jkcw=="},
            "units_per_second": 10**10,
            "code": str(self._code),
        }
        guest = CoreModules(facts)
        try:
            ends = [self._end(guest, facts, requests) for requests in REQUESTS]
        finally:
            # A worker ends with its module; here they would keep their files open, one after the
            # other.
            guest._linker.close()
            guest._module.close()
        return f"ran: {ends[0]}"

    def _end(self, guest: CoreModules, facts: dict[str, Any], requests: tuple[Request, ...]) -> str:
        kept = _Kept(tuple({"fuel": FUEL, "seed": ""} | request for request in requests))
        store = guest.store()
        try:
            worker._serve(guest, Host(kept, b"", facts), store, kept.next() or {}, kept)
        except Left:
            pass
        finally:
            store.close()
        for line in map(json.dumps, kept.replies):
            reply = _Reply.model_validate_json(line)
            self._player._output(reply)
        return " ".join(map(str, reply.end))


def _with_a_large_stack(run: Callable[[], None]) -> None:
    before = threading.stack_size(STACK_BYTES)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
