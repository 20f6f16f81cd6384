"""Where mails go: a team's new address, which is confirmed by an answer."""

from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from contest.model import Outgoing
from contest.schema.sections import Mail
from mailserver.limits import MAX_CONFIRMATION_DAYS
from store import outbox, teams
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


def address(world: World) -> str:
    with world.store.read() as tx:
        (team,) = teams.all_teams(tx)
        return team.address


# --- a new address --------------------------------------------------------------------------------
def test_a_new_address_is_valid_once_it_has_answered_and_the_old_one_is_told(
    world: World, line: str
) -> None:
    asked = to(world.send(f"Change address {NEW}", line, sender=EVE))
    assert set(asked) == {OLD, NEW}
    assert "It is not valid yet." in flat(asked[OLD])
    assert "resend authentification" in flat(asked[OLD])
    assert address(world) == OLD
    told = to(answer(world, asked[NEW]))
    assert address(world) == NEW
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
    assert address(world) == OLD


def test_a_new_string_makes_the_old_letter_void(world: World, line: str) -> None:
    asked = to(world.send(f"change address {NEW}", line))
    with world.store.write() as tx:
        teams.set_auth_digest(tx, 1, "of another string")
    answer(world, asked[NEW])
    assert address(world) == OLD


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("", "must name one address"),
        ("joe@new.example jane@new.example", "must name one address"),
        ("joe@localhost", "the part after the @ is no domain"),
        ("knobeln+x@contest.example", "the address of this robot"),
        (OLD, "the mail-address of your team"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(
    world: World, line: str, wanted: str, why: str
) -> None:
    (mail,) = world.send(f"change address {wanted}", line)
    assert mail["To"] == OLD
    assert why in flat(mail)


def test_the_address_of_another_team_is_refused_until_and_when_it_is_confirmed(
    world: World, line: str
) -> None:
    asked = to(world.send("change address jane@b.example", line))
    form = FORM.replace(OLD, "jane@b.example").replace("the_heavy_lords_of_knobeln", "others")
    registered(world, form)
    (mail,) = answer(world, asked["jane@b.example"])
    assert "already a team with this mail-address" in flat(mail)
    assert "already a team with this mail-address" in world.answer(
        "change address jane@B.example", line
    )


def test_without_the_string_nobody_is_asked_and_nothing_changes(world: World, line: str) -> None:
    subject = f"change address {NEW}"
    assert set(to(world.send(subject, "", sender=EVE))) == {EVE}
    name = line.split()[1]
    assert set(to(world.send(subject, f"<<FROM>> {name} wrong", sender=EVE))) == {EVE, OLD}
    assert address(world) == OLD


def test_questions_to_an_address_are_limited_and_the_team_is_told_when_none_went(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(answers_per_hour=2))
    line = from_line(*registered(world))
    told = [
        to(world.send(f"change address {NEW}", f"{line}{number}", sender=EVE))
        for number in range(3)
    ]
    assert [NEW in mails for mails in told] == [True, True, False]
    assert "I sent no question there" in flat(told[2][OLD])


def test_reports_go_to_the_present_address(world: World, line: str) -> None:
    """As reports do that were composed before the team changed its address."""
    with world.store.write() as tx:
        teams.set_address(tx, 1, NEW)
        mail = Outgoing(
            "round/1/GRR/x", "GRR", OLD, "ranking", "first\n", team_id=1, is_report=True
        )
        assert outbox.put(tx, mail, world.settings, world.clock.now())
        assert not outbox.put(tx, mail, world.settings, world.clock.now())
    last = world.mails()[-1]
    assert (last["To"], body_of(last)) == (NEW, "first\n")
