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
from sandbox.fuel.worker.written import (
    MAX_CODES_BYTES,
    MAX_RETURNED_BYTES,
    MAX_SOURCES_BYTES,
    Written,
    returned,
    sources,
)

REQUEST, CODES = 4, 5  # descriptors, as in knobeln_guest.py
_FUNCTION = "get_move"
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
        asked = Written(MAX_SOURCES_BYTES)
        self._own_run(facts, _REHEARSAL_FUEL, {"run": [], "is_rehearsal": True}, asked)
        codes = Written(MAX_CODES_BYTES)
        is_whole = self._own_run(facts, _COMPILE_FUEL, {"compile": sources(asked)}, codes)
        self._codes = bytes(codes.data) if is_whole and not codes.is_too_long else b""

    def _own_run(self, facts: ProgramFacts, fuel: int, request: Request, answer: Written) -> bool:
        """Have an instance of our own do what `request` says. False: it did not come to its end."""
        store = self.store()
        host = Host(Requests(), b"", facts)
        host.begin({"fuel": fuel}, is_lines=False)
        try:
            self._play(host, store, request, answer)
        except Ended as end:
            return end.how == {"exit": 0}
        finally:
            store.close()
        return True

    def run(self, host: Host, store: Store, words: list[str]) -> None:
        self._play(host, store, {"run": words}, Written(0))

    def call(self, host: Host, store: Store, words: list[Any]) -> Reply:
        answer = Written(MAX_RETURNED_BYTES)
        try:
            self._play(host, store, {"call": words, "function": _FUNCTION}, answer)
        except Ended as end:
            if end.how != {"exit": 0} or not answer.data:
                raise
        return returned(answer)

    def _play(self, host: Host, store: Store, request: Request, answer: Written) -> None:
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
