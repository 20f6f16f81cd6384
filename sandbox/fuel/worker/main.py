"""Runs inside the sandbox: runs one program as WebAssembly and answers requests about it.

    python3 FOLDER                FOLDER: see sandbox/fuel/engine.py
    python3 FOLDER count BYTES    compile.py instead: a module in, the same with a counter out
    python3 FOLDER count-guest BYTES  the same for an interpreter
    python3 FOLDER compile        compile.py instead: a counted module in, machine code out
    python3 FOLDER chase BYTES    chase.py instead: what a unit takes at worst out
    python3 FOLDER assemble       picture.py instead: WebAssembly as text in, as bytes out
    python3 FOLDER picture        picture.py instead: the memory of a Python that has started

/box/program.json says which program; requests come as JSON lines, and each gets a reply:

    {"run": [words], "seed": hex, "fuel": n}   a new instance runs to its end      {"output": text}
    too {"call": [words], "seed": hex, "fuel": n}  a new instance calls a function     {"returned":
    text}, by
                                                              driver.py, or by a program in its
                                                              place
    {"open": true, "seed": hex}                the next request is for a new instance
    {"ask": "line", "fuel": n}                 a line in, until it has written one {"line": text}
    {"tell": "line", "fuel": n}                a line in, until it wants another   {"unasked": lines
    it wrote}

Each reply has "fuel", the units used for this request; "memory", the bytes of linear memory;
"stderr", its last 4 kB; and "ended" if the instance has ended:

    {"exit": code}    {"trap": which}    {"too long": true}    {"reads": true}: it asks for another
    line instead of answering

The requests, the counted program and guest and our host functions decide every reply, to the unit.
"""

from __future__ import annotations

import gc
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from wasmtime import Store

from sandbox.fuel.worker.chase import chase
from sandbox.fuel.worker.compile import compile_to_machine_code, count, count_guest
from sandbox.fuel.worker.core import CoreModules
from sandbox.fuel.worker.host import Ended, Host, Left, Reply, Request, Requests
from sandbox.fuel.worker.javascript import JavaScript
from sandbox.fuel.worker.limits import STACK_BYTES
from sandbox.fuel.worker.picture import assemble, take_picture
from sandbox.fuel.worker.python import Python
from sandbox.fuel.worker.written import text

_KINDS: dict[str, type[CoreModules]] = {
    "core": CoreModules,
    "javascript": JavaScript,
    "python": Python,
}
"""By the "kind" of /box/program.json."""


def main() -> None:
    facts = json.loads(Path("/box/program.json").read_text())
    guest = _KINDS[facts["kind"]](facts)
    gc.collect()
    gc.freeze()
    requests = Requests()
    for request in requests:
        store = guest.store()
        host = Host(requests, bytes.fromhex(request["seed"]), facts)
        try:
            _serve(guest, host, store, request, requests)
        except Left:
            pass
        finally:
            store.close()


def _serve(
    guest: CoreModules, host: Host, store: Store, request: Request, requests: Requests
) -> None:
    if "open" in request:
        requests.reply({})
        first = requests.next()
        if first is None or not ("ask" in first or "tell" in first):
            requests.give_back(first)
            return
        host.begin(first, is_lines=True)
        reply = _until_end(lambda: guest.run(host, store, []))
        unasked, rest = host.unasked(), host.output()
        if unasked is not None:
            reply["unasked"] = unasked
        elif rest and "exit" in reply["ended"]:
            reply["line"] = text(rest)  # a last line without a newline is a line
        requests.reply(reply | host.facts())
        return
    host.begin(request, is_lines=False)
    if "call" in request:
        replies: list[Reply] = []
        reply = _until_end(lambda: replies.append(guest.call(host, store, request["call"])))
        requests.reply((replies[0] if replies else reply) | host.facts())
        return
    reply = _until_end(lambda: guest.run(host, store, request["run"]))
    requests.reply(reply | {"output": text(host.output())} | host.facts())


def _until_end(run: Callable[[], None]) -> Reply:
    try:
        run()
    except Ended as end:
        return {"ended": end.how}
    return {"ended": {"exit": 0}}


def start() -> None:
    """What FOLDER's own __main__.py calls."""
    commands: dict[str, Callable[..., None]] = {
        "count": count,
        "count-guest": count_guest,
        "compile": compile_to_machine_code,
        "chase": chase,
        "assemble": assemble,
        "picture": lambda: _with_a_large_stack(take_picture),
        "serve": lambda: _with_a_large_stack(main),
    }
    name, *numbers = sys.argv[1:] or ["serve"]
    commands[name](*map(int, numbers))


def _with_a_large_stack(run: Callable[[], None]) -> None:
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
