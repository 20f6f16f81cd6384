"""Programs that are built to be counted: they play, or are refused with a sentence.

programs/<dialogue>/<verdict>/<program> is named after its verdict, as in tests/programs. Each
program of programs/refused/ has in its first line what its report says.
"""

import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from compiler import counted
from compiler.builders import builder_of
from compiler.languages import Outcome, Problem, is_installed, languages_of
from compiler.trial import try_language, with_counted_time
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import ToolMissing
from contest.games.game import TextProtocol
from contest.model import TextBuildReport
from contest.schema.languages import Language
from contest.schema.sections import Programs
from knobellib.samples import samples
from knobeln import presets
from sandbox.executable import Executable
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.players.fuel import FuelPlayer
from sandbox.sandbox import Sandbox
from tests.support.contest_field import NOW
from tests.support.counting_game import Counting
from tests.support.fuel_workers import COUNTABLE
from tournament.runners import open_runner, runner_of
from tournament.text_referee import drawer, play_game

pytestmark = pytest.mark.skipif(
    not engine.is_installed(), reason="no engine that counts is installed"
)

HERE = Path(__file__).parent / "programs"
USUAL = Path(__file__).parent.parent / "programs"
SETTINGS = Programs(counted_languages=COUNTABLE)
ROWS = languages_of(SETTINGS)
PROTOCOLS = {
    "lines": TextProtocol.STDIO,
    "arguments": TextProtocol.ARGV,
    "function": TextProtocol.FUNCTION,
}
UNITS = 5_000_000_000
WITHOUT_COUNTED_TIME = {
    "cannot_end_bubblewraps_process.c",
    "finds_no_mark_of_the_last_move.py",
    "finds_no_network.c",
    "finds_no_secrets.py",
    "is_refused_what_others_would_notice.c",
    "leaves_children_behind.c",
    "leaves_children_behind.py",
    "prints_while_it_thinks.py",
    "uses_four_workers.js",
    "uses_threads_processes_and_sockets.py",
    "uses_workers_processes_and_sockets.js",
}
"""They want processes, sockets, devices or system calls, and play where processor time is
limited."""


def language_of(path: Path) -> Language:
    return next(row for row in ROWS if path.suffix.removeprefix(".") in row.suffixes)


def programs(folder: Path, pattern: str) -> list[object]:
    """The programs of counted languages, in order; slow ones marked."""
    return [
        pytest.param(
            path,
            id=str(path.relative_to(folder)),
            marks=pytest.mark.night if path.name == "templates_without_end.cpp" else [],
        )
        for path in sorted(folder.glob(pattern))
        if any(
            path.suffix == f".{suffix}" for row in ROWS if row.is_counted for suffix in row.suffixes
        )
        and path.name not in WITHOUT_COUNTED_TIME
    ]


def examined(files: Mapping[str, bytes], settings: Programs = SETTINGS) -> Outcome[Executable]:
    return counted.examine(files, Sandbox(), settings, languages_of(settings))


def built(path: Path) -> FuelProgram:
    if not is_installed(language_of(path)):
        pytest.skip(f"{path.suffix}: no compiler for WebAssembly is installed")
    outcome = examined({path.name: path.read_bytes()})
    assert isinstance(outcome.result, FuelProgram), outcome
    return outcome.result


def played(program: FuelProgram, protocol: TextProtocol):
    """A game of the program alone."""
    with closing(FuelPlayer(program, Sandbox(), protocol, UNITS, 3 * UNITS)) as player:
        return play_game(Counting(), [player], drawer([b"chance"]), seeds=[b"seed"])


@pytest.mark.slow
@pytest.mark.parametrize("path", programs(HERE, "[al]*/*/*") + programs(USUAL, "[alf]*/plays/*"))
def test_a_program_gets_the_verdict_of_its_folder(path: Path) -> None:
    verdict, protocol = path.parent.name, PROTOCOLS[path.parent.parent.name]
    result = played(built(path), protocol)
    faults = list(result.faults)
    found = faults[0][2].kind.value.replace(" ", "_") if faults else "plays"
    assert found == verdict, faults
    assert result.usage[0].answer_fuel
    assert max(result.usage[0].answer_fuel) <= UNITS


