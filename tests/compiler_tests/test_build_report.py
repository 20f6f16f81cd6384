"""What a build report says, and that it always says the same."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest

from compiler.build import BuildResult, build
from compiler.toolchain import Toolchain
from contest.errors import ToolMissing
from contest.games.knobeln import Rules
from contest.model import GameJob, Severity
from contest.schema.sections import Programs
from sandbox.vm.image import MEMORY_SIZE
from tournament.runners.machine import MachineRunner

EXAMPLE = files("knobellib").joinpath("example.c").read_text()
LIBRARY = files("knobellib").joinpath("knobellib.c").read_text()
LENIENT = Programs(description="warn")


def findings(built):
    return [(f.rule, f.severity.value, f.line) for f in built.report.findings]


def places(report):
    return [(finding.rule, finding.line) for finding in report.findings]


def throws(image, count=5):
    """The first throws of a program against itself."""
    runner = MachineRunner({image.digest: image}, Rules(a=1, b=2**30, k=1, L=count), 1_000_000)
    (result,) = runner.play(
        [GameJob((image.digest, image.digest), (b"1" * 16, b"2" * 16), protocol=True)]
    )
    assert result.is_flawless, result.seats
    return [mine for mine, _ in result.moves]


def test_the_example_of_1994_is_accepted_where_descriptions_are_only_asked_for(
    toolchain: Toolchain,
) -> None:
    strict, lenient = build(EXAMPLE, Programs(), toolchain), build(EXAMPLE, LENIENT, toolchain)
    assert findings(strict) == [("description", "error", 0)]
    assert findings(lenient) == [("description", "warning", 0)]
    assert (strict.report.accepted, lenient.report.accepted) == (False, True)
    assert strict.image is None
    assert strict.report.elements == lenient.report.elements == 127


def test_a_report_holds_all_figures(build_code: Callable[..., BuildResult]) -> None:
    report = build_code("int table[1000] = { 1 };\nchar zeros[500];\n").report
    assert report.findings == ()
    assert report.messages == ""
    assert "gcc" in report.tool
    assert report.element_limit == 10_000
    assert report.description_lines == 15
    assert report.memory_limit == MEMORY_SIZE
    assert 4_500 <= report.static_bytes <= 4_600
    assert report.static_bytes % 16 == 0
    assert 500 < report.code_bytes < 5_000
    assert len(report.source_digest) == len(report.image_digest) == 64


def test_a_line_end_that_not_everybody_sees_is_told(build_code: Callable[..., BuildResult]) -> None:
    built = build_code("// first\rint mine = 1;\n// second\u2028int mine = 2;\n")
    (finding,) = built.report.findings
    assert (finding.severity, finding.line) == (Severity.NOTE, 0)
    assert finding.text.endswith("was read as a line end in line 18")
    assert built.image


@pytest.mark.usefixtures("every_step")
def test_the_same_source_gives_the_same_image_in_every_toolchain_and_thread(
    toolchain: Toolchain,
) -> None:
    source = (
        EXAMPLE + "char *when = __DATE__ __TIME__ __TIMESTAMP__ __FILE__;\nint n = __COUNTER__;\n"
    )
    with ThreadPoolExecutor(3) as pool:
        built = list(
            pool.map(lambda tool: build(source, LENIENT, tool), [toolchain, toolchain, Toolchain()])
        )
    assert len({b.report.image_digest for b in built}) == 1
    assert built[0].report == built[1].report == built[2].report
    assert b"May 14 1994" in built[0].image.data


def test_line_ends_and_the_secret_do_not_change_the_program(toolchain: Toolchain) -> None:
    plain = build(EXAMPLE, LENIENT, toolchain)
    assert plain.report == build(EXAMPLE.replace("\n", "\r\n"), LENIENT, toolchain).report


def test_the_secret_is_in_no_report(toolchain: Toolchain) -> None:
    line = "<<FROM>> Smart_Sleepers gR7xQ2mPvK"
    report = build(f"{line}\nmain() {{ x }}\n", LENIENT, toolchain).report
    assert not report.accepted
    assert "gR7xQ2mPvK" not in repr(report)
    assert "Smart_Sleepers" in report.findings[-1].quote


@pytest.mark.parametrize(("extra", "accepted"), [(0, True), (1, False)])
def test_the_limit_of_elements_itself_is_allowed(
    build_code: Callable[..., BuildResult], extra: int, accepted: bool
) -> None:
    base = build_code("").report.elements
    limit = Programs.MAX_ELEMENTS
    report = build_code(";" * (limit - base + extra)).report
    assert report.elements == limit + extra
    assert report.accepted is accepted
    assert [f.rule for f in report.findings] == ([] if accepted else ["elements"])
    assert (report.code_bytes is not None) is accepted, "a program over the limit is not compiled"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\n#if 0\n" + "A line.\n" * 14 + "#endif\n", 2, "14 non-blank lines"),
        ("#if 0\nold code\n#endif\n#if 0\nA line.\nAnother.\n#endif\n", 4, "2 non-blank lines"),
    ],
)
def test_a_short_description_is_a_warning_that_names_the_line_of_most_of_it(
    toolchain: Toolchain, text: str, line: int, words: str
) -> None:
    built = build(f"{text}main(){{for(;;)make_throw(7);}}", Programs(), toolchain)
    assert findings(built) == [("description", "warning", line)]
    assert words in built.report.findings[0].text
    assert built.report.accepted


def test_too_long_a_program_is_not_read(toolchain: Toolchain) -> None:
    built = build("#include <stdio.h>\n" + "x" * 300_000, Programs(), toolchain)
    assert findings(built) == [("too long", "error", 0)]
    assert built.report.elements is None


def test_a_team_hears_of_everything_at_once(build_code: Callable[..., BuildResult]) -> None:
    printing = 'int g() { printf("x"); }'
    text = (
        f"int log2(int (n)) {{ return n; }}\nint f() {{ return __builtin_abs(1); }}\n{printing}\n"
    )
    report = build_code(text).report
    assert places(report) == [("library source", 18), ("builtin", 19), ("forbidden routine", 20)]
    assert report.findings[2].quote == printing


def test_a_program_with_includes_hears_of_all_else_too(
    build_code: Callable[..., BuildResult],
) -> None:
    text = '#include <stdio.h> /* for printf */\nint f()\n{ int x = 3\nprintf("x"); return x; }\n'
    report = build_code(text).report
    assert places(report) == [("include", 18), ("compiler", 21), ("forbidden routine", 21)]
    assert report.elements is not None
    assert report.image_digest is None


@pytest.mark.parametrize(
    "include",
    [
        "#include <stdio.h>\n",
        '  # include "knobellib.h"   // the routines\n',
        "#include <a.h> /* one */\n#include <b.h>\n",
    ],
)
def test_a_program_that_is_right_but_for_its_includes_hears_of_them_alone(
    build_code: Callable[..., BuildResult], include: str
) -> None:
    report = build_code(include).report
    assert {finding.rule for finding in report.findings} == {"include"}
    assert not report.accepted
    assert report.elements is not None


@pytest.mark.parametrize(
    "include",
    [
        "#include <stdio.h> /* goes\non */\n",
        "#include \\\n<stdio.h>\n",
        "#define X <stdio.h>\n#include X\n",
        "??=include <stdio.h>\n",
        '#include "/etc/passwd"\n#include_next <a.h>\n',
    ],
)
def test_no_other_form_of_an_include_comes_to_the_compiler(
    build_code: Callable[..., BuildResult], include: str
) -> None:
    report = build_code(include).report
    assert "include" in {finding.rule for finding in report.findings}
    assert report.elements is None


def test_own_routines_with_a_librarys_name_are_no_fault(
    build_code: Callable[..., BuildResult],
) -> None:
    report = build_code("int abs(n) int n; { return n < 0 ? -n : n; }\nint x = abs(1)\n;;}").report
    assert {finding.rule for finding in report.findings} == {"compiler"}


def test_every_line_of_a_forbidden_routine_is_named(build_code: Callable[..., BuildResult]) -> None:
    report = build_code('f() { printf("1"); }\n\ng() { printf("2"); printf("3"); }\n').report
    (finding,) = report.findings
    assert finding.line == 18
    assert "lines 18, 20" in finding.text
    assert "make_throw" in finding.text


def test_the_librarys_own_source_is_refused_routine_by_routine(toolchain: Toolchain) -> None:
    built = build(LIBRARY + EXAMPLE, LENIENT, toolchain)
    named = {
        f.text.split()[3].rstrip(",") for f in built.report.findings if f.rule == "library source"
    }
    assert named == {"init_random", "log2", "next_random", "make_throw", "count_points"}
    assert {f.line for f in built.report.findings if f.rule == "include"} == {
        number for number, line in enumerate(LIBRARY.split("\n"), 1) if line.startswith("#include")
    }


def test_errors_are_told_with_the_line_as_sent(build_code: Callable[..., BuildResult]) -> None:
    report = build_code("int fine;\nint wrong = nowhere;\n").report
    assert places(report) == [("compiler", 19)]
    assert "program.c:19:13: error: 'nowhere' undeclared" in report.messages
    assert report.findings[0].quote == "int wrong = nowhere;"


def test_warnings_are_in_the_report_of_an_accepted_program(
    build_code: Callable[..., BuildResult],
) -> None:
    report = build_code("static int unused() { return 1; }\n").report
    assert report.accepted
    assert "program.c:18:12: warning: 'unused' defined but not used" in report.messages


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("main() { for (;;) make_throw(log2(8192)); }", 13),
        ("int log2(); main() { for (;;) make_throw(log2(8192)); }", 13),
        ("f(n) int n; { return n + n; } main() { for (;;) make_throw(f(21)); }", 42),
        (
            (
                "struct s { int a[99]; } x, y; main() { x.a[5] = 3; y = x; for (;;)"
                " make_throw(y.a[5]); }"
            ),
            3,
        ),
        ("main() { double d = 1.5; for (;;) make_throw((int) (d * 4)); }", 6),
        (
            (
                "main() { int n = 0x7fffffff; volatile int one = 1; if (n + one < 0) for (;;)"
                " make_throw(8); }"
            ),
            8,
        ),
        (
            (
                "char *memset(p, c, n) char *p; { while (n--) p[n] = c + 1; return p; }"
                "char a[9]; main() { memset(a, 4, 9); for (;;) make_throw(a[8]); }"
            ),
            5,
        ),
    ],
)
def test_a_built_program_does_what_its_source_says(
    build_code: Callable[..., BuildResult], code: str, first: int
) -> None:
    built = build_code(code + "\n", main="")
    assert built.report.accepted, (built.report.findings, built.report.messages)
    assert throws(built.image) == [first] * 5


def test_a_missing_gcc_is_told_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="gcc-riscv64-unknown-elf"):
        assert Toolchain().version
