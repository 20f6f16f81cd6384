"""Where a contest was, nothing makes another one: neither `init`, nor a hint to say `init`."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from knobeln.cli import main
from knobeln.systemd.install import next_commands
from store import Store, contest_state
from tests.support.command_line import knobeln, knobeln_in

SLOW = pytest.param("doctor", marks=pytest.mark.slow)  # it tries the host
COMMANDS = ("status", "serve", "run", "teams", "letters", SLOW, "upgrade", "site")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest that was restored once, with the backup beside it."""
    place = tmp_path_factory.mktemp("made")
    knobeln("init", place / "contest")
    knobeln_in(place / "contest", "backup", place / "copy.tar.gz")
    knobeln("restore", place / "copy.tar.gz", "-C", place / "contest")
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "made")) / "contest"


def without_database(folder: Path) -> None:
    (folder / "contest.db").unlink()


def without_settings(folder: Path) -> None:
    (folder / "contest.toml").unlink()


def without_both(folder: Path) -> None:
    without_database(folder)
    without_settings(folder)


def without_the_mark(folder: Path) -> None:
    without_database(folder)
    (folder / ".contest").unlink()


def with_the_mark_alone(folder: Path) -> None:
    shutil.rmtree(next(folder.glob("before-restore-*")))
    without_both(folder)


def with_a_draft(folder: Path) -> None:
    (folder / "contest.db").rename(folder / "contest.db.restoring")


def with_an_empty_database(folder: Path) -> None:
    (folder / "contest.db").write_bytes(b"")


LOSSES = [
    without_database,
    without_settings,
    without_both,
    without_the_mark,
    with_the_mark_alone,
    with_a_draft,
    with_an_empty_database,
]


@pytest.mark.parametrize("lose", LOSSES)
def test_nothing_makes_a_new_contest_where_one_was(
    folder: Path, lose: Callable[[Path], None]
) -> None:
    lose(folder)
    before = sorted(file.name for file in folder.iterdir())
    refused = knobeln_in(folder, "init", code=1).output
    assert "there is a contest in" in refused
    assert "`knobeln restore` brings the old one back" in refused
    assert sorted(file.name for file in folder.iterdir()) == before
    seed = seed_of(folder.parent)
    knobeln("restore", "--trust", folder.parent / "copy.tar.gz", "-C", folder)
    knobeln_in(folder, "status")
    assert seed_of(folder.parent) == seed


def seed_of(place: Path) -> bytes:
    """The seed of the backup, restored elsewhere; or that of the contest, if it is there."""
    shutil.rmtree(place / "other", ignore_errors=True)
    own = place / "contest" / "contest.db"
    if not own.exists() or not own.stat().st_size:
        knobeln("restore", "--trust", place / "copy.tar.gz", "-C", place / "other")
        own = place / "other" / "contest.db"
    store = Store(f"sqlite:///{own}")
    with store.read() as tx:
        found = contest_state.secret(tx)
    store.close()
    return found


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_says_init_where_a_contest_was(
    folder: Path, lose: Callable[[Path], None], command: str
) -> None:
    lose(folder)
    words = [command, *(["pages"] if command == "site" else []), "-C", str(folder)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0 or done.output
    assert "knobeln init" not in done.output


def test_where_the_database_is_lost_the_words_say_how_to_get_it_back(folder: Path) -> None:
    without_database(folder)
    said = knobeln_in(folder, "status", code=1).output
    for words in (
        "put its contest.db back",
        "set KNOBELN_DATABASE",
        "`knobeln restore` its last backup",
    ):
        assert words in said


def test_a_contest_whose_database_is_elsewhere_and_forgotten_is_not_made_anew(folder: Path) -> None:
    """As if it were in PostgreSQL, and KNOBELN_DATABASE were missing."""
    (folder / "contest.db").rename(folder.parent / "elsewhere.db")
    assert "KNOBELN_DATABASE" in knobeln_in(folder, "serve", code=1).output
    assert knobeln_in(folder, "init", code=1).output


def test_the_units_of_systemd_suggest_no_new_contest(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "var/lib/knobeln/spring"
    place.parent.mkdir(parents=True)
    assert "knobeln init" in "\n".join(next_commands(tmp_path, "spring"))
    without_both(folder)
    folder.rename(place)
    assert "knobeln init" not in "\n".join(next_commands(tmp_path, "spring"))


def test_settings_alone_are_taken_for_a_new_contest(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "new").mkdir()
    shutil.copy(folder / "contest.toml", tmp_path / "new")
    assert "knobeln init" in knobeln_in(tmp_path / "new", "status", code=1).output
    knobeln("init", tmp_path / "new")
