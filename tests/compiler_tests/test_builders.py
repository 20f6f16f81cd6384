"""One builder for each kind of play, and those that other packages add."""

from pathlib import Path

import pytest

from compiler.builders import builder_of
from compiler.builders.machine import MachineBuilder
from compiler.builders.table import TableBuilder
from compiler.builders.text import TextBuilder
from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from contest.errors import ConfigError
from tests.support.contest_field import NOW
from tournament.runners import open_runner

# A game of a kind of play that no program of ours knows.
PACKAGE = """
from dataclasses import replace

from contest.schema.sections import GameSettings
from contest.games.game import TEXT, GamePlugin
from contest.games.cooperation import Cooperation


class Sung(Cooperation):
    @property
    def info(self):
        kind = replace(TEXT, name="sung")
        return replace(super().info, name="choir", title="Choir", play=kind)


GAME = GamePlugin("choir", GameSettings, lambda *_: Sung())
"""


def settings(game: str) -> Settings:
    return Settings(dates=usual_dates(NOW), game=game_settings({"name": game}))


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, entry_points: str) -> None:
    """A package with this in its entry points."""
    (folder / "our_choir.py").write_text(PACKAGE)
    facts = folder / "our_choir-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: our-choir\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize(
    ("game", "kind"), [("knobeln", MachineBuilder), ("cooperation", TextBuilder), ("hog", TableBuilder)]
)
def test_each_kind_of_play_has_its_builder(game: str, kind: type) -> None:
    builder = builder_of(settings(game), open_runner)
    assert isinstance(builder, kind)
    assert (builder.win_rates is None) == (kind is not TableBuilder)
    with pytest.raises(ValueError, match=r"."):
        builder.load(b"[]")


def test_a_kind_of_play_without_a_builder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "[knobeln.games]\nchoir = our_choir:GAME\n")
    with pytest.raises(ConfigError, match="games of the kind 'sung'"):
        builder_of(settings("choir"), open_runner)
