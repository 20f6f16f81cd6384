"""The pages as people see them: in Chromium, from the files, without a server.

Screenshots stay in `build/screenshots`, to be looked at.
"""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from contest.games.registry import game_plugins
from contest.model import Phase
from knobeln import presets
from tests.support.browser import DESK, TELEPHONE, Browser
from tests.support.firefox import Firefox
from tests.support.site_contests import Played
from tests.support.site_files import facts_of, write_site

pytestmark = pytest.mark.slow


def test_every_page_can_be_reached_by_links_and_none_complains(
    browser: Browser, played: Played
) -> None:
    waiting, seen = ["index.html"], set()
    while waiting:
        page = waiting.pop()
        if page in seen or not page.endswith(".html"):
            continue
        seen.add(page)
        browser.open(page)
        links = browser.run("return Array.from(document.querySelectorAll('a[href]'), a => a.href)")
        for link in (
            each.partition("#")[0].partition("?")[0] for each in links if each.startswith("file:")
        ):
            file = Path(link.removeprefix("file://"))
            assert file.is_file(), f"{page}: {link}"
            waiting.append(str(file.relative_to(played.pages)))
        assert browser.complaints() == [], page
        assert browser.run("return document.querySelectorAll('h1').length") == 1
    assert seen == {str(each.relative_to(played.pages)) for each in played.pages.rglob("*.html")}


