"""Whole games against programs of an archive, by keyboard alone, on the check page from disk."""

import json
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import pytest
from selenium.webdriver.common.keys import Keys

from contest.games.bid_tac_toe import BidTacToe, Board
from contest.games.game import TextGame, TextProtocol, Words
from contest.games.ultimate_tic_tac_toe import Boards, UltimateTicTacToe
from knobellib.samples import samples
from sandbox.executable import player_from_bytes
from sandbox.fuel.program import FuelProgram
from sandbox.players.fuel import FuelPlayer
from sandbox.sandbox import Sandbox
from tests.support.archives import Published
from tests.support.browser import PATIENCE, Browser
from tests.support.check_page import packed_folder
from tests.support.counted_programs import counted_contest, needs_engine, settings_of
from tests.support.firefox import Firefox
from tests.support.reader_games import page_plays, tournament_plays
from tournament.text_referee import program_seeds
from trust.check_page import check_page

pytestmark = pytest.mark.slow
EXAMPLE = Path(__file__).parents[2] / "docs" / "archive-example" / "archive.tar.gz"
SIZES = ((390, 844), (1280, 900), (1920, 1080))
THROWS = [base + 600 * step for base in (3000, 900, 40, 6000, 1, 5000, 2000) for step in range(8)]
THROWS += [7000, 7000, 12288, 12288]
DOWN_TO = "return document.activeElement.id === 'thrown'"
ANSWERS = "return document.querySelectorAll('.game tbody tr').length"


class AnyBrowser(Protocol):
    def run(self, script: str, *arguments: object) -> Any: ...
    def give(self, selector: str, file: Path) -> None: ...
    def press(self, keys: str) -> None: ...


