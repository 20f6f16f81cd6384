"""`knobeln init --game`: what it writes is what the preset says, for our games and those of
plug-ins."""

from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.trial import with_counted_time, with_languages_here
from contest.config.load import FILE_NAME, load_settings
from contest.config.settings import Settings
from contest.config.template import settings_template, usual_dates
from contest.errors import ConfigError
from contest.games.game import TEXT
from contest.games.registry import game_of, game_plugins, rules_text
from contest.schema.sections import UNITS_PER_SECOND, ExtraField, Season, Teams
from contest.util.clock import SystemClock
from knobeln import presets
from knobeln.cli.game_option import lacking_packages, without_packages
from knobeln.day.demonstration import demo_settings
from sandbox.fuel import engine
from tests.support.command_line import knobeln

NOW = datetime(2026, 3, 21, 15, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "game", ["knobeln", "hog", pytest.param("bid-tac-toe", marks=pytest.mark.slow)]
)
def test_init_of_a_game_writes_its_preset_as_a_commented_contest_toml(
    tmp_path: Path, game: str
) -> None:
    folder = tmp_path / "contest"
    before = SystemClock().now()
    knobeln("init", folder, "--game", game, "--beacon", "none")
    written = load_settings(folder)
    opened = written.dates.registration_opens
    assert before - timedelta(seconds=1) <= opened <= SystemClock().now()
    preset = presets.settings(game, opened)
    preset = without_packages(preset, lacking_packages(preset))
    assert written == with_languages_here(with_counted_time(preset))
    counts = engine.is_installed() and written.game.name not in ("knobeln", "hog")
    assert bool(written.programs.counted_languages) == counts
    text = (folder / FILE_NAME).read_text(encoding="utf-8")
    for name in Settings.model_fields:
        for key in type(getattr(written, name)).model_fields:
            assert f"\n{key} = " in text
    knobeln("status", "-C", folder)


def test_init_leaves_out_a_package_that_is_not_here_and_says_how_to_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knobeln.cli.game_option.has_package", lambda package: False)
    said = knobeln("init", tmp_path / "hog", "--game", "hog").output
    assert "Programs cannot import numpy here until `apt install python3-numpy`" in said
    assert 'and then programs.python_packages = ["numpy"].' in said
    assert load_settings(tmp_path / "hog").programs.python_packages == ()


@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_counted_time_is_as_long_as_processor_time_in_every_preset(game: str) -> None:
    preset = presets.settings(game, NOW)
    if game_of(preset.game, preset.programs).info.play is not TEXT:
        return  # its programs cannot be counted
    for programs in (preset.programs, demo_settings(game).programs):
        assert programs.fuel == programs.seconds * UNITS_PER_SECOND, (
            "set programs.fuel as CONTRIBUTING says"
        )
        assert (
            programs.model_copy(update={"counted_languages": ("C",)}).told_seconds
            == programs.seconds
        )
        # full answers in the longest Ultimate Tic-Tac-Toe
        assert programs.game_fuel >= 41 * programs.fuel


def test_the_contest_of_1993_has_two_tournaments_with_a_week_between_them(tmp_path: Path) -> None:
    knobeln("init", tmp_path, "--game", "knobeln-1993", "--beacon", "none")
    written = load_settings(tmp_path)
    assert written.game.name == "knobeln"
    assert not written.tournament.self_play
    assert not written.evolution.enabled
    first, second = (written.season.dates_of(number, written.dates) for number in (1, 2))
    assert first == written.dates
    assert second.compilation_closes - first.results_published == timedelta(days=7, hours=-2)
    announced = " ".join(knobeln("announce", "-C", tmp_path).output.split())
    assert "There are 2 tournaments, one every 8 days." in announced
    assert "Between them teams can change their programs" in announced


def test_a_tournament_ends_before_the_programs_of_the_next_close() -> None:
    with pytest.raises(
        ValueError, match=r"season\.days: the results of a tournament are published 7 days"
    ):
        Settings(dates=usual_dates(NOW), season=Season(tournaments=2, days=7))
    Settings(dates=usual_dates(NOW), season=Season(tournaments=1, days=7))


def test_a_new_contest_draws_with_drand_unless_another_beacon_is_chosen(tmp_path: Path) -> None:
    knobeln("init", tmp_path / "usual")
    assert load_settings(tmp_path / "usual").tournament.beacon == "drand"
    draw = "lottery: 6 numbers of the Swiss lottery of 2027-05-15"
    knobeln("init", tmp_path / "drawn", "--beacon", draw)
    assert load_settings(tmp_path / "drawn").tournament.beacon == draw
    refused = knobeln("init", tmp_path / "x", "--beacon", "dice", code=2).output
    assert "`lottery:` and which numbers of which draw count" in refused


@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_programs_show_only_where_registering_is_to_agree_to_it(game: str) -> None:
    tells = presets.settings(game, NOW).site.programs
    assert tells == (game == "knobeln"), f"knobeln/presets/{game}.toml: write site.programs = false"


