"""`knobeln kit`: the software as an archive."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from contest.config.load import FILE_NAME
from contest.config.template import settings_template
from contest.games.knobeln import Rules
from contest.games.standoff import Standoff
from contest.util.clock import SystemClock
from knobellib.kit_archives import tar_archive
from knobellib.kits import knobeln_kit
from knobeln import presets
from knobeln.cli import main


def kit(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["kit", *map(str, words)])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result.output


def said_of(name: str) -> str:
    return f"The kit is in {name}. Unpack it with `tar xf {name}`, and read README.\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_name_it_is_an_archive_for_tar(here: Path) -> None:
    assert kit() == said_of("knobelnsoftware.tar.gz")
    assert (here / "knobelnsoftware.tar.gz").read_bytes() == tar_archive(knobeln_kit(Rules()))


def test_a_name_that_does_not_tell_what_it_is_gets_an_ending(here: Path) -> None:
    assert "`tar xf 'my kit.tar.gz'`" in kit("my kit")
    assert (here / "my kit.tar.gz").is_file()


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("kit.tar.gz", "File exists"),
        ("kit.tar.gz/kit.tgz", "Not a directory"),
        ("no/where/kit.tgz", "No such file or directory"),
    ],
)
def test_nothing_is_overwritten_and_what_cannot_be_written_is_told(
    here: Path, where: str, complaint: str
) -> None:
    (here / "kit.tar.gz").write_text("mine")
    assert kit(where, code=1) == f"knobeln: cannot write {where}: {complaint}\n"
    assert [(file.name, file.read_text()) for file in here.iterdir()] == [("kit.tar.gz", "mine")]


def test_it_has_the_numbers_of_the_contest_in_whose_folder_it_is_made(here: Path) -> None:
    CliRunner().invoke(main, ["init", "contest"])
    settings = here / "contest" / "contest.toml"
    settings.write_text(
        settings.read_text().replace("\nk = 8", "\nk = 3").replace("\nL = 1000", "\nL = 20")
    )
    kit("-C", "contest", "kit.tgz")
    assert (here / "kit.tgz").read_bytes() == tar_archive(knobeln_kit(Rules(k=3, L=20)))


def settings_of_standoff(folder: Path, rounds: str) -> None:
    folder.mkdir()
    text = settings_template(presets.settings("standoff", SystemClock().now()))
    (folder / FILE_NAME).write_text(text.replace("max_rounds = 1000", rounds))


def test_a_contest_of_another_game_has_its_own_with_folders(here: Path) -> None:
    settings_of_standoff(here / "contest", "max_rounds = 7")
    assert kit("-C", "contest") == said_of("standoff-software.tar.gz")
    subprocess.run(["tar", "-xzf", "standoff-software.tar.gz"], check=True)
    assert (here / "standoff-software" / "referee.py").stat().st_mode & 0o777 == 0o755
    assert '"max_rounds": 7' in (here / "standoff-software" / "contest.json").read_text()


def test_a_game_without_a_kit_says_so(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = replace(Standoff().info, has_kit=False)
    monkeypatch.setattr(Standoff, "info", property(lambda _: info))
    settings_of_standoff(here / "contest", "max_rounds = 1000")
    answer = kit("-C", "contest", code=1)
    assert (
        answer
        == "knobeln: Mega mexican standoff has no kit; `knobeln games` lists its sample programs\n"
    )
    assert not list(here.glob("*.tar.gz"))
