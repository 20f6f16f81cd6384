"""Chromium, for tests that look at pages as people see them.

Screenshots stay in `build/screenshots`, to be looked at.
"""

import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from tests.support.servers import program

SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
PATIENCE = 120.0
DESK, TELEPHONE = (1200, 900), (360, 740)


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
        """Open a page from its file, with what follows `?` and `#` in its address."""
        self.size(size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": "", "features": features}
        )
        self.driver.get(f"{self.pages.as_uri()}/{page}")

    def size(self, size: tuple[int, int]) -> None:
        metrics = {
            "width": size[0],
            "height": size[1],
            "deviceScaleFactor": 1,
            "mobile": size == TELEPHONE,
        }
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def shoot(self, name: str, size: tuple[int, int]) -> None:
        """Keep the whole page as a picture, up to some screens of it."""
        self.size(
            (size[0], min(3_000, int(self.run("return document.documentElement.scrollHeight"))))
        )
        SHOTS.mkdir(parents=True, exist_ok=True)
        (SHOTS / f"{name}.png").write_bytes(self.driver.get_screenshot_as_png())

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, keys: str) -> None:
        """Press keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(keys)

    def complaints(self) -> list[Any]:
        """What the page wrote to the console, errors and failed requests among it."""
        return list(self.driver.get_log("browser"))

    def violations(self) -> list[str]:
        """What axe finds on the page as it is now."""
        self.run(files("axe_core_python").joinpath("axe.min.js").read_text())
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((found) => done(found.violations));"
        )
        return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found]
