"""Two contests with one mailbox of a real Dovecot: each takes its letters and leaves the others unseen."""

import smtplib
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest
from imapclient import IMAPClient

from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.schema.sections import Imap, Mail
from knobeln.server import mail_checks
from knobeln.server.mail_checks import mailbox_of
from mailserver.intake.envelope import is_for
from tests.support.mail_world import make_settings
from tests.support.servers import NOT_OURS, Dovecot

DOMAIN = "contest.example"
_users = count(1)


class Shared(NamedTuple):
    """A mailbox, and the settings of the contests with the addresses `<user>+spring` and `<user>+autumn`."""

    server: Dovecot
    user: str

    def address(self, tag: str) -> str:
        return f"{self.user}+{tag}@{DOMAIN}"

    def imap(self, **changes: object) -> Imap:
        login = {"username": self.user, "password": "secret", "server": f"localhost:{self.server.imap}"}
        return Imap.model_validate(login | {"security": "none", "shared": True} | changes)

    def settings(self, tag: str) -> Settings:
        contest = {"address": self.address(tag), "aliases": ()}
        return make_settings(contest=contest, mail=Mail(listen=""), imap=self.imap())

    def bring(self, to: str, letter: str) -> None:
        with smtplib.LMTP("127.0.0.1", self.server.lmtp, timeout=20) as client:
            client.sendmail("joe@machine.example", [to], letter.replace("\n", "\r\n"))

    def take(self, tag: str) -> list[bytes]:
        """What this contest takes now."""
        taken: list[bytes] = []
        accept = lambda raw, arrived_at: taken.append(raw)  # noqa: E731
        with closing(mailbox_of(self.settings(tag), Path(), accept, pytest.fail)()) as mailbox:
            mailbox.take_all(Event())
        return taken

    def left(self) -> list[set[bytes]]:
        """The flags of the letters that are still there."""
        with IMAPClient("127.0.0.1", self.server.imap, ssl=False, timeout=20) as client:
            client.login(self.user, "secret")
            client.select_folder("INBOX", readonly=True)
            return [set(flags) - NOT_OURS for flags in client.get_flags(client.search()).values()]


@pytest.fixture
def shared(dovecot: Dovecot) -> Shared:
    return Shared(dovecot, f"robot{next(_users)}")


def test_each_takes_its_own_and_leaves_the_others_unseen(shared: Shared) -> None:
    for tag in ("autumn", "spring", "winter", "autumn"):
        shared.bring(shared.address(tag), f"To: {shared.address(tag)}\nSubject: {tag}\n\nx\n")
    assert [b"Subject: spring" in raw for raw in shared.take("spring")] == [True]
    assert shared.left() == [set()] * 3
    assert [b"Subject: autumn" in raw for raw in shared.take("autumn")] == [True, True]
    assert shared.take("spring") == []
    assert shared.left() == [set()]


def test_a_letter_to_both_comes_to_both(shared: Shared) -> None:
    both = f"To: {shared.address('spring')}, {shared.address('autumn')}\nSubject: both\n\nx\n"
    for tag in ("spring", "autumn"):
        shared.bring(shared.address(tag), both)
    assert len(shared.take("spring")) == 1
    assert len(shared.take("autumn")) == 1


def test_a_bounce_comes_to_the_contest_whose_mail_came_back(shared: Shared) -> None:
    shared.bring(shared.address("spring+b-17-k7qd2mxw9rtzh4pc"), "Subject: undeliverable\n\nx\n")
    assert shared.take("autumn") == []
    assert len(shared.take("spring")) == 1


def test_doctor_tells_of_letters_that_nobody_takes(shared: Shared, tmp_path: Path) -> None:
    def told() -> str:
        ((_, look),) = mail_checks.checks(shared.settings("spring"), tmp_path)
        try:
            return look()
        except KnobelnError as error:
            return f"FAIL {error}"

    for tag in ("spring", "autumn"):
        shared.bring(shared.address(tag), "Subject: x\n\nx\n")
    assert ": 1 letter waits in INBOX" in told()
    with IMAPClient("127.0.0.1", shared.server.imap, ssl=False, timeout=20) as client:
        client.login(shared.user, "secret")
        old = f"To: {shared.address('winter')}\r\nSubject: x\r\n\r\nx\r\n"
        client.append("INBOX", old, msg_time=datetime.now(UTC) - timedelta(days=2))
    assert told().startswith(
        f"FAIL 1 letter to {shared.address('winter')} waited in INBOX for more than a day"
    )


NOTED = "Delivered-To: robot+spring@contest.example\n"
INTERNAL = "Delivered-To: u17@internal\nTo: a@b.example,\n spring@x.example\n"
ALIAS = "Delivered-To: box@x.example\nX-Original-To: spring@x.example\n"
SPRING, AUTUMN = "robot+spring@contest.example", "robot+autumn@contest.example"


@pytest.mark.parametrize(
    ("head", "ours", "login", "expected"),
    [
        (NOTED, SPRING, "robot", True),
        (NOTED, "Robot+Spring@Contest.Example", "robot", True),
        (NOTED, AUTUMN, "robot", False),
        (NOTED + f"To: {AUTUMN}\n", AUTUMN, "robot", False),  # the other contest's copy
        ("Delivered-To: robot@contest.example\n" + f"To: Robot <{SPRING}>\n", SPRING, "robot", True),
        ("Delivered-To: robot@contest.example\n" + f"Cc: {SPRING}\n", SPRING, "robot@contest.example", True),
        ("Delivered-To: robot@contest.example\n" + f"To: {SPRING}\n", AUTUMN, "robot", False),
        (INTERNAL, "spring@x.example", "u17", True),
        (ALIAS, "spring@x.example", "box@x.example", True),
        (ALIAS + "To: autumn@x.example\n", "autumn@x.example", "box@x.example", False),
        ("Subject: hidden copy\n", SPRING, "robot", False),
        ("Subject: in the body\n\nTo: robot+spring@contest.example\n", SPRING, "robot", False),
    ],
)
def test_whose_letter_it_is(head: str, ours: str, login: str, *, expected: bool) -> None:
    assert is_for(head.encode(), [ours], login) is expected
