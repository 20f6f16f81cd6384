"""Programs in Python, which the guest of sandbox/fuel/python_guest runs.

Two files are open when an instance starts, which no folder lists: the request, to which it writes
its answer, and what was compiled for it.
"""

from __future__ import annotations

import json
from typing import Any

from wasmtime import Store

from sandbox.fuel.worker.core import CoreModules, OpenFile
from sandbox.fuel.worker.host import Ended, Host, ProgramFacts, Reply, Request, Requests

REQUEST, CODES = 4, 5  # descriptors, as in knobeln_guest.py
_FUNCTION = "get_move"
_MAX_RETURNED = 16_384  # characters; driver.py writes fewer
_REHEARSAL_FUEL = 1_000_000_000
_COMPILE_FUEL = 10_000_000_000  # for what we compile ourselves


class Python(CoreModules):
    """Makes instances of CPython, each with the program loaded."""

    def __init__(self, facts: ProgramFacts) -> None:
        super().__init__(facts)
        self._program = str(facts["program"])
        self._codes = b""
        self._prepare(facts)

    def _prepare(self, facts: ProgramFacts) -> None:
        """Compile what instances would have to compile. What is missing they compile themselves.

        A rehearsal, without input, shows what that is. The code comes from an instance in which
        nothing of the program runs, so all instances have the same code, and nobody can hide in it
        what costs fuel.
        """
        asked = self._prepared(facts, _REHEARSAL_FUEL, {"run": [], "is_rehearsal": True})
        sources = list(dict.fromkeys(json.loads(line) for line in asked.split(b"\n")[:-1]))
        self._codes = self._prepared(facts, _COMPILE_FUEL, {"compile": sources})

    def _prepared(self, facts: ProgramFacts, fuel: int, request: Request) -> bytes:
        store = self.store()
        host = Host(Requests(), b"", facts)
        host.begin({"fuel": fuel}, is_lines=False)
        answer = bytearray()
        try:
            self._play(host, store, request, answer)
        except Ended:
            pass
        finally:
            store.close()
        return bytes(answer)

    def run(self, host: Host, store: Store, words: list[str]) -> None:
        self._play(host, store, {"run": words}, bytearray())

    def call(self, host: Host, store: Store, words: list[Any]) -> Reply:
        answer = bytearray()
        try:
            self._play(host, store, {"call": words, "function": _FUNCTION}, answer)
        except Ended as end:
            if end.how != {"exit": 0} or not answer:
                raise
        returned = answer.decode(errors="replace")
        return (
            {"returned": returned}
            if len(returned) <= _MAX_RETURNED
            else {"ended": {"too long": True}}
        )

    def _play(self, host: Host, store: Store, request: Request, answer: bytearray) -> None:
        """A new instance does what `request` says, and writes into `answer`."""
        facts = {
            "program": self._program,
            "files": sorted(host.files),
            "is_rehearsal": False,
        } | request
        now = self.instance(host, store, [])
        now.open_files[REQUEST] = OpenFile(json.dumps(facts).encode(), is_free=True, written=answer)
        now.open_files[CODES] = OpenFile(self._codes, is_free=True)
        now.call("_start")
