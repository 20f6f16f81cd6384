"""A contest that is held by mail from the first letter to the results, and can be copied at each
stage.

Its teams keep their mails as a provider hands them over: in Maildirs, each with a header of its
arrival.
"""

import email
import email.policy
import mailbox
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Self

from contest.config.settings import Settings, game_settings
from contest.errors import NumberAwaited
from contest.schema.sections import Registration, Tournament
from knobeln.context import ContestContext, create_contest
from knobeln.day.run import play_contest
from knobeln.day.wait_for_number import wait_for_number
from knobeln.services import Services, deliver_all
from mailserver.delivery.transports import MAILDIRS, transport_of
from mailserver.intake.accept import accept
from tests.support.archives import HOUSE, knobeln
from tests.support.clocks import FixedClock
from tests.support.drand_network import stand_in_chain, trusted_drand
from tests.support.letters import letter
from tests.support.mail_world import (
    BELIEVED,
    FORM,
    OPENS,
    REGISTER,
    START,
    from_line,
    make_settings,
    told,
)
from tournament.day import Spectator

CHAIN = stand_in_chain(int(datetime(1994, 3, 1, tzinfo=UTC).timestamp()), 30)
CLOSES = START - timedelta(hours=2)  # programs are no longer taken
KNOWN = START + timedelta(minutes=11)  # the public number is known
PROGRAMS = {
    "the_heavy_lords_of_knobeln": "dice_cup",
    "the_light_lords_of_knobeln": "log_dice",
    "the_dark_lords_of_knobeln": "pavlov",
}
HEAVY, LIGHT, DARK = PROGRAMS
LOST = "the_lost_lords_of_knobeln"  # registers, but its program is not there


def address_of(team: str) -> str:
    return f"{team}@teams.example"


CLASS_FORM = """mail-address: our_team@machine.domain.alfdkj
mail-preference: DGP,GRG,RSM
team-name: the_heavy_lords_of_knobeln
team-members:
  Joe Cool
"""


def form_of(team: str, form: str = FORM) -> str:
    return form.replace("the_heavy_lords_of_knobeln", team).replace(
        "our_team@machine.domain.alfdkj", address_of(team)
    )


def small_settings(*, registration: Registration = BELIEVED, **tournament: object) -> Settings:
    """Small groups and short games."""
    small = {"workers": 1, "group_min": 2, "group_max": 3, "final_size": 2, **tournament}
    chosen = make_settings(tournament=Tournament.model_validate(small), registration=registration)
    programs = chosen.programs.model_copy(update={"description": "warn"})
    return chosen.model_copy(
        update={"game": game_settings({"L": 40, "k": 4}), "programs": programs}
    )