class Chromium(Browser):
    def give(self, selector: str, file: Path) -> None:
        self.one(selector).send_keys(str(file))

    def close(self) -> None:
        self.driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on disk, with nothing beside it."""
    path = tmp_path_factory.mktemp("page") / "verify.html"
    path.write_bytes(check_page())
    return path


@pytest.fixture(scope="module")
def chromium(page: Path) -> Iterator[Chromium]:
    with closing(Chromium(page.parent)) as browser:
        yield browser


def until(browser: AnyBrowser, script: str) -> None:
    """Wait until the script returns something."""
    ends = time.monotonic() + PATIENCE
    while not browser.run(script):
        assert time.monotonic() < ends, browser.run("return document.body.innerText")
        time.sleep(0.05)


def sit_down(browser: AnyBrowser, archive: Path) -> None:
    """Ask for a game by keyboard, and give the archive, as in the dialog that no test can use."""
    browser.run("document.getElementById('file').click = () => {};")
    browser.run("document.getElementById('challenge').focus();")
    browser.press(Keys.ENTER)
    browser.give("#file", archive)
    until(browser, "return document.querySelector('.game .rule')")
    browser.run("document.getElementById('challenge').focus();")


def told(browser: AnyBrowser) -> str:
    return str(browser.run("return document.querySelector('.told').textContent"))


def record_of(browser: AnyBrowser) -> dict[str, Any]:
    """The game as the reader can keep it; the focus is where its end is told."""
    assert browser.run("return document.activeElement.className") == "ended"
    address = browser.run("return document.querySelector('.record').href")
    found: dict[str, Any] = json.loads(unquote(address.partition(",")[2]))
    return found


def throw(browser: AnyBrowser, number: int, before: int) -> None:
    browser.press(f"{number}{Keys.ENTER}")
    until(browser, f"{ANSWERS} > {before}")


def play_60(browser: AnyBrowser) -> dict[str, Any]:
    """The record of a game of KNOBELN."""
    sit_down(browser, EXAMPLE)
    tabs = 0
    while not browser.run(DOWN_TO):
        browser.press(Keys.TAB)
        tabs += 1
        assert tabs < 5
    browser.press(f"0{Keys.ENTER}")
    assert told(browser) == "Choose a whole number from 1 to 12288."
    browser.press(Keys.BACKSPACE)
    for before, number in enumerate(THROWS):
        throw(browser, number, before)
        assert before == len(THROWS) - 1 or browser.run(DOWN_TO)
    shown = "return getComputedStyle(document.querySelector('.game .rule')).fontWeight"
    assert browser.run(shown) == "600"  # it has its style
    return record_of(browser)


def must_be_the_tournaments(record: Mapping[str, Any]) -> None:
    with tarfile.open(EXAMPLE) as tar:
        build = tar.extractfile(f"archive/builds/{record['build']}").read()  # type: ignore[union-attr]
    random = bytes.fromhex(record["random"])
    assert record["throws"][0] == THROWS
    played = tournament_plays(build, THROWS, random, record["rules"])
    assert record["digest"] == played.digest
    assert record["points"] == [seat.points for seat in played.seats]
    assert list(zip(*record["throws"], strict=True)) == list(played.moves or ())


def test_a_game_by_keyboard_in_firefox_is_the_tournaments_own(page: Path) -> None:
    with closing(Firefox()) as browser:
        browser.get(page.as_uri())
        must_be_the_tournaments(play_60(browser))


def test_a_game_by_keyboard_in_chromium_is_the_tournaments_own(chromium: Chromium) -> None:
    chromium.open("verify.html")
    must_be_the_tournaments(play_60(chromium))
    assert chromium.complaints() == []
    chromium.press(f"{Keys.TAB}{Keys.ENTER}")  # "Play again"
    until(chromium, f"{ANSWERS} === 0")
    chromium.one("#thrown").send_keys(f"5{Keys.ENTER}")
    until(chromium, f"{ANSWERS} === 1")
    assert told(chromium).startswith("You 5, amber_anchor ")


def test_a_file_that_is_no_archive_is_told_and_another_one_is_asked_for(
    chromium: Chromium, page: Path
) -> None:
    chromium.open("verify.html")
    chromium.run("document.getElementById('file').click = () => {};")
    for _ in range(2):
        assert chromium.one("#challenge").text == "Choose the archive's file, and play"
        chromium.one("#challenge").click()
        chromium.give("#file", page)
        until(chromium, "return document.querySelector('#arena .ended')")
        why = "the file is damaged, or no archive"
        assert chromium.one("#arena").text == f"Nobody can play here: {why}."
        until(chromium, "return document.getElementById('challenge').textContent !== 'Play'")
    sit_down(chromium, EXAMPLE)
    assert chromium.one("#challenge").text == "Play"


def test_an_archive_that_is_chosen_to_be_checked_is_checked(chromium: Chromium) -> None:
    """Though a game was asked for before, and no file chosen then."""
    chromium.open("verify.html")
    chromium.run("document.getElementById('file').click = () => {};")
    chromium.one("#challenge").click()
    chromium.one("#start").click()
    chromium.give("#file", EXAMPLE)
    until(chromium, "return !document.getElementById('result').hidden")
    assert not chromium.one("#arena").text


def names_in_the_tree(browser: Browser) -> set[tuple[str, str]]:
    """Role and name of what a screen reader can tell of."""
    tree = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = [each for each in tree if not each["ignored"] and "name" in each]
    return {(each["role"]["value"], each["name"]["value"]) for each in named}


def test_a_screen_reader_has_a_name_for_all_that_one_needs(chromium: Chromium) -> None:
    chromium.open("verify.html")
    sit_down(chromium, EXAMPLE)
    names = names_in_the_tree(chromium)
    assert ("combobox", "You play against") in names
    assert ("spinbutton", "Your number, 1 to 12288:") in names
    assert ("button", "Throw") in names
    chromium.one("#thrown").send_keys(f"100{Keys.ENTER}")
    until(chromium, f"{ANSWERS} === 1")
    names = names_in_the_tree(chromium)
    assert ("image", "The numbers of both, throw by throw. Large dots have won.") in names
    assert ("button", "100 yours again") in names
    tree = chromium.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    lives = [each for each in tree if not each["ignored"] and each["role"]["value"] == "status"]
    assert any(each.get("childIds") for each in lives)
    assert told(chromium).startswith("You 100, amber_anchor ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_one_plays_knobeln(chromium: Chromium, scheme: str) -> None:
    for size in SIZES:
        chromium.driver.get("about:blank")
        chromium.open("verify.html", size, scheme)
        sit_down(chromium, EXAMPLE)
        for before, number in enumerate(THROWS[:9]):
            throw_in_field(chromium, number, before)
        assert chromium.violations() == []
        width = chromium.run("return document.documentElement.scrollWidth")
        assert width <= size[0]
        chromium.shoot(f"play-knobeln-{size[0]}-{scheme}", size)


def throw_in_field(browser: Chromium, number: int, before: int) -> None:
    browser.one("#thrown").send_keys(f"{number}{Keys.ENTER}")
    until(browser, f"{ANSWERS} > {before}")


# --- games on boards ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Published]:
    """Archives of the two games on boards: a program in C, and one in Python."""
    fields = {
        "bid-tac-toe": ("regret_matcher.c", "bookkeeper.py"),
        "ultimate-tic-tac-toe": ("alpha_beta.c", "random_mover.py"),
    }
    found = {}
    for game, names in fields.items():
        place = tmp_path_factory.mktemp(game)
        sources = {name: samples(game)[name] for name in names}
        found[game] = counted_contest(place, game, sources, games=1)
        (found[game].archive.parent / "archive.tar.gz").write_bytes(
            packed_folder(found[game].archive)
        )
    return found


def open_board(browser: Chromium, published: Published, scheme: str = "light") -> None:
    browser.driver.get("about:blank")
    browser.open("verify.html", SIZES[0], scheme)
    sit_down(browser, published.archive.parent / "archive.tar.gz")
    note = browser.one("#arena .note").text
    assert note.startswith("These programs cannot play here, as a browser cannot run them: ")


def answers_of(
    record: Mapping[str, Any],
    published: Published,
    game: TextGame[Any, Any],
    asked: Sequence[Words],
) -> list[Any]:
    """What the tournament's own player answers to these questions."""
    program = player_from_bytes((published.archive / "builds" / record["build"]).read_bytes())
    assert isinstance(program, FuelProgram)
    limits = settings_of(record["rules"]["name"]).programs
    protocol = game.info.protocols[0]
    player = FuelPlayer(program, Sandbox(), protocol, limits.fuel, limits.game_fuel)
    with closing(player):
        player.begin(program_seeds([bytes.fromhex(record["random"])])[0])
        return [game.answer(None, 1, str(player.move(question))) for question in asked]


