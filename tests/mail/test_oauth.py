"""Access tokens: from a command, and for a refresh token from a real HTTP issuer."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from pydantic import ValidationError

from contest.errors import GiveUp, TryAgain
from contest.schema.sections import OAuth
from mailserver.oauth import KEPT_FILE, AccessToken


class Issuer(HTTPServer):
    """Gives the answers it is told to give, in order, the last one for ever."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, str]] = []
        self.answers: list[tuple[int, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/token"


class _Handler(BaseHTTPRequestHandler):
    server: Issuer

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.asked.append({name: values[0] for name, values in form.items()})
        answers = self.server.answers
        code, text = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(code)
        self.send_header("Location", self.server.url)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    server = Issuer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def token_of(issuer: Issuer, folder: Path, from_settings: str = "first") -> AccessToken:
    settings = OAuth(
        token_url=issuer.url,
        client_id="knobeln",
        client_secret="hush",
        refresh_token=from_settings,
    )
    return AccessToken(settings, folder)


def given(**fields: object) -> tuple[int, str]:
    return 200, json.dumps(fields)


def test_a_refresh_token_brings_an_access_token_that_is_used_until_it_ends(
    issuer: Issuer, tmp_path: Path
) -> None:
    issuer.answers = [given(access_token="one", expires_in=3600), given(access_token="two")]
    token = token_of(issuer, tmp_path)
    assert [token.get(), token.get()] == ["one", "one"]
    assert issuer.asked == [
        {
            "grant_type": "refresh_token",
            "client_id": "knobeln",
            "client_secret": "hush",
            "refresh_token": "first",
        }
    ]
    token.forget()
    assert token.get() == "two"


@pytest.mark.parametrize("life", [30, "59", 0])
def test_a_token_that_ends_within_a_minute_is_not_used_again(
    issuer: Issuer, tmp_path: Path, life: int | str
) -> None:
    issuer.answers = [
        given(access_token="one", expires_in=life),
        given(access_token="two", expires_in=life),
    ]
    token = token_of(issuer, tmp_path)
    assert [token.get(), token.get()] == ["one", "two"]


def test_a_changed_refresh_token_is_kept_privately_until_the_settings_name_another(
    issuer: Issuer, tmp_path: Path
) -> None:
    issuer.answers = [given(access_token="a", refresh_token="second"), given(access_token="b")]
    token_of(issuer, tmp_path).get()
    token_of(issuer, tmp_path).get()  # another process
    token_of(issuer, tmp_path, "from the organizer").get()
    assert [form["refresh_token"] for form in issuer.asked] == [
        "first",
        "second",
        "from the organizer",
    ]
    assert (tmp_path / KEPT_FILE).stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [KEPT_FILE]


REFUSED = [
    (
        400,
        '{"error": "invalid_grant", "error_description": "expired\\u001b[31m or revoked"}',
        "invalid_grant",
    ),
    (401, "<html>no</html>", "401"),
    (302, "", "302"),
    (200, "{}", "not an access token"),
    (200, '{"access_token": "a\\r\\nb"}', "not an access token"),
    (200, '{"access_token": 17}', "not an access token"),
    (200, "[" * 30_000, "not an access token"),
]


@pytest.mark.parametrize(("code", "text", "said"), REFUSED)
def test_an_issuer_that_says_no_is_told_in_its_own_words(
    issuer: Issuer, tmp_path: Path, code: int, text: str, said: str
) -> None:
    issuer.answers = [(code, text)]
    with pytest.raises(GiveUp, match=said) as caught:
        token_of(issuer, tmp_path).get()
    assert str(caught.value).isprintable()
    assert "first" not in str(caught.value)
    assert "hush" not in str(caught.value)
    assert len(issuer.asked) == 1


@pytest.mark.parametrize(
    ("code", "text"), [(503, ""), (429, ""), (400, '{"error": "temporarily_unavailable"}')]
)
def test_a_busy_issuer_is_asked_again_later(
    issuer: Issuer, tmp_path: Path, code: int, text: str
) -> None:
    issuer.answers = [(code, text), given(access_token="at-last")]
    token = token_of(issuer, tmp_path)
    with pytest.raises(TryAgain):
        token.get()
    assert token.get() == "at-last"


def test_an_issuer_that_is_not_there_is_asked_again_later(tmp_path: Path) -> None:
    settings = OAuth(
        token_url="http://127.0.0.1:1/token", client_id="knobeln", refresh_token="first"
    )
    with pytest.raises(TryAgain, match="cannot be asked"):
        AccessToken(settings, tmp_path).get()


def test_a_command_prints_the_token_and_does_not_see_our_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_MAIL__PASSWORD", "hush")
    command = """sh -c 'echo "token$KNOBELN_SET_MAIL__PASSWORD"'"""
    assert AccessToken(OAuth(token_command=command), tmp_path).get() == "token"


COMMANDS = [
    ("/no/such/command", "cannot be started"),
    ("sh -c 'unbalanced", "cannot be started"),
    ("' '", "cannot be started"),
    ("sh -c 'echo the vault is locked >&2; exit 3'", "ended with 3: the vault is locked"),
    ("true", "not an access token"),
    ("echo two words", "not an access token"),
]


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_a_command_that_gives_no_token_is_told_with_its_own_words(
    tmp_path: Path, command: str, said: str
) -> None:
    with pytest.raises(GiveUp, match=said):
        AccessToken(OAuth(token_command=command), tmp_path).get()


def test_secrets_are_never_sent_in_the_clear() -> None:
    with pytest.raises(ValidationError):
        OAuth(token_url="http://login.example/token")
    with pytest.raises(ValidationError):
        OAuth(token_url="http://127.0.0.1.evil.example/token")
