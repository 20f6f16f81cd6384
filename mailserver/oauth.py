"""Access tokens for XOAUTH2, for intake and delivery: from a command, or for a refresh token.

`sign_in` gets the first refresh token: a person enters a code at the issuer (RFC 8628).

A provider may give a new refresh token with each access token and forget the old one. We keep the
new one in the contest's folder; it counts until contest.toml names another.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shlex
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from contest.errors import GiveUp, TryAgain
from contest.schema.sections import OAuth
from contest.subprocesses.child_process import run
from contest.util.sanitize import visible

KEPT_FILE = ".refresh-token.json"
_REQUEST_SECONDS = 30.0
_COMMAND_SECONDS = 60.0
_MARGIN_SECONDS = 60.0  # seconds before its end in which a token is not used any more
_DEFAULT_LIFE_SECONDS = 300.0  # of a token, if its issuer does not say how long it lives
_MAX_ANSWER_BYTES = 65_536
_MAX_REASON_CHARACTERS = 300
_TOKEN = re.compile(r"[!-~]+")
_SLOW_DOWN = "slow_down"
_TEMPORARY = ("temporarily_unavailable", "server_error", "authorization_pending", _SLOW_DOWN)
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_MAX_SIGN_IN_SECONDS = 900.0
_MAX_PAUSE_SECONDS = 60.0


class AccessToken:
    """The current access token; safe to use from several threads.

    `folder` is the contest's; nothing is written into it unless the issuer changes the refresh
    token.
    """

    def __init__(self, settings: OAuth, folder: Path) -> None:
        self._settings = settings
        self._kept = folder / KEPT_FILE
        self._token, self._ends = "", 0.0  # when, by time.monotonic()
        self._lock = Lock()

    @property
    def is_set(self) -> bool:
        """Whether the settings of this process say how to get one."""
        return self._settings.is_set

    def get(self) -> str:
        """Return a token that is good for the next minute.

        Raises TryAgain where the issuer could not be reached or was busy, GiveUp where a person has
        to fix something.
        """
        if self._settings.token_command:
            return _from_command(self._settings.token_command)
        with self._lock:
            if not self._token or self._ends < time.monotonic() + _MARGIN_SECONDS:
                self._refresh()
            return self._token

    def forget(self) -> None:
        """The server did not accept the token: the next `get` asks for another."""
        with self._lock:
            self._token = ""

    def _refresh(self) -> None:
        settings = self._settings
        form = {
            "grant_type": "refresh_token",
            "client_id": settings.client_id,
            "client_secret": settings.client_secret,
            "refresh_token": self._refresh_token(),
        }
        answer = _ask(settings.token_url, {name: value for name, value in form.items() if value})
        token = _checked(answer.get("access_token"), f"the answer of {settings.token_url}")
        self._keep(answer.get("refresh_token"))
        life = _seconds(answer.get("expires_in"), _DEFAULT_LIFE_SECONDS, math.inf)
        self._token, self._ends = token, time.monotonic() + life

    def _refresh_token(self) -> str:
        """Return the refresh token that was kept, if it descends from the one in the settings."""
        try:
            kept = json.loads(self._kept.read_text(encoding="utf-8"))
            if kept["descends_from"] == self._mark():
                return str(kept["refresh_token"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return self._settings.refresh_token

    def _keep(self, new: object) -> None:
        if not isinstance(new, str) or new in ("", self._refresh_token()):
            return
        draft = self._kept.with_suffix(f".{os.getpid()}")
        text = json.dumps({"descends_from": self._mark(), "refresh_token": new})
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._kept)
        except OSError as error:
            raise TryAgain(
                f"the issuer has changed the refresh token, and {self._kept} cannot be written:"
                f" {error}"
            ) from error

    def _mark(self) -> str:
        return hashlib.sha256(self._settings.refresh_token.encode()).hexdigest()


def _is_number(text: float | str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", str(text)) is not None


# --- a command ------------------------------------------------------------------------------------
def _from_command(line: str) -> str:
    try:
        command = shlex.split(line)
        finished = run(command, b"", _COMMAND_SECONDS)
    except (OSError, ValueError, IndexError) as error:
        raise GiveUp(f"oauth.token_command cannot be started: {error}") from error
    if finished.code is None:
        raise TryAgain(f"oauth.token_command took longer than {_COMMAND_SECONDS:.0f} s")
    if finished.code:
        stderr = _reason(finished.stderr.decode("utf-8", "replace"))
        raise GiveUp(f"oauth.token_command ended with {finished.code}: {stderr}")
    return _checked(
        finished.stdout.decode("utf-8", "replace").strip(), "the output of oauth.token_command"
    )


# --- signing in -----------------------------------------------------------------------------------
def sign_in(issuer: str, client: str, scope: str, show: Callable[[str, str], object]) -> str:
    """Return a refresh token. `show` is given the web address and the code that a person has to
    enter.

    Raises GiveUp if the person refuses, is too late, or the issuer does not know the client.
    """
    asked = _ask(f"{issuer}/devicecode", {"client_id": client, "scope": scope})
    code = _checked(asked.get("device_code"), f"the answer of {issuer}/devicecode")
    show(visible(str(asked.get("verification_uri"))), visible(str(asked.get("user_code"))))
    pause = _seconds(asked.get("interval"), 5.0, _MAX_PAUSE_SECONDS)
    end = time.monotonic() + _seconds(asked.get("expires_in"), 900.0, _MAX_SIGN_IN_SECONDS)
    form = {"grant_type": _DEVICE_GRANT, "client_id": client, "device_code": code}
    while time.monotonic() < end:
        time.sleep(pause)
        try:
            answer = _ask(f"{issuer}/token", form)
        except TryAgain as error:
            if _SLOW_DOWN in str(error):
                pause = min(pause + 5.0, _MAX_PAUSE_SECONDS)
            continue
        return _checked(answer.get("refresh_token"), f"the answer of {issuer}/token")
    raise GiveUp("nobody entered the code in time", hint="give the command again")


def _seconds(told: object, usual: float, most: float) -> float:
    """Return the seconds that an issuer tells, if it does."""
    is_told = isinstance(told, int | float | str) and _is_number(told)
    return min(float(str(told)) if is_told else usual, most)


# --- the issuer -----------------------------------------------------------------------------------
class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect: secrets go only to the address that the organizer named."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _ask(url: str, form: dict[str, str]) -> dict[str, Any]:
    request = Request(url, urlencode(form).encode(), {"Accept": "application/json"})  # noqa: S310 - https, see config
    try:
        with build_opener(_NoRedirect).open(request, timeout=_REQUEST_SECONDS) as response:
            return _object(response.read(_MAX_ANSWER_BYTES))
    except HTTPError as error:
        raise _refusal(url, error) from error
    except (OSError, HTTPException) as error:
        raise TryAgain(f"{url} cannot be asked for a token: {error}") from error


def _refusal(url: str, error: HTTPError) -> TryAgain | GiveUp:
    answer = _object(error.read(_MAX_ANSWER_BYTES))
    name = answer.get("error", "")
    text = f"{url} gives no token: {error.code} " + _reason(
        f"{name} {answer.get('error_description', '')}"
    )
    later = error.code == 429 or error.code >= 500 or name in _TEMPORARY
    return TryAgain(text) if later else GiveUp(text)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _checked(token: object, where: str) -> str:
    """Return the token, which must be one word of printable ASCII: it goes into a line of SMTP or
    IMAP."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise GiveUp(f"{where} is not an access token")
    return token


def _reason(text: str) -> str:
    return visible(text)[:_MAX_REASON_CHARACTERS] or "(without a reason)"
