"""`knobeln kit`: the software as an archive or a folder."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from contest.games.knobeln import Rules
from contest.games.standoff import Standoff
from knobellib.kit_archives import tar_archive
from knobellib.kits import FOLDER, knobeln_kit
from knobeln.cli import main


def kit(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["kit", *map(str, words)])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result.output


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_name_it_is_an_archive_for_tar(here: Path) -> None:
    assert kit() == "The kit is in knobelnsoftware.tar.gz.\n"
    assert (here / "knobelnsoftware.tar.gz").read_bytes() == tar_archive(knobeln_kit(Rules()))


@pytest.mark.parametrize("is_there", [False, True])
def test_a_folder_is_filled_with_what_the_archives_have(here: Path, is_there: bool) -> None:
    if is_there:
        (here / "v1.2").mkdir()
    name = "v1.2" if is_there else "new"
    kit(name)
    kit("kit.tgz")
    subprocess.run(["tar", "-xzf", "kit.tgz"], check=True)
    subprocess.run(["diff", "-r", name, FOLDER], check=True)
    assert (here / name / "protocolfmt").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("kit.tar.gz", "cannot write kit.tar.gz: File exists"),
        ("full", "the folder full is not empty; name a new one, or a file that ends in .tar.gz"),
        ("full/mine", "cannot write full/mine: File exists"),
        ("full/mine/kit.tgz", "cannot write full/mine/kit.tgz: Not a directory"),
        ("no/where/kit.tgz", "cannot write no/where/kit.tgz: No such file or directory"),
        ("no/where", "cannot write no/where: No such file or directory"),
        ("kit.zip", "kit.zip: the name of an archive ends in .tar.gz, .tgz"),
    ],
)
def test_nothing_is_overwritten_and_what_cannot_be_written_is_told(here, where, complaint) -> None:
    (here / "kit.tar.gz").write_text("mine")
    (here / "full").mkdir()
    (here / "full" / "mine").write_text("mine")
    assert kit(where, code=1) == f"knobeln: {complaint}\n"
    assert (here / "kit.tar.gz").read_text() == (here / "full" / "mine").read_text() == "mine"
    assert len(list(here.rglob("*"))) == 3


def test_it_has_the_numbers_of_the_contest_in_whose_folder_it_is_made(here: Path) -> None:
    CliRunner().invoke(main, ["init", "contest"])
    settings = here / "contest" / "contest.toml"
    settings.write_text(settings.read_text().replace("\nk = 8", "\nk = 3").replace("\nL = 1000", "\nL = 20"))
    kit("-C", "contest", "kit.tgz")
    assert (here / "kit.tgz").read_bytes() == tar_archive(knobeln_kit(Rules(k=3, L=20)))


def test_a_contest_of_another_game_has_its_own_with_folders(here: Path) -> None:
    CliRunner().invoke(main, ["init", "--game", "standoff", "contest"])
    settings = here / "contest" / "contest.toml"
    settings.write_text(settings.read_text().replace("max_rounds = 1000", "max_rounds = 7"))
    assert kit("-C", "contest") == "The kit is in standoff-software.tar.gz.\n"
    kit("-C", "contest", "folder")
    subprocess.run(["tar", "-xzf", "standoff-software.tar.gz"], check=True)
    subprocess.run(["diff", "-r", "folder", "standoff-software"], check=True)
    assert (here / "folder" / "referee.py").stat().st_mode & 0o777 == 0o755
    assert '"max_rounds": 7' in (here / "folder" / "contest.json").read_text()


def test_a_game_without_a_kit_says_so(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = replace(Standoff().info, has_kit=False)
    monkeypatch.setattr(Standoff, "info", property(lambda _: info))
    CliRunner().invoke(main, ["init", "--game", "standoff", "contest"])
    answer = kit("-C", "contest", code=1)
    assert answer == "knobeln: Mega mexican standoff has no kit; `knobeln games` lists its sample programs\n"
    assert not list(here.glob("*.tar.gz"))
