"""JavaScript whose time is counted: programs print what Node prints, and nothing they do harms the
worker."""

import base64
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox.fuel import engine, guests
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.sandbox import Sandbox
from tests.support.fuel_workers import SEED, UNITS, Worker, started

pytestmark = pytest.mark.skipif(
    not engine.is_installed(), reason="no engine that counts is installed"
)

PROGRAMS = Path(__file__).with_name("javascript")
WORDS = ["one", "two words"]
HAS_NODE = shutil.which("node") is not None


@contextmanager
def javascript(
    source: str | bytes,
    *,
    name: str = "bot.js",
    files: Mapping[str, bytes] | None = None,
    memory_mb: int = 64,
) -> Iterator[Worker]:
    guest = guests.GUESTS["JavaScript"].facts
    sent = {name: source.encode() if isinstance(source, str) else source, **(files or {})}
    with started(FuelProgram("JavaScript", name, sent, memory_mb * MB, guest=guest)) as worker:
        yield worker


# --- as Node --------------------------------------------------------------------------------------
def ours(path: Path, lines: list[bytes], guest: Mapping[str, Any]) -> tuple[str, int]:
    """What a program prints with these lines as its whole input, and its exit code.

    The worker's own modules run it in this process: its protocol gives a line for a line.
    """
    from sandbox.fuel.worker.host import Ended, Host, Requests
    from sandbox.fuel.worker.javascript import JavaScript
    from sandbox.fuel.worker.limits import STACK_BYTES

    class Pipe(Host):
        printed = b""

        def write(self, data: bytes) -> None:
            self.printed += data

        def read(self, max_bytes: int) -> bytes:
            return lines.pop(0) if lines else b""

    facts = {
        "program": path.name,
        "files": {path.name: base64.b64encode(path.read_bytes()).decode()},
        "memory_bytes": 64 * MB,
        "units_per_second": 10 * UNITS,
        **guest,
    }
    results = []

    def run() -> None:
        interpreter = JavaScript(facts)
        store = interpreter.store()
        host = Pipe(Requests(), bytes.fromhex(SEED), facts)
        host.begin({"fuel": 10 * UNITS}, is_lines=False)
        try:
            interpreter.run(host, store, WORDS)
        except Ended as end:
            results.append((host.printed.decode(), end.how["exit"]))
        finally:
            store.close()

    before = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run)
    thread.start()
    threading.stack_size(before)
    thread.join()
    return results[0]


_SYMBOL_AS_KEY = re.compile(r"(?m)^( +)(Symbol\(.*\)): ")  # since node 24 without brackets


@pytest.mark.skipif(not HAS_NODE, reason="no node is installed")
@pytest.mark.parametrize("name", sorted(path.name for path in PROGRAMS.glob("*.*js")))
def test_a_program_prints_what_node_prints(name: str, guest: Mapping[str, Any]) -> None:
    text = (PROGRAMS / "input.txt").read_bytes()
    node = subprocess.run(
        ["node", name, *WORDS], cwd=PROGRAMS, input=text, capture_output=True, check=False
    )
    theirs = _SYMBOL_AS_KEY.sub(r"\1[\2]: ", node.stdout.decode())
    printed, exit_code = ours(PROGRAMS / name, text.splitlines(keepends=True), guest)
    assert (printed, exit_code) == (theirs, node.returncode)


def test_a_date_in_a_format_is_what_most_versions_of_node_print(
    guest: Mapping[str, Any], tmp_path: Path
) -> None:
    """Node 18, 20.20, 22 and 24 print this; 20.19, which Debian 13 has, prints "Thu Jan 01 1970
    ..."."""
    program = tmp_path / "date.js"
    program.write_text('console.log("%s", new Date(0), "%s");')
    assert ours(program, [], guest) == ("1970-01-01T00:00:00.000Z %s\n", 0)


@pytest.fixture(scope="session")
def guest() -> Mapping[str, Any]:
    return guests.GUESTS["JavaScript"].prepared(Sandbox(), 64 * MB)


