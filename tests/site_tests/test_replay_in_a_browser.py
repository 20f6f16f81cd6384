"""The replay of games as people see it: in Chromium, from the files, without a server."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.support import other_contests
from tests.support.browser import PATIENCE, TELEPHONE, Browser
from tests.support.site_contests import Played, knobeln
from tests.support.site_files import facts_of, field, games_in, turns_in, write_site

pytestmark = pytest.mark.slow
SCREEN = (1400, 900)
Game = list[list[str]]


def page_of(key: str) -> str:
    return f"replay.html?game={key}"


@pytest.fixture(scope="module")
def games(played: Played) -> Mapping[str, Game]:
    """The games of the contest of KNOBELN."""
    files = {
        f"games/{file.name}": file.read_text() for file in (played.pages / "games").glob("*.js")
    }
    return games_in(files)


@pytest.fixture(scope="module")
def key(games: Mapping[str, Game]) -> str:
    """A game of two in the final."""
    return next(key for key in games if key.startswith("2.") and len(set(key.split(".")[1:])) == 2)


def open_replay(
    browser: Browser, page: str, size: tuple[int, int] = SCREEN, scheme: str = "light"
) -> None:
    """Open the page anew, also where only what follows `#` differs; at the beginning, if it says no
    place."""
    browser.driver.get("about:blank")
    browser.open(page if "#" in page else f"{page}#turn=0", size, scheme)


def text(browser: Browser, selector: str) -> str:
    return " ".join(
        str(
            browser.run("return document.querySelector(arguments[0]).textContent", selector)
        ).split()
    )


def at(browser: Browser) -> int:
    return int(str(browser.run("return document.querySelector('#scrub').value")))


def press(browser: Browser, *keys: str) -> None:
    ActionChains(browser.driver).send_keys(*keys).perform()


def cards(browser: Browser) -> list[list[str]]:
    """Of each player the present number and the points so far, as digits."""
    found: list[list[str]] = browser.run(
        "return Array.from(document.querySelectorAll('.card'), c => ['.move', '.points'].map("
        "s => c.querySelector(s).textContent.replaceAll(',', '').replace(/ points?$/, '')))"
    )
    return found


def expected(game: Game, turn: int) -> list[list[str]]:
    turns = turns_in(game)[:turn]
    return [
        [
            turns[-1][seat].lstrip(">") if turns else "",
            str(sum(int(each[2 + seat]) for each in turns)),
        ]
        for seat in (0, 1)
    ]


# --- KNOBELN --------------------------------------------------------------------------------------
def test_a_replay_begins_at_the_beginning_and_says_who_and_how(
    browser: Browser, key: str, games: Mapping[str, Game]
) -> None:
    game = games[key]
    first, second = key.split(".")[1:3]
    open_replay(browser, page_of(key))
    assert at(browser) == 0
    assert text(browser, "h1") == field(game, "title")[0] == f"{first} against {second}"
    assert browser.driver.title.startswith(f"{first} against {second} - ")
    assert text(browser, ".story") == field(game, "story")[0]
    assert [each.text for each in browser.all(".card .who a")] == [first, second]
    assert cards(browser) == [["", "0"], ["", "0"]]
    assert browser.complaints() == []


def test_a_replay_opens_where_it_is_worth_a_look_and_runs(
    browser: Browser, games: Mapping[str, Game]
) -> None:
    def lead(game: Game) -> list[int]:
        gains = [int(turn[2]) - int(turn[3]) for turn in turns_in(game)]
        return [sum(gains[: number + 1]) for number in range(len(gains))]

    def last_change(game: Game) -> int:
        """The last throw after which the later winner was not ahead."""
        leads = lead(game)
        return max(
            (at for at, each in enumerate(leads, start=1) if each * leads[-1] <= 0), default=0
        )

    key = max(
        (key for key, game in games.items() if lead(game)[-1]),
        key=lambda each: last_change(games[each]),
    )
    browser.driver.get("about:blank")
    browser.open(page_of(key), SCREEN)
    begin = min(max(0, last_change(games[key]) - 50), 950)
    assert begin <= at(browser) < begin + 50 or begin == 950
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: at(browser) > begin + 10)
    assert [each.text for each in browser.all("svg.pointed ~ figcaption .legend")]
    browser.driver.execute_script("localStorage.clear()")


def test_who_wants_sees_no_result_before_the_end(browser: Browser, key: str) -> None:
    open_replay(browser, page_of(key))
    assert browser.one(".story").is_displayed()
    press(browser, "h")
    for part in (".story", ".ending", ".ghost"):
        assert browser.one(part).value_of_css_property("visibility") == "hidden"
    open_replay(browser, page_of(key))  # the next game, too
    assert not browser.one(".story").is_displayed()
    browser.one("[data-do=secret]").click()
    assert browser.one(".story").is_displayed()


def test_a_game_is_chosen_by_its_two_players(
    browser: Browser, key: str, games: Mapping[str, Game]
) -> None:
    open_replay(browser, "replay.html")
    one, other = (Select(each) for each in browser.all(".chooser select"))
    first, second = key.split(".")[1:3]
    names = {name for each in games for name in each.split(".")[1:3]}
    assert [option.text for option in one.options] == sorted(names)
    one.select_by_value(second)
    met = {each for each in games if second in each.split(".")[1:3]}
    assert {option.get_attribute("value") for option in other.options} == met
    other.select_by_value(key)
    browser.one(".chooser button").click()
    WebDriverWait(browser.driver, PATIENCE).until(
        lambda _: text(browser, "h1") == f"{first} against {second}"
    )


def test_the_keyboard_goes_through_the_game(
    browser: Browser, key: str, games: Mapping[str, Game]
) -> None:
    game = games[key]
    open_replay(browser, page_of(key), SCREEN)
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert at(browser) == 2
    assert cards(browser) == expected(game, 2)
    ActionChains(browser.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(
        Keys.SHIFT
    ).perform()
    assert at(browser) == 12
    press(browser, Keys.END)
    assert at(browser) == 1000
    assert cards(browser) == expected(game, 1000)
    press(browser, Keys.HOME)
    assert at(browser) == 0
    press(browser, " ")
    assert text(browser, "[data-do=play]") == "Pause"
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: at(browser) > 20)
    press(browser, " ")
    stopped = at(browser)
    assert text(browser, "[data-do=play]") == "Play"
    assert cards(browser) == expected(game, stopped)
    assert at(browser) == stopped
    assert browser.complaints() == []


def test_a_key_that_a_control_needs_is_left_to_it(browser: Browser, key: str) -> None:
    open_replay(browser, page_of(key), SCREEN)
    slider = browser.one("#scrub")
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert at(browser) == 2
    assert slider.get_attribute("aria-valuetext") == "throw 2 of 1000"
    browser.one("[data-do=on]").send_keys(" ")  # the button, not the player
    assert at(browser) == 3
    assert text(browser, "[data-do=play]") == "Play"
    browser.one("[data-part=speed]").send_keys(Keys.ARROW_DOWN)
    assert at(browser) == 3


def test_a_link_opens_the_replay_at_its_throw_and_the_button_copies_it(
    browser: Browser, key: str, games: Mapping[str, Game]
) -> None:
    open_replay(browser, f"{page_of(key)}#throw=500")
    assert at(browser) == 500
    assert cards(browser) == expected(games[key], 500)
    browser.run("location.hash = '#throw=77'")
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: at(browser) == 77)
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})"
    )
    press(browser, Keys.ARROW_RIGHT)
    browser.one("[data-do=copy]").click()
    shown = browser.one(".link input")
    assert shown.is_displayed()
    assert str(shown.get_attribute("value")).endswith(f"/{page_of(key)}#throw=78")
    open_replay(browser, f"{page_of(key)}#throw=99999", SCREEN)
    assert at(browser) == 1000
    for nowhere in ("#throw=x", "#<b>=1"):
        open_replay(browser, f"{page_of(key)}{nowhere}", SCREEN)
        assert at(browser) < 1000
        assert browser.complaints() == []


def test_every_game_is_found_in_the_files(browser: Browser, games: Mapping[str, Game]) -> None:
    for key in list(games)[::7]:
        open_replay(browser, page_of(key), SCREEN)
        assert text(browser, "h1") == field(games[key], "title")[0]


@pytest.mark.parametrize(
    "key", ["2.nobody.at_all", "../index", "2", "", "2.a.b/../c", "<script>", "99.a.b"]
)
def test_a_game_that_is_not_there_is_said_to_be_none(browser: Browser, key: str) -> None:
    open_replay(browser, page_of(key))
    assert text(browser, ".problem") == "There is no replay of such a game."
    assert not browser.one(".controls").is_displayed()
    assert browser.complaints() == []


def test_without_a_game_the_page_lists_the_games_as_text(browser: Browser, played: Played) -> None:
    open_replay(browser, "replay.html")
    assert text(browser, ".problem") == "Which game?"
    browser.one(".texts summary").click()
    links = [
        str(each.get_attribute("href")) for each in browser.all(".texts a") if each.is_displayed()
    ]
    assert (
        links == [(played.pages / "games" / f"{number}.1.js").as_uri() for number in (1, 2)]
        or len(links) > 2
    )
    browser.all(".texts a")[0].click()
    assert browser.one("body").text.startswith(
        "knobelnGames(`# KNOBELN. In each line, one for each throw:"
    )


@pytest.mark.parametrize(("size", "scheme"), [(SCREEN, "light"), (TELEPHONE, "dark")])
def test_a_replay_fits_the_screen(
    browser: Browser, key: str, size: tuple[int, int], scheme: str
) -> None:
    open_replay(browser, f"{page_of(key)}#throw=412", size, scheme)
    wide, bottom = browser.run(
        "return [document.documentElement.scrollWidth, "
        "document.querySelector('.controls').getBoundingClientRect().bottom]"
    )
    assert wide <= size[0]
    assert bottom <= size[1]
    browser.shoot(f"replay-{size[0]}-{scheme}", size)


def test_a_click_into_the_points_goes_there(browser: Browser, key: str) -> None:
    open_replay(browser, page_of(key), SCREEN)
    browser.one("svg.pointed").click()  # in its middle
    assert 400 < at(browser) < 600


def test_the_whole_game_can_be_seen_at_once(browser: Browser, key: str) -> None:
    open_replay(browser, f"{page_of(key)}#throw=1000", SCREEN)
    close = str(browser.one(".picture .line").get_attribute("d"))
    press(browser, "w")
    whole = str(browser.one(".picture .line").get_attribute("d"))
    assert (close.count("L"), whole.count("L")) == (59, 999)
    assert browser.one("[data-do=whole]").get_attribute("aria-pressed") == "true"


def test_a_reader_who_wants_less_motion_gets_fewer_changes(browser: Browser, key: str) -> None:
    open_replay(browser, page_of(key), SCREEN)
    features = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"media": "", "features": features}
    )
    browser.run(
        "window.changes = 0; new MutationObserver(() => { window.changes += 1; })"
        ".observe(document.querySelector('.at'), {childList: true})"
    )
    press(browser, " ")
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: at(browser) > 60)
    press(browser, " ")
    assert browser.run("return window.changes") <= at(browser) / 15


def test_those_who_cannot_see_hear_the_throw_but_not_while_it_runs(
    browser: Browser, key: str, games: Mapping[str, Game]
) -> None:
    open_replay(browser, page_of(key), SCREEN)
    press(browser, " ")
    WebDriverWait(browser.driver, PATIENCE).until(lambda _: at(browser) > 30)
    assert text(browser, "[role=status]") == ""
    press(browser, " ", Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    turn = turns_in(games[key])[1]
    WebDriverWait(browser.driver, PATIENCE).until(
        lambda _: text(browser, "[role=status]").startswith("throw 2: ")
    )
    for move in turn[:2]:
        assert f" {move.lstrip('>')}" in text(browser, "[role=status]")
    for control in browser.all(".controls button, .controls input, .controls select"):
        assert control.accessible_name or not control.is_displayed()


def test_a_game_can_be_read_without_javascript(
    played: Played, key: str, games: Mapping[str, Game]
) -> None:
    browser = Browser(played.pages, javascript=False)
    try:
        open_replay(browser, page_of(key))
        assert "Without it every game can be read as text" in browser.one("noscript").text
        assert not browser.one(".controls").is_displayed()
        browser.one(".texts summary").click()
        found = [str(each.get_attribute("href")) for each in browser.all(".texts a")]
        for link in found:
            browser.driver.get(link)
            shown = " ".join(browser.one("body").text.split())
            if f"game {key} title " in shown:
                assert field(games[key], "story")[0] in shown
                return
        pytest.fail(f"{key} is in none of {found}")
    finally:
        browser.driver.quit()


def test_on_paper_the_end_of_the_game_stands_without_controls(browser: Browser, key: str) -> None:
    open_replay(browser, page_of(key), SCREEN)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert not browser.one(".controls").is_displayed()
    assert not browser.one(".texts").is_displayed()
    assert browser.one(".picture svg").is_displayed()
    assert at(browser) == 1000
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert at(browser) == 0


# --- other games ----------------------------------------------------------------------------------
OTHERS = {
    "ultimate-tic-tac-toe": other_contests.ultimate_tic_tac_toe,
    "bid-tac-toe": other_contests.bid_tac_toe,
    "cooperation": other_contests.cooperation,
    "standoff": other_contests.standoff,
}


@pytest.fixture(scope="module")
def others(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Browser, Mapping[str, Mapping[str, Game]]]]:
    """A browser before the pages of a contest of each other game that has moves, and the games of
    each."""
    folder, found = tmp_path_factory.mktemp("others"), {}
    for name, play in OTHERS.items():
        played = play()
        facts = facts_of(played.settings, played.teams, played.history, played.ranking)
        found[name] = games_in(write_site(folder / name, facts))
    browser = Browser(folder)
    yield browser, found
    browser.driver.quit()


def longest(games: Mapping[str, Game]) -> str:
    return max(games, key=lambda key: len(turns_in(games[key])))


def squares(browser: Browser, what: str) -> list[Any]:
    found: list[Any] = browser.run(
        f"return Array.from(document.querySelectorAll('.board g'), g => {what})"
    )
    return found


def test_a_board_goes_along_with_the_moves_and_shows_where_the_next_may_be(
    others: tuple[Browser, Mapping[str, Mapping[str, Game]]],
) -> None:
    browser, games = others[0], others[1]["ultimate-tic-tac-toe"]
    key = longest(games)
    moves = [
        int(re.sub("!", "", turn[0] if turn[0] != "-" else turn[1]))
        for turn in turns_in(games[key])
    ]

    def order(values: Mapping[int, Any], empty: Any) -> list[Any]:
        """Row by row, what stands in each square; squares are numbered board by board."""
        return [
            values.get(27 * (row // 3) + 9 * (column // 3) + 3 * (row % 3) + column % 3, empty)
            for row in range(9)
            for column in range(9)
        ]

    open_replay(browser, f"ultimate-tic-tac-toe/{page_of(key)}", SCREEN)
    signs = "g.querySelector('text:not(.small)').textContent"
    legal = "g.classList.contains('legal')"
    assert squares(browser, signs) == [""] * 81
    assert all(squares(browser, legal))  # anywhere at first
    for turn in (1, 2, 3, 4):
        press(browser, Keys.ARROW_RIGHT)
        played = {square: "XO"[number % 2] for number, square in enumerate(moves[:turn])}
        board = moves[turn - 1] % 9
        assert squares(browser, signs) == order(played, "")
        free = {square: True for square in range(9 * board, 9 * board + 9) if square not in played}
        assert squares(browser, legal) == order(free, False)
        assert text(browser, ".board .caption").endswith(
            f"{'XO'[turn % 2]} moves next, in board {board}."
        )
        assert len(browser.all(".board .now")) == 1
    browser.shoot("replay-board", SCREEN)
    press(browser, Keys.END)
    assert not any(squares(browser, legal))
    press(browser, Keys.HOME)
    assert squares(browser, signs) == [""] * 81
    assert browser.complaints() == []


def test_bids_and_purses_are_shown(
    others: tuple[Browser, Mapping[str, Mapping[str, Game]]],
) -> None:
    browser, games = others[0], others[1]["bid-tac-toe"]
    key = longest(games)
    open_replay(browser, f"bid-tac-toe/{page_of(key)}", SCREEN)
    assert [meter.get_attribute("value") for meter in browser.all("meter")] == ["100", "100"]
    for turn in turns_in(games[key]):
        press(browser, Keys.ARROW_RIGHT)
        purses = json.loads(turn[-1])["p"]
        assert [meter.get_attribute("value") for meter in browser.all("meter")] == list(
            map(str, purses)
        )
        assert text(browser, ".board .caption") == turn[-2]
        # Each bid stands where its square is: nine in rows of three.
        bids = [["·" if bid == "0" else bid for bid in move.split()] for move in turn[:2]]
        shown = browser.all(".card .move.bids span")
        assert [each.text for each in shown] == [bid for of_one in bids for bid in of_one]
        assert len({each.location["y"] for each in shown[:9]}) == 3
        rows = [" / ".join(" ".join(of_one[at : at + 3]) for at in (0, 3, 6)) for of_one in bids]
        assert [each.text for each in browser.all(".turns tr.now td")] == rows
    browser.shoot("replay-bids", SCREEN)
    assert browser.complaints() == []


def test_a_ring_shows_shots_and_who_fell(
    others: tuple[Browser, Mapping[str, Mapping[str, Game]]],
) -> None:
    browser, games = others[0], others[1]["standoff"]
    ((key, game),) = games.items()
    open_replay(browser, f"standoff/{page_of(key)}", SCREEN)
    fallen: set[int] = set()
    for turn in turns_in(game):
        press(browser, Keys.ARROW_RIGHT)
        change = json.loads(turn[-1])
        fallen |= {seat for seat, health, *_ in change["f"] if health == 0}
        assert len(browser.all(".ring .shots path")) == len(change["a"])
        assert len(browser.all(".ring .fallen")) == len(fallen)
    assert fallen
    browser.shoot("replay-ring", SCREEN)
    open_replay(browser, "standoff/replay.html", SCREEN)
    options = [option.text for option in browser.all(".chooser option")]
    assert options == ["all teams", "all teams"]
    assert browser.complaints() == []


def test_decisions_are_a_band_of_cells(
    others: tuple[Browser, Mapping[str, Mapping[str, Game]]],
) -> None:
    browser, games = others[0], others[1]["cooperation"]
    key = longest(games)
    turns = turns_in(games[key])
    open_replay(browser, f"cooperation/{page_of(key)}#round=3", SCREEN)
    shown = browser.run(
        "return Array.from(document.querySelectorAll('.picture g.l0, .picture g.l1'), "
        "g => [g.classList.contains('later'), g.textContent])"
    )
    assert shown == [
        [number > 3, move] for number, turn in enumerate(turns, 1) for move in turn[:2]
    ]
    browser.shoot("replay-letters", SCREEN)
    assert browser.complaints() == []


# --- a game at home -------------------------------------------------------------------------------
def test_a_game_at_home_is_replayed_from_one_file(tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    said = knobeln("play", "myopic", "pavlov", "--seed", "s", "--html", page)
    assert str(page) in "".join(said.split())
    browser = Browser(tmp_path)
    try:
        open_replay(browser, page.name)
        press(browser, Keys.END)
        assert at(browser) == 1000
        assert browser.all("svg.pointed")
        for name, points in re.findall(r"(?m)^(\w+): ([\d,]+) points?", said):
            shown = next(card for card in browser.all(".card") if name in card.text)
            assert shown.find_element("class name", "points").text.split()[0] == points
        browser.run(
            "document.body.insertAdjacentHTML('beforeend', "
            "\"<img src=x onerror='window.hacked = 1'><style>h1 {display: none}</style>\")"
        )
        assert browser.one("h1").is_displayed()
        assert browser.run("return window.hacked") is None
    finally:
        browser.driver.quit()
