"""The archive that is kept in docs/archive-example, checked by `verify` and by the page in a
browser.

They find a change by which an archive of before no longer verifies: of its format, of the ledger,
of how the draw follows from the seed, of the machine, the rules of the game, or the way from a
program to its build.
"""

import subprocess
from pathlib import Path

import pytest

from contest.subprocesses.child_process import own_command
from tests.support.browser import Browser
from tests.support.servers import wait_for
from trust.check_page import check_page

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "archive-example"
PACKED = EXAMPLE / "archive.tar.gz"
MOST_BYTES = 300_000
# and decisions of the organizer have to be believed
AGREES = "Every result follows if you believe "
OBJECTED = "green_lantern objected"
GAMES = "played again: the same to the last point"


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in EXAMPLE.iterdir()) <= MOST_BYTES


@pytest.mark.slow
def test_verify_computes_it_again(tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", PACKED, "-C", tmp_path], check=True)
    # our own process plays fewer contests
    command = own_command("verify", str(tmp_path / "archive"))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    for words in ("12 programs", "57 games", GAMES, OBJECTED, AGREES):
        assert words in done.stdout


@pytest.mark.slow
def test_the_page_of_today_checks_it_in_a_browser(tmp_path: Path) -> None:
    (tmp_path / "verify.html").write_bytes(check_page())
    browser = Browser(tmp_path)
    try:
        browser.open("verify.html")
        browser.one("#file").send_keys(str(PACKED))
        is_done = "return !document.getElementById('result').hidden"
        wait_for(lambda: browser.run(is_done), "the page")
        assert browser.run("return verdict.textContent").startswith(AGREES)
        said = browser.run("return document.querySelector('#agreed').innerText")
    finally:
        browser.driver.quit()
    assert GAMES in said
