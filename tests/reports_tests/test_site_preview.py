"""What a link to the contest shows before it is followed: tags, and a picture of our own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFont

from contest.config.sections import Reports, Site
from contest.model import Phase
from reports.site.canvas import drawable
from reports.site.facts import SiteFacts
from reports.site.featured import SURPRISES
from reports.site.pages import files as other_files
from reports.site.picture import picture
from reports.site.preview import SIZE, Preview, Row, preview
from reports.site.templates import SiteTemplates
from tests.support import other_contests
from tests.support.site_files import facts_of, field, files_of, games_in, pictures_in

URL = "https://contest.example/spring"


@pytest.fixture(scope="module")
def over(settings: Any, contest: Any) -> SiteFacts:
    """A contest that is over, at an address on the web, without pages of games."""
    settings = settings.model_copy(update={"site": Site(url=URL + "/", max_games=0)})
    return facts_of(
        settings, contest.teams, (contest.first, contest.final), contest.ranking, contest.evolution
    )


def before(over: SiteFacts) -> SiteFacts:
    return replace(
        over, phase=Phase.OPEN, playing={}, rounds=(), ranking=(), evolution=None, seed=None, started_at=None
    )


def offering(facts: SiteFacts, *offered: str) -> SiteFacts:
    changes = {"reports": Reports(offered=offered)}
    return replace(facts, settings=facts.settings.model_copy(update=changes))


class Head(HTMLParser):
    """The tags of a page's head: contents of `meta` by name or property, targets of `link` by relation."""

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


# --- tags --------------------------------------------------------------------------------------------------
def test_every_page_says_what_a_link_to_it_shows(over: SiteFacts) -> None:
    image = dict(other_files(over))["preview.png"]
    width, height = Image.open(BytesIO(image)).size
    found = heads(files_of(over))
    assert len(found) > 10
    for path, head in found.items():
        assert head.links["canonical"] == [f"{URL}/{path}"]
        assert head.meta["og:url"] == f"{URL}/{path}"
        assert head.meta["og:image"] == f"{URL}/preview.png"
        assert (head.meta["og:image:width"], head.meta["og:image:height"]) == (str(width), str(height))
        assert head.meta["og:description"] == head.meta["description"] != ""
        assert over.settings.contest.title in head.meta["og:title"]
        assert "1 patient_cooperator" in head.meta["og:image:alt"]
        assert head.meta["og:type"] == "website"
        assert head.meta["twitter:card"] == "summary_large_image"
    assert found["rules.html"].meta["og:title"].startswith("Rules - ")
    assert found["rules.html"].meta["og:description"].startswith("The rules of KNOBELN")


GAMES = {
    "ultimate-tic-tac-toe": other_contests.ultimate_tic_tac_toe,
    "bid-tac-toe": other_contests.bid_tac_toe,
    "cooperation": other_contests.cooperation,
    "standoff": other_contests.standoff,
}


@pytest.fixture(scope="module", params=[*GAMES])
def with_games(request: pytest.FixtureRequest) -> SiteFacts:
    """A contest of another game that is over, at an address on the web."""
    played = GAMES[request.param]()
    at_home = played.settings.model_copy(update={"site": Site(url=URL)})
    return facts_of(at_home, played.teams, played.history, played.ranking)


def test_a_link_to_a_game_shows_its_story_and_its_picture(with_games: SiteFacts) -> None:
    files, drawn = files_of(with_games), pictures_in(with_games)
    found = {path: head for path, head in heads(files).items() if path.startswith("games/")}
    assert {path.replace(".html", ".png") for path in found} == set(drawn) != set()
    games = games_in(files)
    for path, head in found.items():
        key = path.removeprefix("games/").removesuffix(".html")
        image = path.replace(".html", ".png")
        assert head.meta["og:image"] == f"{URL}/{image}"
        assert head.meta["og:title"].startswith(field(games[key], "title")[0])
        assert head.meta["og:description"] == field(games[key], "story")[0]
        assert head.meta["og:image:alt"].endswith(head.meta["og:description"])
        assert Image.open(BytesIO(drawn[image])).size == SIZE
        assert len(drawn[image]) < 100_000


