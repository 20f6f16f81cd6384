"""What mails say of a team's program is true of the list of entries and of the contest day, in
every state.

A history is a sequence of steps, each of which somebody can take at any time: the team, a stranger
who forges its letters, the organizer. After each step we read every mail that it caused.
"""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.builders import builder_of
from compiler.service import CompileService
from contest.errors import NotFound, NotNow
from contest.model import BanKind, Team, TeamState
from contest.schema.sections import Programs, Registration, Teams
from reports.render import Templates
from store import Store, submissions, teams
from tests.support.archives import HOUSE
from tests.support.clocks import FixedClock
from tests.support.compile_services import compile_service
from tests.support.mail_world import (
    FORM,
    OPENS,
    REGISTER,
    World,
    flat,
    from_line,
    make_settings,
    told,
)
from tests.support.organizer import Decide, organizer_acts_in
from tournament.runners import open_runner

ADDRESS = "our_team@machine.domain.alfdkj"
NAME = "the_heavy_lords_of_knobeln"
OTHER = "the_false_lords_of_knobeln"
WITH_JSON = FORM.replace("LAP,DGP,GRG,RSM", "JSON")

CLAIMS = re.compile(
    r"Version (\d+) (?:of your program counts|is used in the contest|still counts)"
    r"|Version (\d+), which came later, is used"
    r"|version (\d+) of your program counts, as before"
    r"|Version (\d+) of your program, which you sent before you withdrew, counts again"
    r"|version (\d+) still counts"
    r"|Your latest program that was accepted (takes) part"
)
"""How mails say that a version counts."""
ABOUT = ("status", "compile-report", "compile-refused", "reinstated")
"""The kinds of mails that say whether the program plays."""


