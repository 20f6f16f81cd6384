"""Runs inside the sandbox: imports a team's Python file and calls its function. A request per line, a reply
per line:

    in   {"import": [file, function]}                      out  {"answer": ""}
    in   {"call": [arguments]}                             out  {"answer": "5"}
    in   {"constant": [file, name]}                        out  {"constant": "..."} or {"lacks": "..."}
    in   {"tabulate": [rows, columns, lowest, highest],
          "backwards": false}                              out  {"table": [...]}, row by row
    else out  {"raised": "ValueError: ...", "trace": "..."} or {"wrong": "True (bool)"}

The program's own output goes to standard error, so it is not taken for an answer. A program that finds our
descriptor and writes to it can forge nothing but its own moves.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

MAX_MESSAGE_CHARS = 200  # of an error
MAX_TRACE_CHARS = 4_000  # the end of a traceback

Request = dict[str, Any]
Reply = dict[str, Any]


def main() -> None:
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.path[0] = os.getcwd()
    functions: list[Callable[..., Any]] = []
    for line in questions:
        try:
            reply = _reply(functions, json.loads(line))
        except BaseException as error:  # whatever it is, SystemExit too, it is the program's own fault
            lines = _traceback_lines(error)
            trace = "".join(lines)[-MAX_TRACE_CHARS:]
            reply = {"raised": lines[-1].strip()[:MAX_MESSAGE_CHARS], "trace": trace}
        print(json.dumps(reply), file=answers, flush=True)


def _traceback_lines(error: BaseException) -> list[str]:
    """The traceback without the frames of this file and of the import system."""
    found = traceback.TracebackException.from_exception(error)
    own = [frame for frame in found.stack if frame.filename != __file__ and "<frozen" not in frame.filename]
    found.stack = traceback.StackSummary.from_list(own)
    return list(found.format())


def _reply(functions: list[Callable[..., Any]], request: Request) -> Reply:
    if "import" in request:
        return _import(functions, *request["import"])
    if "call" in request:
        result = functions[0](*request["call"])
        return {"answer": str(int(result))} if _is_int(result) else {"wrong": _described(result)}
    if "constant" in request:
        return _constant(*request["constant"])
    return _tabulate(functions[0], request["backwards"], *request["tabulate"])


def _import(functions: list[Callable[..., Any]], file: str, name: str) -> Reply:
    stem = _stem(file)
    module = sys.modules[stem] = ModuleType(stem)
    module.__file__, sys.argv = file, [file]
    SourceFileLoader(stem, file).exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        return {"raised": f"{file} has no function of this name"}
    functions.append(function)
    return {"answer": ""}


def _stem(file: str) -> str:
    return os.path.splitext(file)[0]


def _constant(file: str, name: str) -> Reply:
    found = vars(sys.modules[_stem(file)])
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
