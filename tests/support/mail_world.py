"""A contest that is sent letters and answers them: its settings, its desk, and its mails."""

import email
import email.policy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from contest.config.settings import Settings
from contest.model import LetterState, Phase
from contest.schema.sections import Contest, Dates, Mail, Registration
from mailserver.command import Desk
from mailserver.handler import ReadingKey, Readings, Unread, handle
from mailserver.intake.accept import accept
from mailserver.reader import Reading, TooHardToRead, read
from store import Store, contest_state, letters
from tests.support.clocks import FixedClock
from tests.support.due_mails import due_mails
from tests.support.letters import letter

LETTERS = Path(__file__).parent.parent / "letters"
# One test may register more teams than strangers may, and reads the answers without a question
# first.
BELIEVED = Registration(confirm="never")
OPENS = datetime(1994, 3, 22, 12, tzinfo=UTC)
START = datetime(1994, 5, 14, 12, tzinfo=UTC)
FORM = """mail-address: our_team@machine.domain.alfdkj
mail-preference: LAP,DGP,GRG,RSM
team-name: the_heavy_lords_of_knobeln
Organization: University of Northeast Sacrodata, Intellect City, Eggland
team-members:
  Joe Cool, 45, professional systems programmer,
  20-year-experienced programmer
"""


def form_of_one(name: str, address: str) -> str:
    """The form of a team of one person, which shares neither that nor its organization with
    others."""
    return f"""mail-address: {address}
mail-preference: RSM
team-name: {name}
Organization: Club of {name}, Eggland
team-members:
  Person of {name}, 45, programmer,
  much experience
"""


def make_settings(**sections: Any) -> Settings:
    """The calendar of 1994; a section is given as a dict of what differs."""
    contest_words = {
        "address": "knobeln@contest.example",
        "aliases": ("prechelt@contest.example",),
        "organizer_address": "organizer@contest.example",
    } | sections.pop("contest", {})
    dates = {
        "registration_opens": OPENS,
        "compilation_opens": OPENS + timedelta(days=1),
        "registration_closes": START - timedelta(days=2),
        "compilation_closes": START - timedelta(hours=2),
        "contest_starts": START,
        "results_published": START + timedelta(days=7),
    }
    # one test may send more than one person would
    sections.setdefault("mail", Mail(answers_per_hour=1_000))
    sections.setdefault("registration", BELIEVED)
    return Settings(contest=Contest(**contest_words), dates=Dates(**dates), **sections)


