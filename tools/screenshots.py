"""Make the pictures of the gallery, docs/images, from a demonstration contest:
`python tools/screenshots.py`.

It plays `knobeln demo` with a fixed seed, writes the contest's pages, and takes pictures of them in
Chromium. It needs the group `test` of pyproject.toml and Chromium.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
SEED = "gallery"
MAX_BYTES = 100_000
BOARD = "board.html"  # the replay of a game at home, beside the contest's pages
DESK, TELEPHONE = (1200, 800), (390, 800)
_STEP = 5  # of the 255 levels of a colour
# A replay loads its game after the page; a page without one is there at once.
_REPLAY_IS_THERE = (
    "return !document.querySelector('.replay') || !!document.querySelector('.replay.seats-2')"
)


@dataclass(frozen=True)
class Shot:
    """A picture of a page."""

    name: str
    links: tuple[str, ...] = ()
    """Patterns for addresses: on each page the first link that fits is followed to the next."""
    first: str = "index.html"
    """The page with the first link, or the one to take."""
    turn: str = ""
    """Which turn a replay shows, as the end of an address."""
    size: tuple[int, int] = DESK
    scheme: str = "light"
    at: str = ""
    """What stands at the upper edge, as a CSS selector; "" for the top of the page."""
    checks: bool = False
    """Whether the page has checked the archive beside it."""


SHOTS = (
    Shot("front"),
    Shot("front-telephone", size=TELEPHONE, scheme="dark"),
    Shot("evolution", (r"evolution\.html",)),
    Shot("team", (r"teams/pavlov\.html",)),
    Shot("cross-table", (r"rounds/1\.1\.html",), size=(1400, 850), at="h2"),
    Shot(
        "replay",
        (r"teams/jailer\.html", r"replay\.html\?game=1\.jailer\.pavlov"),
        turn="#throw=500",
    ),
    Shot("board", first=BOARD, turn="#move=30"),
    Shot("verify", first="verify.html", size=(1000, 900), checks=True),
)


def knobeln(*words: object) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "knobeln", *map(str, words)]
    subprocess.run(  # noqa: S603 - our own program
        command, env=environment, capture_output=True, check=True, timeout=1_200
    )


def browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    quiet = ("first-run", "background-networking", "component-update", "sync", "quic")
    arguments = [
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        "hide-scrollbars",
    ]
    for argument in (
        *arguments,
        *(f"{'no' if word == 'first-run' else 'disable'}-{word}" for word in quiet),
    ):
        options.add_argument(f"--{argument}")
    service = Service(shutil.which("chromedriver"), env={**os.environ, "SE_OFFLINE": "true"})
    return webdriver.Chrome(options=options, service=service)


def take(driver: webdriver.Chrome, pages: Path, shot: Shot) -> bytes:
    """The picture as WebP.

    Raises:
        LookupError: no link leads to the page.
        ValueError: it is too large.
    """
    width, height = shot.size
    metrics = {
        "width": width,
        "height": height,
        "deviceScaleFactor": 1,
        "mobile": shot.size == TELEPHONE,
    }
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = [{"name": "prefers-color-scheme", "value": shot.scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": scheme})
    address = (pages / shot.first).as_uri()
    for pattern in shot.links:
        driver.get(address)
        links = driver.execute_script("return Array.from(document.links, link => link.href)")
        matching = [link for link in links if re.search(pattern, link)]
        if not matching:
            raise LookupError(f"{address} has no link to {pattern}")
        address = matching[0]
    driver.get(address + shot.turn)
    WebDriverWait(driver, 10).until(lambda _: driver.execute_script(_REPLAY_IS_THERE))
    if shot.checks:
        driver.find_element("id", "file").send_keys(str(pages / "archive.tar.gz"))
        WebDriverWait(driver, 60).until(
            lambda _: driver.find_element("id", "result").is_displayed()
        )
    if shot.at:
        driver.execute_script("document.querySelector(arguments[0]).scrollIntoView()", shot.at)
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    data = small(base64.b64decode(picture))
    if len(data) > MAX_BYTES:
        raise ValueError(f"{shot.name} has {len(data):,} bytes, more than {MAX_BYTES:,}")
    return data


def small(png: bytes) -> bytes:
    """The picture as WebP without blur. Fewer levels of each colour, which nobody sees, make it
    small."""
    picture = (
        Image.open(BytesIO(png)).convert("RGB").point(lambda level: round(level / _STEP) * _STEP)
    )
    data = BytesIO()
    picture.save(data, "WEBP", lossless=True, method=6)
    return data.getvalue()


def main(folder: Path = IMAGES) -> None:
    """Write all pictures into this folder, in place of those that were there."""
    with tempfile.TemporaryDirectory(prefix="knobeln-gallery-") as scratch:
        contest, pages = Path(scratch) / "demo", Path(scratch) / "pages"
        knobeln("demo", contest, "--seed", SEED)
        knobeln("site", pages, "-C", contest)
        board = ("--game", "ultimate-tic-tac-toe", "alpha_beta", "playouts", "--seed", SEED)
        knobeln("play", *board, "--html", pages / BOARD)
        driver = browser()
        try:
            pictures = {shot.name: take(driver, pages, shot) for shot in SHOTS}
        finally:
            driver.quit()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.webp"):
        old.unlink()
    for name, data in pictures.items():
        (folder / f"{name}.webp").write_bytes(data)


if __name__ == "__main__":
    main()
