"""The folder of the pages: what is written, left alone and removed."""

import json
from pathlib import Path

import pytest

from contest.errors import GiveUp
from reports.site.folder import LIST, SiteFolder


def write(path: Path, files: dict[str, bytes]) -> SiteFolder:
    folder = SiteFolder(path)
    for name, data in files.items():
        folder.put(name, data)
    folder.finish()
    return folder


def test_only_what_changed_is_written_again(tmp_path: Path) -> None:
    write(tmp_path / "www", {"a.html": b"one", "b/c.html": b"two"})
    before = (tmp_path / "www" / "a.html").stat().st_ino
    assert write(tmp_path / "www", {"a.html": b"one", "b/c.html": b"three"}).written == 1
    assert (tmp_path / "www" / "a.html").stat().st_ino == before
    assert (tmp_path / "www" / "b" / "c.html").read_bytes() == b"three"
    assert not list((tmp_path / "www").rglob("*.new"))


def test_what_somebody_removed_comes_back(tmp_path: Path) -> None:
    write(tmp_path / "www", {"a.html": b"one"})
    (tmp_path / "www" / "a.html").unlink()
    assert write(tmp_path / "www", {"a.html": b"one"}).written == 1


def test_what_belongs_to_the_pages_no_more_goes_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "www", {"a.html": b"one", "b.html": b"two"})
    (tmp_path / "www" / "mine.html").write_bytes(b"mine")
    write(tmp_path / "www", {"a.html": b"one"})
    assert sorted(file.name for file in (tmp_path / "www").iterdir()) == [
        LIST,
        "a.html",
        "mine.html",
    ]


def test_a_file_that_was_made_of_the_same_is_kept_as_long_as_it_is_there(tmp_path: Path) -> None:
    first = SiteFolder(tmp_path)
    first.put("g.js", b"game", "key 1")
    first.finish()
    second = SiteFolder(tmp_path)
    assert not second.keep("g.js", "key 2")
    assert second.keep("g.js", "key 1")
    assert second.finish() == 1
    (tmp_path / "g.js").unlink()
    assert not SiteFolder(tmp_path).keep("g.js", "key 1")


@pytest.mark.parametrize("what", ["a file", "a folder of other files"])
def test_other_peoples_files_are_safe(tmp_path: Path, what: str) -> None:
    path = tmp_path / "thesis"
    if what == "a file":
        path.write_text("years of work")
    else:
        path.mkdir()
        (path / "chapter-1.tex").write_text("years of work")
    with pytest.raises(GiveUp, match="of their own"):
        SiteFolder(path)


def test_a_writing_that_was_killed_goes_on(tmp_path: Path) -> None:
    SiteFolder(tmp_path / "www").put("a.html", b"one")
    (tmp_path / "www" / ".b.html.new").write_bytes(b"tw")
    write(tmp_path / "www", {"a.html": b"one", "b.html": b"two"})
    assert (tmp_path / "www" / "b.html").read_bytes() == b"two"
    assert not (tmp_path / "www" / ".b.html.new").exists()


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}", "[" * 100_000, '{"a.html": 7}', "\udcff"])
def test_a_damaged_list_only_costs_time(tmp_path: Path, text: str) -> None:
    write(tmp_path / "www", {"a.html": b"one"})
    (tmp_path / "www" / LIST).write_bytes(text.encode(errors="surrogateescape"))
    assert write(tmp_path / "www", {"a.html": b"one"}).written == 1


def test_a_list_that_names_files_elsewhere_removes_none_of_them(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    write(tmp_path / "www", {"a.html": b"one"})
    names = {"../victim": "x", str(victim): "x", "b/../../victim": "x"}
    (tmp_path / "www" / LIST).write_text(json.dumps(names))
    write(tmp_path / "www", {"a.html": b"one"})
    assert victim.read_text() == "mine"
