"""Two robots that get each other's mails, by way of a relay that may lose every mark of a robot.

Whatever starts it, they fall silent, and a person's letter to both gets exactly one answer from
each.
"""

import re
from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes
from email.policy import SMTP, default
from pathlib import Path

import pytest

from contest.model import LetterState
from contest.schema.sections import Mail, Registration
from mailserver.delivery.deliver import Delivery
from reports.render import Templates
from store import Store
from tests.support.clocks import FixedClock
from tests.support.letters import letter
from tests.support.mail_world import OPENS, World, make_settings

ANNA, BERT = "robot@anna.example", "robot@bert.example"
ROBOTS = (ANNA, BERT)
JOE = "joe@club.example"
LIST = "players@lists.example"
# What a relay or a list may lose of the marks of an automatic answer.
MARKS = ("Auto-Submitted", "In-Reply-To", "References", "Precedence", "List-Id", "List-Unsubscribe")


class PostOffice:
    """The robots' way out, which brings each letter to its robot; what is for a list goes to both.

    `lost`: the headers that letters lose on the way. `brought`: from whom to whom.
    """

    batch = 1

    def __init__(self, worlds: dict[str, World]) -> None:
        self.worlds = worlds
        self.lost: tuple[str, ...] = ()
        self.list_answers_to_list = False
        self.brought: list[tuple[str, str]] = []
        self._waiting: deque[tuple[str, str, bytes]] = deque()

    def another(self) -> None:
        pass

    def send(self, sender: str, to: str, raw: bytes) -> str:
        mail = message_from_bytes(raw, policy=default)
        for name in self.lost:
            del mail[name]
        if to == LIST and self.list_answers_to_list:
            del mail["Reply-To"]
            mail["Reply-To"] = LIST
        for robot in ROBOTS if to == LIST else (to,):
            self.brought.append((str(mail["From"]), robot))
            envelope = "owner@lists.example" if to == LIST else sender
            self._waiting.append((envelope, robot, mail.as_bytes(policy=SMTP)))
        return "250 brought"

    def close(self) -> None:
        pass

    def post(self, sender: str, recipients: list[str], subject: str, **headers: str) -> None:
        """Somebody posts a letter; it ends when neither robot has anything to do."""
        raw = letter(
            sender, subject, "What do you say to that?\n", ", ".join(recipients), **headers
        )
        for recipient in recipients:
            self.send(sender, recipient, raw)
        while self._waiting:
            assert len(self.brought) < 200, "they do not fall silent"
            envelope, to, found = self._waiting.popleft()
            domain = to.rpartition("@")[2]  # answers to bounce addresses come home, too
            for address, world in self.worlds.items():
                if address.endswith(f"@{domain}"):
                    world.deliver(found, envelope)
                    Delivery(world.store, world.settings, world.clock, self).deliver_due()

    def from_robots(self, to: str | None = None) -> list[str]:
        """Which robots' mails were brought, to this address or to any."""
        pairs = ((re.search(r"[\w.]+@[\w.]+", sender), at) for sender, at in self.brought)
        return sorted(
            found[0] for found, at in pairs if found and found[0] in ROBOTS and to in (None, at)
        )


@pytest.fixture
def office(empty_database: Path, tmp_path: Path) -> Iterator[PostOffice]:
    worlds = {}
    for address in ROBOTS:
        (tmp_path / address).write_bytes(empty_database.read_bytes())
        contest = {"address": address, "aliases": ()}
        settings = make_settings(contest=contest, mail=Mail(), registration=Registration())
        clock = FixedClock(OPENS + timedelta(days=5))
        store = Store(f"sqlite:///{tmp_path / address}")
        worlds[address] = World(store, settings, Templates(settings, None), clock)
    yield PostOffice(worlds)
    for world in worlds.values():
        world.store.close()


def test_two_robots_fall_silent_although_every_mark_is_lost(office: PostOffice) -> None:
    office.lost = MARKS
    for subject in (
        "what now?",
        "help",
        "status",
        "registration for KNOBELN",
        "pleas compile",
        "withdraw",
    ):
        office.post(BERT, [ANNA], subject)
    # A mailbox gets at most 5 mails in a day before it has answered a question.
    answers, posted = len(office.from_robots(BERT)), 6
    assert 0 < answers <= 5
    assert 0 < len(office.from_robots(ANNA)) - posted <= 5


def test_a_letter_to_both_gets_one_answer_from_each(office: PostOffice) -> None:
    office.lost = MARKS
    office.post(JOE, list(ROBOTS), "what now?")
    assert office.from_robots() == office.from_robots(JOE) == [ANNA, BERT]


def test_a_letter_that_wants_answers_at_both_robots_starts_nothing(office: PostOffice) -> None:
    office.post(JOE, list(ROBOTS), "what now?", Reply_To=BERT)
    assert office.from_robots() == [ANNA]


def test_nobody_answers_a_list_that_says_so(office: PostOffice) -> None:
    office.post(JOE, [LIST], "what now?", List_Id="<players.lists.example>")
    assert office.from_robots() == []
    assert [world.states() for world in office.worlds.values()] == [{LetterState.IGNORED: 1}] * 2


def test_a_list_that_hides_what_it_is_and_wants_answers_for_all_is_answered_once(
    office: PostOffice,
) -> None:
    office.lost = MARKS
    office.list_answers_to_list = True
    office.post(JOE, [LIST], "what now?")
    # Each answers once, and to Joe: Reply-To counts only within the sender's domain.
    assert office.from_robots() == office.from_robots(JOE) == [ANNA, BERT]
