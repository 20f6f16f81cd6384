"""Programs of several files in a contest: played, published, checked, and practised against."""

from pathlib import Path

import pytest

from contest.ledger.receipts import program_digest
from tests.support.archives import DRAW_BELIEVED, Published, knobeln, played, publish
from tests.support.check_page import page_on
from tests.support.counted_programs import settings_of, whole_day
from tests.support.several_files import PROGRAMS

pytestmark = pytest.mark.slow

FIELD = {
    "modules": "a package",
    "scripts": "import of a script",
    "headers": "C in folders",
    "classes": "Java's packages",
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("several")
    field = {
        team: {path: text.encode() for path, text in PROGRAMS[name].items()}
        for team, name in FIELD.items()
    }
    settings = settings_of("cooperation", games=1)
    contest, strings = played(folder / "contest", settings, field, whole_day)
    return publish(contest, folder / "archive", strings)


def test_the_archive_has_all_files_in_their_folders(published: Published) -> None:
    for team, name in FIELD.items():
        source = published.archive / "programs" / team / "source"
        for path, text in PROGRAMS[name].items():
            assert (source / path).read_text() == text


def test_it_is_played_again_by_verify_and_by_the_page(published: Published) -> None:
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    said = page_on(published.archive)
    assert not said.is_refused, said
    assert said.asked


@pytest.mark.parametrize("path", ["bot/reading.py", "main.py"])
def test_a_file_in_a_folder_that_was_changed_is_found(published: Published, path: str) -> None:
    source = published.archive / "programs" / "modules" / "source"
    files = {name: (source / name).read_bytes() for name in PROGRAMS["a package"]}
    assert program_digest(files) != program_digest(files | {path: b"print('B')"})


def test_the_programs_of_an_archive_are_a_field_as_they_are(
    published: Published, tmp_path: Path
) -> None:
    own = tmp_path / "mine.sh"
    own.write_text("echo C\n")
    words = ("practice", own, "--game", "cooperation", "--games", "1")
    table = knobeln(*words, "--field", published.archive / "programs")
    assert table.exit_code == 0, table.output
    assert all(team in table.output for team in FIELD)
    against = knobeln(*words, "--against", published.archive / "programs" / "modules")
    assert against.exit_code == 0, against.output
