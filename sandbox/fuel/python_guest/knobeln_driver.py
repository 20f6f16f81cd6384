"""Runs inside the sandbox: answers requests about a team's Python file, each in a child that starts afresh.

    python driver.py FILE FUNCTION ANSWER_BYTES (sandbox | home)

We never run the team's code ourselves. We compile the file, import the modules of the standard library that
it names, and fork a child for each request. The child imports the file and answers; then we end all that it
started, remove all that it wrote, and only then pass its reply on. So nothing of it runs while the team does
not pay for the time, and nothing is left for the next request but what docs/security.md names. A request per
line, a reply per line:

    in   {"import": true}                                  out  {"answer": ""}
    in   {"call": [arguments]}                             out  {"answer": "5"}
    in   {"constant": name}                                out  {"constant": "..."} or {"lacks": "..."}
    in   {"tabulate": [rows, columns, lowest, highest],
          "backwards": false}                              out  {"table": [...]}, row by row
    else out  {"raised": "ValueError: ...", "trace": "..."} or {"wrong": "True (bool)"}

A child has a pipe of its own for its reply and one for its output, and none of our descriptors. It can forge
nothing but its own reply. If it ends without one, we end in the same way.

What a child could leave in our memory would be a part of the next child: so children read their requests
themselves, and replies are in buffers that we erase.

At home, in a team's software kit, there is no sandbox, and a child's relatives are ended only if they are in
our process group.
"""

from __future__ import annotations

import sys

_AT_START = frozenset(sys.modules)  # what a Python that is started afresh has, too; before all other imports

import ast
import gc
import json
import os
import select
import signal
import stat
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from importlib import import_module
from types import CodeType, ModuleType
from typing import Any, NamedTuple, NoReturn

MAX_MESSAGE_CHARS = 200  # of an error
MAX_TRACE_CHARS = 4_000  # the end of a traceback

_QUESTIONS, _ANSWERS, _ERRORS = 0, 1, 2
_REPLY = 3  # a child's descriptor
_DESCRIPTORS = 64  # at most: the limit in a sandbox; at home we have no more either
_CHUNK_BYTES = 65_536
_REAP_SECONDS = 0.0002  # between two looks whether all killed processes are gone
_SANDBOX_FILE = "/box/driver.py"
_SANDBOX_USER = 65534  # INSIDE_ID of bubblewrap.py
_TERMINALS = ("/dev/pts", "/dev/pts/ptmx")

Request = dict[str, Any]
Reply = dict[str, Any]


class Program(NamedTuple):
    """A team's file. `code`: None if it cannot be compiled, which a child will find again and report."""

    file: str
    function: str
    code: CodeType | None

    @property
    def stem(self) -> str:
        return os.path.splitext(self.file)[0]


def main() -> None:
    file, function, answer_bytes, where = sys.argv[1:]
    place = _Sandbox() if where == "sandbox" else _Home()
    del sys.path[0]  # our own folder
    with redirect_stdout(sys.stderr):
        program = Program(file, function, _prepared(file))
    gc.collect()
    gc.freeze()  # children need not copy what the collector would mark
    reply, errors = bytearray(int(answer_bytes) + 1), bytearray(_CHUNK_BYTES)
    requests = select.poll()
    requests.register(_QUESTIONS, select.POLLIN)
    while requests.poll():
        length = _answer(program, place, reply, errors)
        unsent = memoryview(reply)[:length]
        while unsent:
            unsent = unsent[os.write(_ANSWERS, unsent) :]
        reply[:] = bytes(len(reply))


# --- before the first request ------------------------------------------------------------------------------
def _prepared(file: str) -> CodeType | None:
    """Compile the file and import what it needs of the standard library, and nothing of the team's or of
    packages: their state, such as random numbers, would be the same in each child."""
    try:
        code = compiled(file)
        names = set(_imports(ast.parse(_source(file))))
    except Exception:  # whatever it is, the child meets it again
        return None
    own = _own_modules()
    for name in sorted(names):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names and top not in own:
            with suppress(Exception):
                import_module(name)
    return code


def _imports(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            yield statement.module


def _own_modules() -> set[str]:
    """Names of modules that the team's files could be."""
    return {name.partition(".")[0] for name in os.listdir()}


# --- around a child ----------------------------------------------------------------------------------------
class _WorkFolder:
    """The working folder, as it was before any code of the team ran."""

    def __init__(self) -> None:
        self.descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        self._kept = frozenset(os.listdir(self.descriptor))
        self._facts = os.stat(self.descriptor)

    def clean(self) -> None:
        """Remove what is new. Folders in folders are moved up first: none is too deep for us."""
        while new := [name for name in os.listdir(self.descriptor) if name not in self._kept]:
            for name in new:
                self._remove(name)
        _restore(self.descriptor, self._facts)

    def _remove(self, name: str) -> None:
        if not _is_folder(name, self.descriptor):
            os.unlink(name, dir_fd=self.descriptor)
            return
        os.chmod(name, 0o700, dir_fd=self.descriptor)
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self.descriptor)
        try:
            for inner in os.listdir(folder):
                if _is_folder(inner, folder):
                    os.chmod(inner, 0o700, dir_fd=folder)
                    os.rename(inner, os.urandom(16).hex(), src_dir_fd=folder, dst_dir_fd=self.descriptor)
                else:
                    os.unlink(inner, dir_fd=folder)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=self.descriptor)


