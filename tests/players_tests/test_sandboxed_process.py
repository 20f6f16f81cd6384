"""A sandboxed process that answers questions: its answers, its deadlines, its end."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import ToolMissing
from sandbox.process import STDERR_TAIL_BYTES, AnswerKind, SandboxedProcess
from sandbox.running import Ending
from sandbox.sandbox import Limits, Sandbox

SHELL = ("/bin/sh", "-c")
ECHO = "while read -r line; do printf '<%s>\\n' \"$line\"; done"


@pytest.fixture
def shell(sandbox: Sandbox):
    opened = []

    def start(script, **limits):
        opened.append(sandbox.open([*SHELL, script], limits=Limits(**limits)))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_lines_go_in_and_out_in_their_order(shell: Callable[..., SandboxedProcess]) -> None:
    process, lines = shell(ECHO), ("one", "", "two  words\\n")
    assert [process.ask(line, 5).text for line in lines] == [f"<{line}>" for line in lines]
    process = shell("echo early; " + ECHO)
    assert [process.ask(str(n), 5).text for n in range(3)] == ["early", "<0>", "<1>"]


def test_a_line_that_needs_no_answer_gets_none(shell: Callable[..., SandboxedProcess]) -> None:
    process = shell("while read -r line; do case $line in tell*) ;; *) echo $line;; esac; done")
    process.tell("tell 1")
    process.tell("tell 2")
    assert process.ask("ask", 5).text == "ask"


@pytest.mark.usefixtures("impatient")
def test_who_sleeps_is_late_by_the_clock_and_is_not_heard_any_more(
    shell: Callable[..., SandboxedProcess],
) -> None:
    asked = shell("sleep 60; echo late")
    start = time.monotonic()
    answer = asked.ask("x", 0.2)
    assert 0.15 < time.monotonic() - start < 30
    assert answer.kind is AnswerKind.LATE
    assert answer.text.startswith(
        "there was no answer, and the program has slept for 0.2 s, which is as long as it may"
    )
    assert asked.close().ending is Ending.KILLED


def test_who_computes_too_long_is_late_though_the_answer_comes(
    shell: Callable[..., SandboxedProcess],
) -> None:
    computes = "import time\nwhile time.process_time() < 0.5: pass\nprint(1)"
    answer = shell(f"exec python3 -c '{computes}'").ask("x", 0.4)
    assert answer.kind is AnswerKind.LATE
    assert answer.text.endswith(" s of processor time; it may take 0.4 s")
    assert 0.4 < answer.seconds < 2


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "script", ["exec yes >&2", "while :; do printf x; done", "exec >&-; sleep 1000"]
)
def test_a_deadline_holds_against_endless_standard_error_and_output_and_none(
    shell: Callable[..., SandboxedProcess], script: str
) -> None:
    start = time.monotonic()
    assert shell(script).ask("x", 0.3).kind is AnswerKind.LATE
    assert time.monotonic() - start < 60


@pytest.mark.usefixtures("impatient")
def test_a_prisoner_that_does_not_read_is_late_whatever_is_sent(
    shell: Callable[..., SandboxedProcess],
) -> None:
    deaf = shell("exec sleep 1000")
    for _ in range(3):
        deaf.tell("x" * 100_000)
    assert deaf.ask("x", 0.2).kind is AnswerKind.LATE


def test_long_questions_get_through_in_pieces(shell: Callable[..., SandboxedProcess]) -> None:
    assert shell("read -r line; echo ${#line}").ask("x" * 1_000_000, 20).text == "1000000"


@pytest.mark.parametrize(("size", "kind"), [(1_000, AnswerKind.LINE), (1_001, AnswerKind.TOO_LONG)])
def test_an_answer_has_a_length_at_most(
    shell: Callable[..., SandboxedProcess], size: int, kind: AnswerKind
) -> None:
    process = shell(f"read line; head -c {size} /dev/zero | tr '\\0' x; echo", output_bytes=1_000)
    assert process.ask("x", 5).kind is kind


@pytest.mark.parametrize(
    ("script", "ending", "code", "words"),
    [
        ("exit 0", Ending.EXIT, 0, "ended with exit code 0"),
        ("exit 7", Ending.EXIT, 7, "ended with exit code 7"),
        ("kill -SEGV $$", Ending.SIGNAL, 11, "was ended by signal 11 (SIGSEGV)"),
    ],
)
def test_how_a_prisoner_ended_is_reported_with_its_standard_error(
    shell: Callable[..., SandboxedProcess], script: str, ending: Ending, code: int, words: str
) -> None:
    answer = shell(f"echo last words >&2; {script}").ask("x", 5)
    assert answer.kind is AnswerKind.ENDED
    status = answer.exit_status
    assert (status.ending, status.code, status.description) == (ending, code, words)
    assert b"last words" in status.stderr


def test_only_the_end_of_standard_error_is_kept(shell: Callable[..., SandboxedProcess]) -> None:
    process = shell("head -c 1000000 /dev/zero >&2; echo the end >&2; exit 1")
    stderr = process.ask("x", 5).exit_status.stderr
    assert len(stderr) == STDERR_TAIL_BYTES
    assert stderr.endswith(b"the end\n")


def test_a_flood_of_standard_error_is_dropped_and_not_read(
    shell: Callable[..., SandboxedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By reading it, a program had as much of our time as it used itself."""
    sizes, read = [], os.read

    def counted(descriptor: int, size: int) -> bytes:
        chunk = read(descriptor, size)
        sizes.append(len(chunk))
        return chunk

    monkeypatch.setattr(os, "read", counted)
    process = shell("head -c 200000000 /dev/zero >&2; echo the end >&2; echo 5")
    assert process.ask("x", 60).text == "5"
    assert process.stderr_tail().endswith(b"the end\n")
    assert sum(sizes) < 60_000_000