@dataclass
class MailedContest:
    """The folder `place` has the contest and the Maildirs of its teams.

    `strings`: the authentification strings of the teams. `form`: with which they register.
    `files`: of another game than KNOBELN, the file to each name of a strategy that tests call.
    """

    place: Path
    clock: FixedClock
    strings: dict[str, str]
    form: str = FORM
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)

    @classmethod
    def create(
        cls, place: Path, chosen: Settings, files: Mapping[str, tuple[str, bytes]] | None = None
    ) -> Self:
        made = cls(place, FixedClock(OPENS), {}, files=files or {})
        if not chosen.teams.member_lines:
            made.form = CLASS_FORM
        create_contest(made.folder, chosen, clock=made.clock).store.close()
        return made

    @property
    def folder(self) -> Path:
        return self.place / "contest"

    @contextmanager
    def opened(self) -> Iterator[ContestContext]:
        contest = replace(ContestContext.open(self.folder), clock=self.clock)
        try:
            yield contest
        finally:
            contest.store.close()

    def copied(self, place: Path) -> Self:
        """The same contest and the same mails once more, for another future."""
        shutil.copytree(self.place, place)
        return type(self)(
            place, FixedClock(self.clock.at), dict(self.strings), self.form, self.files
        )

    # --- letters ----------------------------------------------------------------------------------
    def send(
        self, team: str, subject: str, body: str, attached: Mapping[str, bytes] | None = None
    ) -> None:
        """Send a letter of this team, or from this address, let the server do what follows, and
        bring all mails."""
        sender = team if "@" in team else address_of(team)
        name, _, domain = sender.partition("@")
        number = f"<{name}.{subject.replace(' ', '.')}.{self.clock.at.timestamp()}@{domain}>"
        raw = letter(sender, subject, body, attached=attached, Message_ID=number)
        with self.opened() as contest:
            to = (contest.settings.contest.address,)
            accept(contest.store, raw, sender, to, "test", self.clock.now())
            services = Services(contest)
            services.handle_letters()
            services.compile_programs(at_once=True)
        self.bring_mails()

    def form_of(self, team: str) -> str:
        return form_of(team, self.form)

    def register(self, team: str) -> None:
        self.send(team, REGISTER, self.form_of(team))
        self.strings[team] = told(next(iter(self.mails(team))))[1]

    def send_program(self, team: str, strategy: str) -> None:
        words = from_line(team, self.strings[team])
        if strategy in self.files:
            self.send(team, "please compile", words, dict([self.files[strategy]]))
        else:
            self.send(team, "please compile", f"/*\n  {words}*/\n{HOUSE[strategy]}")

    def take_part(self, programs: Mapping[str, str]) -> None:
        """These teams register, and two days later each sends the house strategy of this name."""
        for team in programs:
            self.clock.at += timedelta(minutes=1)
            self.register(team)
        self.clock.at += timedelta(days=2)
        for team, strategy in programs.items():
            self.clock.at += timedelta(minutes=1)
            self.send_program(team, strategy)

    # --- mails ------------------------------------------------------------------------------------
    def bring_mails(self) -> None:
        """Deliver all mails that are due; each provider notes in a header when it took a mail."""
        with self.opened() as contest:
            deliver_all(contest, transport_of(contest.settings, contest.path))
            delivered = contest.path / MAILDIRS
        for box in sorted(delivered.glob("*@*")):
            self.box(box.name).parent.mkdir(exist_ok=True)
            kept = mailbox.Maildir(self.box(box.name))
            for file in sorted((box / "new").iterdir()):
                arrival = (
                    "Received: from contest.example by teams.example;"
                    f" {format_datetime(self.clock.at)}\n"
                )
                kept.add(arrival.encode() + file.read_bytes())
                file.rename(box / "cur" / f"{file.name}:2,")

    def box(self, team: str) -> Path:
        """The Maildir of this team, or of this address."""
        return self.place / "boxes" / (team if "@" in team else address_of(team))

    def mails(self, team: str, report: str | None = None) -> list[EmailMessage]:
        """The mails that a team has got, in the order of their arrival, all or those of one
        kind."""
        found = [_parsed(file) for file in (self.box(team) / "new").iterdir()]
        found.sort(key=lambda mail: str(mail["X-Knobeln-Receipt"] or "0").split()[0].zfill(9))
        return [mail for mail in found if report in (None, mail["X-Knobeln-Report"])]

    # --- the day ----------------------------------------------------------------------------------
    def tell_first_list(self) -> None:
        with self.opened() as contest:
            assert Services(contest).list_entries()
        self.bring_mails()

    def start(self) -> None:
        """Play until the contest waits for its public number."""
        with self.opened() as contest, suppress(NumberAwaited):
            _play(contest, patient=False)
        self.bring_mails()

    def fetch_number(self) -> None:
        with self.opened() as contest, trusted_drand():
            wait_for_number(contest, lambda _text: None, patient=False)

    def play(self) -> None:
        with self.opened() as contest, trusted_drand():
            _play(contest, patient=False)
        self.bring_mails()

    def go_on(self, archive: Path) -> Path:
        """The archive of the contest, held from the close of programs to its end."""
        self.clock.at = CLOSES + timedelta(minutes=1)
        self.tell_first_list()
        return self.hold(archive)

    def hold(self, archive: Path) -> Path:
        """The same from the start on."""
        self.clock.at = START + timedelta(seconds=5)
        self.start()
        self.clock.at = KNOWN
        self.play()
        return self.publish(archive)

    def publish(self, archive: Path) -> Path:
        """The archive of the played contest."""
        result = knobeln("publish", archive, "-C", self.folder)
        assert result.exit_code == 0, result.output
        return archive


@dataclass(frozen=True)
class Stages:
    """A contest as it was at each stage, its server of drand, and its archive."""

    place: Path
    url: str
    kept: dict[str, MailedContest]

    @property
    def archive(self) -> Path:
        return self.place / "archive"


_play = partial(
    play_contest, early=True, spectator=lambda: nullcontext(Spectator()), tell=lambda _text: None
)


def _parsed(file: Path) -> EmailMessage:
    message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message
