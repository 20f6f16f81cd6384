"""The page of several archives, of which some may be of strangers."""

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.support.archives import Mended, Published, knobeln
from trust.archive import files


class Links(HTMLParser):
    """The addresses to which a page links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]


@pytest.fixture
def folder(tmp_path: Path, tiny: Published, mended: Mended) -> Path:
    """Two good archives, one of a German contest, a damaged one, and what is none."""

    def changed(contents: dict[str, bytes]) -> None:
        facts = json.loads(contents["contest.json"])
        facts["started_at"] = "2001-01-01T12:00:00Z"
        told = {
            "title": "Sommer <b>2001</b>",
            "language": "de",
            "licence": "CC BY 4.0 & <i>more</i>",
        }
        facts["settings"]["contest"] |= told
        contents["contest.json"] = files.to_json(facts, Any)

    shutil.copytree(tiny.archive, tmp_path / "all" / "first one")
    (tmp_path / "all" / "first one.tar.gz").write_bytes(b"")
    mended(tiny.archive, changed).rename(tmp_path / "all" / "sommer")
    shutil.copytree(tiny.archive, tmp_path / "all" / "damaged")
    (tmp_path / "all" / "damaged" / "rules.md").write_text("others")
    (tmp_path / "all" / "no_archive").mkdir()
    return tmp_path / "all"


def test_the_page_lists_archives_with_their_licences_the_newest_first(folder: Path) -> None:
    said = knobeln("site", folder, "--archives")
    assert said.exit_code == 0, said.output
    assert "damaged is left out: rules.md was changed" in said.output
    assert "2 archives on the page" in said.output
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page.startswith('<!doctype html>\n<html lang="de">')
    assert page.index("Sommer &lt;b&gt;2001&lt;/b&gt;") < page.index(
        "International KNOBELN contest"
    )
    assert "<dt>Lizenz</dt><dd>CC BY 4.0 &amp; &lt;i&gt;more&lt;/i&gt;</dd>" in page
    assert "<dt>Lizenz</dt><dd>Der Veranstalter nennt keine.</dd>" in page
    assert page.count("3 Programme") == 2
    links = Links(page).found
    assert links == [
        "sommer/announcement.txt",
        "sommer/verify.html",
        "first%20one/announcement.txt",
        "first%20one/verify.html",
        "first%20one.tar.gz",
    ]
    assert all((folder / link.replace("%20", " ")).is_file() for link in links)


def test_the_page_is_written_again_but_nobody_elses_is(folder: Path) -> None:
    knobeln("site", folder, "--archives")
    before = (folder / "index.html").read_bytes()
    assert knobeln("site", folder, "--archives").exit_code == 0
    assert (folder / "index.html").read_bytes() == before
    (folder / "index.html").write_text("my own")
    refused = knobeln("site", folder, "--archives")
    assert refused.exit_code == 1
    assert "is not a page of ours" in refused.output
    assert (folder / "index.html").read_text() == "my own"


def test_a_folder_without_archives_gets_no_page(tmp_path: Path) -> None:
    refused = knobeln("site", tmp_path, "--archives")
    assert refused.exit_code == 1
    assert "there is no archive in" in refused.output
    assert not list(tmp_path.iterdir())
