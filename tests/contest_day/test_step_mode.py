"""`knobeln run --step`: a contest is shown step by step, and nobody is told before the last
step."""

import re
from pathlib import Path

import pytest

from knobellib.samples import samples
from knobeln import presets
from store import Store, outbox, url_of
from tests.support.archives import played
from tests.support.command_line import knobeln
from tests.support.contest_field import NOW

SHOOTS = samples("standoff")["trigger_happy.sh"]
WAITS = b"echo N\n"


def ready(path: Path, game: str, field: dict[str, dict[str, bytes]], **tournament: int) -> Path:
    """A contest of these programs, ready for its day."""
    chosen = presets.settings(game, NOW)
    few = chosen.tournament.model_copy(update=tournament)
    undescribed = chosen.programs.model_copy(update={"description": "none"})
    chosen = chosen.model_copy(update={"tournament": few, "programs": undescribed})
    marked = {
        name: {file: b"# <<FROM>> team STRING\n" + data for file, data in sent.items()}
        for name, sent in field.items()
    }
    return played(path / "contest", chosen, marked, lambda folder: None)[0]


def mail_states(folder: Path) -> set[str]:
    with Store(url_of(folder)).read() as tx:
        return {str(item.state) for item in outbox.listing(tx, state=None, to=None, count=1_000)}


def step(folder: Path, keys: str, *more: str) -> str:
    return knobeln("run", "--step", "--now", *more, "-C", folder, stdin=keys).output


def titles(output: str) -> list[str]:
    return re.findall(r"\d+/\d+  (.*?) ─", output)


def test_the_standoff_is_shown_round_by_round_and_the_reports_wait_for_the_last(
    tmp_path: Path,
) -> None:
    field = {name: {"bot.sh": SHOOTS} for name in ("anna", "bert")} | {"carl": {"bot.sh": WAITS}}
    folder = ready(tmp_path, "standoff", field)
    output = step(folder, "\n\n")
    assert titles(output) == ["The final, round 1", "The final, round 2"]
    assert re.search(r"^ *carl +N ", output, re.MULTILINE)
    assert "The winner" not in output
    assert mail_states(folder) == {"held"}
    assert titles(step(folder, "\nq\n")) == ["The final, round 1"]
    assert "`knobeln mail release` sends them" in " ".join(step(folder, "\n" * 100).split())
    assert mail_states(folder) == {"held"}


@pytest.mark.slow
def test_other_groups_are_shown_from_the_last_place_on(tmp_path: Path) -> None:
    rolls = b"PLAYER_NAME = 'Number %d'\ndef final_strategy(score, other):\n    return %d\n"
    field = {
        f"team_{number}": {"final_strategy.py": rolls % (number, number)} for number in (2, 4, 6)
    }
    folder = ready(tmp_path, "hog", field)
    output = step(folder, "\n" * 9)
    assert "the last step" in knobeln("log", "-C", folder).output
    assert "held" not in mail_states(folder)
    assert titles(output) == [f"The final: rank {rank}" for rank in (3, 2, 1)]
    assert [output.count(f" {team} ") for team in ("team_2", "team_4", "team_6")] == [3, 2, 1]
