"""How large the house is: lines of code, classes, commands, settings, untyped dictionaries.

A line of code has a token that is no comment, docstring or blank.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import reference

ROOT = Path(__file__).parent.parent
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


def main() -> None:
    code = tests = classes = untyped = modules = 0
    for path in sorted(ROOT.glob("[!.]*/**/*.py")):
        name, source = str(path.relative_to(ROOT)), path.read_text()
        tree = ast.parse(source)
        if name.startswith("tests/"):
            tests += source.count("\n")
            continue
        modules += 1
        code += code_lines(source, tree)
        classes += sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
        untyped += len(re.findall(r"dict\[str, Any\]", source))
    settings = reference.pages()["settings.md"].count("\n| `")
    print(f"code {code:,}  modules {modules}  classes {classes}  untyped dictionaries {untyped}")
    print(f"lines of tests {tests:,}  settings {settings}")


if __name__ == "__main__":
    main()
