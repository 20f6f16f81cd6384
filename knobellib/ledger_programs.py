"""The programs in every kit with which teams and witnesses check the ledger, each as one file.

They need the standard library alone: `receipts.py` has the modules of ours that it imports inside,
one after the other, and `witness.py` takes what it needs from there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import contest
from knobellib.kit_archives import KitFile

_ROOT = Path(contest.__file__).parents[1]
_OURS = ("contest.", "trust.")
_FOR_TEAMS = "trust.for_teams"


@cache
def ledger_programs() -> tuple[KitFile, ...]:
    return (
        KitFile("receipts.py", _joined("receipts").encode(), is_program=True),
        KitFile("witness.py", _beside("witness", "receipts").encode(), is_program=True),
    )


@dataclass(frozen=True)
class _Module:
    """A module of ours. `head`: its beginning, up to the import from __future__; `ours`: what it
    imports of ours; `body`: the rest."""

    name: str
    head: str
    ours: tuple[ast.ImportFrom, ...]
    body: str


def _module(name: str) -> _Module:
    text = (_ROOT / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8")
    future, *others = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    ours = [node for node in others if (node.module or "").startswith(_OURS)]
    lines = text.splitlines()
    for node in reversed(ours):
        del lines[node.lineno - 1 : node.end_lineno]
    head, body = "\n".join(lines[: future.lineno]), "\n".join(lines[future.lineno :])
    return _Module(name, head, tuple(ours), body.strip())


def _joined(program: str) -> str:
    """The program with the modules of ours that it imports inside. No two may define the same
    name."""
    modules = {module.name: module for module in _with_imported(f"{_FOR_TEAMS}.{program}")}
    *_, last = modules.values()
    bodies = [f"# --- {module.name} ---\n{module.body}\n" for module in modules.values()]
    return f"{last.head}\n\n" + "\n\n".join(bodies)


def _with_imported(name: str) -> Iterator[_Module]:
    """The modules of ours that this one imports, before those that need them, and it itself."""
    module = _module(name)
    for node in module.ours:
        yield from _with_imported(node.module or "")
    yield module


def _beside(program: str, other: str) -> str:
    """The program, which takes what it imports of ours from the other one in the same folder."""
    module = _module(f"{_FOR_TEAMS}.{program}")
    names = sorted(alias.name for node in module.ours for alias in node.names)
    imported = f"from {other} import (\n    " + ",\n    ".join(names) + ",\n)"
    return f"{module.head}\n\n{imported}\n{module.body}\n"