@pytest.mark.slow
@pytest.mark.parametrize("path", programs(HERE, "refused/*"))
def test_a_program_that_cannot_be_counted_is_refused_with_the_reason(path: Path) -> None:
    if not is_installed(language_of(path)):
        pytest.skip(f"{path.suffix}: no compiler for WebAssembly is installed")
    source = path.read_bytes()
    reason = source.decode().partition("\n")[0].removeprefix("// ")
    outcome = examined({path.name: source})
    assert isinstance(outcome.result, Problem), outcome
    told = f"{outcome.result.text}\n{outcome.messages}"
    assert reason in told
    assert "root:" not in told
    assert "/usr" not in told
    assert len(outcome.messages) < 20_000


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if row.is_counted], ids=lambda row: row.name)
def test_a_program_is_the_same_wherever_it_is_built(row: Language) -> None:
    if not is_installed(row):
        pytest.skip(f"{row.name} is not installed")
    try:
        try_language(row, Settings(dates=usual_dates(NOW)))
    except ToolMissing as missing:
        # on Ubuntu 24.04 the library of C++ does not fit the one below it
        pytest.skip(f"{row.name} cannot be counted here: {missing}"[:500])
    name = f"sample.{row.suffixes[0]}"
    files = {name: row.sample.encode(), "notes.txt": b"more"}
    first, second = examined(files).result, examined(dict(reversed(files.items()))).result
    assert isinstance(first, FuelProgram)
    assert isinstance(second, FuelProgram)
    assert first.digest == second.digest
    assert first.files["notes.txt"] == b"more"
    assert (name in first.files) == (not first.module)
    assert (b"/work" in first.module, b"/tmp" in first.module) == (False, False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.c",
            (
                '#include <stdio.h>\nint main(void) { FILE *f = fopen("notes.txt", "r");'
                " putchar(getc(f)); }"
            ),
        ),
        pytest.param("a.py", "print(open('notes.txt').read())", marks=pytest.mark.slow),
        ("a.js", "console.log(require('fs').readFileSync('notes.txt', 'utf8'))"),
        ("a.rs", 'fn main() { print!("{}", std::fs::read_to_string("notes.txt").unwrap()); }'),
    ],
)
def test_a_program_reads_the_text_files_that_came_with_it(name: str, text: str) -> None:
    if not is_installed(language_of(Path(name))):
        pytest.skip("not installed")
    program = examined({name: text.encode(), "notes.txt": b"8"}).result
    assert isinstance(program, FuelProgram), program
    with closing(FuelPlayer(program, Sandbox(), TextProtocol.ARGV, UNITS, UNITS)) as player:
        player.begin()
        assert player.move(("1",)) == "8"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.c", "int main( {", "error: expected"),
        ("a.cpp", "int main() { return x; }", "undeclared identifier"),
        ("a.rs", "fn main() { 1 + }", "error: expected expression"),
        ("a.py", "def f(:\n", "SyntaxError"),
        ("a.js", "function (", "SyntaxError"),
    ],
)
def test_mistakes_are_told_in_the_words_of_the_compiler_that_counts(
    name: str, text: str, words: str
) -> None:
    row = language_of(Path(name))
    if not is_installed(row):
        pytest.skip("not installed")
    outcome = examined({name: text.encode()})
    assert isinstance(outcome.result, Problem)
    assert "found errors in your program" in outcome.result.text
    assert words in outcome.messages
    assert "/usr" not in outcome.messages


