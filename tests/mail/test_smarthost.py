"""A relay that wants encryption and a login, with real TLS: what works, and what never gets out."""

import re
import ssl
from pathlib import Path
from ssl import SSLContext
from typing import Any

import pytest
import trustme
from click.testing import CliRunner

from contest.errors import DeliveryDeferred
from contest.schema.sections import DeliveryKind, Mail, OAuth
from knobeln.cli import main
from knobeln.doctor.mail_checks import advice_on
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.local import RelayUnreachable, Transport
from tests.support.mail_world import make_settings
from tests.support.relays import PASSWORD, TOKEN, USER, Sink, relay, server_context

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
ROBOT = "knobeln@contest.example"
RAW = b"Subject: hello\r\n\r\nHello\r\n"


@pytest.fixture
def trusted(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ssl.SSLContext:
    """The relay's side of TLS, with a certificate that this computer trusts."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    return server_context(authority)


def way_out(port: int, folder: Path, **facts: Any) -> Transport:
    oauth = OAuth(token_command=facts.pop("token_command", f"echo {TOKEN}"))
    mail = {"username": USER, "password": PASSWORD, "smarthost": f"127.0.0.1:{port}"} | facts
    section = Mail(delivery=DeliveryKind.SMTP, **mail)
    return transport_of(make_settings(mail=section, oauth=oauth), folder)


def send(transport: Transport) -> str:
    try:
        return transport.send(ROBOT, "joe@a.example", RAW)
    finally:
        transport.close()


LOGINS = [(PASSWORD, [], "PLAIN"), (PASSWORD, ["PLAIN"], "LOGIN"), ("", [], "XOAUTH2")]


@pytest.mark.parametrize(("password", "without", "mechanism"), LOGINS)
def test_a_login_behind_starttls(
    trusted: ssl.SSLContext, tmp_path: Path, password: str, without: list[str], mechanism: str
) -> None:
    sink = Sink()
    with relay(
        sink,
        tls_context=trusted,
        require_starttls=True,
        auth_required=True,
        auth_exclude_mechanism=without,
    ) as port:
        assert (
            send(way_out(port, tmp_path, security="starttls", password=password))
            == "250 taken as 4711"
        )
    assert sink.logins == [(mechanism, True)]
    assert sink.taken[0][:2] == (ROBOT, "joe@a.example")


def test_a_login_where_all_is_encrypted(trusted: ssl.SSLContext, tmp_path: Path) -> None:
    sink = Sink()
    options = {"auth_required": True, "auth_require_tls": False}
    with relay(sink, implicit=trusted, **options) as port:
        assert (
            send(way_out(port, tmp_path, security="tls", password=PASSWORD)) == "250 taken as 4711"
        )
    assert sink.logins == [("PLAIN", True)]


@pytest.mark.parametrize("security", ["starttls", "tls"])
@pytest.mark.parametrize("fault", ["another name", "nobody's certificate"])
def test_a_relay_that_cannot_prove_who_it_is_learns_nothing(
    authority: trustme.CA, trusted: ssl.SSLContext, tmp_path: Path, security: str, fault: str
) -> None:
    sink = Sink()
    context = (
        server_context(authority, "relay.example")
        if fault == "another name"
        else server_context(trustme.CA())
    )
    options: dict[str, Any] = (
        {"implicit": context} if security == "tls" else {"tls_context": context}
    )
    with (
        relay(sink, **options) as port,
        pytest.raises(RelayUnreachable, match="certificate verify failed"),
    ):
        send(way_out(port, tmp_path, security=security))
    assert (sink.logins, sink.taken) == ([], [])


WRONG = [
    ({"password": "wrong"}, "535"),
    ({"username": "nobody"}, "535"),
    ({"password": "", "token_command": "echo old"}, "535"),
    ({"password": "", "token_command": "sh -c 'echo locked >&2; exit 1'"}, "locked"),
]


@pytest.mark.parametrize(("facts", "said"), WRONG)
def test_a_login_that_is_not_accepted_is_told_without_the_secret(
    trusted: ssl.SSLContext, tmp_path: Path, facts: dict[str, str], said: str
) -> None:
    sink = Sink()
    with (
        relay(sink, tls_context=trusted) as port,
        pytest.raises(RelayUnreachable, match=said) as caught,
    ):
        send(way_out(port, tmp_path, security="starttls", **facts))
    assert sink.taken == []
    assert not any(secret in str(caught.value) for secret in ("wrong", PASSWORD, "Bearer"))


def test_a_login_that_the_relay_does_not_offer_is_told(tmp_path: Path) -> None:
    with (
        relay(Sink()) as port,
        pytest.raises(RelayUnreachable, match="offers no login by password"),
    ):
        send(way_out(port, tmp_path))


def test_a_relay_that_asks_for_a_login_which_we_do_not_have_costs_no_mail(tmp_path: Path) -> None:
    options = {"auth_required": True, "auth_require_tls": False}
    with relay(Sink(), **options) as port, pytest.raises(RelayUnreachable, match="530"):
        send(way_out(port, tmp_path, username=""))


@pytest.mark.slow
def test_a_token_that_only_serve_knows_is_missed_where_it_is_needed_and_not_before(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "contest"
    assert CliRunner().invoke(main, ["init", str(folder)]).exit_code == 0
    for name, value in (
        ("delivery", "smtp"),
        ("username", "robot"),
        ("token_url", "https://issuer.example/token"),
        ("client_id", "robot"),
    ):
        text = (folder / "contest.toml").read_text()
        (folder / "contest.toml").write_text(
            re.sub(rf"(?m)^{name} = .*", f'{name} = "{value}"', text, count=1)
        )
    status = CliRunner().invoke(main, ["status", "-C", str(folder)])
    assert status.exit_code == 0, status.output
    doctor = " ".join(CliRunner().invoke(main, ["doctor", "-C", str(folder)]).output.split())
    assert "mail.username needs mail.password, or oauth.token_command, or oauth.token_url" in doctor
    assert "must be in the environment of `serve`, and of this command too" in doctor


def test_a_token_that_is_not_accepted_any_more_is_asked_for_again(
    trusted: ssl.SSLContext, tmp_path: Path
) -> None:
    sink = Sink()
    (tmp_path / "token").write_text("old")
    with relay(sink, tls_context=trusted) as port:
        transport = way_out(
            port,
            tmp_path,
            security="starttls",
            password="",
            token_command=f"cat {tmp_path / 'token'}",
        )
        with pytest.raises(DeliveryDeferred):
            send(transport)
        (tmp_path / "token").write_text(TOKEN)
        assert send(transport) == "250 taken as 4711"


ADVICE = [
    (
        {"security": "starttls"},
        {"tls_context": server_context(trustme.CA())},
        "must be a name in the relay's certificate",
    ),
    ({"security": "tls"}, {}, 'try mail.security = "starttls"'),
    ({"security": "starttls"}, {}, 'try mail.security = "tls"'),
    ({}, {}, "logins at 587 or 465"),
    (
        {"password": "wrong"},
        {"auth_require_tls": False},
        "KNOBELN_SET_MAIL__PASSWORD; some providers",
    ),
    (
        {"username": ""},
        {"auth_required": True, "auth_require_tls": False},
        "the relay wants a login",
    ),
    ({"password": "", "token_command": "false"}, {"auth_require_tls": False}, "oauth.*"),
    ({"password": "", "token_command": "echo old"}, {"auth_require_tls": False}, "app password"),
    ({"password": "", "token_command": ""}, {}, "KNOBELN_SET_OAUTH__REFRESH_TOKEN"),
    ({"username": "", "smarthost": "no-such-host.invalid"}, {}, "check mail.smarthost, its port"),
]


@pytest.mark.parametrize(("facts", "options", "advice"), ADVICE)
def test_for_each_way_in_which_it_fails_doctor_knows_what_helps(
    tmp_path: Path, facts: dict[str, str], options: dict[str, SSLContext | bool], advice: str
) -> None:
    with relay(Sink(), **options) as port, pytest.raises(DeliveryDeferred) as caught:
        way_out(port, tmp_path, **facts).send(ROBOT, "joe@a.example", RAW)
    assert advice in advice_on(str(caught.value))


def test_doctor_knows_what_helps_where_the_relay_does_not_like_our_sender(tmp_path: Path) -> None:
    sink = Sink()
    sink.checks_sender_of = "somebody@contest.example"
    with relay(sink) as port, pytest.raises(DeliveryDeferred) as caught:
        send(way_out(port, tmp_path, username=""))
    assert "mail.verp = false" in advice_on(str(caught.value))


def test_a_probe_says_how_the_relay_was_reached_and_sends_nothing(
    trusted: ssl.SSLContext, tmp_path: Path
) -> None:
    sink = Sink()
    with relay(sink, tls_context=trusted) as port:
        transport = way_out(port, tmp_path, security="starttls")
        found = transport.probe(ROBOT, "joe@a.example")
        transport.close()
    assert found == f"127.0.0.1:{port} would take our mails (TLSv1.3, logged in as {USER})"
    assert sink.taken == []
