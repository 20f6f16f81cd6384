"""The front page and the tables of all pages as people use them, in Chromium, without a server."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from contest.config.template import usual_dates
from contest.model import Phase
from reports.site.facts import SiteFacts
from reports.site.templates import SiteTemplates
from tests.support import other_contests
from tests.support.browser import DESK, TELEPHONE, Browser
from tests.support.german import german
from tests.support.site_files import facts_of, files_of

pytestmark = pytest.mark.slow
PHASES = ("before", "during", "after")


def in_phase(phase: str) -> SiteFacts:
    played = other_contests.ultimate_tic_tac_toe(16)
    dates = usual_dates(datetime.now(UTC) - timedelta(days=1))
    settings = played.settings.model_copy(update={"dates": dates})
    if phase == "after":
        return facts_of(settings, played.teams, played.history, played.ranking)
    facts = facts_of(settings, played.teams, played.history[:2])
    if phase == "during":
        return facts
    return replace(facts, phase=Phase.OPEN, playing={}, rounds=(), started_at=None)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("front")
    before = in_phase("before")
    in_german = replace(before, settings=german(before.settings))
    for phase, facts in (*((phase, in_phase(phase)) for phase in PHASES), ("german", in_german)):
        static = SiteTemplates(facts.settings, facts.game, ()).static()
        files = {path: text.encode() for path, text in files_of(facts).items()} | static
        for path, data in files.items():
            file = folder / phase / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def browser(pages: Path) -> Iterator[Browser]:
    found = Browser(pages)
    found.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
    yield found
    found.driver.quit()


def texts(browser: Browser, selector: str) -> list[str]:
    return [each.text for each in browser.all(selector)]


def until(browser: Browser, condition: Callable[[], Any]) -> None:
    WebDriverWait(browser.driver, 30.0).until(lambda _: condition())


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (TELEPHONE, "dark")])
@pytest.mark.parametrize("phase", PHASES)
def test_the_front_page_fits_its_screen_and_complains_about_nothing(
    browser: Browser, phase: str, size: tuple[int, int], scheme: str
) -> None:
    browser.open(f"{phase}/index.html", size, scheme)
    wide, room = browser.run(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= room
    assert browser.complaints() == []
    assert len(browser.all("h1")) == 1
    browser.shoot(f"front-{phase}-{size[0]}-{scheme}", size)


def test_times_are_told_in_the_readers_zone_too(browser: Browser) -> None:
    browser.open("before/index.html")
    for time in browser.all("time"):
        assert " UT" in time.text
        hour = (datetime.fromisoformat(time.get_attribute("datetime")) + timedelta(hours=9)).hour
        assert f"{hour % 12 or 12:02}:" in time.find_element(By.CSS_SELECTOR, ".local").text


def test_the_scripts_of_a_german_page_speak_german(browser: Browser) -> None:
    browser.open("german/index.html")
    (shown,) = texts(browser, ".countdown")
    assert re.fullmatch(r"Anmeldeschluss in\s\d+ Tagen( \d+ Stunden?)?", shown)
    button = browser.one(".letter button")
    assert button.text == "Formular kopieren"
    button.click()
    until(browser, lambda: texts(browser, ".letter [role=status]") == ["Kopiert."])


def test_the_countdown_leads_to_the_next_date(browser: Browser) -> None:
    browser.open("before/index.html")
    (shown,) = texts(browser, ".countdown")
    closes = datetime.fromisoformat(browser.all(".dates time")[2].get_attribute("datetime"))
    left = closes - datetime.now(UTC)
    assert shown.lower().startswith("registration closes in")
    assert f"{left.days} days" in shown
    assert texts(browser, ".dates .past th") == ["registration opens", "the compile service opens"]
    assert not any(note.is_displayed() for note in browser.all(".note"))


def column(browser: Browser, number: int) -> list[str]:
    return texts(browser, f".ranking tbody tr > :nth-child({number})")


def test_a_table_is_sorted_by_the_head_of_a_column_and_back(browser: Browser) -> None:
    browser.open("after/index.html")
    names, points = column(browser, 2), column(browser, 3)
    heads = browser.all(".ranking thead th")
    button = heads[1].find_element(By.TAG_NAME, "button")
    button.click()
    assert column(browser, 2) == sorted(names)
    assert heads[1].get_attribute("aria-sort") == "ascending"
    button.send_keys(Keys.ENTER)
    assert column(browser, 2) == sorted(names, reverse=True)
    assert heads[1].get_attribute("aria-sort") == "descending"
    heads[2].find_element(By.TAG_NAME, "button").click()
    shown = [float(text.replace(",", "")) for text in column(browser, 3) if text != "-"]
    assert shown == sorted(shown, reverse=True)
    assert [head.get_attribute("aria-sort") for head in heads].count(None) == len(heads) - 1
    heads[2].find_element(By.TAG_NAME, "button").send_keys(Keys.SPACE)
    assert [float(text.replace(",", "")) for text in column(browser, 3) if text != "-"] == sorted(
        shown
    )
    heads[2].find_element(By.TAG_NAME, "button").click()
    assert (column(browser, 2), column(browser, 3)) == (names, points)


def test_a_long_table_shows_the_rows_whose_name_has_some_letters(browser: Browser) -> None:
    browser.open("after/index.html")
    field = browser.one(".filter input")
    field.send_keys("Tic")
    assert list(filter(None, texts(browser, ".ranking tbody th"))) == ["tic"]
    until(browser, lambda: browser.one(".filter output").text == "1 of 16")
    field.clear()
    field.send_keys(" ")
    assert len(column(browser, 2)) == 16
    assert not browser.all(".dates ~ .filter")


def test_everything_is_there_without_scripts(pages: Path) -> None:
    plain = Browser(pages, javascript=False)
    try:
        plain.open("before/index.html")
        assert not plain.all(".filter, thead button, .local")
        assert not plain.one(".countdown").is_displayed()
        assert "registration closes" in plain.one(".dates").text
        assert plain.one(".letter .button").get_attribute("href").startswith("mailto:")
        plain.open("during/index.html")
        assert plain.all('noscript meta[http-equiv="refresh"]') or plain.all(
            'meta[http-equiv="refresh"]'
        )
    finally:
        plain.driver.quit()


OLDER = """
const real = Date.now;
let ahead = 0;
Date.now = () => real() + ahead;
window.wait = (seconds) => { ahead = 1000 * seconds; };
"""


def test_a_running_contests_page_renews_itself_unless_somebody_reads(browser: Browser) -> None:
    added = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": OLDER}
    )
    try:
        browser.open("during/index.html", TELEPHONE)
        browser.run("window.mark = 1; scrollTo(0, 900); wait(121)")
        until(browser, lambda: browser.all(".renew a"))
        assert browser.run("return window.mark") == 1
        browser.run("scrollTo(0, 0)")
        until(browser, lambda: browser.run("return window.mark") is None)
        browser.one("thead button").click()
        browser.run("window.mark = 1; document.activeElement.blur(); scrollTo(0, 0); wait(121)")
        until(browser, lambda: browser.all(".renew a"))
        assert browser.run("return window.mark") == 1
        browser.open("after/index.html")
        browser.run("window.mark = 1; wait(1000)")
        assert not browser.all('meta[name="renew"]')
    finally:
        browser.driver.execute_cdp_cmd(
            "Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]}
        )