OWN = {"name": "C", "suffixes": ["c"], "tool": "tcc", "run": ["{tool}", "-run", "{program}"]}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"counted_languages": ("Java",)}, "the time of programs in 'Java' cannot be counted"),
        (
            {"counted_languages": ("C",), "languages": (OWN,)},
            "the time of programs in 'C' cannot be counted",
        ),
        (
            {"counted_languages": ("Python",), "python_packages": ("numpy",)},
            "Python that has python_packages",
        ),
    ],
)
def test_a_language_that_cannot_be_counted_is_refused_with_the_reason(
    settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        Programs(**settings)


def test_programs_with_another_limit_are_not_counted():
    chosen = presets.settings("hog", NOW)
    with pytest.raises(ValidationError, match="programs of hog have another limit"):
        Settings(**{**dict(chosen), "programs": SETTINGS})


@pytest.mark.slow
def test_a_new_contest_counts_what_this_host_can_count_and_its_packages_allow():
    chosen = with_counted_time(presets.settings("cooperation", NOW))
    assert set(chosen.programs.counted_languages) == {
        row.name for row in ROWS if row.is_counted and is_installed(row)
    }
    programs_ = chosen.programs.model_copy(
        update={"python_packages": ("numpy",), "counted_languages": ()}
    )
    without = with_counted_time(chosen.model_copy(update={"programs": programs_}))
    assert "Python" not in without.programs.counted_languages
    assert without.programs.counted_languages


def test_the_memory_of_the_contest_is_that_of_the_program():
    settings = Programs(counted_languages=("C",), memory_mb=20)
    text = (
        b"static char much[19000000]; int main(int n, char **w) { much[n] = 1; return much[7 *"
        b" n]; }"
    )
    if not is_installed(row := next(each for each in ROWS if each.name == "C")):
        pytest.skip(f"{row.tool} is not installed")
    outcome = examined({"a.c": text}, settings)
    assert isinstance(outcome.result, Problem)
    assert "need 23 MB of memory, and it may have 20 MB" in outcome.result.text
    assert isinstance(
        examined({"a.c": text}, Programs(counted_languages=("C",), memory_mb=30)).result,
        FuelProgram,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pavlov.c", "tit_for_tat.py", "detective.js", "slow_learner.rs"])
def test_the_report_says_what_counts_and_the_trial_game_is_counted(name: str) -> None:
    if not is_installed(language_of(Path(name))):
        pytest.skip("not installed")
    rust = 'fn main() { println!("C"); }'
    source = samples("cooperation").get(name) or rust.encode()
    usual = presets.settings("cooperation", NOW)
    programs_ = usual.programs.model_copy(
        update={"counted_languages": COUNTABLE, "description": "none"}
    )
    result = builder_of(usual.model_copy(update={"programs": programs_}), open_runner).build(
        {name: source}, ""
    )
    report = result.report
    assert isinstance(report, TextBuildReport)
    assert isinstance(result.image, FuelProgram), report
    assert re.fullmatch(
        r"counter \d+, prices \d+, host \d+, (clang|rustc|CPython|QuickJS-NG) \d.*",
        report.counted_by,
    )
    assert report.trial is not None
    mine = report.trial.result.seats[0]
    assert mine.usage is not None
    assert mine.usage.answer_fuel
    assert mine.instructions == sum(mine.usage.answer_fuel)


def test_a_computer_that_counts_otherwise_does_not_play(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in ROWS if row.is_counted and row.tool and is_installed(row))
    program = examined({f"sample.{row.suffixes[0]}": row.sample.encode()}).result
    images = {program.digest: program.to_bytes()}
    settings = presets.settings("cooperation", NOW)
    assert runner_of(settings).speed_up(images, settings) == ()
    assert runner_of(settings).host_files(images) == frozenset()
    monkeypatch.setattr(engine, "COUNTER", "counter 3, prices 3, host 4")
    with pytest.raises(ToolMissing, match="was built for host 3, and here is host 4"):
        runner_of(settings).speed_up(images, settings)


def test_a_program_that_quotes_the_linker_with_a_long_number_is_refused_as_any_other() -> None:
    if not is_installed(row := next(each for each in ROWS if each.name == "C")):
        pytest.skip(f"{row.tool} is not installed")
    words = b"#error initial memory too small, " + 5_000 * b"9" + b" bytes needed\n"
    result = examined({"a.c": words}).result
    assert isinstance(result, Problem)
    assert "found errors in your program" in result.text