# --- lines and words ------------------------------------------------------------------------------
ADDER = Path("tests/programs/lines/plays/adder.js").read_text()
ASYNC_ADDER = """
const { createInterface } = require("readline/promises");
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, number] = line.split(" ");
    for (let i = 0; i < Number(number); i++) await null;
    await sleep(100);
    if (command === "next") console.log(Number(number) + 1);
  }
})();
"""
DATA_ADDER = """
process.stdin.on("data", (data) => {
  const [command, number] = data.toString().trim().split(" ");
  if (command === "next") setTimeout(() => process.stdout.write(`${+number + 1}\\n`), 1000);
});
setInterval(() => {}, 60000);
"""
SYNC_ADDER = """
const fs = require("fs");
for (const bytes = Buffer.alloc(100); ; ) {
  const [command, number] = bytes.subarray(0, fs.readSync(0, bytes)).toString().split(" ");
  if (command === "next") fs.writeSync(1, `${Number(number) + 1}\\n`);
}
"""
MODULE_ADDER = """
import readline from "node:readline";
for await (const line of readline.createInterface({ input: process.stdin })) {
  if (line.startsWith("next")) console.log(Number(line.slice(5)) + 1);
}
"""


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (ADDER, "bot.js"),
        (ASYNC_ADDER, "bot.cjs"),
        (DATA_ADDER, "bot.js"),
        (SYNC_ADDER, "bot.js"),
        (MODULE_ADDER, "bot.mjs"),
    ],
)
def test_a_line_gets_its_line_however_a_program_reads(source: str, name: str) -> None:
    with javascript(source, name=name) as worker:
        for _ in range(2):
            worker.ask(open=True)
            for number in (1, 7, 30):
                assert worker.ask(ask=f"next {number}")["line"] == str(number + 1)
            reply = worker.ask(tell="gameover")
            assert (reply["unasked"], reply.get("ended")) == (0, None)
            assert worker.ask(ask="next 5")["line"] == "6"
            assert worker.ask(ask="nonsense")["ended"] in ({"reads": True}, {"trap": "out of fuel"})


def test_programs_get_words_and_read_their_own_files():
    source = """#!/usr/bin/env node
        const { size } = require("./data.json"), helper = require("./lib");
        const fs = require("fs");
        const notes = fs.readFileSync("notes.txt", "utf8").trim(),
        own = fs.readFileSync(__filename);
        console.log(process.argv.slice(2), size, helper.twice(size), notes);
        console.log(fs.readdirSync("."), fs.existsSync("/etc/passwd"), own.length);
    """
    files = {
        "data.json": b'{"size": 3}',
        "lib.js": b"exports.twice = (x) => 2 * x;",
        "notes.txt": b"text\n",
    }
    with javascript(source, files=files) as worker:
        reply = worker.run("a b", "ü")
    assert reply["output"].splitlines() == [
        "[ 'a b', 'ü' ] 3 6 text",
        f"[ 'bot.js', 'data.json', 'lib.js', 'notes.txt' ] false {len(source)}",
    ]


def test_files_are_read_only_and_there_are_no_others():
    source = """const fs = require("fs");
        for (const work of [
          () => fs.writeFileSync("x", ""), () => fs.unlinkSync("bot.js"), () => fs.mkdirSync("d"),
          () => fs.readFileSync("/etc/passwd"), () => fs.readFileSync("prelude:core"),
          () => fs.readFileSync("/bot.js"),
        ])
          try { work(); console.log("done"); } catch (error) { console.log(error.code); }"""
    with javascript(source) as worker:
        assert worker.run()["output"].split() == [
            "EROFS",
            "EROFS",
            "EROFS",
            "ENOENT",
            "ENOENT",
            "ENOENT",
        ]


def test_a_source_that_is_not_utf_8_runs_as_with_node():
    source = "console.log('ä'.length); // müde".encode("latin-1")
    for name in ("bot.js", "bot.mjs"):
        with javascript(source, name=name, files={"package.json": b"[" * 100_000}) as worker:
            assert worker.run()["output"] == "1\n"


