"""Programs whose folder is the expected verdict: programs/<dialogue>/<verdict>/<program>.

The verdict is `plays`, or the kind of the first fault. A new program is a new file.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.languages import usable
from contest.schema.languages import further_languages, usual_languages
from sandbox.groups import limits_of_sandboxes
from sandbox.players import AnswerFault, Player
from sandbox.players.table import Domain, tabulate
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tests.support.counting_game import Counting
from tests.support.further_languages import AT_NIGHT, ROWS
from tournament.text_referee import play_game

PROGRAMS = Path(__file__).parent.parent / "programs"
# seconds for a move: for programs that are to be late, and for those that are not
SHORT, LONG = 0.25, 20.0
DOMAIN = Domain(rows=20, columns=20, lowest=0, highest=10)
LANGUAGES = (*usual_languages(), *further_languages())
OF_SUFFIX = {f".{suffix}": language for language in LANGUAGES for suffix in language.suffixes}


def programs(dialogue):
    found = sorted(path for path in (PROGRAMS / dialogue).rglob("*.*") if path.is_file())
    assert found
    return [
        pytest.param(path, id=str(path.relative_to(PROGRAMS)), marks=needs(path)) for path in found
    ]


def needs(path):
    """The marks of a program: its language is not everywhere, and some compilers take seconds.

    `together_...` breaks a limit of the whole sandbox, which not every host can set.
    """
    limits = limits_of_sandboxes()
    language = OF_SUFFIX[path.suffix]
    here = [
        pytest.mark.skipif(language not in usable(LANGUAGES), reason=f"no {language.name} here"),
        pytest.mark.skipif(
            path.name.startswith("together_") and not limits.whole, reason=limits.sentence
        ),
    ]
    if language.name in AT_NIGHT:
        return [*here, pytest.mark.slow, pytest.mark.night]
    return [*here, pytest.mark.slow] if language.name in ("Java", *ROWS) else here


def verdict(path):
    return path.parent.name.replace("_", " ")


def seconds(path):
    return SHORT if verdict(path) == "late" else LONG


def children():
    """The processes whose parent is this one."""
    found = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if parent == str(os.getpid()):
            found.add(entry)
    return found


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "path", [*programs("lines"), *programs("arguments"), *programs("function")]
)
def test_a_program_gets_the_verdict_of_its_folder(
    path: Path,
    build_file: Callable[[str | Path], ProgramFolder],
    player: Callable[..., Player],
    counting: type[Counting],
) -> None:
    one = player(path.parent.parent.name, build_file(path.relative_to(PROGRAMS)), seconds(path))
    result = play_game(counting(), [one], draw=lambda n: 0)
    found = next((fault.kind.value for _, _, fault in result.faults), "plays")
    assert found == verdict(path), list(result.faults)
    assert result.points == ((3,) if found == "plays" else (len(result.turns) - 1,))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("path", programs("table"))
def test_a_function_gets_the_verdict_of_its_folder(
    path: Path, build_file: Callable[[str | Path], ProgramFolder], sandbox: Sandbox
) -> None:
    table = tabulate(
        build_file(path.relative_to(PROGRAMS)), "final_strategy", DOMAIN, sandbox, seconds(path)
    )
    found = table.kind.value if isinstance(table, AnswerFault) else "plays"
    assert found == verdict(path), table
    if found == "plays":
        assert len(table) == DOMAIN.rows * DOMAIN.columns


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "path",
    [
        "late/fork_bomb.c",
        "late/ignores_signals_and_input.sh",
        "late/kills_everybody.sh",
        "plays/leaves_children_behind.c",
        "plays/uses_workers_processes_and_sockets.js",
    ],
)
def test_a_closed_program_leaves_nothing_behind_at_once(
    path: str, build_file: Callable[[str | Path], ProgramFolder], player: Callable[..., Player]
) -> None:
    program = build_file(f"lines/{path}")
    before = children()
    one = player("lines", program, 0.2)
    one.begin()
    one.move(("next", 4))
    start = time.monotonic()
    one.close()
    assert time.monotonic() - start < 60
    assert children() <= before
