"""The page on which readers check a contest, in Chromium and Firefox, from a server and from
disk."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

import pytest
from selenium.webdriver.common.keys import Keys

from knobellib.samples import samples
from tests.support.browser import DESK, PATIENCE, Browser
from tests.support.check_page import Change, mended, packed_folder, page_says
from tests.support.counted_programs import FAILING, LEARNING, MOODY, counted_contest, needs_engine
from tests.support.firefox import Firefox
from tests.support.played_otherwise import played_otherwise
from tests.support.site_contests import Played, knobeln
from trust.archive import files
from trust.archive.contents import from_files

pytestmark = pytest.mark.slow
NARROW = (390, 844)
EXAMPLE = Path(__file__).parents[2] / "docs/archive-example/archive.tar.gz"
# it has no public number
AGREES = "Every result follows if you believe "


class AnyBrowser(Protocol):
    def get(self, address: str) -> None: ...
    def run(self, script: str, *arguments: object) -> Any: ...
    def give(self, selector: str, file: Path) -> None: ...
    def close(self) -> None: ...


class Chromium(Browser):
    def get(self, address: str) -> None:
        self.driver.get("about:blank")  # an address with another #... would not load the page again
        self.driver.get(address)

    def give(self, selector: str, file: Path) -> None:
        self.one(selector).send_keys(str(file))

    def close(self) -> None:
        self.driver.quit()


@dataclass(frozen=True)
class Shown:
    """A folder with the page beside the contest's pages and archive, its archive's folder, and its
    server."""

    folder: Path
    archive: Path
    address: str


@pytest.fixture(scope="module")
def shown(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    place = tmp_path_factory.mktemp("shown")
    archive = place / "archive"
    knobeln("publish", archive, "--early", "-C", played.folder)
    shutil.copytree(played.pages, place / "pages")
    (place / "pages/archive.tar.gz").write_bytes(packed_folder(archive))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(place / "pages")))
    Thread(target=server.serve_forever, daemon=True).start()
    yield Shown(place / "pages", archive, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


@dataclass(frozen=True)
class Banned:
    """An archive as one file, the winner who was banned late, and who won instead."""

    archive: Path
    winner: str
    heir: str


class Silent(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")  # a test changes the archive, and back again
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def chromium(shown: Shown) -> Iterator[Chromium]:
    found = Chromium(shown.folder)
    yield found
    found.close()


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    found = Firefox()
    yield found
    found.close()


def until(browser: AnyBrowser, script: str) -> Any:
    """What the script returns as soon as that is something."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if found := browser.run(script):
            return found
        time.sleep(0.1)
    raise AssertionError(browser.run("return document.body.innerText"))


def text(browser: AnyBrowser, selector: str) -> str:
    return str(browser.run("return document.querySelector(arguments[0]).innerText", selector))


def verdict(browser: AnyBrowser) -> str:
    return str(
        until(browser, "return !document.getElementById('result').hidden && verdict.textContent")
    )


def forged(archive: Path, place: Path) -> Path:
    """The archive with a game that ended otherwise, and a manifest that says nothing of it."""
    contents = dict(files.read(archive))
    path = "rounds/1/group-1.json"
    points = contents[path].split(b'"points": ', 1)[1].split(b",")[0]
    changed = contents[path].replace(b'"points": ' + points, b'"points": 1' + points, 1)
    place.write_bytes(mended({**contents, path: changed}))
    return place


