"""The evolution, cross tables, brackets and pages of teams in Chromium: by pointer and by keyboard.

Screenshots stay in `build/screenshots`, to be looked at.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from contest.model import EvolutionEnding, EvolutionOutcome, EvolutionRank
from tests.support import other_contests
from tests.support.browser import Browser
from tests.support.site_contests import Played
from tests.support.site_files import facts_of, rows_of, write_site

pytestmark = pytest.mark.slow
DESK, TELEPHONE = (1400, 900), (390, 844)


def table(played: Played, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rows_of((played.pages / f"{name}.csv").read_text())
    return found


# --- colours --------------------------------------------------------------------------------------
def test_a_team_has_the_same_colour_on_all_pages(browser: Browser, played: Played) -> None:
    leaders = re.findall(r'\[data-team="(\w+)"\]', (played.pages / "colours.css").read_text())
    assert len(leaders) == 8
    marks: dict[str, set[str]] = {name: set() for name in leaders}
    others = set()
    for page in ("index.html", "evolution.html", "rounds/2.1.html", "teams.html"):
        browser.open(page)
        for name, content, colour in browser.run("""
            return Array.from(document.querySelectorAll("main a[href*='teams/']"), (link) => {
              const mark = getComputedStyle(link, "::before");
              return [link.textContent, mark.content, mark.backgroundColor];
            });"""):
            if name in marks:
                marks[name].add(colour)
            else:
                others.add(content)
    browser.open("evolution.html")
    for name in leaders:
        fill = browser.one(f'.bands path[data-team="{name}"]').value_of_css_property("fill")
        assert marks[name] == {fill}
    assert len({colour for of_one in marks.values() for colour in of_one}) == 8
    assert others == {"none"}


# --- the evolution --------------------------------------------------------------------------------
def shares(browser: Browser) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [
        tuple(each)
        for each in browser.run("""
            return Array.from(document.querySelectorAll(".shares li"), (item) => [
              item.querySelector("a").textContent, item.querySelector(".share").textContent]);""")
    ]
    return found


def test_the_slider_shows_the_shares_of_a_generation(browser: Browser, played: Played) -> None:
    rows = table(played, "evolution.generations")
    last = len(rows[0]) - 2
    browser.open("evolution.html")
    slider = browser.one(".evolution input[type=range]")
    assert slider.get_attribute("max") == str(last)
    for generation in (last, 0, 1, last // 2):
        browser.run(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
            slider,
            generation,
        )
        counts = {row["team"]: row[str(generation)] for row in rows}
        total = sum(counts.values())
        found = shares(browser)
        assert {name: f"{100 * counts[name] / total:.1f} %" for name in counts} == dict(found)
        assert [counts[name] for name, _ in found] == sorted(counts.values(), reverse=True)
        assert slider.get_attribute("aria-valuetext").startswith(
            f"generation {generation}: {found[0][0]} "
        )
        cursor = browser.one(".evolution .cursor")
        assert cursor.value_of_css_property("visibility") == (
            "hidden" if generation == last else "visible"
        )
    slider.send_keys(Keys.HOME, Keys.ARROW_RIGHT)
    assert browser.one(".evolution .when").text == "in generation 1"


def test_a_band_that_is_pointed_at_tells_its_share(browser: Browser, played: Played) -> None:
    rows = {row["team"]: row for row in table(played, "evolution.generations")}
    browser.open("evolution.html")
    best = browser.one(".bands path")
    name, box = best.get_attribute("data-team"), browser.one(".evolution svg").rect
    actions = ActionChains(browser.driver)
    actions.move_by_offset(int(box["x"] + box["width"] / 2), int(box["y"] + 30)).perform()
    try:
        tip = browser.one(".evolution .tip")
        assert tip.is_displayed()
        told = re.fullmatch(
            r"(\w+): ([\d.]+) % in generation (\d+) \((\d+) cop(?:y|ies)\)", tip.text
        )
        assert told[1] == name
        assert rows[told[1]][told[3]] == int(told[4])
        assert "at" in (best.get_attribute("class") or "")
        assert browser.one(f'.shares li[data-team="{name}"]').get_attribute("class") == "at"
        actions.click().perform()
        assert browser.one(f'.shares li[data-team="{name}"] input').is_selected()
    finally:
        ActionChains(browser.driver).move_by_offset(
            -int(box["x"] + box["width"] / 2), -int(box["y"] + 30)
        ).perform()
    assert not tip.is_displayed()


@pytest.fixture
def with_grey(tmp_path: Path) -> Iterator[Browser]:
    """The pages of a contest with more strategies than there are colours."""
    played = other_contests.cooperation()
    names = tuple(f"entry_{number:02}" for number in range(14))
    generations = tuple(
        tuple(5 + number * generation for number in range(14)) for generation in range(20)
    )
    ranking = tuple(
        EvolutionRank(name, place, (generations[-1][-place], sum(generations[-1])), None)
        for place, name in enumerate(reversed(names), start=1)
    )
    outcome = EvolutionOutcome(names, generations, EvolutionEnding.CAP, None, ranking)
    facts = facts_of(played.settings, played.teams, played.history, played.ranking, outcome)
    write_site(tmp_path, facts)
    found = Browser(tmp_path)
    yield found
    found.driver.quit()


def test_the_keyboard_marks_a_grey_band(with_grey: Browser) -> None:
    browser = with_grey
    browser.open("evolution.html", DESK)
    grey = browser.run("""
        return Array.from(document.querySelectorAll(".shares li")).find((item) =>
          getComputedStyle(item).getPropertyValue("--team") === "").dataset.team""")
    band = browser.one(f'.bands path[data-team="{grey}"]')
    before = band.value_of_css_property("fill")
    box = browser.one(f'.shares li[data-team="{grey}"] input')
    assert box.get_attribute("aria-label") == f"mark {grey} in the picture"
    browser.run("arguments[0].focus()", box)
    pointed = band.value_of_css_property("fill")
    box.send_keys(Keys.SPACE)
    browser.run("arguments[0].blur()", box)
    chosen = band.value_of_css_property("fill")
    assert len({before, pointed, chosen}) == 3
    assert grey in [text.text for text in browser.all(".evolution text.band")]
    toggle = browser.one("[data-lines]")
    toggle.send_keys(Keys.ENTER)
    assert toggle.get_attribute("aria-pressed") == "true"
    assert band.value_of_css_property("fill") == "none"
    names = [text.text for text in browser.all(".evolution text.drawn")]
    assert grey in names
    evolved = re.findall(
        r'\[data-team="(entry_\d+)"\]', (browser.pages / "colours.css").read_text()
    )
    assert sorted(names) == sorted([grey, *evolved])
    browser.shoot("exploring-lines", DESK)
    toggle.send_keys(Keys.SPACE)
    assert band.value_of_css_property("fill") == chosen


def test_the_evolution_is_complete_without_javascript(played: Played) -> None:
    browser = Browser(played.pages, javascript=False)
    try:
        browser.open("evolution.html", DESK)
        assert not browser.one(".evolution .controls").is_displayed()
        assert not browser.one(".evolution .how").is_displayed()
        assert len(browser.all(".shares li a")) == len(table(played, "evolution.ranking"))
        assert browser.all(".evolution text.band")
        browser.open("rounds/2.1.html", DESK)
        assert browser.one(".cross td a").is_displayed()
    finally:
        browser.driver.quit()


# --- the cross table ------------------------------------------------------------------------------
def test_a_focused_cell_tells_both_results_and_lights_row_and_column(
    browser: Browser, played: Played
) -> None:
    rows = table(played, "rounds/2.1.games")
    first, second = rows[0], rows[1]
    browser.open("rounds/2.1.html", DESK)
    links = browser.all(".cross tbody tr:first-child td a")
    browser.run("arguments[0].focus()", links[0])
    links[0].send_keys(Keys.ARROW_RIGHT)
    assert browser.driver.switch_to.active_element == links[1]
    own, theirs = first[second["team"]], second[first["team"]]
    told = "won" if own > theirs else "lost" if own < theirs else "equal"
    tip = browser.one("#cross .tip")
    assert tip.text == f"{first['team']} {own:,g} : {theirs:,g} {second['team']} ({told})"
    lit = browser.run("""
        return [".row", ".column"].map((kind) =>
          Array.from(document.querySelectorAll(`.cross ${kind}`), (cell) => cell.tagName));""")
    assert lit == [["TH", *["TD"] * len(rows)], ["TH", *["TD"] * len(rows)]]
    links[1].send_keys(Keys.ARROW_DOWN)
    assert (
        browser.driver.switch_to.active_element
        == browser.all(".cross tbody tr:nth-child(2) td a")[1]
    )
    browser.run("document.activeElement.blur()")
    assert not tip.is_displayed()
    assert browser.all(".cross .row, .cross .column") == []


# --- the bracket ----------------------------------------------------------------------------------
def test_a_box_of_the_bracket_leads_to_its_game(tmp_path: Path) -> None:
    played = other_contests.ultimate_tic_tac_toe()
    write_site(tmp_path, facts_of(played.settings, played.teams, played.history, played.ranking))
    browser = Browser(tmp_path)
    try:
        browser.open("bracket.html", DESK)
        boxes = browser.all("svg.bracket a")
        matches = sum(
            len(group.plan.pairings) for outcome in played.history for group in outcome.groups
        )
        assert len(boxes) == matches
        for width, of_box in browser.run("""
            const wide = (element) => element.getBBox().width;
            return Array.from(document.querySelectorAll(".bracket g"), (box) => [
              Math.max(...Array.from(box.querySelectorAll("text:nth-of-type(odd)"), wide)),
              wide(box.querySelector("rect"))]);"""):
            assert width < of_box - 40
        names = [
            text.text for text in boxes[0].find_elements("css selector", "text:nth-of-type(odd)")
        ]
        browser.run("arguments[0].focus()", boxes[0])
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        title = browser.one("h1").text
        assert all(name in title for name in names)
        assert browser.complaints() == []
    finally:
        browser.driver.quit()