def test_pictures_of_games_differ(with_games: SiteFacts) -> None:
    drawn = pictures_in(with_games)
    assert len(set(drawn.values())) == len(drawn)
    for one in drawn.values():
        # Much is drawn on the paper, and not all of it in one colour.
        counts = Image.open(BytesIO(one)).convert("RGB").getcolors(1_000_000)
        assert counts is not None
        assert sum(count for count, _ in counts) - max(count for count, _ in counts) > 20_000
        assert len(counts) > 20


def test_every_surprise_of_the_front_page_has_a_page_as_long_as_the_contest_runs() -> None:
    played = other_contests.bid_tac_toe()
    facts = facts_of(played.settings, played.teams, played.history)
    files = files_of(facts)
    links = re.findall(r'<li><a href="(games/[^"]+\.html)">', files["index.html"])
    assert 0 < len(links) <= SURPRISES
    over = files_of(facts_of(played.settings, played.teams, played.history, played.ranking))
    assert all(link in files and link in over for link in links)
    settings = played.settings.model_copy(update={"site": Site(max_games=1)})
    few = files_of(facts_of(settings, played.teams, played.history))
    assert len(games_in(few)) == 1
    assert all(link in few and link in few["index.html"] for link in links)


def test_a_link_to_a_team_shows_how_it_did(over: SiteFacts) -> None:
    shown = heads(files_of(over))["teams/patient_cooperator.html"].meta
    assert shown["og:title"].startswith("patient_cooperator - ")
    assert re.search(r": rank 1 in the contest, \d[\d.]* % of the evolution$", shown["og:description"])
    untold = heads(files_of(offering(over, "LAP")))["teams/patient_cooperator.html"].meta
    assert "rank" not in untold["og:description"]
    assert "evolution" not in untold["og:description"]


def test_without_an_address_links_show_nothing_and_there_is_no_picture(over: SiteFacts) -> None:
    facts = replace(over, settings=over.settings.model_copy(update={"site": Site(max_games=0)}))
    assert "preview.png" not in dict(other_files(facts))
    for head in heads(files_of(facts)).values():
        assert not any(name.startswith(("og:", "twitter:")) for name in head.meta)
        assert "canonical" not in head.links


def test_every_page_has_an_icon_that_is_there(over: SiteFacts) -> None:
    static = SiteTemplates(over.settings, over.game, ()).static()
    for path, head in heads(files_of(over)).items():
        up = "../" * path.count("/")
        assert head.links["icon"] == [f"{up}favicon.png", f"{up}favicon.svg"]
        assert {"favicon.png", "favicon.svg"} <= static.keys()
    assert Image.open(BytesIO(static["favicon.png"])).size == (180, 180)
    assert static["favicon.svg"].startswith(b"<svg ")


# --- words -------------------------------------------------------------------------------------------------
def test_before_the_contest_a_link_shows_its_dates(over: SiteFacts) -> None:
    shown = preview(before(over))
    assert [row.label for row in shown.rows] == [
        "registration closes",
        "the compile service closes",
        "the contest starts",
    ]
    assert "Dates: registration closes 1994-05-12 12:00 UT, " in shown.description


def test_after_the_contest_a_link_shows_the_best_of_both_disciplines(over: SiteFacts, contest: Any) -> None:
    shown = preview(over)
    assert [(row.label, row.text) for row in shown.rows] == [
        (str(s.rank), s.entry) for s in contest.ranking[:3]
    ]
    assert [row.label for row in shown.evolved] == ["patient_cooperator", "silent"]


def test_teams_that_share_a_rank_share_a_row(over: SiteFacts) -> None:
    tied = tuple(replace(standing, rank=1 if at < 2 else 3) for at, standing in enumerate(over.ranking))
    rows = preview(replace(over, ranking=tied)).rows
    assert [row.label for row in rows] == ["1", "3"]
    assert rows[0].text == f"{tied[0].entry} and {tied[1].entry}"