@dataclass
class Walk:
    """A contest with one team, which somebody else may claim to be."""

    world: World
    service: CompileService
    line: str = ""
    sent: int = 0
    token: str = ""
    read: int = 0
    words: list[str] = field(default_factory=list)

    # --- steps ------------------------------------------------------------------------------------
    def a_form(self) -> None:
        """It proves nothing: anybody may have sent it."""
        self._send(REGISTER, WITH_JSON, ADDRESS)

    def a_form_with_another_name(self) -> None:
        self._send(REGISTER, WITH_JSON.replace(NAME, OTHER), ADDRESS)

    def a_form_of_a_stranger(self) -> None:
        self._send(
            REGISTER,
            WITH_JSON.replace("our_team", "false_team"),
            "false_team@machine.domain.alfdkj",
        )

    def the_team_answers(self) -> None:
        """It answers the newest mail that asks for that: its welcome, or a question."""
        if self.token:
            self._send(f"Re: {self.token}", "", ADDRESS)

    def a_good_program(self) -> None:
        self.sent += 1
        self._send_program(f"{HOUSE['dice_cup']}\n/* {self.sent} */\n")

    def the_same_program(self) -> None:
        self._send_program(f"{HOUSE['dice_cup']}\n/* {self.sent} */\n")

    def a_bad_program(self) -> None:
        self._send_program("main() { x; }\n")

    def a_program_with_the_string_in_it(self) -> None:
        self._send_program(f"{HOUSE['dice_cup']}\n/* {self.line.strip().split()[-1]} */\n")

    def it_withdraws(self) -> None:
        self._send("withdraw", self.line, ADDRESS)

    def a_withdrawal_without_the_string(self) -> None:
        self._send("withdraw", from_line(NAME, "aaaa-bbbb-cccc-dddd-eeee"), ADDRESS)

    def status(self) -> None:
        self._send("status", "", ADDRESS)

    def the_organizer_disqualifies(self) -> None:
        self._act(lambda organizer: organizer.take_out(NAME, BanKind.DISQUALIFIED, "a reason"))

    def the_organizer_reinstates(self) -> None:
        self._act(lambda organizer: organizer.reinstate(NAME, "a reason"))

    def the_organizer_accepts(self) -> None:
        team = self._team()
        if team and not (team.state is TeamState.ACTIVE and team.is_proved):
            self._act(lambda organizer: organizer.accept(team))

    def the_organizer_rejects(self) -> None:
        team = self._team()
        if team and team.state is TeamState.PENDING:
            self._act(lambda organizer: organizer.reject(team, "No."))

    def _team(self) -> Team | None:
        with self.world.store.read() as tx:
            return teams.by_address(tx, ADDRESS)

    def _act(self, decide: Decide) -> None:
        with suppress(NotNow, NotFound):
            organizer_acts_in(self.world, decide)

    def _send_program(self, source: str) -> None:
        self._send("please compile", f"/*\n  {self.line}*/\n{source}", ADDRESS)

    def _send(self, subject: str, text: str, sender: str) -> None:
        self.world.send(subject, text, sender=sender)
        while self.service.build_next(at_once=True):
            pass

    # --- what follows -----------------------------------------------------------------------------
    def take(self, step: Callable[["Walk"], None]) -> None:
        """Take the step, read the mails that it caused, and compare them with the list of
        entries."""
        self.world.clock.at += timedelta(hours=5)
        step(self)
        mails = self.world.mails(self.read)
        self.read += len(mails)
        plays = self.plays()
        for mail in (mail for mail in mails if mail["To"] == ADDRESS):
            self.words.append(flat(mail))
            self._remember(mail)
            self._compare(mail, plays)

    def _remember(self, mail: EmailMessage) -> None:
        if "authentification string" in flat(mail) and re.search(r"string +(\S+-\S+)", flat(mail)):
            self.line = from_line(*told(mail))
        if mail["X-Knobeln-Report"] in ("registration-accepted", "registration-confirm"):
            self.token = str(mail["Subject"])

    def _compare(self, mail: EmailMessage, plays: int | None) -> None:
        claims = [next(filter(None, found)) for found in CLAIMS.findall(flat(mail))]
        for claim in claims:
            assert str(plays) == claim or (claim == "takes" and plays), flat(mail)
        if mail["X-Knobeln-Report"] in ABOUT:
            assert claims or plays is None, flat(mail)
        for file in mail.iter_attachments():
            if file.get_filename() == "knobeln.json":
                assert json.loads(file.get_content()).get("counts", plays) == plays, flat(mail)

    def plays(self) -> int | None:
        """The version of the team that would play if the day began now, which is the one on the
        list."""
        found = None
        with self.world.store.write() as tx:
            listed = {entry.team: entry.build for entry in submissions.entry_list(tx).entries}
            frozen = {entry.name: entry for entry in submissions.freeze(tx)}
            assert {name: entry.image_digest for name, entry in frozen.items()} == listed
            team = teams.by_address(tx, ADDRESS)
            if team and team.name in frozen:
                found = submissions.entered(tx, frozen[team.name]).submission.number
            tx.rollback()
        return found


Step = Callable[[Walk], None]
STEPS: Sequence[Step] = [
    step
    for name, step in vars(Walk).items()
    if name.split("_")[0] in ("a", "an", "the", "it", "status")
]
JOINS = [Walk.a_form, Walk.the_team_answers, Walk.a_good_program]
LEAVES = [*JOINS, Walk.it_withdraws]


