"""Templates are compiled once for a user, and again when they have changed."""

from pathlib import Path

import pytest

from contest.language import speaking
from reports.render import Templates
from tests.support.contest_field import settings


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache with nothing in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path / "cache" / "knobeln" / "templates"


def kept_in(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


def test_another_process_compiles_nothing_and_writes_the_same(cache: Path) -> None:
    first = Templates(settings(), None).render("faq")
    kept = {file.name: file.stat().st_mtime_ns for file in kept_in(cache)}
    assert len(kept) >= 2
    assert Templates(settings(), None).render("faq") == first
    assert {file.name: file.stat().st_mtime_ns for file in kept_in(cache)} == kept


def test_a_template_that_has_changed_is_compiled_again(tmp_path: Path) -> None:
    own = tmp_path / "templates"
    own.mkdir()
    for text in ("one", "two", "one"):
        (own / "faq.txt.j2").write_text(f"Subject: x\n\n{text} {{{{ contest.title }}}}\n")
        assert text in Templates(settings(), own).render("faq").body


def test_each_language_has_its_own_code(cache: Path) -> None:
    counts = []
    for language in ("en", "de"):
        with speaking(language):
            Templates(settings(), None).render("faq")
        counts.append(len(kept_in(cache)))
    assert counts[1] == 2 * counts[0]


def test_without_a_folder_each_process_compiles_for_itself(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Templates(settings(), None).render("faq")
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    monkeypatch.setattr("tempfile.tempdir", "/proc")
    assert Templates(settings(), None).render("faq") == first


def test_code_that_was_damaged_is_not_used(cache: Path) -> None:
    first = Templates(settings(), None).render("faq")
    for file in kept_in(cache):
        file.write_bytes(file.read_bytes()[:-10])
    assert Templates(settings(), None).render("faq") == first


def test_each_is_looked_for_among_few(cache: Path) -> None:
    Templates(settings(), None).render("faq")
    assert all(path.parent == cache / path.name[:2] for path in kept_in(cache))
