"""Firefox, driven by its own protocol Marionette, so that tests need no other program than the
browser."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.support.browser import SHOTS
from tests.support.servers import program

_START_SECONDS = 60.0
_PREFERENCES = {
    "marionette.port": 0,  # any free one: Firefox writes it into a file of the profile
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox:
    """Firefox without a window, with one page open. Close it."""

    def __init__(self, language: str = "en") -> None:
        self._profile = Path(mkdtemp(prefix="firefox"))
        chosen = {**_PREFERENCES, "intl.accept_languages": language}
        lines = (
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in chosen.items()
        )
        (self._profile / "user.js").write_text("".join(lines))
        found = program("firefox-esr", "firefox")
        words = [
            found,
            "--headless",
            "--marionette",
            "--no-remote",
            "--profile",
            str(self._profile),
        ]
        self._process = subprocess.Popen(
            words,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(self._profile)},
        )
        self._number = 0
        self._socket = socket.create_connection(("127.0.0.1", self._port()), timeout=_START_SECONDS)
        self._stream = self._socket.makefile("rwb")
        self._read()  # its greeting
        self._do("WebDriver:NewSession")

    def _port(self) -> int:
        file, until = self._profile / "MarionetteActivePort", time.monotonic() + _START_SECONDS
        while time.monotonic() < until:
            if file.exists() and (text := file.read_text()):
                return int(text)
            time.sleep(0.1)
        raise TimeoutError("Firefox does not listen")

    def _read(self) -> Any:
        size = b""
        while (sign := self._stream.read(1)) != b":":
            size += sign
        return json.loads(self._stream.read(int(size)))

    def _do(self, command: str, **parameters: object) -> Any:
        self._number += 1
        raw = json.dumps([0, self._number, command, parameters]).encode()
        self._stream.write(b"%d:%s" % (len(raw), raw))
        self._stream.flush()
        _, _, error, result = self._read()
        if error:
            raise AssertionError(error["message"])
        return result

    def get(self, address: str) -> None:
        self._do("WebDriver:Navigate", url=address)

    def get_narrow(self, address: str, width: int) -> None:
        """Open the page in a frame of this width: a window cannot be as narrow as a telephone."""
        frame = f'<iframe src="{address}" style="width: {width}px; height: 800px"></iframe>'
        file = self._profile / "narrow.html"
        file.write_text(f"<!doctype html>{frame}")
        self.get(file.as_uri())
        self._do("WebDriver:SwitchToFrame", id=0)

    def run(self, script: str, *arguments: object) -> Any:
        return self._do("WebDriver:ExecuteScript", script=script, args=arguments, sandbox=None)[
            "value"
        ]

    def give(self, selector: str, file: Path) -> None:
        """Choose a file in a field for files."""
        found = self._do("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self._do("WebDriver:ElementSendKeys", id=next(iter(found.values())), text=str(file))

    def press(self, keys: str) -> None:
        """Press keys where the focus is."""
        found = self._do("WebDriver:GetActiveElement")["value"]
        self._do("WebDriver:ElementSendKeys", id=next(iter(found.values())), text=keys)

    def shoot(self, name: str) -> None:
        """Keep the whole page as a picture."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        raw = self._do("WebDriver:TakeScreenshot", full=True)["value"]
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(raw))

    def close(self) -> None:
        self._stream.close()
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)
