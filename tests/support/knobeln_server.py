"""`knobeln serve` as a process of its own, which can be killed and started again."""

import mailbox
import os
import re
import signal
import smtplib
import sys
import time
from collections.abc import Mapping, Sequence
from email.message import Message
from pathlib import Path

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState, OutboxState, SubmissionState
from contest.schema.sections import Mail
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from store import letters, outbox, submissions
from tests.support.mail_world import BELIEVED
from tests.support.processes import Process, children_of, command_of, start
from tests.support.servers import wait_for

ROBOT = "knobeln@contest.example"


class Server:
    """The server of one contest folder; it can be killed and started again."""

    environment: Mapping[str, str] | None = None  # ours
    knobeln: Sequence[str] = (sys.executable, "-m", "knobeln")

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        """`settings`: of another contest than KNOBELN; address and mail are always the robot's."""
        self.path = path
        settings = settings or Settings(dates=usual_dates(SystemClock().now()))
        contest = settings.contest.model_copy(update={"address": ROBOT})
        here = {"contest": contest, "mail": Mail(listen="127.0.0.1:0"), "registration": BELIEVED}
        settings = settings.model_copy(update=here)
        self.folder: ContestContext = create_contest(path / "contest", settings)
        self.log = path / "log"
        self.start()

    def start(self) -> None:
        said = self.text().count("listening")
        command = [*self.knobeln, "serve", "-C", str(self.folder.path)]
        self.process: Process = start(command, self.log, self.environment)
        wait_for(lambda: self.text().count("listening") > said or self.process.poll() is not None)
        self.port = int(re.findall(r"port=(\d+)", self.text())[-1])

    def text(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        wait_for(lambda: self.process.poll() is not None)

    def listener(self) -> int:
        """The listener's process."""
        wait_for(lambda: bool(self._listeners()), "the listener's process")
        (listener,) = self._listeners()
        return listener

    def _listeners(self) -> list[int]:
        return [pid for pid in children_of(self.process.pid) if b"spawn_main" in command_of(pid)]

    def send(self, letter: bytes, sender: str) -> None:
        with smtplib.SMTP("127.0.0.1", self.port, timeout=10) as client:
            client.sendmail(sender, [ROBOT], letter)

    def insist(self, letter: bytes, sender: str) -> None:
        """Send it as a mail system does: again, until it is taken."""
        while True:
            try:
                return self.send(letter, sender)
            except smtplib.SMTPDataError as error:
                if error.smtp_code not in (421, 451):
                    raise
            except OSError:  # the server is away; also all of smtplib's own
                time.sleep(0.02)

    def answers(self, address: str) -> list[Message]:
        """The mails in the team's Maildir, oldest first: their keys sort by time."""
        return maildir(self.folder, address)

    def is_idle(self) -> bool:
        return is_idle(self.folder)

    def auth_line(self, address: str) -> str:
        """The `<<FROM>>` line that the team was told, as soon as it was told."""
        wait_for(lambda: bool(self.answers(address)))
        return re.search(r"<<FROM>> \S+ \S+", text_of(self.answers(address)[0]))[0]


def is_idle(contest: ContestContext) -> bool:
    """Neither a letter nor a program nor a mail waits."""
    with contest.store.read() as tx:
        waiting = (
            letters.count_by_state(tx).get(LetterState.NEW),
            submissions.count_by_state(tx).get(SubmissionState.QUEUED),
            outbox.count_by_state(tx).get(OutboxState.READY),
        )
    return not any(waiting)


def maildir(contest: ContestContext, address: str) -> list[Message]:
    """What the contest has delivered to this address, oldest first."""
    path = contest.path / "mail" / address
    box = mailbox.Maildir(path) if (path / "cur").exists() else {}
    return [box[key] for key in sorted(box.keys())]


def text_of(mail: Message) -> str:
    part = next(part for part in mail.walk() if part.get_content_type() == "text/plain")
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode()
