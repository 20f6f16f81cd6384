"""The tutorials and the README's tour are done as they are printed, and what they print is what comes out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.printed_output import PrintedOutput
from tests.support.servers import program
from tests.support.walkthrough import Walkthrough

ROOT = Path(__file__).parents[2]
Reader = Callable[[str], Walkthrough]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Somebody who reads a page of the repository, and works in a new folder."""
    readers = []

    def read(page: str) -> Walkthrough:
        folder = tmp_path / "home"
        folder.mkdir()
        readers.append(Walkthrough(ROOT / page, folder))
        return readers[-1]

    yield read
    for each in readers:
        each.stop()


@pytest.mark.slow
def test_the_first_strategy_is_written_and_sent_as_printed(reader: Reader, tmp_path: Path) -> None:
    student = reader("docs/tutorials/first-strategy.md")
    student.meet_contest(tmp_path / "contest")
    student.walk()


@pytest.mark.slow
def test_the_first_contest_is_held_as_printed(reader: Reader) -> None:
    program("swaks")
    reader("docs/tutorials/first-contest.md").walk()


@pytest.mark.slow
def test_the_tour_of_the_readme_is_true_from_the_first_command_to_the_last(reader: Reader) -> None:
    program("swaks")
    reader("README.md").walk()


# --- a page that is not true is noticed --------------------------------------------------------------------
def walked(reader: Reader, tmp_path: Path, text: str) -> Walkthrough:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    walkthrough = reader(str(page))
    walkthrough.walk()
    return walkthrough


def console(*lines: str) -> str:
    return "\n".join(("```console", *lines, "```", ""))


def test_files_are_written_and_commands_run_in_order(reader: Reader, tmp_path: Path) -> None:
    text = "Save this as `a.txt`:\n\n```text\none\ntwo\n```\n\n" + console(
        "$ cat a.txt", "one", "two", "$ echo \\", "  three >> a.txt", "$ tail -1 a.txt", "three"
    )
    assert (walked(reader, tmp_path, text).folder / "a.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    "text",
    [
        console("$ echo one", "two"),
        console("$ printf 'one\\ntwo\\n'", "one"),
        console("$ echo one", "one", "two"),
        console("$ false"),
        console("output without a command"),
        console("$ echo k7qd-2mxw-9rtz-h4pc-v8sn", "a7qd-2mxw-9rtz-h4pc-v8sn", "$ echo a", "b"),
        "```text\na file without a name\n```\n",
        "Change these lines in `a.toml`:\n\n```toml\n[a]\nb = 1\n```\n",
    ],
)
def test_a_page_that_is_not_true_is_noticed(reader, tmp_path, monkeypatch, text) -> None:
    monkeypatch.setattr("tests.support.walkthrough.WRITES", False)
    with pytest.raises((AssertionError, OSError)):
        walked(reader, tmp_path, text)


@pytest.mark.parametrize(
    ("printed", "came_out"),
    [
        ("until 2027-01-15 10:00 UT", "until 2026-11-23 09:59 UT"),
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a\n...\nb", "a\nb"),
        ("1.5 s, 1,360 bytes", "20 s, 9 bytes"),
        ("points  13", "points 13"),
        ("kept as ...", "kept as 17.txt"),
    ],
)
def test_what_differs_from_time_to_time_may_differ(printed: str, came_out: str) -> None:
    assert PrintedOutput().difference(printed, came_out) == ""


@pytest.mark.parametrize(
    ("printed", "came_out"),
    [("13 points", "12 points"), ("a\n...\nd", "a\nb"), ("a", "a\nb"), ("2027-01-15 10:00 UT", "noon")],
)
def test_anything_else_may_not_differ(printed: str, came_out: str) -> None:
    assert PrintedOutput().difference(printed, came_out)


def test_a_string_is_the_same_one_wherever_it_is_printed() -> None:
    output = PrintedOutput()
    printed, real, other = "k7qd-2mxw-9rtz-h4pc-v8sn", "aaaa-bbbb-cccc-dddd-eeee", "ffff-bbbb-cccc-dddd-eeee"
    assert output.difference(f"yours is {printed}", f"yours is {real}") == ""
    assert output.typed(f"<<FROM>> me {printed}") == f"<<FROM>> me {real}"
    assert output.difference(f"it is {printed}", f"it is {real}") == ""
    assert output.difference(f"it is {printed}", f"it is {other}")
    assert PrintedOutput().difference(f"{printed} {printed}", f"{real} {other}")
