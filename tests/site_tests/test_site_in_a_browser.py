"""The pages as people see them: in Chromium, from the files, without a server.

Screenshots stay in `build/screenshots`, to be looked at.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from reports.site.templates import SiteTemplates
from tests.support import other_contests
from tests.support.site_contests import Played
from tests.support.site_files import facts_of, files_of

pytestmark = pytest.mark.slow
SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
PATIENCE = 120.0
DESK, TELEPHONE = (1200, 900), (360, 740)


def program(*names: str) -> str:
    """Where the first of these is; without any the test is skipped, or fails where CI is set."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        text = f"{names[0]} is not installed: run `tools/system-packages --for-tests`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(text)
    return str(found)


class Browser:
    """Chromium with one page open, of one size, in one colour scheme."""

    def __init__(self, pages: Path, *, javascript: bool = True) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = program("chromium", "chromium-browser")
        for argument in (
            "headless=new",
            "no-sandbox",
            "disable-gpu",
            "disable-dev-shm-usage",
            "hide-scrollbars",
        ):
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if not javascript:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2}
            )
        service = Service(program("chromedriver"), env={**os.environ, "SE_OFFLINE": "true"})
        self.driver = webdriver.Chrome(options=options, service=service)
        self.pages = pages

    def open(self, page: str, size: tuple[int, int] = DESK, scheme: str = "light") -> None:
        self.size(size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
        self.driver.get((self.pages / page).as_uri())

    def size(self, size: tuple[int, int]) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == TELEPHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def shoot(self, name: str, size: tuple[int, int]) -> None:
        """Keep the whole page as a picture, up to some screens of it."""
        height = min(3_000, int(self.run("return document.documentElement.scrollHeight")))
        self.size((size[0], height))
        SHOTS.mkdir(parents=True, exist_ok=True)
        (SHOTS / f"{name}.png").write_bytes(self.driver.get_screenshot_as_png())

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def complaints(self) -> list[Any]:
        """What the page wrote to the console, errors and failed requests among it."""
        return list(self.driver.get_log("browser"))


@pytest.fixture(scope="module")
def browser(played: Played) -> Iterator[Browser]:
    found = Browser(played.pages)
    yield found
    found.driver.quit()


@pytest.fixture(scope="module")
def game(played: Played) -> str:
    """A game of the final between two."""
    games = sorted((played.pages / "games").glob("2.*.html"))
    return next(f"games/{g.name}" for g in games if g.name.split(".")[1] != g.name.split(".")[2])


def test_every_page_can_be_reached_by_links_and_none_complains(browser: Browser, played: Played) -> None:
    waiting, seen = ["index.html"], set()
    while waiting:
        page = waiting.pop()
        if page in seen or not page.endswith(".html"):
            continue
        seen.add(page)
        if page.startswith("games/") and sum(each.startswith("games/") for each in seen) > 5:
            continue  # they are all alike
        browser.open(page)
        links = browser.run("return Array.from(document.querySelectorAll('a[href]'), a => a.href)")
        for link in (each.partition("#")[0] for each in links if each.startswith("file:")):
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
    browser.run("document.querySelector('main').insertAdjacentHTML('afterbegin', arguments[0])", foreign)
    browser.run("document.querySelector('#foreign')?.click()")
    blocked: list[Any] = []

    def is_blocked() -> bool:
        blocked.extend(browser.complaints())
        return any("Content Security Policy" in each["message"] for each in blocked)

    WebDriverWait(browser.driver, 20.0).until(lambda _: is_blocked())
    assert browser.run("return window.hacked") is None
    assert browser.one("h1").is_displayed()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, TELEPHONE], ids=["desk", "telephone"])
