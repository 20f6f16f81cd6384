"""Where mails go: a team's new address, its second address, observers. Each is confirmed by an answer."""

import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from contest.actions.organizer_actions import OrganizerActions
from contest.model import Outgoing
from contest.schema.sections import Mail
from contest.store import outbox, teams
from mailserver.limits import MAX_CONFIRMATION_DAYS
from tests.support.mail_world import FORM, World, body_of, flat, from_line, registered

OLD, NEW, EVE = "our_team@machine.domain.alfdkj", "Joe@new.example", "eve@x.example"
TEMPLATES = Path(__file__).parents[2] / "reports" / "templates"
DAY = timedelta(days=1)


@pytest.fixture
def line(world: World) -> str:
    """The `<<FROM>>` line of a registered team."""
    return from_line(*registered(world))


def to(mails: list[EmailMessage]) -> dict[str, EmailMessage]:
    """The mails by their readers, who got one each."""
    found = {str(mail["To"]): mail for mail in mails}
    assert len(found) == len(mails)
    return found


def answer(world: World, question: EmailMessage, sender: str = NEW) -> list[EmailMessage]:
    assert "press Reply, then Send" in flat(question)
    return world.send(f"Re: {question['Subject']}", "", sender=sender)


def addresses(world: World) -> tuple[str, str | None]:
    with world.store.read() as tx:
        (team,) = teams.all_teams(tx)
        return team.address, teams.copy_address(tx, team.id)


# --- a new address -----------------------------------------------------------------------------------------
def test_a_new_address_is_valid_once_it_has_answered_and_the_old_one_is_told(world: World, line: str) -> None:
    asked = to(world.send(f"Change address {NEW}", line, sender=EVE))
    assert set(asked) == {OLD, NEW}
    assert "It is not valid yet." in flat(asked[OLD])
    assert "resend authentification" in flat(asked[OLD])
    assert addresses(world) == (OLD, None)
    told = to(answer(world, asked[NEW]))
    assert addresses(world) == (NEW, None)
    assert set(told) == {OLD, NEW}
    assert f"go to {NEW} from now on" in flat(told[OLD])
    assert "organizer@contest.example" in flat(told[OLD])
    (status,) = world.send("status", "", sender=NEW)
    assert status["X-Knobeln-Team"] == "the_heavy_lords_of_knobeln"
    assert status["References"].split()[0] == told[NEW]["References"].split()[0]
    (again,) = answer(world, asked[NEW])
    assert "confirmed already" in again["Subject"]


def test_the_question_about_an_address_is_valid_for_three_days(world: World, line: str) -> None:
    asked = to(world.send(f"change address {NEW}", line))
    world.clock.at += MAX_CONFIRMATION_DAYS * DAY
    (late,) = answer(world, asked[NEW])
    assert "too late to confirm" in late["Subject"]
    assert addresses(world) == (OLD, None)


def test_a_new_string_makes_the_old_letter_void(world: World, line: str) -> None:
    asked = to(world.send(f"change address {NEW}", line))
    with world.store.write() as tx:
        teams.set_auth_digest(tx, 1, "of another string")
    answer(world, asked[NEW])
    assert addresses(world) == (OLD, None)