def shoot_and_check(browser: Chromium, name: str) -> None:
    assert browser.violations() == []
    assert browser.run("return document.documentElement.scrollWidth") <= SIZES[0][0]
    browser.shoot(name, SIZES[0])


BID = b"""#include <stdio.h>
int main(void) { char line[200]; int round = 0;
  while (fgets(line, sizeof line, stdin) && *line != 'g') { %s
    puts(round++ ? "1 0 0 0 0 0 0 0 0" : "0 0 0 0 0 0 0 0 1"); fflush(stdout); } return 0; }
"""
SECOND_ANSWERS = {
    "plain": (BID % b"", {"answer": "1 0 0 0 0 0 0 0 0"}),
    "leaving": (BID % b"if (round) break;", {"kind": "crash"}),
    "silent": (BID % b"if (round) continue;", {"kind": "no answer"}),
    "broken": (BID % b"if (round) __builtin_trap();", {"kind": "crash"}),
    "endless": (BID % b"while (round) ;", {"kind": "late"}),
    "wordy": (BID % b"for (; round; round++) putchar('x');", {"kind": "too long"}),
}


@needs_engine
def test_what_ends_a_program_of_a_game_on_a_board_is_seen(tmp_path: Path) -> None:
    sources = {f"{name}.c": source for name, (source, _) in SECOND_ANSWERS.items()}
    published = counted_contest(tmp_path, "bid-tac-toe", sources, games=1)
    (tmp_path / "archive.tar.gz").write_bytes(packed_folder(published.archive))
    lines = [["newgame", "reader"], ["nextround", *"000000000"]]
    asked = [{"name": name, "random": "00" * 16, "questions": lines} for name in SECOND_ANSWERS]
    visit = {"archive": tmp_path / "archive.tar.gz", "questions": asked}
    (said,) = page_plays(visits=[visit])["visits"]
    answers = [{key: each[key] for key in each if key != "fault"} for each in said["answers"]]
    assert answers == [answer for _, answer in SECOND_ANSWERS.values()]


