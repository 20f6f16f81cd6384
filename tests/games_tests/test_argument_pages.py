"""What the pages about cooperation and the standoff say, held to the games."""

import re
import subprocess
from pathlib import Path

import pytest

from contest.games.cooperation import Decision, Payoffs
from contest.games.game import TextProtocol
from contest.games.standoff import Action, Circle, Fighter, Standoff

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "games"
COOPERATION = (PAGES / "cooperation.md").read_text(encoding="utf-8")
STANDOFF = (PAGES / "standoff.md").read_text(encoding="utf-8")

LEGACY = (PAGES / "cooperation-legacy.md").read_text(encoding="utf-8")

OPPONENTS = ROOT / "knobellib" / "opponents"
CALLS = [
    (game, *call)
    for game, page in (
        ("cooperation", COOPERATION),
        ("cooperation-legacy", LEGACY),
        ("standoff", STANDOFF),
    )
    for call in re.findall(r"^    \$ (.+)\n    (.+)$", page, re.MULTILINE)
]


@pytest.mark.parametrize("page", [COOPERATION, LEGACY])
def test_the_table_of_cooperation_has_every_round_with_its_points(page: str) -> None:
    rows = re.findall(r"^\| ([CB]) \| ([CB]) \| (\d) \| (\d) \|$", page, re.MULTILINE)
    assert len(set(rows)) == len(rows) == 4
    for first, second, *points in rows:
        own, other = Decision(first), Decision(second)
        assert [Payoffs().points(own, other), Payoffs().points(other, own)] == [
            int(each) for each in points
        ]


@pytest.mark.parametrize(("game", "call", "answer"), CALLS)
def test_a_program_that_is_asked_on_a_page_gives_that_answer(
    game: str, call: str, answer: str
) -> None:
    folder = OPPONENTS / game
    done = subprocess.run(
        ["sh", "-c", call], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == answer


def test_each_page_shows_how_to_ask_a_program_and_the_letters_of_the_standoff() -> None:
    assert len(CALLS) == 3
    assert re.findall(r"^\| `([A-Z])` \| \w+ \|", STANDOFF, re.MULTILINE) == [
        str(each) for each in Action
    ]


def test_the_example_of_the_standoff_goes_as_it_says() -> None:
    rules = Standoff()
    rows = re.findall(
        r"^\| \d \| `(.)` \|(?: `(.)` )?\s?\| `(.)` \| .* \|$", STANDOFF, re.MULTILINE
    )
    assert len(rows) == 2
    position = Circle((Fighter(30), Fighter(10), Fighter(30)))
    for row in rows:
        position = rules.apply(position, {seat: Action(row[seat]) for seat in position.alive})
        if position.rounds == 1:
            told = [
                " ".join(map(str, rules.question(position, seat, TextProtocol.ARGV)))
                for seat in (0, 2)
            ]
            assert f"In round 2 A is told `{told[0]}`, and C `{told[1]}`." in STANDOFF
    assert [each.health for each in position.fighters] == [20, 0, 12]
    assert "A has 20, C has 22." in STANDOFF
    assert "C has 12." in STANDOFF
