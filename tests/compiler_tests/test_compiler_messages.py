"""What a team gets to read of the compiler's words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.toolchain import MAX_CHARACTERS, clean, first_error, trouble
from sandbox.sandbox import Ending, ExitStatus, Limits

LIMITS = Limits()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"program.c:3:1: error: x\n", "program.c:3:1: error: x"),
        (b"a\x1b[31;1mred\x1b[0m \x1b]0;title\x07b", "ared b"),
        ("a\u202eb\u2066c\u200d".encode(), "abc"),
        (b"K\xf6ln", "K\ufffdln"),
        (b"a\0b\x7fc\x9b", "abc\ufffd"),
        (b"/usr/lib/riscv64-unknown-elf/bin/ld: program.o: in f", "ld: program.o: in f"),
        (b"cc1: /work/program.c /box/runtime.o", "cc1: program.c runtime.o"),
        (b"a / b, and/or 1/2", "a / b, and/or 1/2"),
        (b"note: include '<stdio.h>' or provide", "note: include '<stdio.h>' or provide"),
        (b"x\nprogram.c:1:1: note: did you forget to '#include <stdio.h>'?\ny", "x\ny"),
    ],
)
def test_messages_are_cleaned(raw: bytes, text: str) -> None:
    assert clean(raw) == text


def test_a_lonely_apostrophe_is_a_mistake_only_outside_the_description():
    inside, outside = (
        f"program.c:{line}:4: warning: missing terminating ' character" for line in (2, 9)
    )
    assert clean(f"{inside}\n{outside}\n".encode(), frozenset({2})) == outside


def test_long_messages_are_cut_with_a_note():
    text = clean(b"program.c:1:1: error: x\n" * 5_000)
    assert len(text) < MAX_CHARACTERS + 100
    assert text.endswith("further characters)")
    blank = clean(b"program.c:1:1: error: x\n" + 1_200_000 * b"\n")
    assert blank == "program.c:1:1: error: x\n(shortened: 200,024 further characters)"


@given(st.binary(max_size=300))
def test_any_bytes_can_be_cleaned(raw):
    assert not set(clean(raw)) & {"\x1b", "\0", "\x07", "\u202e", "\r"}


@pytest.mark.parametrize(
    ("messages", "first"),
    [
        ("program.c: In function 'f':\nprogram.c:7:3: error: x\nprogram.c:9:1: error: y", (7, "x")),
        ("program.c:4:1: warning: x\nprogram.c:6: error: y", (6, "y")),
        ("program.c:5:1: fatal error: y", (5, "y")),
        ("ld: cannot", (0, "")),
        (f"program.c:{5_000 * '9'}: error: x", (0, "")),
        ("", (0, "")),
    ],
)
def test_the_first_error_is_found(messages: str, first: tuple[int, str]) -> None:
    assert first_error(messages) == first


@pytest.mark.parametrize(
    ("ending", "stderr", "words"),
    [
        (Ending.CPU_LIMIT, b"", "more than 10 s / 512 MB"),
        (Ending.EXIT, b"cc1: out of memory allocating 231722912 bytes", "more than 10 s / 512 MB"),
        (
            Ending.EXIT,
            b"gcc: fatal error: Killed signal terminated program cc1",
            "more than 10 s / 512 MB",
        ),
        (
            Ending.EXIT,
            b"gcc: internal compiler error: Segmentation fault signal terminated",
            "crashed on your",
        ),
        (Ending.EXIT, b"program.c:1:1: internal compiler error: in fold", "crashed on your"),
        (
            Ending.EXIT,
            b"gcc: internal compiler error: File size limit exceeded signal",
            "larger than 4,096 kB",
        ),
        (Ending.SIGNAL, b"", "crashed on your"),
        (Ending.OUTPUT_LIMIT, b"", "larger than 4,096 kB"),
        (Ending.EXIT, b"program.c:1:2: error: #error CPU time limit exceeded", ""),
        (Ending.EXIT, b"program.c:1:2: error: expected ';'", ""),
    ],
)
def test_why_the_compiler_did_not_finish_is_one_sentence(
    ending: Ending, stderr: bytes, words: str
) -> None:
    said = trouble(ExitStatus(ending, 1, stderr), LIMITS)
    assert words in said
    assert bool(words) == bool(said)
