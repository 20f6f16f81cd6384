"""Two contests read one mailbox, Dovecot's, and each takes its own letters."""

import smtplib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from imapclient import IMAPClient

from contest.config.settings import Settings
from contest.schema.sections import Imap, Mail
from knobeln.context import ContestContext, create_contest
from knobeln.doctor import mail_checks
from knobeln.doctor.mail_checks import Note
from knobeln.server.letters_left import LettersLeft
from knobeln.server.mailbox import mailbox_of
from knobeln.server.status import status_of
from mailserver.intake.accept import accept_found
from mailserver.intake.imap import Mailbox
from store import letters, outbox
from tests.support.clocks import FixedClock
from tests.support.mail_world import OPENS, make_settings
from tests.support.servers import Dovecot, world_readable_folder

SPRING, AUTUMN = "spring@contest.example", "autumn@contest.example"
UNTOLD = "old.name@contest.example"
WRITTEN = "From: joe@club.example\r\nSubject: status\r\n"
_users = count(1)


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with world_readable_folder() as folder:
        server = Dovecot(folder)
        yield server
        server.stop()


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOBELN_SET_IMAP__PASSWORD", "secret")


@pytest.fixture
def user() -> str:
    return f"robots{next(_users)}"


def settings_of(dovecot: Dovecot, user: str, address: str, *aliases: str) -> Settings:
    imap = Imap(server=f"localhost:{dovecot.imap}", security="none", username=user)
    organizer = "organizer@contest.example"
    contest = {"address": address, "aliases": aliases, "organizer_address": organizer}
    return make_settings(contest=contest, imap=imap, mail=Mail(listen=""))


def made(path: Path, settings: Settings) -> ContestContext:
    return create_contest(path / settings.contest.address, settings)


def bring(dovecot: Dovecot, user: str, to: str, body: str, *, tag: str = "") -> None:
    """As Postfix does that has the alias `to`, and gives the letter to Dovecot; or with a tag."""
    trace = f"X-Original-To: {to}\r\n" if to else ""
    raw = f"{trace}{WRITTEN}To: {to or 'friends@club.example'}\r\n\r\n{body}\r\n".encode()
    with smtplib.LMTP("127.0.0.1", dovecot.lmtp, timeout=20) as client:
        client.sendmail("joe@club.example", [f"{user}{tag}"], raw)


def opened(contest: ContestContext, taken: list[bytes] | None = None) -> Mailbox:
    def accept(raw: bytes, arrived_at: datetime) -> None:
        accept_found(contest.store, raw, arrived_at, contest.clock.now())
        if taken is not None:
            taken.append(raw)

    return mailbox_of(contest.settings, contest.path, accept, print)()


def take(contest: ContestContext) -> list[str]:
    """The last lines of the letters that the contest takes at one visit."""
    taken: list[bytes] = []
    with closing(opened(contest, taken)) as mailbox:
        assert mailbox.take_all(Event()) == len(taken)
    return [raw.decode().splitlines()[-1] for raw in taken]


def untouched(dovecot: Dovecot, user: str) -> int:
    """How many letters are in the mailbox without any flag."""
    with IMAPClient("127.0.0.1", dovecot.imap, ssl=False, timeout=20) as client:
        client.login(user, "secret")
        client.select_folder("INBOX", readonly=True)
        return len(client.search(["UNSEEN", "UNFLAGGED", "UNDELETED", "UNKEYWORD", "KnobelnTaken"]))


def test_each_contest_takes_its_own_letters_and_leaves_those_of_the_other(
    dovecot: Dovecot, user: str, tmp_path: Path
) -> None:
    spring = made(tmp_path, settings_of(dovecot, user, SPRING))
    autumn = made(tmp_path, settings_of(dovecot, user, AUTUMN))
    for number in range(3):
        bring(dovecot, user, SPRING, f"spring {number}")
        bring(dovecot, user, AUTUMN, f"autumn {number}")
    assert take(spring) == ["spring 0", "spring 1", "spring 2"]
    assert untouched(dovecot, user) == 3
    assert take(spring) == []
    assert take(autumn) == ["autumn 0", "autumn 1", "autumn 2"]
    assert untouched(dovecot, user) == 0
    for contest in (spring, autumn):
        with contest.store.read() as tx:
            assert letters.count(tx, None) == 3


def test_tags_of_one_account_are_addresses_of_two_contests(
    dovecot: Dovecot, user: str, tmp_path: Path
) -> None:
    domain = "@contest.example"
    spring = made(tmp_path, settings_of(dovecot, user, f"{user}+spring{domain}"))
    autumn = made(tmp_path, settings_of(dovecot, user, f"{user}+autumn{domain}"))
    bring(dovecot, user, "", "spring", tag=f"+spring{domain}")
    bring(dovecot, user, "", "autumn", tag=f"+autumn{domain}")
    assert take(autumn) == ["autumn"]
    assert take(spring) == ["spring"]


BOUNCES = Path(__file__).parent.parent / "bounces"


