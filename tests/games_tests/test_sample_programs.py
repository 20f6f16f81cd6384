"""The sample programs: all by their languages and pages, those asked by arguments as if by hand."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.games.cooperation import Cooperation, LegacyCooperation
from contest.games.game import TextGame, TextProtocol
from contest.games.standoff import Action, Standoff

FOLDER = Path(__file__).parents[2] / "knobellib" / "opponents"
RULES: dict[str, TextGame[Any, Any]] = {
    "cooperation": Cooperation(12),
    "cooperation-legacy": LegacyCooperation(),
    "standoff": Standoff(max_rounds=12),
}
PROGRAMS = sorted(
    file.relative_to(FOLDER).as_posix() for name in RULES for file in FOLDER.glob(f"{name}/*")
)
RANDOM = {"cooperation/coin_flip.pl": "CB", "standoff/dice.pl": "SPN"}

Run = Callable[..., str]


@pytest.fixture
def run(command: Callable[[Path], list[str]]) -> Run:
    """`run(program, *arguments)`: what the program prints on being asked this; it must say it is
    content."""

    def run(program: str, *arguments: object) -> str:
        words = [*command(FOLDER / program), *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=True)
        assert done.stderr == ""
        return done.stdout

    return run


# What each program is asked, and its answer; several such are parted by `|`.
ANSWERS = {
    "cooperation/always_cooperate.sh": "[] [] -> C | [C,C] [B,B] -> C",
    "cooperation/always_betray.c": "[] [] -> B | [B,B] [C,C] -> B",
    "cooperation/tit_for_tat.py": "[] [] -> C | [C] [B] -> B | [C,B] [B,C] -> C",
    "cooperation/grudger.pl": "[] [] -> C | [B,B] [C,C] -> C | [C,C,B] [C,B,C] -> B",
    "cooperation/pavlov.c": (
        "[] [] -> C | [C] [C] -> C | [C,B] [C,B] -> C | [C,C] [C,B] -> B | [C,B] [C,C] -> B"
    ),
    "cooperation/two_tits.sh": (
        "[] [] -> C | [C] [B] -> C | [C,C] [B,B] -> B | [C,C,B] [B,B,C] -> C"
    ),
    "cooperation/detective.js": (
        "[] [] -> C | [C] [C] -> B | [C,B,C] [C,C,B] -> C | [C,B,C,C] [C,C,C,C] -> B | "
        "[C,B,C,C] [C,C,B,C] -> C | [C,B,C,C,C] [C,C,B,C,B] -> B"
    ),
    "cooperation/nervous.py": (
        "[] [] -> C | [C,C,C,C,C,C,C,C] [C,C,C,C,C,C,C,C] -> C | [C,C,C,C,C,C,C,C]"
        " [C,C,C,C,C,C,C,B] -> B | [C,C,C,C,C,C,C,C,C] [C,C,C,C,C,C,C,C,C] -> B"
    ),
    "cooperation-legacy/always_cooperate.pl": "-> C | C B -> C",
    "cooperation-legacy/always_betray.sh": "-> B | B/B C/C -> B",
    "cooperation-legacy/tit_for_tat.py": "-> C | C B -> B | C/B B/C -> C",
    "cooperation-legacy/grudger.sh": "-> C | B/B C/C -> C | C/C/B C/B/C -> B",
    "cooperation-legacy/last_round_thief.c": (
        "-> C | C C -> C | C B -> B | C/C/C/C/C/C/C/C C/C/C/C/C/C/C/C -> C | "
        "C/C/C/C/C/C/C/C/C C/C/C/C/C/C/C/C/C -> B"
    ),
    "cooperation-legacy/pavlov.js": "-> C | C/B C/B -> C | C/C C/B -> B",
    "cooperation-legacy/backward_inducer.py": (
        "-> C | C/C/C/C/C/C C/C/C/C/C/C -> C | C/C/C/C/C/C/C C/C/C/C/C/C/C -> B | C/C B/C -> B"
    ),
    "standoff/trigger_happy.sh": (
        "30/2/N 30/2/N 30/2/N -> S | 30/1/S 30/0/N -> S | 10/0/S 30/2/N 30/2/N -> R"
    ),
    "standoff/pacifist.c": "30/2/N 30/2/N 30/2/N -> P | 4/0/N 30/0/S -> P",
    "standoff/cautious.py": (
        "30/2/N 30/0/S 30/1/R -> P | 30/2/P 30/0/S 30/0/S -> S | 30/0/S 30/0/S -> R"
    ),
    "standoff/avenger.pl": (
        "30/2/N 30/2/N 30/2/N -> P | 20/2/P 30/1/S 30/2/N -> S | 20/1/S 30/1/P 30/2/N -> R | "
        "20/0/S 30/1/S 30/2/N -> R"
    ),
    "standoff/vulture.js": (
        "30/2/N 10/2/N 30/2/N -> S | 30/0/N 10/2/N 30/2/N -> P | 30/2/N 20/2/N -> P | "
        "30/1/N 20/0/N 30/0/S -> R | 30/2/N 20/0/N 30/0/S -> S"
    ),
    "standoff/accountant.c": (
        "30/2/N 30/2/N 30/2/N -> S | 20/1/S 30/1/N 30/2/N -> P | 8/1/S 30/1/N 10/2/N -> S | "
        "30/1/S 30/1/N 30/2/N -> P | 30/1/S 30/0/S -> R | 30/0/S 30/0/S -> R"
    ),
}
CASES = [
    (program, *each.split("->")) for program, told in ANSWERS.items() for each in told.split("|")
]


@pytest.mark.parametrize(("program", "asked", "answer"), CASES)
def test_a_program_answers_as_its_first_line_says(
    run: Run, program: str, asked: str, answer: str
) -> None:
    assert run(program, *asked.split()).split() == [answer.strip()]


@pytest.mark.parametrize(("program", "letters"), RANDOM.items())
def test_a_program_without_a_plan_does_everything_that_is_allowed(
    run: Run, program: str, letters: str
) -> None:
    words = ("30/2/N", "30/2/N") if program.startswith("standoff") else ("[]", "[]")
    assert {run(program, *words).strip() for _ in range(40)} == set(letters)


def test_every_program_is_in_the_tables_above() -> None:
    assert sorted(ANSWERS.keys() | RANDOM.keys()) == PROGRAMS


@pytest.mark.parametrize(
    ("name", "fewest"),
    [*((name, 6) for name in RULES), ("bid-tac-toe", 5), ("ultimate-tic-tac-toe", 5)],
)
def test_there_are_programs_in_several_languages(name: str, fewest: int) -> None:
    programs = [path for path in (FOLDER / name).iterdir() if path.is_file()]
    assert len(programs) >= fewest
    assert {program.suffix for program in programs} == {".c", ".js", ".pl", ".py", ".sh"}


@pytest.mark.parametrize("name", ["bid-tac-toe", "ultimate-tic-tac-toe"])
def test_the_games_page_names_every_program_and_no_other(name: str) -> None:
    page = (FOLDER.parents[1] / "docs" / "games" / f"{name}.md").read_text()
    named = re.findall(r"^\| `([A-Za-z]\w*\.\w+)` \|", page, re.MULTILINE)
    assert sorted(named) == sorted(
        path.name for path in (FOLDER / name).iterdir() if path.is_file()
    )


@pytest.mark.slow
def test_all_programs_stand_in_one_circle_and_do_only_what_they_may(run: Run) -> None:
    rules = RULES["standoff"]
    usable = [each for each in PROGRAMS if shutil.which("node") or ".js" not in each]
    programs = [each for each in usable if each.startswith("standoff/")]
    position = rules.start(len(programs))
    while players_to_move := rules.players_to_move(position):
        moves: dict[int, Action] = {}
        for seat in sorted(players_to_move):
            words = rules.question(position, seat, TextProtocol.ARGV)
            moves[seat] = rules.answer(position, seat, run(programs[seat], *words))
            assert rules.why_illegal(position, seat, moves[seat]) is None, programs[seat]
        position = rules.apply(position, moves)
    assert max(rules.points(position)) > 0