def _restore(file: int | str, facts: os.stat_result) -> None:
    os.chmod(file, stat.S_IMODE(facts.st_mode))
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def _is_folder(name: str, above: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)


class _Sandbox:
    """bubblewrap's sandbox, in which we and process 1 are alone between two requests."""

    def __init__(self) -> None:
        _require_sandbox()
        self._work = _WorkFolder()
        self._terminals = {path: os.stat(path) for path in _TERMINALS}

    def end(self, child: int) -> None:
        """End all processes but us, until process 1 has reaped them, too. None escapes by forking: the kernel
        signals all at once, and lets nobody fork who has to die."""
        _kill_all_others()
        os.waitpid(child, 0)
        with suppress(ProcessLookupError):  # there are no others any more
            while True:
                _kill_all_others()
                time.sleep(_REAP_SECONDS)

    def clean(self) -> None:
        """Remove all that was written, and all marks on files that stay.

        The terminals belong to the user of the sandbox. The times of other devices it can set, too, but only
        to the present.
        """
        self._work.clean()
        for name in os.listxattr(self._work.descriptor):
            os.removexattr(self._work.descriptor, name)
        for path, facts in self._terminals.items():
            _restore(path, facts)
        for device in os.listdir("/dev"):
            with suppress(OSError):  # folders and links, which are read-only
                os.utime(f"/dev/{device}")


def _kill_all_others() -> None:
    """Raises ProcessLookupError if there are no others."""
    _require_sandbox()
    os.kill(-1, signal.SIGKILL)


def _require_sandbox() -> None:
    """Outside of the sandbox, killing all processes would end the user's session. There, each single one of
    these facts is different."""
    is_inside = (
        __file__ == _SANDBOX_FILE
        and os.getppid() == 1
        and os.getuid() == _SANDBOX_USER
        and os.statvfs("/").f_flag & os.ST_RDONLY
        and not os.path.lexists("/proc/self")
    )
    if not is_inside:
        sys.exit("driver.py: this is not the inside of a sandbox")


class _Home:
    """A team's own computer, where we end and remove only what is surely ours."""

    def __init__(self) -> None:
        ours = os.path.join(os.getcwd(), os.pardir, "box", "driver.py")
        if os.path.realpath(__file__) != os.path.realpath(ours) or os.getpgrp() != os.getpid():
            sys.exit("driver.py: the referee has not started this")
        self._work = _WorkFolder()

    def end(self, child: int) -> None:
        """End the child, and its relatives in our own group, unless they are deaf to SIGTERM."""
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # we are in the group, too
        os.killpg(os.getpid(), signal.SIGTERM)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def clean(self) -> None:
        self._work.clean()


# --- a request, seen from our side -------------------------------------------------------------------------
def _answer(program: Program, place: _Sandbox | _Home, reply: bytearray, errors: bytearray) -> int:
    """Have the waiting request answered. Return the length of the answer in `reply`.

    The answer is a line, or all of `reply` if it is too long. If the child ends without one, so do we, in the
    same way.
    """
    reply_end, its_reply_end = os.pipe()
    errors_end, its_errors_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _be_child(program, its_reply_end, its_errors_end)
        finally:
            os._exit(1)
    os.close(its_reply_end)
    os.close(its_errors_end)
    length = _receive(reply_end, errors_end, reply, errors)
    if length:
        place.end(child)
        place.clean()
    else:
        _, status = os.waitpid(child, 0)
    os.set_blocking(errors_end, False)
    with suppress(BlockingIOError):
        while _relay(errors_end, errors):
            pass
    if not length:
        _end_like(status)
    os.close(reply_end)
    os.close(errors_end)
    return length


def _receive(reply_end: int, errors_end: int, reply: bytearray, errors: bytearray) -> int:
    """Read until there is a line, or too much of one; 0 if there comes no more. Pass on what it writes."""
    length, room = 0, memoryview(reply)
    waiter = select.poll()
    waiter.register(reply_end, select.POLLIN)
    waiter.register(errors_end, select.POLLIN)
    while True:
        for descriptor, _ in waiter.poll():
            if descriptor == errors_end:
                if not _relay(errors_end, errors):
                    waiter.unregister(errors_end)
                continue
            size = os.readv(reply_end, [room[length:]])
            newline = reply.find(b"\n", length, length + size)
            length += size
            if newline >= 0:
                return newline + 1
            if length == len(reply) or not size:
                return length if size else 0


