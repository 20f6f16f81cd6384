"""Programs in JavaScript, run by QuickJS with a prelude of ours that gives them a part of Node's
API.

The prelude (sandbox/fuel/javascript_guest/) is compiled to bytecode when the worker starts; each
instance loads what its program asks for. QuickJS reads files by name, so these are files that only
it can see:

    prelude:NAME   a module of the prelude, compiled
    NAME#script    a script (CommonJS) of the program, as the function that Node makes of it
    source:NAME    a script or module as it was sent
    NAME           a module for `import` that has the script's exports
    fs, node:fs    a module for `import` that has the exports of the prelude's module
"""

from __future__ import annotations

import json
import re
import struct
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cached_property

from wasmtime import Store

from sandbox.fuel.worker.core import CoreModules
from sandbox.fuel.worker.host import Ended, Host, ProgramFacts, Requests

_WRAPPER = "(function (exports, require, module, __filename, __dirname) { "
_QUEUES_JOBS = re.compile(
    rb"\bFunction\b|(?i:async|await|promis|then|import|eval|queueMicrotask|finalization)"
)
"""A program without these words has no promises; so it need not be looked after them at each
line."""
_IS_MODULE = re.compile(rb'"type"[ \t\r\n]*:[ \t\r\n]*"module"')  # of package.json
_OWN_FUEL = 10**12  # for what we run ourselves
_COMPILE = """
import * as std from "qjs:std";
import * as bjson from "qjs:bjson";
for (const name of JSON.parse(scriptArgs[0])) {
  const code = std.evalScript(std.loadFile(name), { compile_only: true });
  const bytes = bjson.write(code, bjson.WRITE_OBJ_BYTECODE | bjson.WRITE_OBJ_STRIP_SOURCE);
  const size = new Uint32Array([bytes.byteLength]);
  std.out.write(size.buffer, 0, 4);
  std.out.write(bytes, 0, bytes.byteLength);
}
std.out.flush();
"""
_LIST_EXPORTS = """
const modules = process.getBuiltinModule("module").builtinModules;
const names = modules.map((name) => [name, Object.keys(process.getBuiltinModule(name) ?? {})]);
console.log(JSON.stringify(Object.fromEntries(names)));
"""


class _OwnHost(Host):
    """Collects all that a script of our own writes."""

    def __init__(self) -> None:
        super().__init__(Requests(), b"", {"files": {}, "units_per_second": 1})
        self.written = bytearray()
        self.begin({"fuel": _OWN_FUEL}, is_lines=False)

    def write(self, data: bytes) -> None:
        self.written += data