@pytest.fixture(scope="module")
def make_walk(
    empty_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Walk]:
    def make(approval: str) -> Walk:
        copy = tmp_path_factory.mktemp("walk") / "contest.db"
        copy.write_bytes(empty_database.read_bytes())
        settings = make_settings(
            registration=Registration(),
            teams=Teams(approval=approval),
            programs=Programs(description="none"),
        )
        store, clock = Store(f"sqlite:///{copy}"), FixedClock(OPENS + timedelta(days=5))
        templates = Templates(settings, None)
        builder = builder_of(settings, open_runner)
        return Walk(
            World(store, settings, templates, clock),
            compile_service(store, settings, clock, builder, templates),
        )

    return make


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([*JOINS, Walk.status], "Version 1 of your program counts"),
        ([*JOINS, Walk.a_bad_program], "Version 1 still counts."),
        ([*JOINS, Walk.the_same_program], "version 1 still counts"),
        (
            [*JOINS, Walk.a_program_with_the_string_in_it],
            "version 1 of your program counts, as before",
        ),
        ([*LEAVES, Walk.status], "Your team has withdrawn and takes no part."),
        (LEAVES, "answer the mail that asks whether the form is yours"),
        ([*LEAVES, Walk.a_form], "a team with this mail-address has withdrawn. It comes back"),
        (
            [*LEAVES, Walk.a_form, Walk.the_team_answers],
            "Version 1 of your program, which you sent before",
        ),
        ([*LEAVES, Walk.the_organizer_accepts], "Version 1 of your program, which you sent before"),
        ([*JOINS, Walk.the_organizer_disqualifies, Walk.status], "Your team is disqualified."),
        (
            [*JOINS, Walk.the_organizer_disqualifies, Walk.a_program_with_the_string_in_it],
            "Your team is disqualified.",
        ),
        (
            [*LEAVES[:-1], Walk.the_organizer_disqualifies, Walk.it_withdraws],
            "your team stays out of the contest as long as the organizer has not reinstated it",
        ),
        (
            [
                *JOINS,
                Walk.the_organizer_disqualifies,
                Walk.it_withdraws,
                Walk.the_organizer_reinstates,
            ],
            "Your team has withdrawn and takes no part.",
        ),
        (
            [*LEAVES[:-1], Walk.the_organizer_disqualifies, Walk.the_organizer_reinstates],
            "Your latest program that was accepted takes part",
        ),
    ],
)
def test_a_mail_says_whether_the_program_counts_or_why_not(
    make_walk: Callable[[str], Walk], steps: Sequence[Step], words: str
) -> None:
    walk = make_walk("automatic")
    for step in steps:
        walk.take(step)
    assert words in walk.words[-1]


@pytest.mark.parametrize("form", [Walk.a_form, Walk.a_form_with_another_name])
def test_a_form_changes_nothing_of_a_withdrawn_team_before_its_address_has_confirmed_it(
    make_walk: Callable[[str], Walk], form: Step
) -> None:
    walk = make_walk("automatic")
    for step in LEAVES:
        walk.take(step)
    with walk.world.store.read() as tx:
        before = teams.named(tx, NAME)
    walk.take(form)
    with walk.world.store.read() as tx:
        assert teams.named(tx, NAME) == before
        assert teams.all_teams(tx) == (before,)
    walk.take(Walk.a_form_of_a_stranger)
    with walk.world.store.read() as tx:
        assert [team.name for team in teams.all_teams(tx)] == [NAME, f"{NAME}_2"]


@pytest.mark.parametrize(
    "stranger", [Walk.a_form_with_another_name, Walk.a_withdrawal_without_the_string]
)
def test_a_stranger_changes_nothing_of_an_active_team(
    make_walk: Callable[[str], Walk], stranger: Step
) -> None:
    walk = make_walk("automatic")
    for step in JOINS:
        walk.take(step)
    with walk.world.store.read() as tx:
        before = teams.all_teams(tx)
    walk.take(stranger)
    assert walk.plays() == 1
    with walk.world.store.read() as tx:
        assert teams.all_teams(tx) == before


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    approval=st.sampled_from(["automatic", "organizer"]),
    more=st.lists(st.sampled_from(STEPS), max_size=9),
)
def test_whatever_happens_no_mail_says_another_thing_than_the_list(
    make_walk: Callable[[str], Walk], approval: str, more: Sequence[Step]
) -> None:
    walk = make_walk(approval)
    for step in (Walk.a_form, Walk.the_organizer_accepts, Walk.a_good_program, *more):
        walk.take(step)
    walk.world.store.close()
