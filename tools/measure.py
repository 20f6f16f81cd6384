"""How large and how entangled the house is; fails where it is above what measures.toml allows.

Size is counted in nodes of syntax, so layout is free, and so are tests. Complexity is that of
`radon`: one more for each branch, conditional expression, `and`, `or` and comprehension.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import reference
from radon.complexity import cc_visit
from radon.visitors import Function

ROOT = Path(__file__).parent.parent
_COPY = ROOT / "sandbox/fuel/python_guest/knobeln_driver.py"  # of sandbox/players/driver.py, once
LIMITS = tomllib.loads(Path(__file__).with_name("measures.toml").read_text())


def measures() -> Counter[str]:
    """The numbers by their names in measures.toml."""
    counts: Counter[str] = Counter()
    for path in _sources():
        source = path.read_text()
        counts["nodes_of_syntax"] += sum(1 for _ in ast.walk(ast.parse(source)))
        counts["untyped_dictionaries"] += len(re.findall(r"dict\[str, Any\]", source))
    counts["settings"] = reference.pages()["settings.md"].count("\n| `")
    counts["words_of_docs"] = sum(len(path.read_text().split()) for path in _files("*.md"))
    return counts


def complex_functions() -> Iterator[str]:
    """The functions above the limit of complexity, as `path:function`."""
    for path in _sources():
        for block in cc_visit(path.read_text()):
            if isinstance(block, Function) and block.complexity > LIMITS["complexity"]:
                yield f"{path.relative_to(ROOT)}:{block.fullname}"


def pressed_layout() -> Iterator[str]:
    """The files that switch the formatter off."""
    for path in _sources():
        if re.search(r"# fmt: (skip|off)", path.read_text()):
            yield str(path.relative_to(ROOT))


def _sources() -> list[Path]:
    """The modules that are no tests, nor these tools themselves, whose words are searched for, nor
    the copy of a module."""
    paths = [path for path in _files("*.py") if path.relative_to(ROOT).parts[0] != "tests"]
    return [path for path in paths if path not in (Path(__file__), _COPY)]


def _files(pattern: str) -> list[Path]:
    """The files of the next commit, without what `make docs` and others build."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern]
    names = subprocess.run(
        listed, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return [path for name in names if (path := ROOT / name).exists()]


def _is_worse(what: str, measured: set[str], known: set[str]) -> bool:
    for name in sorted(measured - known):
        print(f"{name}: {what}")
    for name in sorted(known - measured):
        print(f"{name}: no longer {what}; take it out of tools/measures.toml")
    return measured != known


def main() -> None:
    is_worse = False
    for name, number in measures().items():
        print(f"{name.replace('_', ' '):21} {number:7,}")
        if number > LIMITS[name]:
            is_worse = True
            print(f"{name} is above {LIMITS[name]:,}, the limit in tools/measures.toml")
    complexity = f"more complex than {LIMITS['complexity']}"
    is_worse |= _is_worse(complexity, set(complex_functions()), set(LIMITS["complex_functions"]))
    is_worse |= _is_worse(
        "laid out by hand", set(pressed_layout()), set(LIMITS["laid_out_by_hand"])
    )
    sys.exit(is_worse)


if __name__ == "__main__":
    main()