def _relay(errors_end: int, errors: bytearray) -> int:
    """Read once what a child writes, and write it to our standard error; 0 if there comes no more."""
    size = os.readv(errors_end, [errors])
    unsent = memoryview(errors)[:size]
    while unsent:
        unsent = unsent[os.write(_ERRORS, unsent) :]
    errors[:size] = bytes(size)
    return size


def _end_like(status: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with suppress(OSError):  # SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


# --- a request, in the child -------------------------------------------------------------------------------
def _be_child(program: Program, reply_end: int, errors_end: int) -> NoReturn:
    """Read the request, answer it, and end. Standard input is empty; all output goes to standard error.

    What we fork does not get the descriptor for the reply: the driver could not see our end.
    """
    with os.fdopen(os.dup(_QUESTIONS)) as requests:
        line = requests.readline()
    os.dup2(reply_end, _REPLY)
    os.dup2(errors_end, _ERRORS)
    os.closerange(_REPLY + 1, _DESCRIPTORS)
    os.dup2(os.open(os.devnull, os.O_RDONLY), _QUESTIONS)
    os.dup2(_ERRORS, _ANSWERS)
    os.closerange(_REPLY + 1, _DESCRIPTORS)
    os.register_at_fork(after_in_child=lambda: os.closerange(_REPLY, _REPLY + 1))
    if not line:
        os._exit(0)  # nobody asks any more
    reply = answer(program, json.loads(line))
    with os.fdopen(_REPLY, "w") as replies:
        print(json.dumps(reply), file=replies)
    os._exit(0)


def answer(program: Program, request: Request) -> Reply:
    """Import the program and do what is asked."""
    try:
        return _reply(program, request)
    except BaseException as error:  # whatever it is, SystemExit too, it is the program's own fault
        lines = _traceback_lines(error)
        trace = "".join(lines)[-MAX_TRACE_CHARS:]
        return {"raised": lines[-1].strip()[:MAX_MESSAGE_CHARS], "trace": trace}


def _traceback_lines(error: BaseException) -> list[str]:
    """The traceback without the frames of this file and of the import system."""
    found = traceback.TracebackException.from_exception(error)
    own = [frame for frame in found.stack if frame.filename != __file__ and "<frozen" not in frame.filename]
    found.stack = traceback.StackSummary.from_list(own)
    return list(found.format())


def _reply(program: Program, request: Request) -> Reply:
    module = _import(program)
    function = getattr(module, program.function, None)
    if not callable(function):
        return {"raised": f"{program.file} has no function of this name"}
    if "call" in request:
        result = function(*request["call"])
        return {"answer": str(int(result))} if _is_int(result) else {"wrong": _described(result)}
    if "constant" in request:
        return _constant(module, request["constant"])
    if "tabulate" in request:
        return _tabulate(function, request["backwards"], *request["tabulate"])
    return {"answer": ""}


def _import(program: Program) -> ModuleType:
    forget_modules_of_the_same_name()
    sys.path.insert(0, os.getcwd())
    sys.argv = [program.file]
    module = sys.modules[program.stem] = ModuleType(program.stem)
    module.__file__ = program.file
    exec(program.code or compiled(program.file), vars(module))  # noqa: S102 - this is what the sandbox is for
    return module


def forget_modules_of_the_same_name() -> None:
    """The team's own files come before modules that we have imported, as they do in a Python of their own."""
    taken = {name for name in _own_modules() if name in sys.modules}
    for name in [*sys.modules] if taken else ():
        if name not in _AT_START and name.partition(".")[0] in taken:
            del sys.modules[name]


def compiled(file: str) -> CodeType:
    code: CodeType = compile(_source(file), file, "exec", dont_inherit=True)
    return code


def _source(file: str) -> bytes:
    with open(file, "rb") as source:
        return source.read()


def _constant(module: ModuleType, name: str) -> Reply:
    found = vars(module)
    if name not in found:
        return {"lacks": f"there is no {name}"}
    value = found[name]
    return {"constant": value} if isinstance(value, str) else {"lacks": f"{name} is {_described(value)}"}


def _tabulate(
    function: Callable[..., Any], backwards: bool, rows: int, columns: int, lowest: int, highest: int
) -> Reply:
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    table = []
    for row, column in reversed(cells) if backwards else cells:
        result = function(row, column)
        if not _is_int(result) or not lowest <= result <= highest:
            return {"wrong": f"{_described(result)} for ({row}, {column})"}
        table.append(int(result))
    return {"table": table[::-1] if backwards else table}


def _is_int(result: Any) -> bool:
    return isinstance(result, int) and not isinstance(result, bool)


def _described(result: Any) -> str:
    return f"{result!r:.80} ({type(result).__name__})"


if __name__ == "__main__":
    main()
