"""Each target of the Makefile is the first one that is ever given in a clone.

So each must install all that it needs. What takes hours is asked for less.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_SECONDS = 3_600

pytestmark = [pytest.mark.slow, pytest.mark.night]


@pytest.fixture
def clone() -> Iterator[Path]:
    """A clone of this commit, which is removed at once: it is large."""
    with tempfile.TemporaryDirectory(prefix="knobeln-clone-", dir="/var/tmp") as folder:
        place = Path(folder) / "knobeln"
        subprocess.run(["git", "clone", "--quiet", ROOT, place], check=True)
        yield place


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("demo", "Look around:"),
        ("bench BENCH=--quick", "| contest day of 41 teams | "),
        ("lint", "words of docs"),
        ("docs", ""),
        ("catalogue", ""),
        ("release", ""),
        ("fuzz FUZZ_SECONDS=10", " passed"),
        ("drill DRILL_LETTERS=300", "1 passed"),
        ("setup-test test-servers", "Installing knobeln[test]"),  # the tests have their own runs
        ("setup-dev", "Installing knobeln[dev]"),
        ("clean", ""),
    ],
)
def test_a_target_is_the_first_command_in_a_clone(words: str, printed: str, clone: Path) -> None:
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        ["make", *words.split()],
        cwd=clone,
        env=outside,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=MAX_SECONDS,
    )
    assert ended.returncode == 0, ended.stdout[-4_000:]
    assert printed in ended.stdout
    changed = ["git", "status", "--porcelain"]
    assert subprocess.run(changed, cwd=clone, capture_output=True, check=True).stdout == b""
