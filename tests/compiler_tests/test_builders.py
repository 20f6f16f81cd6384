"""One builder for each kind of play."""

import pytest

from compiler.builders import builder_of
from compiler.builders.machine import MachineBuilder
from compiler.builders.table import TableBuilder
from compiler.builders.text import TextBuilder
from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from tests.support.contest_field import NOW
from tournament.runners import open_runner


def settings(game: str) -> Settings:
    return Settings(dates=usual_dates(NOW), game=game_settings({"name": game}))


@pytest.mark.parametrize(
    ("game", "kind"),
    [("knobeln", MachineBuilder), ("cooperation", TextBuilder), ("hog", TableBuilder)],
)
def test_each_kind_of_play_has_its_builder(game: str, kind: type) -> None:
    builder = builder_of(settings(game), open_runner)
    assert isinstance(builder, kind)
    assert (builder.win_rates is None) == (kind is not TableBuilder)
    with pytest.raises(ValueError, match=r"."):
        builder.load(b"[]")
