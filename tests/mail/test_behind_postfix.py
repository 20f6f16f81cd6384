"""Mails through a real Postfix with TLS and logins, as many organizers have it, and what comes
back."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import trustme
from click.testing import CliRunner, Result

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import OutboxState
from contest.schema.sections import Contest, DeliveryKind, Mail
from contest.util.clock import SystemClock
from knobeln.cli import main
from knobeln.context import ContestContext, create_contest
from store import outbox
from tests.support.mail_world import BELIEVED, form_of_one
from tests.support.processes import start
from tests.support.relays import Sink, relay
from tests.support.servers import Dovecot, Postfix, free_port, wait_for, world_readable_folder

pytestmark = [pytest.mark.slow, pytest.mark.needs_root]

ROBOT, ORGANIZER = "knobeln@contest.example", "organizer@team.example"
USER, PASSWORD = "knobeln", "secret"  # Dovecot knows everybody by it
MAIN = """
smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = {d}/relay.pem
smtpd_tls_key_file = {d}/relay.pem
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = {d}/dovecot/logins
smtpd_sasl_mechanism_filter = {mechanisms}, static:rest
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = {recipients}
transport_maps = inline:{{
  {{contest.example = smtp:[127.0.0.1]:{robot}}}, {{team.example = smtp:[127.0.0.1]:{teams}}} }}
