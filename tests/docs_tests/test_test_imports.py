"""Tests stand alone: what several of them share is in `tests/support/`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SUPPORT = TESTS / "support"
TEAMS_PROGRAMS = TESTS / "programs"
MODULES = sorted(path for path in TESTS.rglob("*.py") if TEAMS_PROGRAMS not in path.parents)
LOCAL = {path.stem for path in MODULES}


def imported(path: Path) -> Iterator[str]:
    """The full names of what this module imports; a relative import begins with a dot."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            yield from (f"{source}.{alias.name}" for alias in node.names)


def is_from_support(name: str) -> bool:
    return name.startswith("tests.support.")


def is_from_another_test(name: str) -> bool:
    first = name.partition(".")[0]
    return name.startswith((".", "tests")) or first in LOCAL


@pytest.mark.slow
def test_what_a_module_imports_of_the_tests_is_in_support() -> None:
    found = {(str(path.relative_to(TESTS)), name) for path in MODULES for name in imported(path)}
    assert {
        (path, name) for path, name in found if is_from_another_test(name) and not is_from_support(name)
    } == set()


def test_every_module_of_support_is_imported_or_run() -> None:
    """A helper that nobody needs any more is removed."""
    texts = {path: path.read_text() for path in [*MODULES, *(TESTS.parent / "bench").glob("*.py")]}
    for helper in SUPPORT.glob("*.py"):
        others = "".join(text for path, text in texts.items() if path != helper)
        assert helper.stem == "__init__" or helper.stem in others, f"{helper.name} is not used"


def test_no_two_test_modules_have_one_name() -> None:
    names = [path.name for path in MODULES if path.name not in ("conftest.py", "__init__.py")]
    assert len(names) == len(set(names))