# --- both browsers, from a server and from disk ---------------------------------------------------
@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_one_button_checks_the_contest_beside_the_page(
    shown: Shown, name: str, request: pytest.FixtureRequest
) -> None:
    browser: AnyBrowser = request.getfixturevalue(name)
    browser.get(f"{shown.address}/verify.html")
    assert text(browser, "#start") == "Check the contest"
    browser.run("document.getElementById('start').click()")
    assert verdict(browser).startswith(AGREES)
    agreed = text(browser, "#agreed")
    assert "played again: the same to the last point" in agreed
    assert "every generation of the evolution" in agreed
    assert "that needs the compiler" in text(browser, "#unchecked")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_from_disk_the_archives_file_is_chosen(
    shown: Shown, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    browser: AnyBrowser = request.getfixturevalue(name)
    browser.get((shown.folder / "verify.html").as_uri())
    assert text(browser, "#start") == "Choose the archive's file"
    browser.give("#file", shown.folder / "archive.tar.gz")
    assert verdict(browser).startswith(AGREES)
    browser.give("#file", forged(shown.archive, tmp_path / "forged.tar"))
    wrong = until(browser, "return verdict.className === 'differs' && verdict.textContent")
    first = "The first difference (games): round 1, group 1: "
    assert wrong.startswith(f"The results do not follow. {first}")
    assert "points of " in wrong
    assert text(browser, "#agreed").splitlines()[0].endswith("files, as the manifest lists them")


@pytest.mark.parametrize("place", ["index.html", "teams/{team}.html"])
def test_the_pages_of_a_contest_lead_to_a_game_against_its_winner(
    shown: Shown, chromium: Chromium, place: str
) -> None:
    winner, *_ = json.loads((shown.archive / "ranking.json").read_text())
    name = winner["entry"]
    chromium.get(f"{shown.address}/{place.format(team=name)}")
    link = chromium.one("a[href*='verify.html#play=']")
    assert link.text == f"Play against {name} yourself"
    link.click()
    until(chromium, "return document.querySelector('.game .rule')")
    assert chromium.one("#opponent").get_attribute("value") == name
    chromium.one("#thrown").send_keys(f"12288{Keys.ENTER}")
    until(chromium, "return document.querySelectorAll('.game tbody tr').length")
    assert text(chromium, ".told").startswith(f"You 12288, {name} ")


@pytest.fixture(scope="module")
def banned(shown: Shown, played: Played, tmp_path_factory: pytest.TempPathFactory) -> Banned:
    """The same contest after its winner was banned, and everything played again."""
    place = tmp_path_factory.mktemp("banned")
    winner, *_ = json.loads((shown.archive / "ranking.json").read_text())
    contest = shutil.copytree(played.folder, place / "contest")
    why = ("--reason", "it was first", "-C", contest)
    knobeln("run", "rerun", 1, *why)
    knobeln("teams", "disqualify", winner["entry"], *why)
    knobeln("run", "--now", "--yes", "-C", contest)
    knobeln("publish", place / "archive", "--early", "-C", contest)
    heir, *_ = json.loads((place / "archive/ranking.json").read_text())
    (place / "banned.tar.gz").write_bytes(packed_folder(place / "archive"))
    return Banned(place / "banned.tar.gz", winner["entry"], heir["entry"])


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_who_would_have_won_without_a_late_ban_is_shown(
    shown: Shown, banned: Banned, name: str, request: pytest.FixtureRequest
) -> None:
    browser: AnyBrowser = request.getfixturevalue(name)
    browser.get((shown.folder / "verify.html").as_uri())
    browser.give("#file", shown.folder / "archive.tar.gz")
    assert verdict(browser).startswith(AGREES)
    assert browser.run("return document.getElementById('without').parentElement.hidden")
    browser.give("#file", banned.archive)
    until(browser, "return document.getElementById('without').children.length")
    part = browser.run("return document.getElementById('without').parentElement.innerText")
    title, first, *_ = [line for line in part.splitlines() if line]
    assert title == "Without the organizer's late bans, from the same seed"
    assert first == f"{banned.winner} would be first instead of {banned.heir}"


def other_ranks(browser: AnyBrowser) -> list[list[str]]:
    """Of each team: its name, its rank in the contest, its rank if so, and its move."""
    cells = "[...row.children].map((cell) => cell.textContent)"
    rows = "[...document.querySelectorAll('#other-ranks tbody tr')]"
    found: list[list[str]] = browser.run(f"return {rows}.map((row) => {cells})")
    return found


def lists(browser: AnyBrowser) -> dict[str, list[str]]:
    """All that the page says, by list."""
    names = ("noticed", "without", "believed", "agreed", "unchecked")
    items = "return [...document.querySelectorAll(`#${arguments[0]} li`)].map((e) => e.textContent)"
    return {name: browser.run(items, name) for name in names}


def test_two_engines_say_the_same_of_the_example(shown: Shown, firefox: Firefox) -> None:
    """SpiderMonkey says what V8 says."""
    (by_v8,) = page_says([EXAMPLE.read_bytes()], changes=[Change(number="5")])
    firefox.get((shown.folder / "verify.html").as_uri())
    firefox.give("#file", EXAMPLE)
    assert verdict(firefox) == by_v8.verdict["sentence"]
    sentences = {
        "noticed": [each["sentence"] for each in by_v8.noticed],
        "without": list(by_v8.without),
        "believed": [each["sentence"] for each in by_v8.believed],
        "agreed": list(by_v8.checked),
        "unchecked": list(by_v8.unchecked),
    }
    assert lists(firefox) == sentences
    assert text(firefox, "#digest") == by_v8.digest
    firefox.run("number.value = '5'; document.querySelector('#change button').click()")
    until(firefox, "return !document.getElementById('other-contest').hidden")
    rows = [[str(cell or "–") for cell in row.values()] for row in by_v8.others[0]["rows"]]
    assert [[cell or "–" for cell in row] for row in other_ranks(firefox)] == rows


# --- what is shown --------------------------------------------------------------------------------
def test_a_difference_leads_to_the_replay_of_its_game(
    shown: Shown, chromium: Chromium, tmp_path: Path
) -> None:
    honest = shown.folder / "archive.tar.gz"
    kept = honest.read_bytes()
    honest.write_bytes(forged(shown.archive, tmp_path / "forged.tar").read_bytes())
    try:
        chromium.get(f"{shown.address}/verify.html")
        chromium.one("#start").click()
        assert verdict(chromium).startswith("The results do not follow. ")
        chromium.shoot("verify-differs", DESK)
        chromium.one("#replay").click()
        title = "document.querySelector('[data-part=title]')"
        until(chromium, f"return {title}?.textContent.includes(' against ')")
    finally:
        honest.write_bytes(kept)


def test_a_replay_leads_to_the_page_which_shows_its_game(shown: Shown, chromium: Chromium) -> None:
    group = json.loads((shown.archive / "rounds/1/group-1.json").read_text())
    pairs = (match["pairing"]["players"] for match in group["matches"] if match["counted"])
    players = next(pair for pair in pairs if pair[0] != pair[1])
    chromium.get(f"{shown.address}/replay.html?game=1.{'.'.join(players)}")
    until(chromium, "return document.querySelector('[data-part=check]')?.href")
    title = text(chromium, "[data-part=title]")
    chromium.one("[data-part=check]").click()
    until(chromium, "return document.getElementById('start')")
    chromium.one("#start").click()
    assert verdict(chromium).startswith(AGREES)
    assert text(chromium, "#played").startswith(f"{title}: ")


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (NARROW, "dark")])
def test_the_page_fits_its_screen_and_shuts_nobody_out(
    shown: Shown, chromium: Chromium, size: tuple[int, int], scheme: str
) -> None:
    chromium.complaints()
    chromium.open("verify.html", size, scheme)
    assert chromium.violations() == []
    chromium.give("#file", shown.folder / "archive.tar.gz")
    assert verdict(chromium).startswith(AGREES)
    wide, room = chromium.run(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= room
    assert chromium.violations() == []
    assert chromium.complaints() == []
    chromium.shoot(f"verify-{size[0]}-{scheme}", size)


def test_whoever_doubts_reads_the_script_of_the_page(shown, chromium, firefox) -> None:
    for browser in (chromium, firefox):
        browser.get((shown.folder / "verify.html").as_uri())
        assert text(browser, "#source") == "The program that checks, to read"
        assert until(browser, "return source.href").startswith("blob:")
        assert browser.run("return source.download") == "verify.js"


def test_it_is_used_by_keyboard(shown: Shown, chromium: Chromium) -> None:
    chromium.get(f"{shown.address}/verify.html")
    chromium.one("body").send_keys(Keys.TAB)
    assert chromium.run("return document.activeElement.id") == "start"
    chromium.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert verdict(chromium).startswith(AGREES)
    assert chromium.run("return document.activeElement.id") == "verdict"


def test_a_check_can_be_cancelled_and_begun_again(shown: Shown, chromium: Chromium) -> None:
    chromium.open("verify.html")
    chromium.give("#file", shown.folder / "archive.tar.gz")
    chromium.run("document.getElementById('cancel').click()")
    assert verdict(chromium) == "Cancelled."
    chromium.give("#file", shown.folder / "archive.tar.gz")
    until(chromium, f"return verdict.textContent.startsWith({AGREES!r})")


def test_what_is_no_archive_is_told(shown: Shown, chromium: Chromium, tmp_path: Path) -> None:
    chromium.open("verify.html")
    (tmp_path / "notes.tar").write_text("my notes")
    chromium.give("#file", tmp_path / "notes.tar")
    assert verdict(chromium).startswith("This could not be checked: ")
    chromium.get(f"{shown.address}/teams/../verify.html?")
    chromium.run("window.fetch = () => Promise.reject(new Error('404'))")
    chromium.one("#start").click()
    assert verdict(chromium) == "There is no archive beside this page. Choose its file."


# --- what if --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_what_would_be_without_the_winner_is_shown_and_marked(
    shown: Shown, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    browser: AnyBrowser = request.getfixturevalue(name)
    archive = from_files(files.read(shown.archive))
    winner = archive.ranking[0].entry
    browser.get((shown.folder / "verify.html").as_uri())
    assert browser.run("return document.getElementById('what-if').hidden")
    browser.give("#file", shown.folder / "archive.tar.gz")
    verdict(browser)
    browser.run("document.getElementById('left-out').value = arguments[0]", winner)
    browser.run("document.querySelector('#change button').click()")
    until(browser, "return !document.getElementById('other-contest').hidden")
    title = f"Not the result: the contest without {winner}"
    assert text(browser, "#other-title") == title
    assert browser.run("return document.activeElement.id") == "other-title"
    ranking = played_otherwise(archive, Change(winner))
    first = f"{ranking[0].entry} would be first instead of {winner}."
    assert text(browser, "#other-sentences").splitlines()[0] == first
    rows = other_ranks(browser)
    told = [(row[0], row[2]) for row in rows[: len(ranking)]]
    assert told == [(line.entry, str(line.rank or "–")) for line in ranking]
    assert [winner, "1", "–", "left out"] in rows
    # nothing is asked about an archive that does not follow
    browser.give("#file", forged(shown.archive, tmp_path / "forged.tar"))
    until(browser, "return verdict.className === 'differs'")
    assert browser.run("return document.getElementById('what-if').hidden")


@pytest.mark.parametrize(("size", "scheme"), [((1280, 900), "light"), (NARROW, "dark")])
def test_another_number_is_drawn_by_keyboard_and_shuts_nobody_out(
    shown: Shown, chromium: Chromium, size: tuple[int, int], scheme: str
) -> None:
    chromium.open("verify.html", size, scheme)
    chromium.give("#file", shown.folder / "archive.tar.gz")
    verdict(chromium)
    chromium.complaints()
    chromium.one("#number").send_keys("a lucky day", Keys.ENTER)
    until(chromium, "return !document.getElementById('other-contest').hidden")
    title = "Not the result: the contest drawn by the number a lucky day"
    assert text(chromium, "#other-title") == title
    wide, room = chromium.run(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= room
    assert chromium.violations() == []
    assert chromium.complaints() == []
    chromium.shoot(f"what-if-{size[0]}-{scheme}", size)


def test_playing_otherwise_can_be_stopped_and_begun_again(shown: Shown, chromium: Chromium) -> None:
    chromium.open("verify.html")
    chromium.give("#file", shown.folder / "archive.tar.gz")
    verdict(chromium)
    click = "document.querySelector('#change button').click();"
    chromium.run(f"number.value = '5'; {click} document.getElementById('halt').click()")
    assert chromium.run("return document.getElementById('playing').hidden")
    assert chromium.run("return document.getElementById('other-contest').hidden")
    chromium.run(f"number.value = '6'; {click}")
    until(chromium, "return !document.getElementById('other-contest').hidden")
    assert text(chromium, "#other-title").endswith("drawn by the number 6")


# --- programs whose time is counted ---------------------------------------------------------------
BOTTOMLESS = b"""/* it calls itself deeper than browsers allow */
#include <stdio.h>
volatile int seen;
int deep(int left) { int below = left ? deep(left - 1) : 0; seen = below; return below + 1; }
int main(void) { puts(deep(100000) ? "C" : "B"); return 0; }
"""


@pytest.fixture(scope="module")
def asked(shown: Shown, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Archives of games whose programs talk, each beside the page, in a folder that is served."""
    known = {game: samples(game) for game in ("cooperation", "bid-tac-toe")}
    fields = {
        "cooperation": {"moody.c": MOODY, "failing.c": FAILING, "bottomless.c": BOTTOMLESS},
        "bid-tac-toe": {"learning.c": LEARNING},
    }
    fields["cooperation"] |= {"detective.js": known["cooperation"]["detective.js"]}
    fields["bid-tac-toe"] |= {"line_builder.js": known["bid-tac-toe"]["line_builder.js"]}
    found = {}
    for game, sources in fields.items():
        found[game] = counted_contest(tmp_path_factory.mktemp(game), game, sources, games=4).archive
        pages = shown.folder / game
        pages.mkdir()
        shutil.copy(found[game] / "verify.html", pages)
        (pages / "archive.tar.gz").write_bytes(packed_folder(found[game]))
    return found


@needs_engine
@pytest.mark.parametrize("name", ["chromium", "firefox"])
@pytest.mark.parametrize("game", ["cooperation", "bid-tac-toe"])
def test_programs_whose_time_is_counted_are_asked_again(
    shown: Shown, asked: Mapping[str, Path], name: str, game: str, request: pytest.FixtureRequest
) -> None:
    browser: AnyBrowser = request.getfixturevalue(name)
    group = json.loads((asked[game] / "rounds/1/group-1.json").read_text())
    known = [match for match in group["matches"] if "bottomless" not in match["pairing"]["players"]]
    browser.get(f"{shown.address}/{game}/verify.html")
    browser.run("document.getElementById('start').click()")
    assert verdict(browser).startswith("Every result follows if you believe")
    assert f"asked again in {len(known)} games: the same answers" in text(browser, "#agreed")
    missed = re.findall(
        "what the program of (.*) did: this browser cannot", text(browser, "#unchecked")
    )
    assert missed == ["bottomless"] * (game == "cooperation")
    browser.get((shown.folder / game / "verify.html").as_uri())
    browser.give("#file", shown.folder / game / "archive.tar.gz")
    assert verdict(browser).startswith("Every result follows if you believe")
    assert f"asked again in {len(known)} games: the same answers" in text(browser, "#agreed")


def another_answer(group: Any) -> None:
    move = game_of_detective(group)["moves"][0]
    move[:] = ["B" if each == "C" else "C" for each in move]


def another_unit(group: Any) -> None:
    for seat in game_of_detective(group)["seats"]:
        seat["instructions"] += 1


def game_of_detective(group: Any) -> Any:
    found = (
        each for each in group["matches"] if each["pairing"]["players"] == ["detective", "moody"]
    )
    return next(found)["result"]


@needs_engine
@pytest.mark.parametrize(
    ("folder", "change", "sentence"),
    [
        (
            "rounds/1/group-1.json",
            another_answer,
            r": turn 1 of \w+: the archive says .*, but its program did",
        ),
        (
            "rounds/1/group-1.json",
            another_unit,
            r": units of \w+: the archive says \d+, but \d+ follows",
        ),
        ("builds/", None, "is another build: its sha256 is not its name"),
        ("guests/", None, "is not the interpreter that this page knows"),
    ],
)
def test_what_a_program_did_not_do_is_told(
    shown: Shown,
    asked: Mapping[str, Path],
    chromium: Chromium,
    tmp_path: Path,
    folder: str,
    change: Callable[..., Any] | None,
    sentence: str,
) -> None:
    contents = dict(files.read(asked["cooperation"]))
    path = next(path for path in contents if path.startswith(folder))
    value = bytearray(contents[path])
    value[-1] ^= 1
    if change:
        value = json.loads(contents[path])
        change(value)
        value = json.dumps(value, indent=1).encode() + b"\n"
    (tmp_path / "changed.tar").write_bytes(mended({**contents, path: bytes(value)}))
    chromium.open("verify.html")
    chromium.give("#file", tmp_path / "changed.tar")
    said = verdict(chromium)
    assert said.startswith("The results do not follow. "), said
    assert re.search(sentence, said), said


@needs_engine
def test_programs_that_take_long_are_left_by_the_cancel_button(
    shown: Shown, asked: Mapping[str, Path], chromium: Chromium
) -> None:
    chromium.get(f"{shown.address}/cooperation/verify.html")
    chromium.one("#start").click()
    until(
        chromium,
        "return document.getElementById('stage').textContent.startsWith('programs asked again')",
    )
    chromium.one("#cancel").click()
    assert verdict(chromium) == "Cancelled."


# --- mails ----------------------------------------------------------------------------------------
DROP = """
const given = new DataTransfer();
given.items.add(new File([arguments[1]], arguments[0]));
dispatchEvent(new DragEvent("drop", { dataTransfer: given }));
"""


def test_mails_that_are_dropped_fit_or_do_not(
    shown: Shown, played: Played, chromium: Chromium, firefox: Firefox
) -> None:
    box = next(each for each in (played.folder / "mail").glob("heavy@*"))
    mails = [file.read_text() for file in sorted((box / "new").iterdir())]
    compiled = next(
        mail for mail in mails if "X-Knobeln-Receipt" in mail and "compile-report" in mail
    )
    header = next(line for line in compiled.splitlines() if line.startswith("X-Knobeln-Receipt"))
    number = header.split()[1]
    another = compiled.replace(f"Receipt: entry {number}.", f"Receipt: entry {int(number) + 1}.")
    another = re.sub(
        "(?m)^Subject: .*$", "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= and a forgery", another
    )
    for browser in (chromium, firefox):
        browser.get((shown.folder / "verify.html").as_uri())
        browser.run(DROP, "report.eml", compiled)
        until(browser, "return told.textContent === 'Mails are checked as soon as an archive is.'")
        browser.give("#file", shown.folder / "archive.tar.gz")
        until(browser, "return told.textContent.includes('is accepted: it fits.')")
        told = text(browser, "#told")
        assert "report.eml" not in told  # the subject says more
        assert re.search(
            rf"the receipt of entry {number} fits: program accepted, \w+, [-\d]+ \d\d:\d\d UT", told
        )
        browser.run(DROP, "forged.eml", another)
        until(browser, "return told.textContent.includes('Grüße and a forgery: it does not fit.')")
        browser.run(DROP, "letter.eml", "Dear Joe,\\n")
        until(browser, "return told.textContent.includes('letter.eml: there is no receipt in it.')")


def test_where_readers_speak_german_the_page_does(shown: Shown, banned: Banned) -> None:
    browser = Firefox("de")
    try:
        browser.get((shown.folder / "verify.html").as_uri())
        assert text(browser, "#start") == "Datei des Archivs wählen"
        browser.give("#file", shown.folder / "archive.tar.gz")
        assert verdict(browser).startswith("Jedes Ergebnis folgt, wenn ihr ")
        assert browser.run("return document.documentElement.lang") == "de"
        assert "noch einmal gespielt: gleich bis auf den letzten Punkt" in text(browser, "#agreed")
        browser.shoot("verify-german")
        browser.run("document.getElementById('challenge').click()")
        until(browser, "return document.querySelector('.game .rule')")
        assert text(browser, ".game .rule").startswith("Beide wählen gleichzeitig eine Zahl.")
        assert text(browser, ".game form button") == "Werfen"
        browser.give("#file", banned.archive)
        until(browser, "return document.getElementById('without').children.length")
        won = f"auf Platz 1 wäre {banned.winner} statt {banned.heir}"
        assert text(browser, "#without").splitlines()[0] == won
        browser.run("number.value = '5'; document.querySelector('#change button').click()")
        until(browser, "return !document.getElementById('other-contest').hidden")
        title = "Nicht das Ergebnis: der Wettbewerb, mit der Zahl 5 gelost"
        assert text(browser, "#other-title") == title
    finally:
        browser.close()
