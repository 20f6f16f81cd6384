"""Every folder with Python is a package that lint reads, or holds programs that stand alone."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = PROJECT["tool"]["importlinter"]["root_packages"]
BESIDE = {"alembic", "bench", "docs", "tests", "tools"}  # nothing of ours imports them
# Programs as teams write them, and what only the interpreter in a sandbox imports. ruff reads them,
# too.
ALONE = ("knobellib/opponents/", "knobeln/home/kit/images/", "sandbox/fuel/python_guest/")


def test_every_folder_with_python_at_the_top_is_a_package_that_lint_reads() -> None:
    assert {path.parent.name for path in ROOT.glob("[!.]*/*.py")} - BESIDE == set(PACKAGES)


def test_every_folder_with_python_inside_is_a_package_or_stands_alone() -> None:
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    names = {
        f"{folder.relative_to(ROOT)}/"
        for folder in folders
        if not (folder / "__init__.py").exists()
    }
    assert {name for name in names if not name.startswith(ALONE)} == set()
    assert {alone for alone in ALONE if any(name.startswith(alone) for name in names)} == set(ALONE)


def test_ruff_mypy_import_linter_and_the_wheel_have_the_same_packages() -> None:
    tools, wheel = PROJECT["tool"], PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    circles = [
        each for each in tools["importlinter"]["contracts"] if each["type"] == "acyclic_siblings"
    ]
    lists = (
        tools["mypy"]["packages"],
        tools["ruff"]["lint"]["isort"]["known-first-party"],
        [name for name in wheel["only-include"] if (ROOT / name / "__init__.py").exists()],
        *(each["ancestors"] for each in circles),
    )
    assert len(lists) == 4
    assert all(sorted(each) == sorted(PACKAGES) for each in lists)
    assert sorted(tools["mypy"]["exclude"]) == sorted(ALONE)
