"""The tutorials and the README's tour are done as they are printed, and what they print is what comes out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