@pytest.mark.parametrize("subject", ["change address", "send copies to"])
@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("", "must name one address"),
        ("joe@new.example jane@new.example", "must name one address"),
        ("joe@localhost", "It should have a period."),
        ("knobeln+x@contest.example", "the address of this robot"),
        (OLD, "the mail-address of your team"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(world, line, subject, address, why) -> None:
    (mail,) = world.send(f"{subject} {address}", line)
    assert mail["To"] == OLD
    assert why in flat(mail)


def test_the_address_of_another_team_is_refused_until_and_when_it_is_confirmed(world, line) -> None:
    asked = to(world.send("change address jane@b.example", line))
    form = FORM.replace(OLD, "jane@b.example").replace("the_heavy_lords_of_knobeln", "others")
    registered(world, form)
    (mail,) = answer(world, asked["jane@b.example"])
    assert "already a team with this mail-address" in flat(mail)
    assert "already a team with this mail-address" in world.answer("change address jane@B.example", line)


@pytest.mark.parametrize("subject", [f"change address {NEW}", f"send copies to {NEW}", "send no copies"])
def test_without_the_string_nobody_is_asked_and_nothing_changes(world, line, subject) -> None:
    assert set(to(world.send(subject, "", sender=EVE))) == {EVE}
    name = line.split()[1]
    assert set(to(world.send(subject, f"<<FROM>> {name} wrong", sender=EVE))) == {EVE, OLD}
    assert addresses(world) == (OLD, None)


def test_questions_to_an_address_are_limited_and_the_team_is_told_when_none_went(make_world) -> None:
    world = make_world(mail=Mail(answers_per_hour=2))
    line = from_line(*registered(world))
    told = [to(world.send(f"change address {NEW}", f"{line}{number}", sender=EVE)) for number in range(3)]
    assert [NEW in mails for mails in told] == [True, True, False]
    assert "I sent no question there" in flat(told[2][OLD])


# --- copies ------------------------------------------------------------------------------------------------
def test_a_second_address_gets_copies_of_everything_but_the_string(world: World, line: str) -> None:
    asked = to(world.send(f"send copies to {NEW}", line))
    assert set(to(world.send("status", "", sender=OLD))) == {OLD}
    assert set(to(answer(world, asked[NEW]))) == {OLD, NEW}
    assert addresses(world) == (OLD, NEW)
    status = to(world.send("status", "", sender=OLD))
    assert body_of(status[OLD]) == body_of(status[NEW])
    assert status[OLD]["Message-ID"] != status[NEW]["Message-ID"]
    assert status[OLD]["X-Knobeln-Team"] == status[NEW]["X-Knobeln-Team"]
    (secret,) = world.send("resend authentification", "", sender=OLD)
    assert secret["To"] == OLD


def test_only_the_mails_that_are_never_copied_have_a_string_in_them() -> None:
    having = {
        file.name for file in TEMPLATES.glob("**/*.j2") if re.search(r"\bstring \}\}", file.read_text())
    }
    parts = {name for name in having if name.startswith("_")}
    assert having - parts <= {f"{kind}.txt.j2" for kind in outbox.WITH_STRING}
    users = {f.name for f in TEMPLATES.glob("**/*.j2") for part in parts if f'"{part}"' in f.read_text()}
    assert users <= {f"{kind}.txt.j2" for kind in outbox.WITH_STRING}
    assert having


@pytest.mark.parametrize("by", ["send no copies", "unsubscribe"])
def test_copies_end_by_a_letter_of_the_team_or_of_their_reader(world: World, line: str, by: str) -> None:
    answer(world, to(world.send(f"send copies to {NEW}", line))[NEW])
    by_reader = by == "unsubscribe"
    told = to(world.send(by, "" if by_reader else line, sender=NEW.lower() if by_reader else OLD))
    assert any("no more copies" in flat(mail) for mail in told.values())
    assert NEW.casefold() in {reader.casefold() for reader in told}
    assert addresses(world) == (OLD, None)
    assert set(to(world.send("status", "", sender=OLD))) == {OLD}


def test_reports_go_to_the_present_address_and_with_their_attachments_to_the_second(world, line) -> None:
    """As reports do that were composed before the team changed its address."""
    with world.store.write() as tx:
        teams.set_address(tx, 1, NEW)
        teams.set_copy_address(tx, 1, EVE)
        mail = Outgoing("round/1/GRR/x", "GRR", OLD, "ranking", "first\n", team_id=1, is_report=True)
        assert outbox.put(tx, mail, world.settings, world.clock.now())
        assert not outbox.put(tx, mail, world.settings, world.clock.now())
    assert [str(mail["To"]) for mail in world.mails()[-2:]] == [NEW, EVE]
    assert {body_of(mail) for mail in world.mails()[-2:]} == {"first\n"}


# --- observers ---------------------------------------------------------------------------------------------
def subscribed(world: World) -> list[EmailMessage]:
    (question,) = world.send("subscribe", "", sender=EVE)
    assert question["To"] == EVE
    assert "You are not subscribed yet." in flat(question)
    return answer(world, question, EVE)


def test_an_observer_gets_the_announcement_and_changed_dates_until_it_unsubscribes(world: World) -> None:
    welcome, announcement = subscribed(world)
    assert "`unsubscribe`" in body_of(welcome)
    assert announcement["X-Knobeln-Report"] == "call"

    def move(day: int) -> list[str]:
        before = len(world.mails())
        with world.store.write() as tx:
            actions = OrganizerActions(tx, world.settings, world.renderer, world.clock.now(), "me")
            noon = world.settings.dates.results_published + day * DAY
            actions.move_dates(world.settings.dates, {"results_published": noon}, "it is so")
        return [str(mail["To"]) for mail in world.mails()[before:]]

    assert move(1) == [EVE]
    assert "no longer an observer" in world.answer("Unsubscribe", "", sender=EVE)
    assert move(2) == []
    assert "no reports go there" in world.answer("unsubscribe", "please", sender=EVE)


def test_no_summaries_are_promised_where_there_are_none(make_world: Callable[..., World]) -> None:
    world = make_world(reports={"offered": ("LAP", "GRR")})
    (question,) = world.send("subscribe", "", sender=EVE)
    for mail in (question, answer(world, question, EVE)[0]):
        assert "summar" not in flat(mail)
