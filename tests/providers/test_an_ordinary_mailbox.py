"""From an ordinary mailbox to the first answered letter, with real servers that behave as the
providers do."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trustme

from contest.config.load import load_settings
from contest.config.passwords import PASSWORDS
from contest.schema.sections import Imap, Mail, OAuth
from mailserver.delivery.transports import LimitReached
from mailserver.delivery.transports.smtp import SmtpTransport
from mailserver.intake.imap import Mailbox, Watch
from mailserver.oauth import AccessToken
from tests.support.mail_world import form_of_one
from tests.support.providers import APP_PASSWORD, Providers
from tests.support.servers import wait_for, world_readable_folder

pytestmark = [pytest.mark.slow, pytest.mark.needs_root]

CHECK = """
from pathlib import Path
from contest.config.load import load_settings
from knobeln.doctor.mail_checks import _imap
print(_imap(load_settings(Path({folder!r})), Path({folder!r})))
"""
LOOP = """
from pathlib import Path
from knobeln.context import ContestContext
from knobeln.doctor.mail_checks import check_loop
print(check_loop(ContestContext.open(Path({folder!r})), 60))
"""
XML = """<?xml version="1.0"?>
<clientConfig version="1.1"><emailProvider id="club.example">
<incomingServer type="imap"><hostname>post.club.example</hostname><port>{port}</port>
<socketType>{security}</socketType><username>%EMAILADDRESS%</username></incomingServer>
<outgoingServer type="smtp"><hostname>post.%EMAILDOMAIN%</hostname><port>587</port>
<socketType>STARTTLS</socketType><username>%EMAILADDRESS%</username></outgoingServer>
</emailProvider></clientConfig>"""


@pytest.fixture(scope="module")
def providers() -> Iterator[Providers]:
    if os.getuid():
        pytest.skip("only root can make a network of its own")
    with world_readable_folder() as folder:
        servers = Providers(folder, trustme.CA())
        yield servers
        servers.stop()


def made(
    providers: Providers, folder: Path, mailbox: str, *options: str, given: str = "secret\n"
) -> str:
    """What `init --mailbox` says, which works."""
    words = ("init", "--beacon", "none", "--mailbox", mailbox, *options, folder)
    finished = providers.knobeln(*words, given=given)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout + finished.stderr


def refused(
    providers: Providers, folder: Path, mailbox: str, *options: str, given: str = "secret\n"
) -> str:
    """What it says where it does not; nothing is there."""
    words = ("init", "--beacon", "none", "--mailbox", mailbox, *options, folder)
    finished = providers.knobeln(*words, given=given)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    assert "Traceback" not in finished.stderr
    assert not folder.exists()
    return finished.stderr


def answered(providers: Providers, folder: Path, team: str) -> float:
    """Seconds until the first letter is answered, from the start of `serve`."""
    robot = load_settings(folder).contest.address
    begin = time.monotonic()
    serve = providers.start_knobeln("serve", "-C", folder)
    letter = f"From: {team}\r\nTo: {robot}\r\nSubject: help\r\nMessage-ID: <1.{team}>\r\n\r\n\r\n"
    providers.bring(team, robot, letter)
    name = team.partition("@")[0]
    while not providers.mailbox(name):
        assert time.monotonic() - begin < 90
        time.sleep(0.3)
    seconds = time.monotonic() - begin
    serve.stop()
    (answer,) = providers.mailbox(name)
    assert f"<{robot}>" in answer.decode()
    return seconds


def test_gmail_wants_an_app_password_and_the_contest_gets_it_all_done(
    providers: Providers, tmp_path: Path
) -> None:
    folder = tmp_path / "spring"
    said = refused(providers, folder, "robot@gmail.com")
    assert "Application-specific_password_required" in said
    assert "make one at https://myaccount.google.com/apppasswords" in said
    assert "imap.password" not in said  # there is no file yet where it would stand
    begin = time.monotonic()
    said = made(providers, folder, "robot@gmail.com", given="abcd efgh ijkl mnop\n")
    seconds = time.monotonic() - begin
    assert APP_PASSWORD not in said
    assert (folder / PASSWORDS).stat().st_mode & 0o777 == 0o600
    assert APP_PASSWORD not in (folder / "contest.toml").read_text()
    settings = load_settings(folder)
    assert settings.mail.password == settings.imap.password == APP_PASSWORD
    assert settings.contest.address == "robot@gmail.com"
    assert settings.contest.organizer_address == "robot+organizer@gmail.com"
    assert (settings.mail.verp, settings.mail.limits) == (False, ("500 per day",))
    assert providers.mailbox("robot", APP_PASSWORD) == []
    waited = answered(providers, folder, "gregor@team.example")
    # the provider keeps what is sent, and so we put nothing there
    assert "puts a copy of each mail into its folder for sent letters" in said
    assert set(providers.folders("robot", APP_PASSWORD)) == {"Processed"}
    print(f"Gmail: init {seconds:.1f} s, first letter answered after {waited:.1f} s")


def test_a_teachers_mailbox_is_shared_and_her_own_letters_stay_as_they_are(
    providers: Providers, tmp_path: Path
) -> None:
    own = "From: a@b.example\r\nTo: {}\r\nSubject: lunch\r\n\r\nat noon?\r\n"
    providers.bring("a@b.example", "teacher@gmail.com", own.format("teacher@gmail.com"))
    providers.bring("a@b.example", "teacher@gmail.com", own.format("a-list@b.example"))
    wait_for(lambda: len(providers.mailbox("teacher", APP_PASSWORD)) == 2)
    folder = tmp_path / "Spring 2027"
    said = made(providers, folder, "teacher@gmail.com", given=f"{APP_PASSWORD}\n")
    assert "2 letters are there already" in said
    settings = load_settings(folder)
    assert settings.contest.address == "teacher+spring2027@gmail.com"
    assert settings.contest.organizer_address == "teacher@gmail.com"
    answered(providers, folder, "tom@team.example")
    assert len(providers.mailbox("teacher", APP_PASSWORD)) == 2
    assert providers.flags("teacher", APP_PASSWORD) == [set(), set()]
    checked = providers.python(CHECK.format(folder=str(folder)))
    assert "also has 2 letters that are yours; we leave them unread" in checked
    assert "send from there counts in mail.limits, too" in checked


def test_a_mail_that_comes_back_to_the_person_is_counted_to_its_team(
    providers: Providers, tmp_path: Path
) -> None:
    folder = tmp_path / "autumn"
    bounce = "From: x@y.example\r\nTo: teacher@gmail.com\r\nSubject: own\r\n\r\nx\r\n"
    providers.bring("", "teacher@gmail.com", bounce)
    made(providers, folder, "teacher@gmail.com", given=f"{APP_PASSWORD}\n")
    robot = load_settings(folder).contest.address
    before = len(providers.mailbox("teacher", APP_PASSWORD))
    serve = providers.start_knobeln("serve", "-C", folder)
    head = f"From: lost@gone.example\r\nTo: {robot}\r\nSubject: registration for KNOBELN\r\n"
    form = form_of_one("lost_ones", "lost@gone.example").replace("\n", "\r\n")
    providers.bring("lost@gone.example", robot, f"{head}\r\n{form}")

    def shown() -> str:
        return providers.knobeln("teams", "-C", folder).stderr

    wait_for(lambda: "! lost_ones: 1 mail did not arrive" in shown(), "the bounce", 180)
    serve.stop()
    assert "loops back to myself" in shown()
    assert len(providers.mailbox("teacher", APP_PASSWORD)) == before
    assert " came back" in providers.knobeln("log", "-C", folder).stdout


def test_a_domain_tells_its_servers_by_autoconfig(providers: Providers, tmp_path: Path) -> None:
    page = "https://autoconfig.club.example/mail/config-v1.1.xml"
    providers.page(page, XML.format(port=993, security="SSL"))
    folder = tmp_path / "spring"
    begin = time.monotonic()
    said = made(providers, folder, "spring@club.example")
    seconds = time.monotonic() - begin
    assert "the contest starts on" in said
    assert f"found as {page} says: letters in from post.club.example:993 (TLS)" in said
    settings = load_settings(folder)
    assert settings.mail.verp
    assert settings.mail.relay_port == 587
    waited = answered(providers, folder, "clara@team.example")
    print(f"club.example: init {seconds:.1f} s, first letter answered after {waited:.1f} s")
    checked = providers.python(LOOP.format(folder=str(folder)))
    assert re.search(r"went out to spring@club.example \(\d+\.\d s\) and spring\+b-0-", checked)


def test_microsoft_365_takes_a_device_code(providers: Providers, tmp_path: Path) -> None:
    providers.name("school.example", MX=["0 school-example.mail.protection.outlook.com."])
    folder = tmp_path / "spring"
    assert "register" in refused(providers, folder, "robot@school.example")
    threading.Timer(3, lambda: providers.enter_code("robot@school.example")).start()
    begin = time.monotonic()
    said = made(providers, folder, "robot@school.example", "--client", "1234-abc")
    seconds = time.monotonic() - begin
    assert "sign in as robot@school.example, enter ABCD-EFGH" in said
    settings = load_settings(folder)
    assert settings.oauth.token_url.startswith("https://login.microsoftonline.com/school.example/")
    assert settings.oauth.refresh_token == "refresh-1"
    assert "refresh-1" not in (folder / "contest.toml").read_text()
    waited = answered(providers, folder, "mina@team.example")
    print(f"Microsoft 365: init {seconds:.1f} s, first letter answered after {waited:.1f} s")


def test_gmx_has_no_tags_so_an_own_address_is_asked_for(
    providers: Providers, tmp_path: Path
) -> None:
    folder = tmp_path / "spring"
    said = refused(
        providers, folder, "spring@gmx.de", "--organizer", "me@home.example", given="x\n"
    )
    assert 'switch on "POP3 und IMAP Zugriff"' in said
    made(providers, folder, "xenia@gmx.de", "--organizer", "me@home.example")
    settings = load_settings(folder)
    assert settings.contest.organizer_address == "me@home.example"
    assert not settings.mail.verp


@pytest.mark.parametrize(
    ("records", "how"),
    [
        ({"_imaps._tcp": "0 1 993 mail", "_submission._tcp": "0 1 587 mail"}, "SRV records"),
        ({"_imap._tcp": "0 1 143 mail", "_submissions._tcp": "0 1 465 mail"}, "SRV records"),
        ({}, "usual names at guessed.example"),
    ],
)
def test_servers_are_found_by_records_and_by_usual_names(
    providers: Providers, tmp_path: Path, records: dict[str, str], how: str
) -> None:
    for service in ("_imaps._tcp", "_imap._tcp", "_submission._tcp", "_submissions._tcp"):
        told = [f"{records[service]}.guessed.example."] if service in records else []
        providers.name(f"{service}.guessed.example", SRV=told)
    said = made(providers, tmp_path / "spring", f"robot{len(tmp_path.name)}@guessed.example")
    assert how in said


def test_a_full_mailbox_is_told_before_a_letter_is_sent(
    providers: Providers, tmp_path: Path
) -> None:
    letter = b"Subject: holidays\r\n\r\n" + b"a picture\r\n" * 95_000
    providers.put("full", letter)
    assert "is full; no letter can come in" in refused(
        providers, tmp_path / "spring", "full@guessed.example"
    )


def test_a_mailbox_that_fills_up_while_it_is_watched_is_told_once_and_so_is_its_end(
    providers: Providers,
) -> None:
    told: list[str] = []

    def opened() -> Mailbox:
        settings = Imap(
            server="127.0.0.1:143", security="none", username="fills", password="secret"
        )
        return Mailbox(settings, 10_000_000, lambda _raw, _at: None, told.append)

    def watched() -> tuple[Watch, threading.Event]:
        stop = threading.Event()
        watch = Watch(opened, told.append, stop)
        watch.start()  # in the providers' network, as its creator
        return watch, stop

    watch, stop = providers.inside(watched)
    wait_for(lambda: told == ["letters are fetched from the mailbox"], "the first look")
    providers.put("fills", b"Subject: holidays\r\n\r\n" + b"a picture\r\n" * 95_000)
    wait_for(lambda: len(told) == 2, "a full mailbox")
    providers.remove("fills", "Processed")
    providers.put("fills", b"Subject: a letter\r\n\r\nhello\r\n")
    wait_for(lambda: len(told) == 3, "room in the mailbox")
    stop.set()
    watch.join()
    assert told[1].startswith("the mailbox is full, so no letter can come in")
    assert told[2] == told[0]


def test_a_letter_in_the_folder_for_spam_is_found_there(providers: Providers) -> None:
    providers.put("lost", b"Message-ID: <1@x.example>\r\n\r\nhello\r\n", "Unerwünscht")

    def look() -> str:
        settings = Imap(server="127.0.0.1:143", security="none", username="lost", password="secret")
        with closing(Mailbox(settings, 1_000, print, print)) as mailbox:
            return mailbox.strays("<1@x.example>")

    assert providers.inside(look) == "Unerwünscht"


def test_what_postfix_says_of_its_rate_holds_up_all_mails(providers: Providers) -> None:
    def send() -> None:
        mail = Mail(delivery="smtp", smarthost="127.0.0.1:2587")
        with closing(SmtpTransport(mail, "club.example", AccessToken(OAuth(), Path()))) as relay:
            for number in range(3):
                relay.send(
                    "a@club.example", f"rate{number}@club.example", b"Subject: x\r\n\r\nx\r\n"
                )

    with pytest.raises(LimitReached, match="too much mail"):
        providers.inside(send)


def test_a_domain_without_servers_is_told_so(providers: Providers, tmp_path: Path) -> None:
    said = refused(providers, tmp_path / "spring", "somebody@nowhere.example", given="")
    assert "no mail server for somebody@nowhere.example answers" in said
    assert "do you mean" not in said
    said = refused(providers, tmp_path / "spring", "spring@gmial.com", given="")
    assert "is the address right (do you mean gmail.com?)?" in said


def test_of_guesses_that_fail_the_certificate_is_told(providers: Providers, tmp_path: Path) -> None:
    words = ("init", "--mailbox", "spring@guessed.example", tmp_path / "spring")
    finished = providers.knobeln(*words, SSL_CERT_FILE="/dev/null")
    assert finished.returncode == 1
    assert "imap.guessed.example:993: its certificate is not trusted" in finished.stderr
