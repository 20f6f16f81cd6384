"""How large the house is; fails where a number is above that of measures.toml, which may only fall.

A line of code has a token that is no comment, docstring or blank.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from pathlib import Path

import reference

ROOT = Path(__file__).parent.parent
LIMITS = Path(__file__).with_name("measures.toml")
SMALL = 40  # lines; a shorter module needs a reason
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str, tree: ast.Module) -> int:
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def measures() -> Counter[str]:
    """The numbers by their names in measures.toml."""
    found: Counter[str] = Counter()
    for path in _files("*/*.py"):
        source = path.read_text()
        if path.relative_to(ROOT).parts[0] == "tests":
            found["lines_of_tests"] += source.count("\n")
            continue
        tree = ast.parse(source)
        found["modules"] += 1
        found["small_modules"] += path.name != "__init__.py" and source.count("\n") < SMALL
        found["lines_of_code"] += code_lines(source, tree)
        found["classes"] += sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
        found["untyped_dictionaries"] += len(re.findall(r"dict\[str, Any\]", source))
    found["settings"] = reference.pages()["settings.md"].count("\n| `")
    found["words_of_docs"] = sum(len(path.read_text().split()) for path in _files("*.md"))
    return found


def _files(pattern: str) -> list[Path]:
    """The files of the next commit, without what `make docs` and others build."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [path for name in names if (path := ROOT / name).exists()]


def main() -> None:
    limits, is_worse = tomllib.loads(LIMITS.read_text()), False
    for name, number in measures().items():
        limit = limits[name]
        print(f"{name.replace('_', ' '):21} {number:7,}")
        if number > limit:
            is_worse = True
            print(f"{name} is {number - limit:,} above the limit in tools/measures.toml: make it smaller")
        elif number < 0.99 * limit:
            print(f"lower {name} in tools/measures.toml from {limit} to {number}, so that it stays there")
    sys.exit(is_worse)


if __name__ == "__main__":
    main()