@dataclass
class World:
    """`send` takes a letter all the way through; `answers` are the mails that it caused."""

    store: Store
    settings: Settings
    renderer: Any
    clock: FixedClock
    _seen: int = 0
    notes: list[str] = field(default_factory=list)

    def handle_next(self) -> bool:
        """Handle the oldest letter that waits. False: there is none."""
        with self.store.read() as tx:
            turn = letters.next_to_handle(tx, self.clock.now(), 1)
        if not turn:
            return False
        known: dict[ReadingKey, Reading | TooHardToRead] = {}
        wanted: ReadingKey | None = turn[0], self.settings.contest.language
        while wanted:
            with self.store.read() as tx:
                (stored,) = letters.get_all(tx, [wanted[0]])
            known[wanted] = read(stored, self.settings, wanted[1])
            wanted = self._handle(turn[0], Readings(known))
        return True

    def _handle(self, letter_id: int, readings: Readings) -> ReadingKey | None:
        """Handle the letter; or say what must be read first."""
        with self.store.write() as tx:
            (stored,) = letters.get_all(tx, [letter_id])
            try:
                desk = Desk(tx, self.settings, self.renderer, self.clock.now())
                handle(desk, stored, readings)
            except Unread as unread:
                return unread.key
        return None

    def send(
        self,
        subject: str,
        body: str,
        *,
        sender: str = "joe@machine.domain.alfdkj",
        at: datetime | None = None,
        envelope: str | None = None,
        channel: str = "smtp",
        attached: Mapping[str, bytes] | None = None,
        **headers: str,
    ) -> list[EmailMessage]:
        self._seen += 1
        headers["Message_ID"] = headers.pop("message_id", f"<{self._seen}@machine.domain.alfdkj>")
        raw = letter(sender, subject, body, self.settings.contest.address, attached, **headers)
        return self.deliver(raw, sender if envelope is None else envelope, channel, at)

    def answer(self, subject: str, body: str, **how: Any) -> str:
        """The text of the only mail that this letter caused, in one line."""
        (mail,) = self.send(subject, body, **how)
        return flat(mail)

    def deliver(
        self,
        raw: bytes,
        envelope: str = "joe@machine.domain.alfdkj",
        channel: str = "smtp",
        at: Any = None,
    ) -> list[EmailMessage]:
        """The mails that this letter caused."""
        if at is not None:
            self.clock.at = at
        letter_id = accept(
            self.store, raw, envelope, (self.settings.contest.address,), channel, self.clock.now()
        )
        before = len(self._waiting())
        while self.handle_next():
            pass
        with self.store.read() as tx:
            self.notes.append(letters.note_of(tx, letter_id))
        return self.mails(before)

    def mails(self, first: int = 0) -> list[EmailMessage]:
        """What waits in the outbox to be sent, in order, from this mail on."""
        parsed = (
            email.message_from_bytes(raw, policy=email.policy.default)
            for raw in self._waiting()[first:]
        )
        return [mail for mail in parsed if isinstance(mail, EmailMessage)]

    def _waiting(self) -> list[bytes]:
        with self.store.read() as tx:
            return [
                item.raw for item in due_mails(tx, self.clock.now() + timedelta(days=400), 10_000)
            ]

    def enter(self, phase: Phase) -> None:
        """Start the contest, or end it; it may have been started before."""
        with self.store.write() as tx:
            if phase is not Phase.OPEN and contest_state.state(tx).phase is Phase.OPEN:
                contest_state.start(tx, {}, self.clock.now())
            if phase is Phase.FINISHED:
                contest_state.finish(tx, self.clock.now())

    def states(self) -> dict[LetterState, int]:
        with self.store.read() as tx:
            return letters.count_by_state(tx)


def too_wide(text: str) -> list[str]:
    """The lines of more than 72 columns. `Organization:` may be longer: it is sent to be copied."""
    return [
        line
        for line in text.splitlines()
        if len(line) > 72 and not line.strip().startswith("Organization:")
    ]


def body_of(mail: EmailMessage) -> str:
    return str(mail.get_body(("plain",)).get_content()).replace("\r\n", "\n")


def demo_mails(demo: Path, team: str) -> list[EmailMessage]:
    """What a team of the demonstration has got, in order."""
    files = sorted(demo.glob(f"mail/{team}@*/new/*"), key=lambda path: path.stat().st_mtime_ns)
    return [
        email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files
    ]


def flat(mail: EmailMessage) -> str:
    """The text of the mail in one line, wherever its own lines end."""
    return " ".join(body_of(mail).split())


REGISTER = "registration for KNOBELN"


def told(mail: EmailMessage) -> tuple[str, str]:
    """The team's name and its authentification string, as this mail tells them."""
    found = re.search(r"name is +(\S+)\n.*string +(\S+)\n", body_of(mail))
    return found[1], found[2]


def registered(world: World, form: str = FORM) -> tuple[str, str]:
    """Register; the team's name and its authentification string as the answer tells them."""
    (mail,) = world.send(REGISTER, form)
    return told(mail)


def from_line(team: str, string: str) -> str:
    """The line by which a team proves who it is."""
    return f"<<FROM>> {team} {string}\n"


def program(line: str) -> str:
    """A program with this `<<FROM>>` line."""
    return f"/*\n  {line}*/\nmain() {{ for (;;) make_throw(1); }}\n"