@pytest.mark.parametrize("offered", [(), ("OWN",), ("LAP",), ("BRK",)])
def test_a_link_names_no_team_where_the_ranking_is_not_public(
    over: SiteFacts, offered: tuple[str, ...]
) -> None:
    facts = offering(over, *offered)
    shown = preview(facts)
    assert not shown.evolved
    assert not any(name in shown.description for name in facts.playing if name != "example")
    assert "show no results" in shown.description
    hidden = replace(facts, evolution=None)
    assert dict(other_files(facts))["preview.png"] == dict(other_files(hidden))["preview.png"]


# --- the picture -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("when", ["before", "over"])
def test_the_picture_has_the_size_that_messengers_ask_for(over: SiteFacts, when: str) -> None:
    facts = over if when == "over" else before(over)
    data = dict(other_files(facts))["preview.png"]
    found = Image.open(BytesIO(data))
    assert (found.format, found.size) == ("PNG", (1200, 630))
    assert len(data) < 100_000
    assert data == dict(other_files(facts))["preview.png"]


def test_the_picture_shows_the_evolution_in_its_shares(over: SiteFacts, contest: Any) -> None:
    shown = picture(preview(over), over.evolution)
    pixels = Image.open(BytesIO(shown)).convert("RGB")
    column = [pixels.getpixel((1130, y)) for y in range(330, 520)]
    best = (0x3F, 0x8F, 0xD6)
    near = sum(all(abs(a - b) < 12 for a, b in zip(pixel, best, strict=True)) for pixel in column)
    first = contest.evolution.ranking[0].fraction
    assert near / len(column) == pytest.approx(first[0] / first[1], abs=0.12)


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=120), st.text(min_size=1, max_size=60))
def test_a_picture_can_be_drawn_of_any_words(title: str, text: str) -> None:
    data = picture(Preview(title, text, "Ranking", (Row("1", text), Row(text, title))), None)
    assert Image.open(BytesIO(data)).size == (1200, 630)


def test_long_words_stay_within_the_picture() -> None:
    data = picture(Preview("W" * 300, "x " * 900, "Ranking", (Row("1", "n" * 200),)), None)
    pixels = Image.open(BytesIO(data)).convert("RGB")
    background = pixels.getpixel((0, 0))
    assert all(pixels.getpixel((x, y)) == background for x in range(1150, 1200) for y in range(0, 630, 3))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("KNOBELN 2027!", "KNOBELN 2027!"),
        ("Großer Preis für Jörg", "Grosser Preis fuer Joerg"),
        ("Łukasz, Çelik, Škoda, Ñandú", "Lukasz, Celik, Skoda, Nandu"),
        ("囲碁", "??"),
    ],
)
def test_without_dejavu_letters_are_spelled_in_ascii(text: str, shown: str) -> None:
    assert drawable(text, ImageFont.load_default(40)) == shown


def test_dejavu_has_the_letters_of_europe() -> None:
    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 40)
    except OSError:
        pytest.skip("DejaVu is not installed: run `tools/system-packages`")
    text = "Größe, Łukasz, Çelik, Škoda, Ñandú, ÆØÅ, Œuvre, Ελλάδα, Россия"
    assert drawable(text, font) == text


def test_an_icon_of_the_organizers_own_wins(over: SiteFacts, tmp_path: Any) -> None:
    (tmp_path / "favicon.svg").write_text("<svg/>")
    assert SiteTemplates(over.settings, over.game, (), tmp_path).static()["favicon.svg"] == b"<svg/>"


def test_titles_of_strangers_stay_text_in_the_tags(over: SiteFacts) -> None:
    contest = over.settings.contest.model_copy(update={"title": '"><script>alert(1)</script>'})
    facts = replace(over, settings=over.settings.model_copy(update={"contest": contest}))
    for path, text in files_of(facts).items():
        if path.endswith(".html"):
            assert not re.search("<script>alert", text), path
            assert Head(text).meta["og:site_name"] == contest.title