@needs_engine
def test_a_game_of_bid_tac_toe_by_keyboard_has_the_programs_own_bids(
    chromium: Chromium, boards: Mapping[str, Published]
) -> None:
    published = boards["bid-tac-toe"]
    open_board(chromium, published)
    chromium.one(".bids input").send_keys(f"200{Keys.ENTER}")
    assert told(chromium).startswith("This cannot be bid: the bids add up to 200 dollars")
    chromium.one("button[type=reset]").send_keys(Keys.SPACE)
    shoot_and_check(chromium, "play-bids-light")
    play_board(chromium, bid_in_two_squares)
    record = record_of(chromium)
    game, board, asked = BidTacToe(("reader", "program")), Board(), []
    for both in record["rounds"]:
        asked.append(game.question(board, 1, TextProtocol.STDIO))
        board = game.apply(board, {seat: tuple(bids) for seat, bids in enumerate(both)})
    assert board.over
    assert answers_of(record, published, game, asked) == [
        tuple(bids) for _, bids in record["rounds"]
    ]


def bid_in_two_squares(browser: Chromium) -> None:
    fields = [each for each in browser.all(".bids input") if each.is_displayed()]
    for field in fields[:2]:
        field.send_keys("4")
    fields[0].send_keys(Keys.ENTER)


def play_board(browser: Chromium, move: Callable[[Chromium], None]) -> None:
    """Make moves until the game is over. Each waits for its answer."""
    for _ in range(60):
        before = told(browser)
        move(browser)
        mark = json.dumps(
            [before, f"{browser.one('#opponent').get_attribute('value')} is thinking."]
        )
        until(
            browser,
            "return document.querySelector('.ended') ||"
            f" !{mark}.includes(document.querySelector('.told').textContent)",
        )
        if browser.all(".ended"):
            return


@needs_engine
def test_a_game_of_ultimate_tic_tac_toe_by_keyboard_has_the_programs_own_moves(
    chromium: Chromium, boards: Mapping[str, Published]
) -> None:
    published = boards["ultimate-tic-tac-toe"]
    open_board(chromium, published, "dark")
    names = names_in_the_tree(chromium)
    assert {("button", "board 9, square 9: empty"), ("group", "board 1")} <= names
    play_board(chromium, take_an_open_square)
    shoot_and_check(chromium, "play-boards-dark")
    record = record_of(chromium)
    position, asked, own = Boards(), [], []
    seconds = settings_of("ultimate-tic-tac-toe").programs.told_seconds
    game = UltimateTicTacToe(seconds)
    for move in record["moves"]:
        assert game.why_illegal(position, position.mover, move) is None
        if position.mover == 1:
            asked.append(game.question(position, 1, TextProtocol.ARGV))
            own.append(move)
        position = game.apply(position, {position.mover: move})
    assert not game.players_to_move(position)
    assert answers_of(record, published, game, asked) == own
    chromium.press(f"{Keys.TAB}{Keys.ENTER}")  # "Play again": now the program begins
    until(chromium, "return document.querySelectorAll('.boards .last').length")
    assert told(chromium).startswith("alpha_beta plays board ")
    assert chromium.one(".boards .last").text == "X"


def take_an_open_square(browser: Chromium) -> None:
    """The one after that on which the focus is, if there is one."""
    if "open" in browser.run("return document.activeElement.className").split():
        browser.press(Keys.ARROW_RIGHT)
    else:
        browser.run("document.querySelector('.boards .open').focus()")
    browser.press(Keys.SPACE)
