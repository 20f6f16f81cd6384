"""The board for a projector in Chromium: the film of the day, and its turns while the contest
runs.

Screenshots stay in `build/screenshots`, to be looked at.
"""

from pathlib import Path

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.support import other_contests
from tests.support.browser import Browser
from tests.support.servers import wait_for
from tests.support.site_files import during, facts_of, write_site

pytestmark = pytest.mark.slow
SCREENS = ((1280, 900), (1920, 1080))
SHOWN = (
    "return Array.from(document.querySelectorAll('.scene:not([hidden]) h2'), x => x.textContent)"
)
IS_CUT = """
    return document.documentElement.scrollHeight > innerHeight
        || document.documentElement.scrollWidth > innerWidth;"""


def click(browser: Browser, words: str) -> None:
    buttons = browser.all(".controls button")
    next(each for each in buttons if each.text == words).click()


def test_the_day_is_played_as_a_film_and_nothing_is_cut(browser: Browser) -> None:
    browser.open("board.html", SCREENS[0])
    assert browser.run(SHOWN) == []
    assert not browser.run(IS_CUT)
    click(browser, "Play the day as a film")
    click(browser, "Pause")
    told = []
    for number in range(len(browser.all(".scene"))):
        told += browser.run(SHOWN)
        for size in SCREENS:
            browser.size(size)
            assert not browser.run(IS_CUT), (told, size)
            browser.shoot(f"board-{number}-{size[0]}", size)
        click(browser, "Next")
    assert told[-1] == "The winner"
    click(browser, "To the ranking")
    assert browser.run(SHOWN) == []


def test_lines_come_one_by_one_from_the_last_place_up(browser: Browser) -> None:
    browser.open("board.html", SCREENS[0])
    click(browser, "Play the day as a film")
    ActionChains(browser.driver).send_keys(Keys.TAB).perform()  # the keys belong to no button
    browser.run("document.activeElement.blur()")
    ActionChains(browser.driver).send_keys(Keys.ARROW_RIGHT).perform()
    hidden = "return document.querySelectorAll('.scene:not([hidden]) .to-come').length"
    lines = browser.run("return document.querySelectorAll('.scene:not([hidden]) li').length")
    assert browser.run(hidden) >= lines - 2
    first = "return document.querySelector('.scene:not([hidden]) li').className"
    assert "to-come" in browser.run(first)
    for _ in range(2):
        next(each for each in browser.all(".controls button") if "Speed" in each.text).click()
    wait_for(lambda: browser.run(hidden) == 0, "the first place")


def test_while_the_contest_runs_the_board_turns_by_itself(tmp_path: Path) -> None:
    played = other_contests.bid_tac_toe()
    facts = facts_of(played.settings, played.teams, played.history, played.ranking)
    write_site(tmp_path, during(facts, 1))
    browser = Browser(tmp_path)
    try:
        browser.open("board.html", SCREENS[0])
        assert browser.one(".standing").is_displayed()
        assert not browser.run(IS_CUT)
        browser.run("document.activeElement.blur()")
        ActionChains(browser.driver).send_keys(Keys.ARROW_RIGHT).perform()
        assert browser.run(SHOWN)
        assert not browser.one(".standing").is_displayed()
    finally:
        browser.driver.quit()
