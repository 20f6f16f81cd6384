"""Programs that want the compiler's time, memory or secrets; every one is answered within
bounds."""

import time
from collections.abc import Callable

import pytest

from compiler.build import BuildResult
from contest.schema.sections import Programs
from sandbox.sandbox import Limits

# 12 s of CPU time; on a computer that has other work as well the wall clock ends what is read and
# what is compiled, each twice, because a busy computer may be to blame (compiler/toolchain.py).
MOST_SECONDS = 4 * Limits().wall_seconds + 20


class Large(Programs):
    MAX_ELEMENTS = 1_000_000  # so that the compiler gets them


LARGE = Large()


def doubling(levels):
    lines = ["#define A0 1+"]
    lines += [f"#define A{n} {f'A{n - 1} ' * 8}" for n in range(1, levels + 1)]
    return "\n".join(lines) + f"\nint bomb = A{levels} 0;\n"


def nested_types(levels):
    types = ["typedef char t0;"] + [
        f"typedef struct {{ t{n - 1} a[1000]; }} t{n};" for n in range(1, levels)
    ]
    return "\n".join(types) + f"\nt{levels - 1} whole;\n"


def jumps(count):
    return (
        "void maze() {" + "".join(f"l{n}: goto *&&l{n * 7 % count};" for n in range(count)) + "}\n"
    )


BOMBS = {
    "macros that grow without end": doubling(11),
    "macros that take themselves as arguments": (
        "#define f(x) x x\n#define g(x) f(f(f(f(f(f(f(f(x))))))))\nint f() { g(g(g(g(1;)))) }\n"
    ),
    "a range of initialisers": "int a[100000001] = { [0 ... 100000000] = 1 };\n",
    "a gigabyte of data": "char x[1 << 30] = { 1 };\n",
    "a million stars": "int " + "*" * 1_000_000 + "p;\n",
    "deep parentheses": "int x = " + "(" * 100_000 + "1" + ")" * 100_000 + ";\n",
    "a hundred thousand errors": "f() {" + "q;" * 100_000 + "}\n",
    "types of types": nested_types(8),
    "a maze": jumps(3_000),
    "a vast switch": "f(n) { switch (n) { case 0 ... 2000000000: ; "
    + "case -1: ;" * 5_000
    + "} }\n",
    "many routines that are not there": "f() {"
    + "".join(f"f{n}(); " for n in range(5_000))
    + "}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_answered_within_its_time_and_the_next_program_is_served(
    build_code: Callable[..., BuildResult], bomb: str
) -> None:
    start = time.monotonic()
    report = build_code(BOMBS[bomb], LARGE).report
    assert time.monotonic() - start < MOST_SECONDS
    assert all(finding.text for finding in report.findings)
    assert len(report.messages) < 17_000
    assert build_code("").report.accepted


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("#define X int int\n" * 3_000 + "int (", "expected ')' before"),
        ("char x[1 << 30] = { 1 };\n", "larger than 4,096 kB"),
        (
            "int x = " + "(" * 100_000 + "1" + ")" * 100_000 + ";\n",
            "the compiler crashed on your program",
        ),
        (doubling(9), "larger than 2,048 kB"),
        pytest.param(
            BOMBS["a range of initialisers"], "more than 10 s / 512 MB", marks=pytest.mark.slow
        ),
    ],
)
def test_what_stopped_the_compiler_is_said(
    build_code: Callable[..., BuildResult], code: str, words: str
) -> None:
    found = build_code(code, LARGE).report.findings
    texts = [finding.text for finding in found if finding.rule == "compiler"]
    assert [words in text for text in texts] == [True]


@pytest.mark.parametrize(
    "footer", ["____________\nTo leave this list write to its owner.\n", "Regards,\nMona\n"]
)
def test_words_below_the_program_are_recognised(
    build_code: Callable[..., BuildResult], footer: str
) -> None:
    (finding,) = build_code(
        "", main="main() { for (;;) make_throw(5); }\n" + footer
    ).report.findings
    assert "If a signature or a list's footer was added there" in finding.text
    assert "signature" not in build_code("int x = y;\n").report.findings[0].text
