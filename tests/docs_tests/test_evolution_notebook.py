"""The notebook about the evolution of a final: its numbers are ours, and those of the textbooks."""

import ast
import json
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from contest.schema.sections import Evolution
from tournament.evolution import ScoreMatrix, evolve

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "evolution.ipynb"
WHOLE = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
CODE = [cell for cell in WHOLE["cells"] if cell["cell_type"] == "code"]


def test_it_has_nothing_that_a_computer_has_computed() -> None:
    assert [cell["outputs"] for cell in CODE] == [[]] * len(CODE)
    assert [cell["execution_count"] for cell in CODE] == [None] * len(CODE)
    assert [cell["id"] for cell in WHOLE["cells"]] == [
        f"cell-{number}" for number in range(len(WHOLE["cells"]))
    ]


@pytest.fixture(scope="module")
def done() -> SimpleNamespace:
    """All names of the notebook, after its cells were run from the first to the last."""
    pytest.importorskip("nashpy", reason="nashpy is not installed: `make setup-notebook`")
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(NOTEBOOK.parent)
        for cell in CODE:
            exec(compile(ast.parse("".join(cell["source"])), cell["id"], "exec"), names)  # noqa: S102
    return SimpleNamespace(**names)


@pytest.mark.night
def test_the_generations_of_the_archive_are_computed_again(done: SimpleNamespace) -> None:
    assert len(done.generations) > 10
    assert done.generations == [tuple(counts) for counts in done.published["generations"]]


@pytest.mark.night
def test_its_evolution_is_ours_whatever_the_matrix(done: SimpleNamespace) -> None:
    chance = Random(1994)  # noqa: S311
    for _ in range(300):
        size = chance.randint(2, 9)
        rows = [[chance.randint(1, 3_000) for _ in range(size)] for _ in range(size)]
        names = tuple(f"team_{number}" for number in range(size))
        settings = Evolution(exemplars=chance.randint(2, 30))
        ours = evolve(ScoreMatrix(names, tuple(map(tuple, rows))), settings)
        theirs = done.evolution(done.np.array(rows) / 2, settings.exemplars)
        assert tuple(theirs) == ours.generations, rows


HAWK_AND_DOVE = [[-1, 4], [0, 2]]  # value 4, costs of a fight 6
STABLE = {
    "a dilemma": ([[3, 0], [5, 1]], [(0, 1)]),
    "hawk and dove": (HAWK_AND_DOVE, [(2 / 3, 1 / 3)]),
    "the same side of the road": ([[1, 0], [0, 1]], [(1, 0), (0, 1)]),
    "rock, scissors, paper": ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], []),
    "rock, scissors, paper, where winning pays": (
        [[0, 2, -1], [-1, 0, 2], [2, -1, 0]],
        [(1 / 3, 1 / 3, 1 / 3)],
    ),
    "nothing to choose": ([[1, 1], [1, 1]], []),
    "it gains as much, and less among its own": ([[1, 2], [1, 1]], []),
    "three that avoid each other": (
        [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        [(1 / 3, 1 / 3, 1 / 3)],
    ),
}


@pytest.mark.night
@pytest.mark.parametrize("name", STABLE)
def test_what_is_stable_is_what_textbooks_call_so(name: str, done: SimpleNamespace) -> None:
    matrix, expected = STABLE[name]
    found = done.stable_mixtures(done.np.array(matrix, dtype=float))
    assert [tuple(mixture) for mixture in found] == [pytest.approx(each) for each in expected]


@pytest.mark.night
def test_the_flow_ends_at_the_stable_mixture(done: SimpleNamespace) -> None:
    (mixture,) = done.stable
    end = done.game.replicator_dynamics(
        y0=done.np.full(len(done.A), 1 / len(done.A)),
        timepoints=done.np.linspace(0, 5, 101),
    )[-1]
    assert list(end) == pytest.approx(list(mixture), abs=1e-3)


@pytest.mark.night
def test_a_moran_process_ends_with_one_strategy_each_time(done: SimpleNamespace) -> None:
    assert sum(done.fixations.values()) == done.RUNS
    assert done.fixations["amber_anchor"] > 0
