"""The desk as its users meet it: `knobeln serve` at an SMTP port, with answers in Maildirs."""

from email.message import Message
from itertools import count
from pathlib import Path
from typing import Any

from contest.config.settings import Settings
from tests.support.knobeln_server import Server, text_of
from tests.support.letters import letter
from tests.support.mail_world import FORM, REGISTER
from tests.support.servers import wait_for

DESCRIPTION = "#if 0\n" + "What it does.\n" * 15 + "#endif\n"
COMPILE = "please compile"
_numbers = count(1)


def form_of(address: str, name: str) -> str:
    """A right registration form."""
    form = FORM.replace("our_team@machine.domain.alfdkj", address)
    return form.replace("LAP,DGP,GRG,RSM", "RSM").replace("the_heavy_lords_of_knobeln", name)


class Desk:
    """One running server; each test has teams of its own."""

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        """`settings`: of another contest than KNOBELN."""
        self.server = Server(path, settings)

    def stop(self) -> None:
        self.server.process.terminate()
        self.server.folder.store.close()

    def stranger(self) -> str:
        """The address of somebody who has not written yet."""
        return f"joe{next(_numbers)}@club.example"

    def team(self) -> tuple[str, str]:
        """A new team: its address, and its `<<FROM>>` line."""
        address = self.stranger()
        self.send(REGISTER, form_of(address, address.partition("@")[0]), address)
        return address, self.server.auth_line(address)

    def send(self, subject: str, text: str, sender: str, **parts: Any) -> list[Message]:
        """Send a letter with these parts; the mails to this address that they cause."""
        parts = {"Message_ID": f"<{next(_numbers)}@client.example>"} | parts
        return self.post(letter(sender, subject, text, **parts), sender)

    def post(self, raw: bytes, sender: str, envelope: str | None = None) -> list[Message]:
        """Send these bytes; the mails to `sender` that they cause, compile reports too."""
        before = len(self.server.answers(sender))
        self.server.send(raw, sender if envelope is None else envelope)
        wait_for(self.server.is_idle)
        return self.server.answers(sender)[before:]

    def program(self, auth_line: str, code: str) -> str:
        """A program with this `<<FROM>>` line and a description."""
        return f"/*\n  {auth_line}\n*/\n{DESCRIPTION}{code}\n"


def flat(mail: Message) -> str:
    """The text of a mail in one line, wherever its own lines end."""
    return " ".join(text_of(mail).split())
