"""passwords.toml: for its owner alone, before contest.toml, and behind systemd's credential."""

from pathlib import Path

import pytest

from contest.config.load import FILE_NAME, load_settings
from contest.config.passwords import PASSWORDS, read_passwords, write_passwords
from contest.errors import ConfigError
from mailserver.providers.autoconfig import servers_in

TOML = """
[dates]
registration_opens = 2026-10-01T12:00:00Z
compilation_opens = 2026-10-01T12:00:00Z
registration_closes = 2026-11-01T12:00:00Z
compilation_closes = 2026-11-02T12:00:00Z
contest_starts = 2026-11-03T12:00:00Z
results_published = 2026-11-04T12:00:00Z
[imap]
password = ""
"""


def test_the_file_is_private_and_takes_precedence(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(TOML)
    assert load_settings(tmp_path).imap.password == ""
    write_passwords(tmp_path, {"imap": {"password": 'a "b" \\ ü'}})
    assert (tmp_path / PASSWORDS).stat().st_mode & 0o777 == 0o600
    assert load_settings(tmp_path).imap.password == 'a "b" \\ ü'
    (tmp_path / PASSWORDS).chmod(0o640)
    with pytest.raises(ConfigError, match="chmod 600"):
        load_settings(tmp_path)


def test_a_credential_of_systemd_takes_the_place_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    write_passwords(tmp_path, {"mail": {"password": "old"}})
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    assert read_passwords(tmp_path) == {"mail": {"password": "old"}}
    write_passwords(credentials, {"mail": {"password": "new"}})
    (credentials / PASSWORDS).chmod(0o440)  # so an access list shows that lets its user read it
    assert read_passwords(tmp_path) == {"mail": {"password": "new"}}


@pytest.mark.parametrize("text", ["[imap", "password = 'x'", "\udcff"])
def test_what_is_wrong_with_the_file_is_said(tmp_path: Path, text: str) -> None:
    write_passwords(tmp_path, {})
    (tmp_path / PASSWORDS).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match=PASSWORDS):
        read_passwords(tmp_path)


def _file(imap: str = "<port>993</port><socketType>SSL</socketType>", head: str = "") -> bytes:
    return f"""<?xml version="1.0"?>{head}<clientConfig><emailProvider>
<incomingServer type="pop3"><hostname>pop.x.example</hostname></incomingServer>
<incomingServer type="imap"><hostname>IMAP.%EMAILDOMAIN%</hostname>{imap}
<username>%EMAILLOCALPART%</username></incomingServer>
<outgoingServer type="smtp"><hostname>smtp.x.example</hostname><port>587</port>
<socketType>STARTTLS</socketType></outgoingServer></emailProvider></clientConfig>""".encode()


def test_a_file_of_servers_is_read() -> None:
    found = servers_in(_file(), "me@x.example")
    assert found
    assert [str(server) for server in found] == [
        "imap.x.example:993 (TLS)",
        "smtp.x.example:587 (STARTTLS)",
    ]
    assert [server.username for server in found] == ["me", "me@x.example"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html><body>404</body></html>",
        b"<clientConfig><emailProvider>",
        _file("<port>993</port><socketType>plain</socketType>"),
        _file("<port>0</port><socketType>SSL</socketType>"),
        _file("<port>99999</port><socketType>SSL</socketType>"),
        _file("<port>993</port><socketType>SSL</socketType><username>a\nb</username>"),
        _file(head='<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'),
        _file(head='<!DOCTYPE x SYSTEM "file:///etc/passwd">'),
        _file().decode().encode("utf-16"),
        b"<a>" * 30_000,
        b"\xff\xfe" + b"<" * 100,
        _file().replace(b"IMAP.%EMAILDOMAIN%", b"imap.x.example/evil"),
        _file().replace(b"IMAP.%EMAILDOMAIN%", b"-x.example"),
    ],
)
def test_a_file_that_is_none_or_wants_to_harm_names_no_servers(raw: bytes) -> None:
    assert servers_in(raw, "me@x.example") is None
