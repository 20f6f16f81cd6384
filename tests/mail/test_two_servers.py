"""Two real servers that get each other's mails, by way of a relay that may lose every mark of a robot.

Whatever starts it, they fall silent, and a person's letter to both gets exactly one answer from each.
"""

import re
import smtplib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from threading import Lock

import pytest
from aiosmtpd import smtp
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope, Session

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState, OutboxState
from contest.schema.sections import Contest, DeliveryKind, Mail
from contest.store import letters, outbox
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from tests.support.letters import letter
from tests.support.processes import Process, start
from tests.support.servers import free_port, wait_for

ANNA, BERT = "robot@anna.example", "robot@bert.example"
ROBOTS = (ANNA, BERT)
JOE = "joe@club.example"
LIST = "players@lists.example"
pytestmark = pytest.mark.slow
# What a relay or a list may lose of the marks of an automatic answer.
MARKS = ("Auto-Submitted", "In-Reply-To", "References", "Precedence", "List-Id", "List-Unsubscribe")


@dataclass
class PostOffice:
    """Brings each letter to the robot that it is for; what is for a list goes to both, from its address.

    `lost`: the headers that letters lose on the way. `brought`: from whom to whom.
    """

    ports: dict[str, int] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    list_answers_to_list: bool = False
    brought: list[tuple[str, str]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def handle(self, sender: str, recipients: list[str], raw: bytes) -> None:
        mail = message_from_bytes(raw, policy=default)
        for name in self.lost:
            del mail[name]
        for recipient in recipients:
            if recipient == LIST:
                self._distribute(mail)
            else:
                self._bring(sender, recipient, mail.as_bytes(policy=SMTP))

    def _distribute(self, mail: EmailMessage) -> None:
        if self.list_answers_to_list:
            del mail["Reply-To"]
            mail["Reply-To"] = LIST
        for robot in ROBOTS:
            self._bring("owner@lists.example", robot, mail.as_bytes(policy=SMTP))

    def _bring(self, sender: str, recipient: str, raw: bytes) -> None:
        with self._lock:
            self.brought.append((str(message_from_bytes(raw, policy=default)["From"]), recipient))
        domain = recipient.rpartition("@")[2]
        port = next((port for robot, port in self.ports.items() if robot.endswith(f"@{domain}")), None)
        if port:
            with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
                client.sendmail(sender, [recipient], raw)

    async def handle_DATA(self, server: smtp.SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        arguments = (str(envelope.mail_from), list(map(str, envelope.rcpt_tos)), envelope.original_content)
        await server.loop.run_in_executor(None, lambda: self.handle(*arguments))
        return "250 brought"

    def from_robots(self, to: str | None = None) -> list[str]:
        """Which robots' mails were brought, to this address or to any."""
        pairs = ((re.search(r"[\w.]+@[\w.]+", sender), at) for sender, at in self.brought)
        return sorted(found[0] for found, at in pairs if found and found[0] in ROBOTS and to in (None, at))


@dataclass
class Robot:
    """A server, and what it has still to do."""

    folder: ContestContext
    process: Process

    def is_idle(self) -> bool:
        with self.folder.store.read() as tx:
            new = letters.count_by_state(tx).get(LetterState.NEW)
            ready = outbox.count_by_state(tx).get(OutboxState.READY)
        return not (new or ready)

    def ignored(self) -> int:
        with self.folder.store.read() as tx:
            return letters.count_by_state(tx).get(LetterState.IGNORED, 0)


@contextmanager
def robot(place: Path, address: str, port: int, relay: int) -> Iterator[Robot]:
    mail = Mail(
        listen=f"127.0.0.1:{port}",
        delivery=DeliveryKind.SMTP,
        smarthost=f"127.0.0.1:{relay}",
        security="none",
    )
    settings = Settings(contest=Contest(address=address), dates=usual_dates(SystemClock().now()), mail=mail)
    folder = create_contest(place / address, settings)
    log = place / f"{address}.log"
    process = start([sys.executable, "-m", "knobeln", "serve", "-C", str(folder.path)], log)
    try:
        wait_for(lambda: "listening" in log.read_text() or process.poll() is not None, address)
        assert process.poll() is None, log.read_text()
        yield Robot(folder, process)
    finally:
        process.terminate()
        folder.store.close()


@dataclass
class Both:
    office: PostOffice
    robots: tuple[Robot, Robot]

    def post(self, sender: str, recipients: list[str], subject: str, **headers: str) -> None:
        """Somebody posts a letter."""
        raw = letter(sender, subject, "What do you say to that?\n", ", ".join(recipients), **headers)
        self.office.handle(sender, recipients, raw)

    def fall_silent(self) -> None:
        """Wait until neither has anything to do; what is on the way is READY with its sender or NEW here."""
        wait_for(lambda: all(each.is_idle() for each in self.robots), "silence")
        before = len(self.office.brought)
        wait_for(lambda: all(each.is_idle() for each in self.robots), "silence")
        assert len(self.office.brought) == before


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    office = PostOffice()
    controller = Controller(office, hostname="127.0.0.1", port=free_port(), ready_timeout=60.0)
    controller.start()
    ports = {address: free_port() for address in ROBOTS}
    office.ports |= ports
    try:
        with (
            robot(tmp_path, ANNA, ports[ANNA], controller.port) as anna,
            robot(tmp_path, BERT, ports[BERT], controller.port) as bert,
        ):
            yield Both(office, (anna, bert))
    finally:
        controller.stop()


def test_two_robots_fall_silent_although_every_mark_is_lost(both: Both) -> None:
    both.office.lost = MARKS
    for subject in ("what now?", "help", "status", "registration for KNOBELN", "pleas compile", "withdraw"):
        both.post(BERT, [ANNA], subject)
    both.fall_silent()
    # A mailbox gets at most 5 mails in a day before it has answered a question.
    answers, posted = len(both.office.from_robots(BERT)), 6
    assert 0 < answers <= 5
    assert 0 < len(both.office.from_robots(ANNA)) - posted <= 5


def test_a_letter_to_both_gets_one_answer_from_each(both: Both) -> None:
    both.office.lost = MARKS
    both.post(JOE, list(ROBOTS), "what now?")
    both.fall_silent()
    assert both.office.from_robots() == both.office.from_robots(JOE) == [ANNA, BERT]


def test_a_letter_that_wants_answers_at_both_robots_starts_nothing(both: Both) -> None:
    both.post(JOE, list(ROBOTS), "what now?", Reply_To=BERT)
    both.fall_silent()
    assert both.office.from_robots() == [ANNA]


def test_nobody_answers_a_list_that_says_so(both: Both) -> None:
    both.post(JOE, [LIST], "what now?", List_Id="<players.lists.example>")
    both.fall_silent()
    assert both.office.from_robots() == []
    assert [each.ignored() for each in both.robots] == [1, 1]


def test_a_list_that_hides_what_it_is_and_wants_answers_for_all_is_answered_once(both: Both) -> None:
    both.office.lost = MARKS
    both.office.list_answers_to_list = True
    both.post(JOE, [LIST], "what now?")
    both.fall_silent()
    # Each answers once, and to Joe: Reply-To counts only within the sender's domain.
    assert both.office.from_robots() == both.office.from_robots(JOE) == [ANNA, BERT]