def test_no_page_is_wider_than_the_screen(
    browser: Browser, size: tuple[int, int], scheme: str, game: str
) -> None:
    team = "teams/the_heavy_lords_of_knobeln.html"
    pages = ["index", "teams", "rounds/1", "rounds/1.1", "rounds/2.1", "evolution", "log"]
    for page in (*(f"{name}.html" for name in pages), team, game):
        browser.open(page, size, scheme)
        wide, room = browser.run(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room, page
        name = "games" if page == game else page.removesuffix(".html").replace("/", "-")
        browser.shoot(f"{name}-{size[0]}-{scheme}", size)


EDGES = """
const [e, picture, done] = arguments;
const raw = new Blob([Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))]);
createImageBitmap(raw).then((image) => {
  const paper = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  [paper.canvas.width, paper.canvas.height] = [image.width, image.height];
  paper.drawImage(image, 0, 0);
  const box = e.getBoundingClientRect(), y = Math.round(box.top) + 3;
  done([box.left + 1, box.right - 2, box.left - 3].map(
    (x) => "rgb(" + paper.getImageData(Math.round(x), y, 1, 1).data.slice(0, 3).join(", ") + ")"));
});
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_can_be_moved_sideways_shows_it_at_its_edges(browser: Browser, scheme: str) -> None:
    def shades(found: Any) -> tuple[bool, bool]:
        """Whether its left and its right edge look different from the paper."""
        picture = browser.driver.get_screenshot_as_base64()
        left, right, paper = browser.driver.execute_async_script(EDGES, found, picture)
        return left != paper, right != paper

    team = "teams/the_heavy_lords_of_knobeln.html"
    for page, selector in ((team, "main table"), ("evolution.html", "svg.wide")):
        browser.open(page, TELEPHONE, scheme)
        found = browser.run("return document.querySelector(arguments[0]).closest('.scroll')", selector)
        browser.run("arguments[0].scrollIntoView()", found)
        browser.run("arguments[0].style.scrollbarWidth = 'none'", found)
        seen = []
        for at in ("0", "20", "arguments[0].scrollWidth"):
            browser.run(f"arguments[0].scrollLeft = {at}", found)
            seen.append(shades(found))
        assert seen == [(False, True), (True, True), (True, False)], page
        browser.open(page, DESK, scheme)
        found = browser.run("return document.querySelector(arguments[0]).closest('.scroll')", selector)
        browser.run("arguments[0].scrollIntoView()", found)
        assert shades(found) == (False, False), page


def luminance(colour: str) -> float:
    """Of `rgb(1, 2, 3)`, as the guidelines for accessible pages (WCAG 2) compute it."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


COLOURS = """
const opaque = (e) => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (c !== "rgba(0, 0, 0, 0)" && c !== "transparent") return c;
  }
  return getComputedStyle(document.body).backgroundColor;
};
return Array.from(document.querySelectorAll("p, th, td, a, caption, figcaption, summary, time, h1, h2"))
  .filter((e) => e.checkVisibility() && e.textContent.trim())
  .map((e) => [e.tagName, e.className, getComputedStyle(e).color, opaque(e)]);
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser: Browser, scheme: str, game: str) -> None:
    for page in ("index.html", "rounds/1.1.html", "evolution.html", "log.html", game):
        browser.open(page, DESK, scheme)
        for tag, name, colour, ground in browser.run(COLOURS):
            dark, light = sorted((luminance(colour), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{page}: {tag} {name} {colour} on {ground}"


def test_the_pictures_are_there_and_say_what_they_are(browser: Browser, game: str) -> None:
    for page, selector, number in (
        ("evolution.html", "svg.wide .bands path", 8),
        (game, "svg.curves polyline", 4),
    ):
        browser.open(page)
        assert len(browser.all(selector)) >= number
        for picture in browser.all("svg"):
            assert picture.get_attribute("role") == "img"
            assert picture.get_attribute("aria-label")
            assert picture.size["width"] > 200
            assert picture.size["height"] > 100


def test_a_game_is_replayed_throw_by_throw(browser: Browser, game: str) -> None:
    browser.open(game)
    rows = browser.run(
        "return Array.from(document.querySelectorAll('#turns tbody tr'),"
        " r => Array.from(r.cells, c => c.textContent.trim()))"
    )

    def shown() -> list[str]:
        found: list[str] = browser.run(
            "return Array.from(document.querySelectorAll('.now dd'), d => d.textContent)"
        )
        return found

    def press(to: str) -> None:
        browser.one(f'[data-to="{to}"]').click()

    assert len(rows) == 1000
    assert shown() == rows[0]  # before anybody touches it
    press("on")
    press("on")
    press("back")
    assert shown() == rows[1]
    press("last")
    assert shown() == rows[-1]
    cursors = browser.all(".cursor")
    assert [c.get_attribute("transform") for c in cursors] == ["translate(1000 0)"] * 2
    assert {c.value_of_css_property("visibility") for c in cursors} == {"visible"}
    press("first")
    assert shown() == rows[0]
    slider = browser.one("#replay input")
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert shown() == rows[2]
    assert slider.get_attribute("aria-valuetext") == "throw 3"
    press("play")
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: int(shown()[0]) > 8)
    press("play")
    at = int(shown()[0])
    browser.shoot("replay", DESK)
    assert shown() == rows[at - 1]
    press("last")
    press("play")  # from the end it begins anew
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: 0 < int(shown()[0] or 0) < 900)
    press("play")
    assert browser.complaints() == []


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a contest that is played on boards."""
    played = other_contests.ultimate_tic_tac_toe()
    facts = facts_of(played.settings, played.teams, played.history, played.ranking)
    pages = tmp_path_factory.mktemp("boards")
    files = files_of(facts) | {
        name: data.decode() for name, data in SiteTemplates(facts.settings, facts.game, ()).static().items()
    }
    for path, text in files.items():
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        (pages / path).write_text(text, encoding="utf-8")
    return pages


def test_a_board_goes_along_with_the_turns(boards: Path) -> None:
    browser = Browser(boards)
    path = next(
        page for page in sorted((boards / "games").glob("*.html")) if 'class="board"' in page.read_text()
    )
    moves = [
        int(str(row["seat_1"] if row["seat_1"] is not None else row["seat_2"]).lstrip("!"))
        for row in json.loads(path.with_suffix(".moves.json").read_text())
    ]

    def signs() -> list[str]:
        found: list[str] = browser.run(
            "return Array.from(document.querySelectorAll('.board g text:not(.small)'), t => t.textContent)"
        )
        return found

    def after(turns: int) -> list[str]:
        """The squares row by row, as these moves leave them."""
        of_square = {square: "XO"[number % 2] for number, square in enumerate(moves[:turns])}
        return [
            of_square.get(27 * (row // 3) + 9 * (column // 3) + 3 * (row % 3) + column % 3, "")
            for row in range(9)
            for column in range(9)
        ]

    try:
        browser.open(f"games/{path.name}")
        assert signs() == after(len(moves))
        browser.one('[data-to="first"]').click()
        assert signs() == [""] * 81
        assert browser.all(".now dd")[0].text == "0"
        for turn in (1, 2, 3):
            browser.one('[data-to="on"]').click()
            assert signs() == after(turn)
            assert len(browser.all(".board .now")) == 1
        browser.shoot("board", DESK)
        browser.one('[data-to="back"]').click()
        assert signs() == after(2)
        row = browser.one("#turns tr.now")
        assert row.value_of_css_property("display") == "table-row"
        assert browser.one(".board .caption").text.endswith("X moves next, in board " + f"{moves[1] % 9}.")
        assert browser.complaints() == []
    finally:
        browser.driver.quit()


def test_everything_can_be_read_without_javascript(played: Played, game: str) -> None:
    browser = Browser(played.pages, javascript=False)
    try:
        browser.open(game)
        assert not browser.one("#replay").is_displayed()
        assert len(browser.all("svg.curves polyline")) == 4
        browser.one("details:not([open]) summary").click()
        assert browser.one("#turns tbody tr:last-child th").text == "1000"
        assert browser.one("#turns tbody tr:last-child").is_displayed()
    finally:
        browser.driver.quit()


def test_the_keyboard_finds_links_tables_and_controls(browser: Browser, game: str) -> None:
    browser.open(game)
    reached = []
    for _ in range(40):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(
            browser.run("const e = document.activeElement; return e.className || e.dataset.to || e.tagName")
        )
    assert reached[0] == "skip"
    assert {"A", "scroll", "first", "play", "INPUT", "SELECT", "SUMMARY"} <= set(reached)


def test_the_cross_table_leads_to_games_and_the_keyboard_past_it(browser: Browser) -> None:
    browser.open("rounds/2.1.html")
    link = browser.one(".cross tbody tr td:nth-of-type(2) a")  # the best against the second
    assert "underline" in link.value_of_css_property("text-decoration-line")
    names = [link.text for link in browser.all(".cross tbody th a")]
    assert all(name in link.get_attribute("href") for name in names[:2])
    past = browser.one(".skip.past")
    assert past.rect["x"] < 0
    browser.one(".files a[href*='ranking'][href$=json]").send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element == past
    assert past.rect["x"] > 0
    past.send_keys(Keys.ENTER)
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.get_attribute("href").endswith(".games.csv")


def test_on_paper_there_are_neither_controls_nor_navigation(browser: Browser, game: str) -> None:
    browser.open(game)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert not browser.one("#replay").is_displayed()
    assert not browser.one("nav").is_displayed()
    assert browser.one("svg.curves").is_displayed()
    assert browser.one("body").value_of_css_property("background-color") == "rgba(255, 255, 255, 1)"
