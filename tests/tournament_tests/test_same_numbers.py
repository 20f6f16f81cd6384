"""A small contest has the same numbers with every Python.

From 3.12 on, `sum` adds floating-point numbers in another way, and the last digit can differ.
The programs are kept as images, because compilers differ, too. So a number that differs here is
ours.
"""

import hashlib
import json
import zlib
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import astuple, replace
from itertools import product
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from arena.practice_games import practice_games
from compiler.build import BuildResult
from contest.games.registry import game_of
from contest.model import EvolutionOutcome, RoundOutcome
from contest.schema.sections import Evolution
from contest.util.folders import shipped
from knobeln.context import ContestContext
from reports.practice_table import compare_versions, mean_points, practice_table
from sandbox.vm.image import Image
from store import results
from store.results import Games
from tests.support.command_line import knobeln_in
from tests.support.contest_field import House, make_contest, settings
from tournament import certainty
from tournament.runners import open_runner
from trust.archive.files import to_json

IMAGES: Mapping[str, bytes] = {
    name: zlib.decompress(b64decode(text))
    for name, text in json.loads(Path(__file__).with_name("images.json").read_text()).items()
}
CHOSEN = settings(group_min=2, group_max=6, final_size=4).model_copy(
    update={"evolution": Evolution(exemplars=1_000)}
)
ROUNDS = [2, 1]
OUTCOMES = ["3a6ffcb81d606345", "ca447a93a7183f5d"]
LAST_GENERATION = (2827, 1172, 1, 1)
EVOLUTION = "ce2aa607d6e4da75"
CERTAINTY = (1000, 8, (("team_0005", "team_0001", "team_0003"),))
TEAMS = [
    ("team_0007", 1, 986, 1000, 1, 1, 14),
    ("team_0005", 2, 14, 849, 2, 5, 272),
    ("team_0001", 3, 0, 657, 2, 5, 407),
    ("team_0003", 4, 0, 347, 3, 5, 653),
    ("team_0002", 5, 0, 316, 2, 5, 0),
    ("team_0004", 5, 0, 512, 3, 5, 0),
    ("team_0006", 5, 0, 319, 3, 5, 0),
]
PRACTICE = [
    ("one_more", 11082.636363636364, 1667.090909090909, 420.29734063571533),
    ("echo", 5816.090909090909, 4976.909090909091, 332.0272442271732),
    ("markov_reader", 5306.181818181818, 7222.181818181818, 267.3439051790103),
    ("dice_cup", 5124.272727272727, 6688.909090909091, 179.3996047426476),
    ("pavlov", 1841.090909090909, 8158.818181818182, 117.78153891459777),
]
MEANS = (5834.054545454545, 5742.781818181818)
COMPARED = [
    ("markov_reader", 5306.181818181818, 3452.7272727272725, 229.08413832147474),
    ("one_more", 11082.636363636364, 10369.454545454546, 329.9472790437741),
    ("echo", 5816.090909090909, 5405.636363636364, 258.6901315759522),
    ("pavlov", 1841.090909090909, 1504.4545454545455, 88.01857370163086),
    ("dice_cup", 5124.272727272727, 5723.454545454545, 235.11640032636274),
    ("all", 5834.054545454545, 5291.145454545454, 98.05773199031553),
]
HOG = {
    "all_or_nothing.py": "04aa5c776c4dd034",
    "always_four.py": "cfe4e42251ba8184",
    "always_six.py": "ab1e1e425ab23243",
    "chaser.py": "f453406d7f4a3177",
    "looks_to_the_end.py": "86f2d7989a1646a5",
    "one_turn_ahead.py": "a76e15c8cecceea8",
    "pig_fancier.py": "ebe50e449f0d6b60",
    "piler.py": "b0a915e2a094ca05",
}


def digest(value: object, kind: Any) -> str:
    return hashlib.sha256(to_json(value, kind)).hexdigest()[:16]


def built_as(built: BuildResult[Image], image: Image) -> BuildResult[Image]:
    """The build, but of this image."""
    return replace(built, image=image, report=replace(built.report, image_digest=image.digest))


@pytest.fixture(scope="module")
def played(house: House, tmp_path_factory: pytest.TempPathFactory) -> ContestContext:
    """A contest of these images, by whose digests they are entered: the draw depends on them."""
    programs = {
        name: built_as(house["echo"], Image.from_bytes(raw)) for name, raw in IMAGES.items()
    }
    contest = make_contest(
        tmp_path_factory.mktemp("same") / "contest", len(IMAGES), programs, CHOSEN
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certainty, "MAX_CONTESTS", 1_000)  # other tests play fewer
        knobeln_in(contest.path, "run", "--now")
    return contest


def test_the_games_and_rankings_of_a_contest(played: ContestContext) -> None:
    with played.store.read() as tx:
        history = results.finished_rounds(tx, Games.ALL)
    assert [len(outcome.groups) for outcome in history] == ROUNDS
    assert [digest(outcome, RoundOutcome) for outcome in history] == OUTCOMES


def test_the_evolution_of_a_contest(played: ContestContext) -> None:
    with played.store.read() as tx:
        found = results.get_evolution(tx)
    assert found is not None
    assert found.generations[-1] == LAST_GENERATION
    assert digest(found, EvolutionOutcome) == EVOLUTION


def test_how_sure_the_ranking_of_a_contest_is(played: ContestContext) -> None:
    with played.store.read() as tx:
        found = results.get_certainty(tx)
    assert found is not None
    assert (found.contests, found.margin, found.alike) == CERTAINTY
    assert [astuple(team) for team in found.teams] == TEAMS


def test_the_tables_of_practice() -> None:
    info = game_of(CHOSEN.game, CHOSEN.programs).info
    raw = {name: (hashlib.sha256(image).hexdigest(), image) for name, image in IMAGES.items()}
    own, other = raw.pop("gambler"), raw.pop("log_dice")
    games, others = (
        practice_games(each, raw, CHOSEN, open_runner, games=11) for each in (own, other)
    )
    rows = practice_table(games, info)
    compared = compare_versions(games, others, info)
    assert compared is not None
    assert [(row.name, row.own, row.theirs, row.spread) for row in rows] == PRACTICE
    assert mean_points(rows) == MEANS
    assert [
        (row.name, row.first, row.second, row.margin) for row in (*compared.rows, compared.total)
    ] == COMPARED


@pytest.mark.parametrize("name", HOG)
def test_the_tables_of_our_own_hog_strategies(name: str) -> None:
    """They run with the system's Python."""
    strategy = run_path(str(shipped("knobellib/opponents/hog") / name))["final_strategy"]
    table = bytes(strategy(own, other) for own, other in product(range(100), repeat=2))
    assert hashlib.sha256(table).hexdigest()[:16] == HOG[name]


def test_pools_whose_cost_is_just_the_budget_have_all_their_first_games() -> None:
    """Added one after the other they cost 0.00001 instructions more than the budget."""
    costs = (
        666_848_180.577,
        662_123_282.154,
        425_385_175.687,
        709_437_526.337,
        147_458_993.481,
        254_546_903.902,
        56_166_825.452,
        83_806_646.57,
        119_226_465.84,
    )
    assert set(
        certainty._first_games({(str(at),): cost for at, cost in enumerate(costs)}, 16).values()
    ) == {16}