class JavaScript(CoreModules):
    """Makes instances of QuickJS, each with the program loaded."""

    def __init__(self, facts: ProgramFacts) -> None:
        super().__init__(facts)
        self._program = str(facts["program"])
        self._start = str(facts["prelude"]["start"])
        self._prelude = self._compiled(
            {name: text for name, text in facts["prelude"].items() if name != "start"}
        )
        files = {name: b64decode(data) for name, data in facts["files"].items()}
        self._commonjs = _commonjs(files)
        self._own_files = self._prelude | _scripts(files, self._commonjs)
        if any(
            b"import" in data
            for name, data in files.items()
            if name.endswith((".js", ".mjs", ".cjs"))
        ):
            self._own_files |= _importable(self._exports, self._commonjs, self._program)

    def run(self, host: Host, store: Store, words: list[str]) -> None:
        self._play(
            host,
            store,
            words=words,
            program=self._program,
            commonjs=self._commonjs,
            own_files=self._own_files,
        )

    def _play(
        self,
        host: Host,
        store: Store,
        words: list[str],
        program: str,
        commonjs: list[str],
        own_files: Mapping[str, bytes],
    ) -> None:
        facts = {
            "program": program,
            "words": words,
            "files": sorted(host.files),
            "commonjs": commonjs,
            "wrapper": _WRAPPER,
            "queuesJobs": program not in commonjs
            or any(_QUEUES_JOBS.search(data) for data in host.files.values()),
        }
        self._evaluate(host, store, self._start, json.dumps(facts), own_files)

    def _evaluate(
        self, host: Host, store: Store, script: str, argument: str, own_files: Mapping[str, bytes]
    ) -> None:
        """Run a module in a new instance. Raises Ended if it fails."""
        now = self.instance(host, store, [])
        now.own_files = own_files
        # QuickJS seeds its random numbers with the time at which it starts.
        now.first_time = int.from_bytes(host.random(8), "big") >> 1
        now.call("_initialize")
        words = [word.encode() + b"\0" for word in ("qjs", "-m", "-e", script, argument)]
        pointers = [now.call("malloc", len(word)) or 0 for word in words]
        table = now.call("malloc", 4 * len(pointers)) or 0
        for pointer, word in zip(pointers, words, strict=True):
            now.save(pointer, word)
        now.save(table, struct.pack(f"<{len(pointers)}I", *pointers))
        if now.call("qjs_init_argv", len(pointers), table):
            raise Ended({"exit": 1})

    # --- the prelude ------------------------------------------------------------------------------
    def _compiled(self, sources: Mapping[str, str]) -> dict[str, bytes]:
        """The modules of the prelude as bytecode, by the names under which they are loaded."""
        written = self._written(
            lambda host, store: self._evaluate(
                host,
                store,
                _COMPILE,
                json.dumps(list(sources)),
                {name: source.encode() for name, source in sources.items()},
            )
        )
        codes, at = [], 0
        while at < len(written):
            (size,) = struct.unpack_from("<I", written, at)
            codes.append(written[at + 4 : at + 4 + size])
            at += 4 + size
        return {f"prelude:{name}": code for name, code in zip(sources, codes, strict=True)}

    @cached_property
    def _exports(self) -> dict[str, list[str]]:
        """The names that each module of Node's exports, by the module's name."""
        name = "exports.js"
        own_files = self._prelude | _scripts({name: _LIST_EXPORTS.encode()}, [name])
        written = self._written(
            lambda host, store: self._play(
                host, store, words=[], program=name, commonjs=[name], own_files=own_files
            )
        )
        exports: dict[str, list[str]] = json.loads(written)
        return exports

    def _written(self, run: Callable[[Host, Store], None]) -> bytes:
        """The output of a script of our own."""
        store = self.store()
        host = _OwnHost()
        try:
            run(host, store)
        except Ended as end:
            if end.how != {"exit": 0}:
                raise RuntimeError(f"the prelude of JavaScript: {host.facts()['stderr']}") from None
        finally:
            store.close()
        return bytes(host.written)


def _commonjs(files: Mapping[str, bytes]) -> list[str]:
    """The files that are CommonJS, as Node tells them."""
    suffixes = (".cjs",) if _IS_MODULE.search(files.get("package.json", b"")) else (".cjs", ".js")
    return sorted(name for name in files if name.endswith(suffixes))


def _scripts(files: Mapping[str, bytes], commonjs: list[str]) -> dict[str, bytes]:
    """What QuickJS reads instead of the program's files. Only Node takes text that is not UTF-8."""
    found = {}
    for name, data in files.items():
        source = data.decode("utf-8-sig", errors="replace")
        if name in commonjs:
            source = f"//{source}" if source.startswith("#!") else source
            found[f"{name}#script"] = f"{_WRAPPER}{source}\n}})".encode()
            found[f"source:{name}"] = data
        elif name.endswith((".js", ".mjs")):
            found[name] = source.encode()
            found[f"source:{name}"] = data
    return found


def _importable(
    exports: Mapping[str, list[str]], commonjs: list[str], program: str
) -> dict[str, bytes]:
    """For each module of Node's, a module for `import` with the same names; for each script one,
    too.

    If a module is missing, `require` says why. It looks from where the program is.
    """
    above = "../" * program.count("/") or "./"
    requests = {name: f"{above}{name}" for name in commonjs}
    for name in exports:
        requests[name] = requests[f"node:{name}"] = name
    found = {}
    for name, request in requests.items():
        lines = [
            f'const $ = process.getBuiltinModule("module").createRequire()({json.dumps(request)});',
            "export default $;",
        ]
        valid = [each for each in exports.get(request, []) if each.isidentifier()]
        lines += [f"export const {each} = $.{each};" for each in valid]
        found[name] = "\n".join(lines).encode()
    return found
