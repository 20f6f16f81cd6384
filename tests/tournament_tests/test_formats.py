"""The register of formats, and the suite that every format must pass."""

from dataclasses import replace
from pathlib import Path

import pytest

from contest.errors import ConfigError
from contest.formats import BUILT_IN, ENTRY_POINTS, known_formats, make_format, misfit
from contest.formats.group_elimination import GroupElimination
from contest.formats.one_round import RoundRobin
from contest.games.registry import game
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.util.plugins import by_name
from tests.support.format_promises import check_format

KNOBELN = game(DEFAULT_GAME).info

TINY = {"group_min": 2, "group_max": 3, "final_size": 2, "self_play": False}


@pytest.mark.slow
@pytest.mark.parametrize("settings", [Tournament(), Tournament(**TINY)], ids=["1994", "tiny groups"])
@pytest.mark.parametrize("name", sorted(known_formats()))
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