def test_what_is_wrong_in_a_preset_is_said_with_its_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = resources.files(presets).joinpath("hog.toml").read_text(encoding="utf-8")
    wrong = text.replace("seconds = 300.0", "seconds = -1")
    (tmp_path / "hog.toml").write_text(wrong, encoding="utf-8")
    monkeypatch.setattr(presets, "files", lambda _: tmp_path)
    line = 1 + wrong.split("\n").index("seconds = -1")
    with pytest.raises(ConfigError) as error:
        presets.settings("hog", NOW)
    assert str(error.value).startswith(
        f"{tmp_path / 'hog.toml'}:\n  line {line}: programs.seconds = -1: "
    )
    (tmp_path / "hog.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("KNOBELN_SET_PROGRAMS__SECONDS", "-1")
    with pytest.raises(ConfigError, match=r"given as KNOBELN_SET_PROGRAMS__SECONDS"):
        presets.settings("hog", NOW)


def test_init_of_a_game_that_is_not_there_makes_nothing(tmp_path: Path) -> None:
    output = knobeln("init", tmp_path / "contest", "--game", "chess", code=1).output
    assert "there is no game 'chess'; there are bid-tac-toe" in output
    assert not (tmp_path / "contest").exists()


def test_init_does_not_take_the_contest_toml_of_another_game(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(
        settings_template(presets.settings("hog", NOW)), encoding="utf-8"
    )
    assert "is for another game" in knobeln("init", tmp_path, "--game", "standoff", code=1).output
    assert list(tmp_path.iterdir()) == [tmp_path / FILE_NAME]
    knobeln("init", tmp_path, "--game", "hog")
    assert load_settings(tmp_path).dates == presets.settings("hog", NOW).dates


# --- plug-ins ---
GAME = """
from dataclasses import replace

from contest.schema.sections import GameSettings
from contest.games.game import GamePlugin
from contest.games.{module} import {game}


class Ours({game}):
    @property
    def info(self):
        return replace(super().info, name="ours", title="Our own game")


PLUGIN = GamePlugin("ours", GameSettings, lambda *_: Ours(), rules="# Our own game\\n\\nBe nice.")
"""


@pytest.mark.parametrize(
    ("module", "game", "format_"), [("standoff", "Standoff", "melee"), ("hog", "Hog", "exact")]
)
def test_a_game_without_a_preset_gets_what_fits_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, game: str, format_: str
) -> None:
    facts = tmp_path / "our_own_game-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: our_own_game\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[knobeln.games]\nours = our_own_{module}:PLUGIN\n")
    (tmp_path / f"our_own_{module}.py").write_text(GAME.format(module=module, game=game))
    monkeypatch.syspath_prepend(tmp_path)
    written = presets.settings("ours", NOW)
    assert (written.game.name, written.contest.title) == ("ours", "Our own game contest")
    assert (written.tournament.format, written.tournament.self_play) == (format_, False)
    assert not written.evolution.enabled
    assert rules_text("ours") == rules_text("ours", "de") == "# Our own game\n\nBe nice."


# --- contest.toml ---
ONE_LINE = st.text(st.characters(codec="utf-8"), max_size=40).map(lambda t: " ".join(t.split()))
PRINTABLE = ONE_LINE.filter(str.isprintable)
FIELDS = st.builds(
    ExtraField,
    name=st.from_regex(r"x[a-z0-9]{1,9}", fullmatch=True),
    description=PRINTABLE,
    choices=st.lists(PRINTABLE.filter(bool), max_size=3, unique_by=str.casefold).map(tuple),
    required=st.booleans(),
)


@pytest.mark.slow
@given(st.lists(FIELDS, max_size=3, unique_by=lambda field: field.name), st.text(max_size=20))
def test_tables_and_texts_come_back_from_contest_toml_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, fields, organizer
) -> None:
    usual = Settings(dates=usual_dates(NOW))
    contest = usual.contest.model_copy(update={"organizer": organizer})
    settings = usual.model_copy(update={"teams": Teams(fields=tuple(fields)), "contest": contest})
    folder = tmp_path_factory.mktemp("contest")
    (folder / FILE_NAME).write_text(settings_template(settings), encoding="utf-8")
    assert load_settings(folder) == settings


WRONG = [
    ({"name": "team name"}, "has at most 30 letters and digits"),
    ({"name": "Team-Name"}, "is a field already"),
    ({"name": "school", "choices": ["MIT", "mit"]}, "two choices are the same"),
    ({"name": "school", "choices": [""]}, "at least 1 character"),
    ({"name": "school", "description": "two\nlines"}, "is not one line"),
]


@pytest.mark.parametrize(("field", "words"), WRONG)
def test_a_field_that_no_form_can_have_is_a_clear_error(
    field: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Teams.model_validate({"fields": [field]})


def test_prizes_are_by_a_field_that_there_is() -> None:
    with pytest.raises(ValueError, match="not one of the contest's own fields, which are division"):
        Teams.model_validate({"fields": [{"name": "division"}], "prizes_by": "school"})
    with pytest.raises(ValueError, match="names that a form does not tell apart"):
        Teams.model_validate({"fields": [{"name": "home-town"}, {"name": "Hometown"}]})
