"""The tests notice small changes of the program: those in mutations.toml, tried at night in a copy
of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "__pycache__", "_build")


@dataclass(frozen=True)
class Mutation:
    """`text` stands in `file` exactly once; with `instead` in its place the test `fails` does."""

    file: str
    text: str
    instead: str
    fails: str
    needs_root: bool = False


_TABLE = tomllib.loads(Path(__file__).with_name("mutations.toml").read_text())
MUTATIONS = [Mutation(**row) for row in _TABLE["mutation"]]
NAMES = [f"{Path(each.file).name}-{number}" for number, each in enumerate(MUTATIONS, start=1)]
TRIED = [
    pytest.param(each, id=name, marks=[pytest.mark.needs_root] if each.needs_root else [])
    for each, name in zip(MUTATIONS, NAMES, strict=True)
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=NAMES)
def test_a_mutation_has_its_place_and_its_test(mutation: Mutation) -> None:
    source = (ROOT / mutation.file).read_text()
    assert source.count(mutation.text) == 1
    file, _, test = mutation.fails.partition("::")
    written = (ROOT / file).read_text()
    name = test.partition("[")[0]
    (head,) = re.findall(rf"((?:^@.*\n)*)^def {name}\(", written, re.MULTILINE)
    assert "slow" not in head


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, in which all of these tests pass."""
    tree = tmp_path_factory.mktemp("mutated") / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
    assert _tested(tree, *dict.fromkeys(each.fails for each in MUTATIONS)) == 0
    return tree


@pytest.mark.slow
@pytest.mark.night
@pytest.mark.parametrize("mutation", TRIED)
def test_a_mutation_is_noticed(copy: Path, mutation: Mutation) -> None:
    file = copy / mutation.file
    source = file.read_text()
    file.write_text(source.replace(mutation.text, mutation.instead))
    try:
        assert _tested(copy, mutation.fails) == pytest.ExitCode.TESTS_FAILED
    finally:
        file.write_text(source)


def _tested(tree: Path, *tests: str) -> int:
    """How pytest ends that runs these tests of the tree."""
    options = ["-n", "0", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *options, *tests]
    return subprocess.run(command, cwd=tree, env=environment, check=False).returncode
