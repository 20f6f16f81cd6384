"""Clean the compiler's messages for a mail, and find out from them how the compiler ended. Pure.

gcc quotes the program, so its output is foreign text. We decode it leniently, remove control characters,
escape sequences, marks that change the direction of writing, and paths of this host, and cut it at 16 kB.
"""

from __future__ import annotations

import re

from contest.language import gettext, number
from contest.util.sanitize import sanitize
from sandbox.sandbox import Ending, ExitStatus, Limits
from sandbox.vm.image import MEMORY_SIZE

MAX_CHARACTERS = 16_000
FILE_NAME = "program.c"  # the program's name in messages

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?", re.DOTALL)
_OUR_PATH = re.compile(r"(?<![\w.])/(?:usr|work|box)/(?:[\w.+-]+/)*([\w.+-]*)")
_UNHELPFUL = re.compile(
    r"did you forget to '#include|is defined in header|compilation terminated|Please submit|See <|"
    r"PLEASE submit|^Stack dump|^clang: |^ *#\d+ 0x|^cc1: note: unrecognized command-line option"
)
_APOSTROPHE = re.compile(rf"{FILE_NAME}:(\d+):\d+: warning: missing terminating")
_ERROR = re.compile(rf"^{FILE_NAME}:(\d+):(?:\d+:)? (?:fatal )?error: *(.*)", re.MULTILINE)
_CRASHED = re.compile(rf"{FILE_NAME}:\d+:(?:\d+:)? internal compiler error")
_TOO_LARGE = re.compile(r"File size limit exceeded|File too large")
_USED_UP_ENDINGS = (Ending.CPU_LIMIT, Ending.WALL_LIMIT, Ending.MEMORY_LIMIT)
_USED_UP = re.compile(
    r"CPU time limit exceeded|Killed signal|out of memory|memory exhausted|Cannot allocate memory"
)
_BROKE = re.compile(r"internal compiler error|Segmentation fault|signal terminated program|Aborted")


def clean(raw: bytes, prose: frozenset[int] = frozenset()) -> str:
    """gcc's messages for the team. `prose`: lines in `#if 0`, where an apostrophe without partner is fine."""
    text = sanitize(_ESCAPE.sub("", raw.decode(errors="replace").replace("\r", "")))
    lines = [_OUR_PATH.sub(r"\1", line) for line in text.split("\n") if _is_helpful(line, prose)]
    return _cut("\n".join(lines).strip())


def _is_helpful(line: str, prose: frozenset[int]) -> bool:
    apostrophe = _APOSTROPHE.match(line)
    return not _UNHELPFUL.search(line) and not (apostrophe and int(apostrophe[1]) in prose)


def _cut(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    kept = text[:MAX_CHARACTERS].rpartition("\n")[0] or text[:MAX_CHARACTERS]
    return gettext(
        "%(kept)s\n(shortened: %(text)s further characters)", kept=kept, text=number(len(text) - len(kept))
    )


def first_error(messages: str) -> tuple[int, str]:
    """The line of the first error, and what it is in the compiler's words; (0, "") if there is none."""
    found = _ERROR.search(messages)
    return (int(found[1]), found[2]) if found else (0, "")


def without_warnings(messages: str) -> str:
    """The messages about errors, which have caused most of the others."""
    return "\n".join(line for line in messages.split("\n") if ": warning: " not in line)


def trouble(result: ExitStatus, limits: Limits, *, is_gcc: bool = True) -> str:
    """Why the compiler did not end by itself, as a sentence; "" if it did.

    `is_gcc`: its messages tell, too, and programs are for the contest machine.
    """
    if result.succeeded:
        return ""
    lines = result.stderr[-MAX_CHARACTERS:].decode(errors="replace").split("\n") if is_gcc else []
    # Of lines about the program, which may quote it, only those that tell of a crash.
    stderr = "\n".join(each for each in lines if not each.startswith(f"{FILE_NAME}:") or _CRASHED.match(each))
    if result.ending in _USED_UP_ENDINGS or _USED_UP.search(stderr):
        memory = limits.address_space_bytes // 2**20
        return gettext(
            "the compiler used more than %(cpu_seconds)s s / %(memory)s MB on your program",
            cpu_seconds=limits.cpu_seconds,
            memory=memory,
        )
    if _TOO_LARGE.search(stderr):
        size, memory = limits.file_bytes // 1024, MEMORY_SIZE // 1024
        return gettext(
            "your program is larger than %(size)s kB when compiled; it has %(memory)s kB of memory in all",
            size=number(size),
            memory=number(memory),
        )
    if result.ending is Ending.OUTPUT_LIMIT:
        return gettext(
            "the compiler's output for your program is larger than %(output_bytes)s kB",
            output_bytes=number(limits.output_bytes // 1024),
        )
    if result.ending is Ending.SIGNAL or _BROKE.search(stderr):
        return gettext("the compiler crashed on your program")
    return ""