SAMPLES = {
    "knobeln/home/kit/images/javascript/standoff/bot.js": (
        ["20/1/P", "20/0/N"],
        ["20/0/P", "16/2/R"],
    ),
    "knobeln/home/kit/images/javascript/ultimate-tic-tac-toe/bot.js": (
        ["5", "19" + "0" * 81],
        ["5", "23" + "0" * 36 + "111" + "0" * 42],
    ),
    "knobellib/opponents/cooperation/detective.js": (["[]", "[]"], ["[C,B,C,C]", "[C,C,C,C]"]),
    "knobellib/opponents/standoff/vulture.js": (
        ["20/1/P", "9/0/N"],
        ["20/2/P", "16/2/R"],
        ["20/1/S", "20/0/R"],
    ),
}


@pytest.mark.skipif(not HAS_NODE, reason="no node is installed")
@pytest.mark.parametrize("path", SAMPLES)
def test_sample_programs_move_as_with_node(path: str) -> None:
    with javascript(Path(path).read_text()) as worker:
        for words in SAMPLES[path]:
            node = subprocess.run(["node", path, *words], capture_output=True, check=True)
            assert worker.run(*words)["output"] == node.stdout.decode() != ""


# --- the same everywhere --------------------------------------------------------------------------


def test_a_clock_shows_counted_time_and_jumps_where_a_program_waits():
    source = """const begin = Date.now();
        setTimeout(() => console.log(Date.now() - begin >= 3600000, performance.now() < 3601000),
        3600000);"""
    with javascript(source) as worker:
        assert worker.run()["output"] == "true true\n"


# --- faults ---------------------------------------------------------------------------------------
def test_an_uncaught_error_is_shown_with_its_line_and_stack():
    with javascript(
        "function move() {\n  throw new TypeError('no idea');\n}\n\nmove();\n"
    ) as worker:
        reply = worker.run()
    assert reply["ended"] == {"exit": 1}
    assert reply["stderr"].splitlines() == [
        "/work/bot.js:2",
        "  throw new TypeError('no idea');",
        "            ^",
        "",
        "TypeError: no idea",
        "    at move (/work/bot.js:2:13)",
        "    at /work/bot.js:5:1",
    ]


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Worker]:
    """Runs the program that is its first word."""
    with javascript("globalThis.require = require; (0, eval)(process.argv[2]);") as worker:
        yield worker


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "let a = 1;\nlet b = ;",
            "SyntaxError: unexpected token in expression: ';'\n    at eval:2:9",
        ),
        (
            "(function deeper() { deeper(); })()",
            "RangeError: Maximum call stack size exceeded\n    at deeper",
        ),
        ("JSON.parse('['.repeat(1e6))", "RangeError: Maximum call stack size exceeded"),
        (
            "let list = []; for (let i = 0; i < 1e5; i++) list = [list]; String(list)",
            "RangeError: Maximum call",
        ),
        ("const all = []; for (;;) all.push(new Uint8Array(1e7))", "InternalError: out of memory"),
        ("let text = 'x'; for (;;) text += text", "InternalError: string too long"),
        ("process.stdout.write('x'.repeat(2 ** 29))", "InternalError: out of memory"),
        (
            "(async () => { await null; throw new Error('late'); })()",
            "unhandled promise rejection: Error: late",
        ),
        ("throw null", "Uncaught null"),
        (
            "throw new Proxy(new Error('x'), { get() { throw 1; } })",
            "Uncaught error that cannot be shown",
        ),
        (
            "require('http')",
            "Error: require('http'): programs whose time is counted have no network",
        ),
        ("require('left-pad')", "Error: Cannot find module 'left-pad'"),
        ("process.on('exit', () => { throw new Error('at the end'); })", "Error: at the end"),
    ],
)
def test_a_failure_ends_the_program_with_a_message(
    source: str, message: str, evaluator: Worker
) -> None:
    reply = evaluator.run(source, fuel=10 * UNITS)
    assert reply["ended"] == {"exit": 1}
    assert message in reply["stderr"]


