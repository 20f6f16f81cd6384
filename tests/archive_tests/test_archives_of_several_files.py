"""Programs of several files in a contest by mail: played, published, checked, and practised
against."""

import io
import shutil
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from compiler.languages import languages_of, usable
from contest.config.settings import Settings
from contest.ledger.receipts import program_digest
from knobeln import presets
from tests.support.archives import DRAW_BELIEVED, Published, knobeln
from tests.support.check_page import page_on
from tests.support.fuel_workers import COUNTABLE
from tests.support.mail_world import OPENS, START, from_line, make_settings
from tests.support.mailed_contest import CLOSES, MailedContest
from tests.support.several_files import PROGRAMS

pytestmark = pytest.mark.slow

FIELD = {
    "module": ("Python", "a module"),
    "package": ("Python", "a package"),
    "classes": ("Java", "Java"),
    "packages": ("Java", "Java's packages"),
    "sources": ("C", "C"),
    "headers": ("C", "C in folders"),
    "overloads": ("C++", "C++"),
    "all_headers": ("C++", "bits/stdc++.h"),
    "required": ("JavaScript", "require"),
    "scripts": ("JavaScript", "import of a script"),
    "parts": ("Rust", "Rust"),
    "cargo": ("Rust", "Cargo"),
}
"""The language of each team, and its program."""


def settings() -> Settings:
    """A small contest of the game, whose programs are counted where they can be."""
    preset = presets.settings("cooperation", OPENS)
    counted = {"counted_languages": COUNTABLE, "fuel": 300_000_000, "description": "none"}
    return make_settings(
        game=preset.game,
        programs=preset.programs.model_copy(update=counted),
        tournament=preset.tournament.model_copy(update={"games": 1, "beacon": "none"}),
        evolution=preset.evolution,
    )


def teams_here() -> dict[str, str]:
    """The teams whose language is installed, and their programs."""
    installed = {row.name for row in usable(languages_of(settings().programs))}
    return {team: name for team, (language, name) in FIELD.items() if language in installed}


def as_attached(name: str) -> dict[str, bytes]:
    """The files as a letter brings them: those in folders in a zip file."""
    files = {path: text.encode() for path, text in PROGRAMS[name].items()}
    if not any("/" in path for path in files):
        return files
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in files.items():
            archive.writestr(f"my bot/{path}", data)
    return {"bot.zip": out.getvalue()}


@pytest.fixture(scope="module")
def mailed(tmp_path_factory: pytest.TempPathFactory) -> MailedContest:
    """The contest, after its day."""
    contest = MailedContest.create(tmp_path_factory.mktemp("several"), settings())
    teams = teams_here()
    for team in teams:
        contest.clock.at += timedelta(minutes=1)
        contest.register(team)
    contest.clock.at += timedelta(days=2)
    for team, name in teams.items():
        contest.clock.at += timedelta(minutes=1)
        line = from_line(team, contest.strings[team])
        contest.send(team, "please compile", line, as_attached(name))
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    contest.clock.at = START
    contest.play()
    return contest


@pytest.fixture(scope="module")
def published(mailed: MailedContest) -> Published:
    archive = mailed.publish(mailed.place / "archive")
    return Published(mailed.folder, archive, tuple(mailed.strings.values()))


@pytest.mark.parametrize("team", FIELD)
def test_the_report_accepts_it_and_the_archive_has_all_its_files(
    mailed: MailedContest, published: Published, team: str
) -> None:
    language, name = FIELD[team]
    if team not in teams_here():
        pytest.skip(f"{language} is not installed")
    subjects = [str(mail["Subject"]) for mail in mailed.mails(team)]
    assert [each for each in subjects if f"version 1 of {team} is accepted" in each], subjects
    source = published.archive / "programs" / team / "source"
    found = {str(path.relative_to(source)): path.read_text() for path in _files_of(source)}
    assert found == PROGRAMS[name]


def _files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_it_is_played_again_by_verify_and_by_the_page(published: Published) -> None:
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    said = page_on(published.archive)
    assert not said.is_refused, said
    assert said.asked


@pytest.mark.parametrize("path", ["bot/reading.py", "main.py"])
def test_a_file_in_a_folder_that_was_changed_is_found(published: Published, path: str) -> None:
    source = published.archive / "programs" / "package" / "source"
    files = {name: (source / name).read_bytes() for name in PROGRAMS["a package"]}
    assert program_digest(files) != program_digest(files | {path: b"print('B')"})


def test_the_programs_of_an_archive_are_a_field_as_they_are(
    published: Published, tmp_path: Path
) -> None:
    own = tmp_path / "mine.sh"
    own.write_text("echo C\n")
    words = ("practice", own, "--game", "cooperation", "--games", "1")
    programs = published.archive / "programs"
    some = [team for team in ("package", "packages", "headers", "scripts") if team in teams_here()]
    for team in some:  # all of them take minutes
        shutil.copytree(programs / team, tmp_path / "programs" / team)
    table = knobeln(*words, "--field", tmp_path / "programs")
    assert table.exit_code == 0, table.output
    assert all(team in table.output for team in some)
    against = knobeln(*words, "--against", programs / "package")
    assert against.exit_code == 0, against.output
