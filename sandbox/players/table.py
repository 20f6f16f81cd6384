"""TABLE: a Python function of two whole numbers, called once for every pair of them.

To check that its result depends on its parameters alone, a second process tabulates it backwards. A
function that keeps state, draws random numbers or reads the clock gives two different tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

from contest.language import gettext
from sandbox.players import AnswerFault, AnswerFaultKind
from sandbox.players.function import PythonFunction
from sandbox.program_folder import ProgramFolder

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox

CONSTANT_SECONDS = 10.0
MAX_CELL_BYTES = 8  # in the text of a table


@dataclass(frozen=True)
class Domain:
    """The function is called with 0..rows-1 and 0..columns-1, and returns lowest..highest (within
    0..255)."""

    rows: int
    columns: int
    lowest: int
    highest: int

    def __post_init__(self) -> None:
        if not (self.rows > 0 < self.columns and 0 <= self.lowest <= self.highest <= 255):
            raise ValueError(f"no table can have these sizes: {self}")


def tabulate(
    program: ProgramFolder, function: str, domain: Domain, sandbox: Sandbox, seconds: float
) -> bytes | AnswerFault:
    """Return the results row by row: `table[row * columns + column]`. `seconds`: for each of the
    two tabulations, which begin with the import."""
    table = _once(program, function, domain, sandbox, seconds, backwards=False)
    if isinstance(table, AnswerFault):
        return table
    again = _once(program, function, domain, sandbox, seconds, backwards=True)
    if isinstance(again, AnswerFault):
        return again
    return table if table == again else _impure(function, domain, table, again)


def constant(
    program: ProgramFolder, function: str, name: str, sandbox: Sandbox, seconds: float
) -> str | AnswerFault:
    """Return the text that a global name of the function's module has, such as the strategy's name.

    `seconds`: for the import.
    """
    process = PythonFunction(program, function, sandbox, import_seconds=seconds)
    try:
        reply = process.import_fault or process.ask({"constant": name}, CONSTANT_SECONDS)
    finally:
        process.close()
    if isinstance(reply, AnswerFault):
        return reply
    value = reply.get("constant")
    if isinstance(value, str):
        return value
    disturbed = gettext("%(program)s disturbed its reading", program=program.program)
    return AnswerFault(AnswerFaultKind.UNREADABLE, str(reply.get("lacks", disturbed)))


def _once(
    program: ProgramFolder,
    function: str,
    domain: Domain,
    sandbox: Sandbox,
    seconds: float,
    *,
    backwards: bool,
) -> bytes | AnswerFault:
    size = domain.rows * domain.columns
    process = PythonFunction(
        program,
        function,
        sandbox,
        cpu_seconds=int(seconds) + 60,
        import_seconds=seconds,
        answer_bytes=MAX_CELL_BYTES * size + 8_192,
    )
    try:
        sizes = (domain.rows, domain.columns, domain.lowest, domain.highest)
        if process.import_fault:
            return process.import_fault
        reply = process.ask({"tabulate": sizes, "backwards": backwards}, seconds)
    finally:
        process.close()
    if isinstance(reply, AnswerFault):
        return _with_range(reply, domain)
    table = reply.get("table")
    if _is_table(table, domain):
        return bytes(table)
    sentence = gettext("%(function)s disturbed its tabulation", function=function)
    return AnswerFault(AnswerFaultKind.UNREADABLE, sentence)


def _is_table(table: object, domain: Domain) -> TypeGuard[list[int]]:
    """Check again, out here: in the sandbox a program may have forged its reply."""
    if not isinstance(table, list) or len(table) != domain.rows * domain.columns:
        return False
    return all(type(cell) is int and domain.lowest <= cell <= domain.highest for cell in table)


def _with_range(fault: AnswerFault, domain: Domain) -> AnswerFault:
    """Return the fault with what a function is asked, or what it has to return."""
    if fault.kind is AnswerFaultKind.UNREADABLE:
        sentence = gettext(
            "%(why)s; an int in %(lowest)s..%(highest)s is needed",
            why=fault.sentence,
            lowest=domain.lowest,
            highest=domain.highest,
        )
    elif fault.kind is AnswerFaultKind.CRASH:
        sentence = gettext(
            "%(why)s; it is asked for every pair from (0, 0) to (%(row)s, %(column)s)",
            why=fault.sentence,
            row=domain.rows - 1,
            column=domain.columns - 1,
        )
    else:
        return fault
    return replace(fault, sentence=sentence)


def _impure(function: str, domain: Domain, table: bytes, again: bytes) -> AnswerFault:
    place = next(
        index for index, pair in enumerate(zip(table, again, strict=True)) if pair[0] != pair[1]
    )
    row, column = divmod(place, domain.columns)
    sentence = gettext(
        "%(call)s gave %(value)s once and %(other)s another time; it must depend on its two"
        " parameters alone",
        call=f"{function}({row}, {column})",
        value=table[place],
        other=again[place],
    )
    return AnswerFault(AnswerFaultKind.FORBIDDEN, sentence)