@pytest.mark.parametrize("system", ["postfix", "exchange_online", "gmail", "exim", "qmail"])
def test_a_bounce_that_comes_to_the_person_is_the_contests_if_it_returns_a_mail_of_its(
    dovecot: Dovecot, user: str, tmp_path: Path, system: str
) -> None:
    robot, person = f"{user}+spring@contest.example", f"{user}@contest.example"
    spring = made(tmp_path, settings_of(dovecot, user, robot))
    bounce = (BOUNCES / f"{system}.eml").read_text().replace("@BOUNCE@", person)
    bounce = bounce.replace("knobeln@contest.example", person)
    bounce = bounce.partition("\n")[2] if bounce.startswith("Return-Path:") else bounce
    with smtplib.LMTP("127.0.0.1", dovecot.lmtp, timeout=20) as client:
        for returned in (person, robot):
            raw = bounce.replace("@MESSAGE_ID@", f"<1@x.example>\nFrom: {returned}")
            client.sendmail("", [user], raw.replace("\n", "\r\n").encode())
    assert len(take(spring)) == 1
    assert untouched(dovecot, user) == 1


def test_a_letter_that_names_no_address_goes_to_the_contest_that_looks_first(
    dovecot: Dovecot, user: str, tmp_path: Path
) -> None:
    bring(dovecot, user, "", "to whom it may concern")
    spring = made(tmp_path, settings_of(dovecot, user, SPRING))
    assert take(spring) == ["to whom it may concern"]


def test_a_letter_of_others_is_looked_at_once(
    dovecot: Dovecot, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spring = made(tmp_path, settings_of(dovecot, user, SPRING))
    bring(dovecot, user, AUTUMN, "autumn")
    fetched: list[int] = []
    usual = IMAPClient.fetch

    def fetch(client: IMAPClient, uids: list[int], what: object) -> object:
        fetched.extend(uids)
        return usual(client, uids, what)

    monkeypatch.setattr(IMAPClient, "fetch", fetch)
    open_mailbox = mailbox_of(spring.settings, spring.path, lambda _raw, _at: None, print)
    for _connection in range(3):
        with closing(open_mailbox()) as mailbox:
            for _look in range(3):
                assert mailbox.take_all(Event()) == 0
            assert [letter.to for letter in mailbox.left()] == [AUTUMN]
    assert len(fetched) == 1


def test_an_address_that_the_organizer_has_not_told_is_named_and_can_be_told(
    dovecot: Dovecot, user: str, tmp_path: Path
) -> None:
    spring = made(tmp_path, settings_of(dovecot, user, SPRING))
    for number in range(2):
        bring(dovecot, user, UNTOLD, f"letter {number}")
    bring(dovecot, user, SPRING, "known")
    found = mail_checks._imap(spring.settings, spring.path)
    assert isinstance(found, Note)
    assert "1 letter waits in INBOX" in found
    assert f"2 letters for other addresses: {UNTOLD} (2)" in found
    assert "contest.aliases" in found
    assert untouched(dovecot, user) == 3
    assert take(spring) == ["known"]
    told = made(tmp_path / "told", settings_of(dovecot, user, SPRING, UNTOLD))
    assert take(told) == ["letter 0", "letter 1"]
    assert not isinstance(mail_checks._imap(told.settings, told.path), Note)


def test_the_organizer_hears_of_letters_that_nobody_takes_once_a_day(
    dovecot: Dovecot, user: str, tmp_path: Path
) -> None:
    settings = settings_of(dovecot, user, SPRING)
    spring = replace(made(tmp_path, settings), clock=(clock := FixedClock(OPENS)))
    left = LettersLeft(spring, seconds=0)
    bring(dovecot, user, UNTOLD, "1")
    with closing(opened(spring)) as mailbox:
        LettersLeft(spring).tell(mailbox.left())
        assert told(spring) == []  # another contest has time to take it
        for number in range(2, 5):
            mailbox.take_all(Event())
            left.tell(mailbox.left())
            bring(dovecot, user, UNTOLD, f"{number}")
        assert len(told(spring)) == 1
        assert f"{UNTOLD} (3)" in str(status_of(spring).letters_left)
        assert any(UNTOLD in advice for advice in status_of(spring).advice)
        clock.at += timedelta(days=1, hours=1)
        left.tell(mailbox.left())
        assert len(told(spring)) == 2
        clock.at += timedelta(days=1, hours=1)
        left.tell(mailbox.left())
        assert len(told(spring)) == 2  # there is nothing new
    take(made(tmp_path / "told", settings_of(dovecot, user, SPRING, UNTOLD)))
    with closing(opened(spring)) as mailbox:
        mailbox.take_all(Event())
        left.tell(mailbox.left())
    assert status_of(spring).letters_left is None


def told(contest: ContestContext) -> list[str]:
    """What the organizer was mailed."""
    with contest.store.read() as tx:
        return [mail.kind for mail in outbox.listing(tx, state=None, to=None, count=10)]