"""
IMPLICIT = "127.0.0.1:{port} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes\n"


class LoginsByDovecot(Dovecot):
    """Where Postfix asks who may log in, as on many real computers."""

    def _configure(self) -> None:
        super()._configure()
        with (self.folder / "dovecot.conf").open("a") as config:
            listener = f"unix_listener {self.folder}/logins {{\n    mode = 0666\n  }}"
            config.write(f"service auth {{\n  {listener}\n}}\n")


class World:
    """A contest with its server running, Postfix in front of and behind it, and where the teams'
    mails go."""

    def __init__(
        self, folder: Path, mechanisms: str, recipients: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.path = folder
        self.teams = Sink()
        self.robot_port = free_port()
        self.implicit = free_port()
        self._mechanisms = mechanisms
        self._recipients = recipients
        self._monkeypatch = monkeypatch

    @contextmanager
    def running(self) -> Iterator["World"]:
        with relay(self.teams) as port, ExitStack() as servers:
            (self.path / "dovecot").mkdir()
            servers.callback(LoginsByDovecot(self.path / "dovecot").stop)
            lines = MAIN.format(
                d=self.path,
                robot=self.robot_port,
                teams=port,
                mechanisms=self._mechanisms,
                recipients=self._recipients,
            )
            self.postfix = Postfix(self.path, lines, IMPLICIT.format(port=self.implicit))
            servers.callback(self.postfix.stop)
            yield self

    def contest(self, **mail: object) -> ContestContext:
        """A contest that sends through this Postfix."""
        facts: dict[str, object] = {
            "listen": f"127.0.0.1:{self.robot_port}",
            "delivery": DeliveryKind.SMTP,
            "smarthost": f"127.0.0.1:{self.postfix.smtp}",
            "security": "starttls",
            "username": USER,
        }
        section = Mail(**(facts | mail))
        settings = Settings(
            contest=Contest(address=ROBOT, organizer_address=ORGANIZER),
            dates=usual_dates(SystemClock().now()),
            mail=section,
            registration=BELIEVED,
        )
        made = create_contest(self.path / "contest", settings)
        self._monkeypatch.setenv("KNOBELN_SET_MAIL__PASSWORD", PASSWORD)
        return made


@contextmanager
def serving(folder: ContestContext) -> Iterator[None]:
    log = folder.path.parent / "serve.log"
    process = start([sys.executable, "-m", "knobeln", "serve", "-C", str(folder.path)], log)
    try:
        wait_for(lambda: "listening" in log.read_text(), "serve")
        yield
    finally:
        process.terminate()


@contextmanager
def world_with(
    authority: trustme.CA,
    monkeypatch: pytest.MonkeyPatch,
    mechanisms: str = "!external",
    recipients: str = "",
) -> Iterator[World]:
    with world_readable_folder() as folder:
        authority.cert_pem.write_to_path(folder / "authority.pem")
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
            folder / "relay.pem"
        )
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
        with World(folder, mechanisms, recipients, monkeypatch).running() as world:
            yield world


@pytest.fixture
def world(authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with world_with(authority, monkeypatch) as made:
        yield made


def knobeln(folder: ContestContext, *words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, [*words, "-C", str(folder.path)], input=stdin)


def register(folder: ContestContext, address: str, name: str) -> None:
    letter = f"From: {address}\nSubject: registration for KNOBELN\n\n{form_of_one(name, address)}"
    assert knobeln(folder, "receive", "--sender", address, stdin=letter).exit_code == 0


@pytest.mark.parametrize(
    ("security", "mechanisms", "used"),
    [("starttls", "!external", "PLAIN"), ("tls", "!plain", "LOGIN")],
)
def test_a_mail_gets_through_with_encryption_and_login(
    authority: trustme.CA,
    monkeypatch: pytest.MonkeyPatch,
    security: str,
    mechanisms: str,
    used: str,
) -> None:
    with world_with(authority, monkeypatch, mechanisms) as world:
        port = world.implicit if security == "tls" else world.postfix.smtp
        folder = world.contest(security=security, smarthost=f"127.0.0.1:{port}")
        register(folder, "joe@team.example", "lords")
        assert knobeln(folder, "mail", "flush").stdout == "1 sent, 0 deferred, 0 failed.\n"
        wait_for(lambda: world.teams.taken, "the mail")
        sender, to, content = world.teams.taken[0]
        assert (sender.partition("-")[0], to) == ("knobeln+b", "joe@team.example")
        assert b"authentification string" in content
        login = f"sasl_method={used}, sasl_username={USER}"
        wait_for(lambda: login in world.postfix.log(), "the log")


def test_a_team_that_cannot_be_reached_is_shown_to_the_organizer(world: World) -> None:
    """Out through the relay, refused by the next one, back to the listener, and into the tables."""
    folder = world.contest()
    with serving(folder):
        register(folder, "gone@team.example", "lost_ones")
        register(folder, "joe@team.example", "lords")

        def came_back() -> bool:
            with folder.store.read() as tx:
                return OutboxState.BOUNCED in outbox.count_by_state(tx)

        wait_for(came_back, "the bounce")
    shown = knobeln(folder, "teams").output
    assert "! lost_ones: 1 mail did not arrive" in shown
    assert "550 no such user" in shown
    assert "! lords" not in shown
    assert "mails came back: `knobeln mail --state bounced`" in knobeln(folder, "status").output
    assert "it came back, says letter 3: " in knobeln(folder, "mail", "show", "1").output


def test_doctor_sends_a_letter_around_and_finds_all_well(world: World) -> None:
    folder = world.contest()
    with serving(folder):
        result = knobeln(folder, "doctor", "--letter")
    lines = [
        line
        for line in result.output.splitlines()
        if line[5:].startswith(("mails out", "a letter"))
    ]
    assert (
        lines[0]
        == f"ok   mails out: 127.0.0.1:{world.postfix.smtp} would take our mails (TLSv1.3, logged"
        f" in as {USER})"
    )
    begin = f"ok   a letter to itself: went out to {ROBOT} ("
    assert lines[1].startswith(begin)
    assert " and knobeln+b-0-" in lines[1]
    assert result.exit_code == 0


def test_doctor_finds_that_bounces_would_not_come_back(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    these = "{ /^(knobeln@contest|organizer@team)\\.example$$/ OK }"
    only_the_robot = f"check_recipient_access regexp:{{{these}}}, reject"
    with world_with(authority, monkeypatch, recipients=only_the_robot) as world:
        folder = world.contest()
        with serving(folder):
            for _ in range(3):  # a relay that has just started may let its first caller wait
                output = knobeln(folder, "doctor", "--letter", "--patience", "20").output
                if "timed out" not in output:
                    break
    assert f"FAIL a letter to itself: the relay takes letters to {ROBOT}, but none to" in output
    assert "recipient_delimiter = +" in output


def test_doctor_finds_that_letters_do_not_come_in(world: World) -> None:
    folder = world.contest()  # and nobody serves
    output = knobeln(folder, "doctor", "--letter", "--patience", "1").output
    assert f"FAIL a letter to itself: the relay took a letter to {ROBOT}, but it did not" in output
    assert "does `knobeln serve` run" in output
