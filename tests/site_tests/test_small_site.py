"""The folder of pages of a small contest that is over, written and looked at without a browser."""

import re
from pathlib import Path

import pytest

from knobeln.archive.export import packed
from knobeln.context import ContestContext
from knobeln.server.site_writer import SiteWriter
from store import results
from store.results import Games

LINK = re.compile(r'(?:href|src)="([^"#?:]+)["#?]')


def write(contest: ContestContext, pages: Path) -> None:
    for _ in SiteWriter(contest, pages, packed).steps():
        pass


def stamps(pages: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in pages.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def pages(finished: ContestContext, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    write(finished, folder)
    return folder


def test_the_front_page_has_the_ranking_that_the_store_has(
    pages: Path, finished: ContestContext
) -> None:
    with finished.store.read() as tx:
        (final,) = results.finished_rounds(tx, Games.NONE)
    page = (pages / "index.html").read_text()
    assert "The contest is over." in page
    winner, *_ = (line.entry for line in final.groups[0].standings)
    assert winner in page


def test_every_link_leads_to_a_file_that_was_written(pages: Path) -> None:
    for page in pages.rglob("*.html"):
        for link in LINK.findall(page.read_text()):
            assert (page.parent / link).resolve().is_file(), (page.name, link)


def test_what_has_not_changed_is_not_written_again(pages: Path, finished: ContestContext) -> None:
    before = stamps(pages)
    write(finished, pages)
    assert stamps(pages) == before
