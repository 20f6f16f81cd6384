"""Sixty students of one domain: their list, how they reply, and the programs that they mail."""

import email
import email.policy
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from email.message import EmailMessage
from html import escape
from pathlib import Path

from contest.model import Phase
from contest.schema.sections import Mail, Registration
from knobeln.classes.daily import tell_of_class
from knobeln.context import create_contest
from knobeln.presets import for_class
from store import contest_state
from tests.support.archives import HOUSE
from tests.support.clocked_server import ClockedServer
from tests.support.clocks import FixedClock
from tests.support.letters import letter
from tests.support.mail_world import OPENS, body_of
from tests.support.mailed_contest import small_settings
from tests.support.replies import Fill, outlook, telephone, text_of, thunderbird, written_anew
from tests.support.servers import wait_for

FIRST = ("Ada", "Björn", "Céline", "Emmy", "Jörg", "Łukasz", "Özlem", "Renate", "Şule", "Zoë")
LAST = ("Groß", "Lovelace", "Müller-Lüdenscheidt", "Nöther", "O'Neill", "von der Tann")
GROUP_SIZE, GROUPS = 3, 4
HEADS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "E-Mail", "Gruppe")
_PATIENCE = 900.0


@dataclass(frozen=True)
class Student:
    """A student with a number from 0 on; the first are in groups."""

    number: int

    @property
    def first(self) -> str:
        return FIRST[self.number % len(FIRST)]

    @property
    def last(self) -> str:
        return LAST[self.number // len(FIRST)]

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def address(self) -> str:
        return f"s{self.number:02}@uni.example"

    @property
    def group(self) -> str:
        is_in_group = self.number < GROUPS * GROUP_SIZE
        return f"Übung {self.number // GROUP_SIZE + 1}" if is_in_group else ""

    @property
    def has_form(self) -> bool:
        """Whether the form goes to this one; in a group to the first."""
        return not self.group or self.number % GROUP_SIZE == 0

    @property
    def row(self) -> list[str]:
        """As Canvas exports it, with a column for addresses and one for groups, which the lecturer
        has put in."""
        login = self.address.partition("@")[0]
        name = f"{self.last}, {self.first}"
        numbers = [str(7_000 + self.number), str(20_260_000 + self.number)]
        return [name, *numbers, login, "Rechnernetze", self.address, self.group]


STUDENTS = tuple(map(Student, range(60)))
ROWS = [list(HEADS), ["    Points Possible", *[""] * 6], *(student.row for student in STUDENTS)]


# --- how they reply -------------------------------------------------------------------------------
def html_alone(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """A web mailer that writes no plain text: the answered mail is a quotation."""
    reply = thunderbird(mail, fill, language)
    lines = "<br>\n".join(map(escape, fill(text_of(mail)).split("\n")))
    page = f"<div>Hallo, hier ist es.</div><blockquote type='cite'>{lines}</blockquote>"
    reply.set_content(f"<html><body>{page}</body></html>", subtype="html")
    return reply


def attached(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """The form as a file of text, and a word above."""
    reply = thunderbird(mail, fill, language)
    form = fill(text_of(mail)).split("\n---\n")[1]
    reply.set_content("Das Formular ist im Anhang.\n\nViele Grüße\n")
    reply.add_attachment(form, filename="anmeldung.txt")
    return reply


WAYS: Sequence[Callable[[EmailMessage, Fill, str], EmailMessage]] = (
    thunderbird,
    outlook,
    html_alone,
    telephone,
    attached,
    written_anew,
)


# --- their programs -------------------------------------------------------------------------------
def _at_the_start(source: str, statement: str) -> str:
    return re.sub(r"main *\([^{]*\{", rf"\g<0> {statement}", source, count=1)


MISTAKES: Sequence[Callable[[str], str]] = (
    lambda source: _at_the_start(source, "if ("),
    lambda source: f"#include <stdio.h>\n{source}",
    lambda source: f"{source}\nagain () {{ return rand (); }}\n",  # which is not there
    lambda source: _at_the_start(source, "*(int *) 0 = 1;"),
    lambda source: _at_the_start(source, "for (;;) {}"),  # it never throws
)


# --- the course -----------------------------------------------------------------------------------
class Course(ClockedServer):
    """A German contest for a class, with its server, which answers the students' letters."""

    def __init__(self, place: Path) -> None:
        chosen = for_class(
            small_settings(registration=Registration(), beacon="none", group_max=60, final_size=60)
        ).changed(
            contest={"language": "de", "title": "Knobeln im Kurs", "organizer": "Die Kursleitung"}
        )
        mail = Mail(listen="127.0.0.1:0")
        settings = chosen.model_copy(update={"mail": mail})
        made = create_contest(place / "contest", settings, clock=FixedClock(OPENS))
        super().__init__(place, made, OPENS)

    def command(self, *words: object) -> str:
        """What `knobeln WORDS` prints, which must end well."""
        command = [sys.executable, "-m", "knobeln", *map(str, words), "-C", str(self.folder.path)]
        done = subprocess.run(command, capture_output=True, env=self.environment, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def wait(self) -> None:
        wait_for(self.is_idle, "the server", _PATIENCE)

    def wait_for_the_end(self) -> None:
        wait_for(lambda: self._is_over() and self.is_idle(), "the contest day", _PATIENCE)

    def _is_over(self) -> bool:
        with self.folder.store.read() as tx:
            return contest_state.state(tx).phase is Phase.FINISHED

    def tell_lecturer(self) -> None:
        """What the server does once in an hour."""
        clock = FixedClock(self.now)
        tell_of_class(replace(self.folder, clock=clock))
        self.wait()

    def mails(self, address: str) -> list[EmailMessage]:
        """What has come to this address, oldest first."""
        files = (self.folder.path / "mail" / address).glob("new/*")
        raw = [file.read_bytes() for file in sorted(files, key=lambda file: file.name)]
        return [_parsed(each) for each in raw]

    def addresses(self) -> list[str]:
        return [folder.name for folder in (self.folder.path / "mail").iterdir()]

    def reply(self, student: Student, fill: Fill) -> None:
        """Answer the newest mail, in the way of this student."""
        way = WAYS[student.number % len(WAYS)]
        reply = way(self.mails(student.address)[-1], fill, "de")
        self.insist(reply.as_bytes(), student.address)

    def from_line(self, student: Student) -> str:
        """The `<<FROM>>` line in the welcome."""
        texts = "\n".join(map(body_of, self.mails(student.address)))
        found = re.search(r"<<FROM>> \S+ \S+-\S+", texts)
        assert found
        return found[0]

    def send_program(self, student: Student, source: str, line: str) -> None:
        """Half of the students attach it, the others write it into the letter."""
        if student.number % 2:
            files = {"spieler.c": source.encode()}
            raw = letter(student.address, "please compile", f"{line}\n", attached=files)
        else:
            raw = letter(student.address, "please compile", f"/*\n{line}\n*/\n{source}")
        self.insist(raw, student.address)


def _parsed(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def program(student: Student) -> str:
    return list(HOUSE.values())[student.number % len(HOUSE)]
