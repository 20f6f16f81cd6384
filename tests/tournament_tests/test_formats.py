"""The register of formats, and the suite that every format must pass."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest.errors import ConfigError
from contest.formats import BUILT_IN, ENTRY_POINTS, known_formats, make_format, misfit
from contest.formats.group_elimination import GroupElimination
from contest.formats.one_round import RoundRobin
from contest.games.registry import game
from contest.model import Pairing, RoundPlan, Standing
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.util.plugins import by_name
from tests.support.format_promises import check_format

KNOBELN = game(DEFAULT_GAME).info

SETTINGS = [
    pytest.param(Tournament(), id="1994"),
    pytest.param(Tournament(self_play=False), id="1993"),
    pytest.param(Tournament(final_size=10), id="small final"),
    pytest.param(Tournament(group_min=2, group_max=3, final_size=2), id="tiny groups"),
]


def formats_and_settings() -> list[Any]:
    return [
        pytest.param(
            name, *each.values, id=f"{each.id}-{name}", marks=[] if each is SETTINGS[0] else pytest.mark.slow
        )
        for name in sorted(known_formats())
        for each in SETTINGS
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "settings"), formats_and_settings())
def test_every_registered_format_passes_the_suite(name: str, settings: Tournament) -> None:
    check_format(known_formats()[name](settings, KNOBELN))


@pytest.mark.parametrize(
    ("least", "most", "fit"), [(2, 2, True), (1, 2, True), (2, 8, True), (1, 1, False), (3, 8, False)]
)
def test_a_format_for_two_fits_the_games_that_two_can_play(least: int, most: int, fit: bool) -> None:
    info = replace(game("knobeln").info, min_seats=least, max_seats=most)
    assert (misfit(GroupElimination(Tournament(), info), info) is None) is fit


def test_the_settings_name_the_format_and_that_of_1994_fits_its_game() -> None:
    made = make_format(Tournament(), KNOBELN)
    assert misfit(made, KNOBELN) is None
    assert type(made) is known_formats()["group-elimination"] is GroupElimination
    assert isinstance(make_format(Tournament(format="round-robin"), KNOBELN), RoundRobin)
    assert make_format(Tournament(format="double-elimination"), KNOBELN).name == "double-elimination"


def test_two_formats_of_one_name_are_an_error() -> None:
    with pytest.raises(ConfigError, match=r"two plug-ins of knobeln\.formats are called 'group-elimination'"):
        by_name(ENTRY_POINTS, [GroupElimination, GroupElimination])


def test_an_unknown_format_is_answered_with_those_that_there_are() -> None:
    settings = Tournament.model_construct(format="swiss")
    with pytest.raises(ConfigError, match=r"no 'swiss'; choose from .*group-elimination"):
        make_format(settings, KNOBELN)


@pytest.mark.slow
def test_a_format_of_an_installed_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "our_own_format.py").write_text(
        "from contest.formats.group_elimination import GroupElimination\n"
        "class Ours(GroupElimination):\n    name = 'ours'\n"
    )
    facts = tmp_path / "our_own_format-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: our-own-format\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[knobeln.formats]\nours = our_own_format:Ours\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(known_formats()) == [*(maker.name for maker in BUILT_IN), "ours"]
    check_format(make_format(Tournament(format="ours"), KNOBELN))


class Broken(GroupElimination):
    """Group elimination with one promise broken."""

    def __init__(
        self,
        plan: Callable[[RoundPlan, list[str]], RoundPlan | None] | None = None,
        table: Callable[[tuple[Standing, ...]], tuple[Standing, ...]] | None = None,
    ) -> None:
        super().__init__(Tournament(final_size=3), KNOBELN)
        self._break_plan = plan
        self._break_table = table

    def plan(self, entries: Any, history: Any, seeds: Any) -> RoundPlan | None:
        plan = super().plan(entries, history, seeds)
        return self._break_plan(plan, list(entries)) if plan and self._break_plan else plan

    def standings(self, *args: Any) -> tuple[Standing, ...]:
        table = super().standings(*args)
        return self._break_table(table) if self._break_table else table


class Endless(GroupElimination):
    """Never calls a round the final."""

    def plan(self, entries: Any, history: Any, seeds: Any) -> RoundPlan | None:
        plan = super().plan(entries, history[-1:], seeds)
        number = len(history) + 1
        return plan and replace(plan, number=number, final=False, groups=self._counted(plan, history))

    def _counted(self, plan: RoundPlan, history: Any) -> Any:
        return tuple(replace(group, round=len(history) + 1) for group in plan.groups)


def first_group(plan: RoundPlan, **changes: Any) -> RoundPlan:
    return replace(plan, groups=(replace(plan.groups[0], **changes), *plan.groups[1:]))


def once_more(plan: RoundPlan) -> RoundPlan:
    return first_group(plan, pairings=plan.groups[0].pairings[:1] + plan.groups[0].pairings)


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (Broken(lambda plan, names: replace(plan, number=plan.number + 1)), "rounds count"),
        (Broken(lambda plan, names: replace(plan, groups=())), "without groups"),
        (Broken(lambda plan, names: first_group(plan, members=(names[0],))), "order of the entries"),
        (Broken(lambda plan, names: first_group(plan, members=plan.groups[0].members * 2)), "twice in one"),
        (Broken(lambda plan, names: first_group(plan, members=("x", *plan.groups[0].members))), "no entries"),
        (Broken(lambda plan, names: once_more(plan)), "a pairing stands twice"),
        (
            Broken(lambda plan, names: first_group(plan, pairings=(Pairing(("x", "y")),))),
            "not between members",
        ),
        (
            Broken(lambda plan, names: first_group(plan, pairings=(Pairing((max(names), min(names)), 0),))),
            "no games",
        ),
        (Broken(table=lambda lines: lines[1:]), "each member once"),
        (Broken(table=lambda lines: tuple(replace(line, advances=True) for line in lines)), "from the final"),
        (
            Broken(table=lambda lines: tuple(replace(line, disqualified=False) for line in lines)),
            "disqualified",
        ),
        (Broken(table=lambda lines: tuple(replace(line, failures=1) for line in lines)), "wrong failures"),
        (Broken(table=lambda lines: tuple(replace(line, rank=1) for line in lines)), "yet has something"),
        (Broken(table=lambda lines: lines[::-1]), "rank 2 stands at place 1"),
        (Endless(Tournament(final_size=3), KNOBELN), "does not end"),
    ],
)
def test_the_suite_finds_a_broken_promise(broken: GroupElimination, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_format(broken)