def test_a_line_that_ends_with_the_program_is_a_line(
    shell: Callable[..., SandboxedProcess],
) -> None:
    process = shell("printf '5\\n6'")
    assert [process.ask("x", 5).text for _ in range(2)] == ["5", "6"]
    assert process.ask("x", 5).kind is AnswerKind.ENDED


@pytest.mark.slow
@given(st.binary(max_size=300))
def test_whatever_a_program_prints_its_answers_are_text(sandbox: Sandbox, data) -> None:
    limits = Limits(output_bytes=200)
    with sandbox.open([*SHELL, "cat data"], files={"/work/data": data}, limits=limits) as process:
        answers = [process.ask("x", 10) for _ in range(data.count(b"\n") + 2)]
    lines = [line for line in data.split(b"\n") if line]
    if all(len(line) <= 200 for line in data.split(b"\n")):
        assert answers[-1].kind is AnswerKind.ENDED
        assert len([answer for answer in answers if answer.kind is AnswerKind.LINE]) >= len(lines)
    else:
        assert AnswerKind.TOO_LONG in [answer.kind for answer in answers]
    assert all(answer.text.encode() or not answer.text for answer in answers)


def test_closing_twice_returns_the_same(shell: Callable[..., SandboxedProcess]) -> None:
    process = shell("exit 4")
    assert process.ask("x", 5).exit_status == process.close() == process.close()


@pytest.mark.usefixtures("impatient")
def test_a_prisoner_is_gone_after_its_context(sandbox: Sandbox) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    with sandbox.open([*SHELL, "setsid sleep 1000 & sleep 1000"]) as process:
        assert process.ask("x", 0.1).kind is AnswerKind.LATE
    assert process.close().ending is Ending.KILLED
    # what others forgot may be closed meanwhile
    assert len(os.listdir("/proc/self/fd")) <= descriptors


def test_a_sandbox_that_was_not_made_is_no_fault_of_the_program(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and "pytest" in str(folder):
            folder.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        sandbox.open(["/usr/bin/true"]) as process,
        pytest.raises(ToolMissing, match="user namespaces"),
    ):
        process.ask("x", 5)
