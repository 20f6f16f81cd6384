"""The guide on adding a game: what it shows is installed as it stands, and plays a contest by
mail."""

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.letters import letter, words_to

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
PROJECT, RULES, PROGRAM, CHECK = re.findall(
    r"^```(?:toml|python)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
)
FORM = """mail-address: {address}
mail-preference: DGP,RSM
team-name: {name}
Organization: University of Eggland
team-members:
  Joe Cool, 45, professional systems programmer,
  20-year-experienced programmer
"""


@dataclass(frozen=True)
class Installed:
    """A computer on which the guide's package is installed."""

    packages: Path
    folder: Path

    def run(self, *words: object, stdin: str = "") -> str:
        return self.python("-m", "knobeln", *map(str, words), stdin=stdin)

    def python(self, *words: str, stdin: str = "") -> str:
        environment = {**os.environ, "PYTHONPATH": f"{self.packages}:{ROOT}", "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, *words],
            env=environment,
            cwd=self.folder,
            input=stdin,
            text=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """What an installation leaves: the module, and its entry points as metadata."""
    packages, folder = tmp_path_factory.mktemp("packages"), tmp_path_factory.mktemp("work")
    project = tomllib.loads(PROJECT)["project"]
    (packages / "undercut.py").write_text(RULES, encoding="utf-8")
    metadata = packages / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    points = "\n".join(
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in rows.items())
        for group, rows in project["entry-points"].items()
    )
    (metadata / "entry_points.txt").write_text(points + "\n")
    (folder / "twos.py").write_text(PROGRAM)
    return Installed(packages, folder)


def test_the_guides_game_has_less_than_a_hundred_lines() -> None:
    assert len(PROJECT.splitlines()) + len(RULES.splitlines()) < 118
    assert sum(bool(line.strip()) for line in (PROJECT + RULES).splitlines()) < 100


def test_the_guides_game_keeps_running_if_its_lines_are_those_of_the_guide() -> None:
    """The example of lines, and the two functions that make them."""
    game: dict[str, Any] = {}
    exec(RULES, game)  # noqa: S102 - our own page
    functions = re.search(r"^```text\n(def question.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    lines = re.search(r"^```text\n  it reads.*?\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert functions
    assert lines
    exec(functions[1], game)  # noqa: S102
    rules, position = game["Undercut"](3), game["Rounds"]()
    answers = [(3, 5), (4, 4), (5, 4)]
    for line, pair in zip(lines[1].splitlines(), answers, strict=False):
        read, _, answer = line.strip().rpartition("  ")
        assert read.strip() == " ".join(map(str, game["question"](rules, position, 0, None)))
        assert int(answer) == pair[0]
        position = rules.apply(position, dict(enumerate(pair)))
    last = " ".join(map(str, game["game_over_message"](rules, position, 0)))
    assert last == lines[1].split("\n")[-2].strip()


@pytest.mark.slow
def test_the_guides_game_keeps_the_promises_of_games(installed: Installed) -> None:
    (installed.folder / "test_undercut.py").write_text(CHECK, encoding="utf-8")
    assert "1 passed" in installed.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_undercut.py"
    )


@pytest.mark.slow
def test_the_guides_game_is_played_by_mail(installed: Installed) -> None:
    contest = installed.folder / "contest"
    installed.run("init", "--game", "undercut", "--beacon", "none", contest)
    toml = contest / "contest.toml"
    assert "# how many rounds a game has" in toml.read_text()
    toml.write_text(toml.read_text().replace("rounds = 30", "rounds = 4"))
    for name, program in (("fives", "print(5)"), ("twos", PROGRAM), ("ones", "print(1)")):
        address = f"{name}@machine.example"
        form = letter(address, "registration for Undercut", FORM.format(address=address, name=name))
        installed.run("receive", "-C", contest, stdin=form.decode())
        welcome = mails_to(installed, contest, address)
        string = re.findall(r"authentification string\s+(\S+)", welcome)[0]
        text = f"<<FROM>> {name} {string}\n\n" + "".join(f"Line {n} about it.\n" for n in range(20))
        sent = letter(address, "please compile", text, attached={"program.py": program.encode()})
        installed.run("receive", "-C", contest, stdin=sent.decode())
        mails = mails_to(installed, contest, address)
        assert "A trial game against cautious" in mails
        assert "One less than the other takes both" in mails  # the rules
        assert "send software" in mails
    installed.run("run", "--now", "--yes", "-C", contest)
    (group,) = json.loads(installed.run("results", "-C", contest, "--json"))["rounds"][0]["groups"]
    points = {line["entry"]: line["half_points"] / 2 for line in group["standings"]}
    assert points == {"twos": 3 + 3 * 9 + 4 * 3, "fives": 5 + 4 * 5, "ones": 4 + 4}


def mails_to(installed: Installed, contest: Path, address: str) -> str:
    installed.run("mail", "flush", "-C", contest)
    return words_to(contest, address)
