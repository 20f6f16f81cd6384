"""The desk and the compile service of one contest: from a letter with files to its report."""

from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any

from compiler.service import CompileService
from contest.model import Submission, TeamState
from mailserver.team_secret import digest
from store import submissions, teams
from tests.support.contest_field import add_team
from tests.support.letters import letter

STRING = "k7qd-2mxw-9rtz-h4pc-v8sn"
WORDS = "It does what it says.\n\nThat is all, in two paragraphs.\n"


@dataclass
class Office:
    """The desk and the compile service of one contest."""

    world: Any
    service: CompileService
    sent: int = 0

    def team(self, name: str) -> str:
        """A registered team; its address."""
        with self.world.store.write() as tx:
            team = add_team(tx, name, "")
            teams.set_auth_digest(tx, team.id, digest(f"{STRING}-{name}"))
            assert team.state is TeamState.ACTIVE
            return str(team.address)

    def send(
        self,
        name: str,
        files: Mapping[str, bytes],
        text: str = WORDS,
        subject: str = "please compile",
    ) -> list[EmailMessage]:
        """The mails that a letter with these files caused, reports and all."""
        self.sent += 1
        text, number = (
            f"<<FROM>> {name} {STRING}-{name}\n\n{text}",
            f"<{self.sent}@machine.example>",
        )
        to = self.world.settings.contest.address
        return self.deliver(
            letter(f"{name}@machine.example", subject, text, to, files, Message_ID=number)
        )

    def deliver(self, raw: bytes) -> list[EmailMessage]:
        before = len(self.world.mails())
        self.world.deliver(raw, "joe@machine.example")
        while self.service.build_next(at_once=True):
            pass
        found: list[EmailMessage] = self.world.mails()[before:]
        return found

    def report(self, name: str, files: Mapping[str, bytes], text: str = WORDS) -> str:
        (mail,) = self.send(name, files, text)
        return body(mail)

    def newest(self) -> Submission:
        with self.world.store.read() as tx:
            return next(submissions.newest(tx, 1)).submission


def body(mail: EmailMessage) -> str:
    text = str(mail.get_body(("plain",)).get_content()).replace("\r\n", "\n")
    assert max(map(len, text.split("\n"))) <= 72
    return text
