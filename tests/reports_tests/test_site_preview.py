"""What a link to the contest tells before it is followed: title and description."""

from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from contest.schema.sections import Site
from reports.site.facts import SiteFacts
from reports.site.front import preview
from reports.site.templates import SiteTemplates
from tests.support.site_files import before, files_of, offering

URL = "https://contest.example/spring"


@pytest.fixture(scope="module")
def over(small: SiteFacts) -> SiteFacts:
    """A contest that is over; at an address on the web."""
    return replace(small, settings=small.settings.model_copy(update={"site": Site(url=URL + "/")}))


class Head(HTMLParser):
    """The tags of a page's head: contents of `meta` by name or property, targets of `link` by
    relation."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: dict[str, list[str]] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "meta":
            self.meta[values.get("property") or values.get("name", "")] = values.get("content", "")
        if tag == "link":
            self.links.setdefault(values["rel"], []).append(values["href"])


def heads(files: Mapping[str, str]) -> dict[str, Head]:
    return {path: Head(text) for path, text in files.items() if path.endswith(".html")}


# --- tags -----------------------------------------------------------------------------------------
def test_every_page_says_what_a_link_to_it_tells(over: SiteFacts) -> None:
    found = heads(files_of(over))
    assert len(found) > 10
    for path, head in found.items():
        assert head.links["canonical"] == [f"{URL}/{path}"]
        assert head.meta["og:url"] == f"{URL}/{path}"
        assert head.meta["og:description"] == head.meta["description"] != ""
        assert over.settings.contest.title in head.meta["og:title"]
        assert head.meta["og:type"] == "website"
        assert head.meta["twitter:card"] == "summary"
    assert "1 patient_cooperator" in found["index.html"].meta["og:description"]
    assert found["rules.html"].meta["og:title"].startswith("Rules - ")


def test_without_an_address_links_tell_nothing(over: SiteFacts) -> None:
    facts = replace(over, settings=over.settings.model_copy(update={"site": Site()}))
    for head in heads(files_of(facts)).values():
        assert not any(name.startswith(("og:", "twitter:")) for name in head.meta)
        assert "canonical" not in head.links


def test_every_page_has_an_icon_that_is_there(over: SiteFacts) -> None:
    static = SiteTemplates(over.settings, over.game, ()).static()
    for path, head in heads(files_of(over)).items():
        up = "../" * path.count("/")
        assert head.links["icon"] == [f"{up}favicon.png", f"{up}favicon.svg"]
        assert {"favicon.png", "favicon.svg"} <= static.keys()
    assert static["favicon.png"].startswith(b"\x89PNG")
    assert static["favicon.svg"].startswith(b"<svg ")


# --- words ----------------------------------------------------------------------------------------
def test_before_the_contest_a_link_tells_its_dates(over: SiteFacts) -> None:
    told = preview(before(over))
    assert "Dates: registration closes 1994-05-12 12:00 UT, the compile service closes " in told
    assert ", the contest starts " in told


def test_after_the_contest_a_link_tells_the_best(over: SiteFacts, contest: Any) -> None:
    best = ", ".join(f"{s.rank} {s.entry}" for s in contest.ranking[:3])
    assert preview(over).endswith(f" Ranking: {best}.")


@pytest.mark.parametrize("offered", [(), ("OWN",), ("LAP",), ("BRK",)])
def test_a_link_names_no_team_where_the_ranking_is_not_public(
    over: SiteFacts, offered: tuple[str, ...]
) -> None:
    facts = offering(over, *offered)
    told = preview(facts)
    assert not any(name in told for name in facts.playing if name != "example")
    assert "show no results" in told