@pytest.mark.parametrize(
    "source",
    [
        "for (;;);",
        "const again = () => Promise.resolve().then(again); again()",
        "const again = () => setTimeout(again); again()",
        pytest.param("setInterval(() => {}, 86400000)", marks=pytest.mark.slow),
        "console.log(`${{ toString() { for (;;); } }}`)",
        "throw { __proto__: { get constructor() { for (;;); } } }",
        "/(a*)*b/.exec('a'.repeat(50))",
        "for (const all = []; ; ) try { for (;;) all.push({}); } catch {}",
        "for (;;) console.error('e'.repeat(1e5))",
        "process.on('exit', () => { for (;;); })",
        pytest.param(
            "import('qjs:os').then((os) => { for (;;) os.sleep(1); })", marks=pytest.mark.slow
        ),
    ],
)
def test_what_never_ends_runs_out_of_fuel(source: str, evaluator: Worker) -> None:
    reply = evaluator.run(source)
    assert (reply["ended"], reply["fuel"]) == ({"trap": "out of fuel"}, UNITS)
    assert evaluator.run(source) == reply


@pytest.mark.parametrize(
    "source",
    ["for (;;) console.log('x'.repeat(1000))", "for (;;) process.stdout.write('1'.repeat(65536))"],
)
def test_a_flood_of_output_ends_the_program(source: str, evaluator: Worker) -> None:
    assert evaluator.run(source)["ended"] == {"too long": True}


OS = """import("qjs:os").then((os) => {
  const tries = {
    open: os.open("/etc/passwd", 0), create: os.open("x", os.O_CREAT | os.O_RDWR),
    list: os.readdir("/")[0].length, mkdir: os.mkdir("d"), remove: os.remove("bot.js"),
    rename: os.rename("bot.js", "x"), stat: os.stat("/etc/passwd")[1], exec: os.exec, pipe: os.pipe,
    kill: os.kill, Worker: os.Worker, symlink: os.symlink, dup: os.dup, waitpid: os.waitpid,
  };
  console.log(JSON.stringify(tries, (_, value) => value ?? "not there"));
})"""
STD = """import("qjs:std").then((std) => console.log(
  std.loadFile("/etc/passwd"), std.open("/etc/passwd", "r"),
  std.open("x", "w"), std.popen, std.urlGet, std.tmpfile, Object.keys(std.getenviron()).length,
))"""
BYTECODE = """import("qjs:bjson").then(({ read }) => {
  const bytes = Uint8Array.from({ length: 500 }, (_, i) => (i * 7919) >> 3);
  for (bytes[0] = 1; bytes[0] < 255; bytes[0]++)
    for (let flags = 0; flags < 32; flags++) try { read(bytes.buffer, 0, 500, flags); } catch {}
  console.log("refused");
})"""


def test_modules_of_the_engine_find_nothing_to_harm(evaluator: Worker) -> None:
    expected = (
        '{"open":-%d,"create":-69,"list":3,"mkdir":-69,"remove":-69,"rename":-69,"stat":44,%s}\n'
    )
    names = ("exec", "pipe", "kill", "Worker", "symlink", "dup", "waitpid")
    missing = ",".join(f'"{name}":"not there"' for name in names)
    assert evaluator.run(OS)["output"] in (expected % (number, missing) for number in (28, 44))
    assert evaluator.run(STD)["output"] == "null null null undefined undefined undefined 0\n"
    assert evaluator.run(BYTECODE)["output"] == "refused\n"


def test_a_program_that_owes_an_answer_and_reads_on_is_told_from_one_that_fails():
    cases = {
        "process.stdin.resume()": {"reads": True},
        "process.stdin.on('data', async () => { throw new Error('no idea'); })": {"exit": 1},
        "process.stdin.on('data', () => { throw new Error('no idea'); })": {"exit": 1},
        "process.stdin.once('data', () => process.stdin.pause())": {"exit": 0},
        "process.stdin.on('data', () => process.exit(3))": {"exit": 3},
    }
    for source, end in cases.items():
        with javascript(source) as worker:
            worker.ask(open=True)
            assert worker.ask(ask="next 1")["ended"] == end, source