@pytest.mark.parametrize(
    "foreign",
    [
        "<img src=x onerror='window.hacked = 1'>",
        '<a id=foreign href="javascript:void(window.hacked = 1)">a team</a>',
        "<style>h1 { display: none }</style>",
        "<h2 style='position: fixed'>a team</h2>",
        "<img src='https://spy.example/picture.png'>",
        "<iframe src='https://spy.example/'></iframe>",
        "<form action='https://spy.example/'><button id=foreign>a team</button></form>",
    ],
)
def test_foreign_html_in_a_page_would_run_and_load_nothing(browser: Browser, foreign: str) -> None:
    browser.open("index.html")
    assert browser.complaints() == []
    browser.run(
        "document.querySelector('main').insertAdjacentHTML('afterbegin', arguments[0])", foreign
    )
    browser.run("document.querySelector('#foreign')?.click()")
    blocked: list[Any] = []

    def is_blocked() -> bool:
        blocked.extend(browser.complaints())
        return any("Content Security Policy" in each["message"] for each in blocked)

    WebDriverWait(browser.driver, 20.0).until(lambda _: is_blocked())
    assert browser.run("return window.hacked") is None
    assert browser.one("h1").is_displayed()


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (TELEPHONE, "dark")])
def test_no_page_is_wider_than_the_screen(
    browser: Browser, size: tuple[int, int], scheme: str
) -> None:
    team = "teams/the_heavy_lords_of_knobeln.html"
    pages = ["index", "rules", "questions", "commands", "announcement", "teams"]
    pages += [
        "rounds/1",
        "rounds/1.1",
        "rounds/2.1",
        "evolution",
        "certainty",
        "log",
        "board",
        "replay",
    ]
    for page in (*(f"{name}.html" for name in pages), team):
        browser.open(page, size, scheme)
        wide, room = browser.run(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room, page
        name = page.removesuffix(".html").replace("/", "-")
        browser.shoot(f"{name}-{size[0]}-{scheme}", size)


def test_no_page_is_wider_than_a_window_of_firefox(played: Played) -> None:
    firefox = Firefox()
    try:
        for page in ("index", "rounds/1.1", "evolution", "certainty", "replay", "teams", "board"):
            firefox.get(f"{played.pages.as_uri()}/{page}.html")
            wide = firefox.run(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide == 0, page
    finally:
        firefox.close()


def test_no_page_is_wider_than_a_telephone_with_firefox(played: Played) -> None:
    firefox = Firefox()
    game = next((played.pages / "games").glob("*.html")).stem
    try:
        for page in ("index", "rounds/1.1", "evolution", "teams", "board", f"games/{game}"):
            firefox.get_narrow(f"{played.pages.as_uri()}/{page}.html", 390)
            firefox.run(
                "for (const e of document.querySelectorAll('.picture .legend > span'))"
                " e.lastChild.textContent = 'a_name_of_thirty_characters___'"
            )
            assert firefox.run("return document.documentElement.scrollWidth") <= 390, page
    finally:
        firefox.close()


@pytest.mark.parametrize("page", ["index.html", "evolution.html", "log.html", "board.html"])
def test_on_a_telephone_all_that_counts_is_inside_the_screen(browser: Browser, page: str) -> None:
    browser.open(page, (390, 844))
    right = "return arguments[0].getBoundingClientRect().right"
    for selector in (
        "svg.wide",
        ".ranking tbody td:nth-of-type(2)",
        ".places .points",
        ".shares .share",
    ):
        assert all(browser.run(right, each) <= 390 for each in browser.all(selector)), selector
    entries = [each.rect["y"] for each in browser.all("nav > ul > li") if each.is_displayed()]
    assert len(set(entries)) <= 2


@pytest.mark.parametrize("page", ["index.html", "rounds/2.1.html"])
def test_the_first_stop_of_the_keyboard_is_covered_by_nothing(browser: Browser, page: str) -> None:
    browser.open(page)
    ActionChains(browser.driver).send_keys(Keys.TAB).perform()
    stop = browser.driver.switch_to.active_element
    assert stop.text == "To the content"
    at_its_place = "return document.elementFromPoint(arguments[0], arguments[1])"
    assert browser.run(at_its_place, stop.rect["x"] + 5, stop.rect["y"] + 5) == stop


def test_menus_open_one_at_a_time_and_lead_to_the_other_pages(browser: Browser) -> None:
    browser.open("index.html", (390, 844))
    menus = browser.all("details.menu")
    assert len(menus) == 2  # rounds, and what is read once
    for menu in menus:
        menu.find_element(By.TAG_NAME, "summary").click()
        assert [each.get_attribute("open") is not None for each in menus].count(True) == 1
        links = menu.find_elements(By.TAG_NAME, "a")
        assert len(links) > 1
        assert all(
            link.is_displayed() and link.rect["x"] + link.rect["width"] <= 390 for link in links
        )
    browser.run("document.querySelector('h1').click()")
    assert not browser.all("details.menu[open]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_that_shuts_people_out(browser: Browser, scheme: str) -> None:
    """Among it text that does not stand out from its ground, and names that are given twice."""
    team = "teams/the_heavy_lords_of_knobeln.html"
    texts = ("rules.html", "questions.html", "commands.html", "announcement.html")
    for page in ("index.html", *texts, "rounds/2.1.html", "evolution.html", "log.html", team):
        browser.open(page, DESK, scheme)
        assert browser.violations() == [], page


def test_the_pictures_are_there_and_say_what_they_are(browser: Browser) -> None:
    for page, selector, number in (("evolution.html", "svg.wide .bands path", 8),):
        browser.open(page)
        assert len(browser.all(selector)) >= number
        for picture in browser.all("svg"):
            assert picture.get_attribute("role") == "img"
            assert picture.get_attribute("aria-label")
            assert picture.size["width"] > 200
            assert picture.size["height"] > 100


def test_the_cross_table_leads_to_games_and_the_keyboard_past_it(browser: Browser) -> None:
    browser.open("rounds/2.1.html")
    link = browser.one(".cross tbody tr td:nth-of-type(2) a")  # the best against the second
    assert "underline" in link.value_of_css_property("text-decoration-line")
    names = [link.text for link in browser.all(".cross tbody th a")]
    assert all(name in link.get_attribute("href") for name in names[:2])
    past = browser.one(".skip.past")
    assert past.rect["x"] < 0
    browser.one("main a[href$='index.html#ranking']").send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element == past
    assert past.rect["x"] > 0
    past.send_keys(Keys.ENTER)
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.get_attribute("href").endswith(".games.csv")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a contest of each game before its start, in a folder of its own."""
    path = tmp_path_factory.mktemp("texts")
    for name in game_plugins():
        settings = presets.settings(name, datetime(2026, 3, 1, tzinfo=UTC))
        write_site(
            path / name, replace(facts_of(settings, {}, ()), phase=Phase.OPEN, started_at=None)
        )
    return path


WIDE = """
const wide = Array.from(document.querySelectorAll("main *")).filter(
  (e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "auto");
const names = Array.from(document.querySelectorAll("[role=region], nav, section[aria-labelledby]"),
  (e) => e.getAttribute("aria-label") || e.getAttribute("aria-labelledby"));
const ids = Array.from(document.querySelectorAll("[id]"), (e) => e.id);
return {
  wide: wide.length,
  unreachable: wide.filter((e) => e.tabIndex < 0 || !e.getAttribute("aria-label")).length,
  page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  twice: [...names, ...ids].filter((name, at, all) => all.indexOf(name) !== at
    && names.includes(name) + ids.includes(name) < 2),
};
"""


@pytest.mark.parametrize(
    "page", ["rules.html", "questions.html", "commands.html", "announcement.html"]
)
def test_wide_parts_of_texts_can_be_moved_by_keyboard(texts: Path, page: str) -> None:
    browser = Browser(texts)
    try:
        wide = 0
        for name in game_plugins():
            browser.open(f"{name}/{page}", TELEPHONE)
            browser.run("document.querySelectorAll('details').forEach((each) => each.open = true)")
            found = browser.run(WIDE)
            assert (found["unreachable"], found["page"], found["twice"]) == (0, 0, []), name
            assert browser.complaints() == [], name
            wide += found["wide"]
        assert wide > 3
    finally:
        browser.driver.quit()


def test_a_sample_letter_is_there_for_the_keyboard(texts: Path) -> None:
    browser = Browser(texts)
    try:
        browser.open("knobeln/commands.html")
        letter = browser.one("#withdraw ~ details")
        assert not letter.find_element(By.CSS_SELECTOR, "a").is_displayed()
        letter.find_element(By.CSS_SELECTOR, "summary").send_keys(Keys.ENTER)
        link = letter.find_element(By.CSS_SELECTOR, "a")
        assert link.is_displayed()
        assert link.get_attribute("href").startswith(
            "mailto:knobeln@localhost.example?subject=withdraw&body="
        )
        browser.open("knobeln/rules.html")
        browser.one('a[href="#this-contest"]').send_keys(Keys.ENTER)
        top = browser.run(
            "return document.getElementById('this-contest').getBoundingClientRect().top"
        )
        assert -1 < top < DESK[1] / 2
    finally:
        browser.driver.quit()


def test_on_paper_there_is_no_navigation(browser: Browser) -> None:
    browser.open("rounds/1.1.html")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert not browser.one("nav").is_displayed()
    assert browser.one(".cross").is_displayed()
    assert browser.one("body").value_of_css_property("background-color") == "rgba(255, 255, 255, 1)"
