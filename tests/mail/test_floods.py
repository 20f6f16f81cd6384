"""Thousands of forged letters shut nobody out: neither teams nor those who want to become one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage

import pytest

from contest.model import LetterState, TeamState
from contest.schema.sections import Mail, Registration, Teams
from mailserver.for_organizer import tidy
from mailserver.intake.accept import accept_all
from mailserver.limits import DAY, HOUR, MAX_WAIT_DAYS, MINUTE
from store import letters, outbox, teams
from tests.support.due_mails import due_mails
from tests.support.forged_letters import form, incoming, reply, team_names
from tests.support.mail_world import (
    REGISTER,
    World,
    body_of,
    flat,
    from_line,
    program,
    told,
    too_wide,
)

FLOODED = "uni.example"
SPAN = 5 * MINUTE  # as fast as eight connections bring 10,000 letters


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    """A contest with the usual settings, on the open internet."""
    return make_world(mail=Mail(), registration=Registration(), teams=Teams(max_teams=200))


# --- the attacker ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class Flood:
    """Letters of all kinds, or one kind, from so many networks (0: not known) and with so many
    domains."""

    networks: int
    domains: int
    kinds: tuple[str, ...] = (
        "form",
        "form",
        "form",
        "bad form",
        "help",
        "guess",
        "resend",
        "unsubscribe",
        "objection",
    )

    def letter(self, number: int, victim: str, name: str) -> EmailMessage:
        """The letter of this number; `victim` and `name` are of a team in the flooded domain."""
        kind = self.kinds[number % len(self.kinds)]
        domain = FLOODED if self.domains == 1 else f"d{number % self.domains}.example"
        address, subject, text = f"u{number}@{domain}", kind, "x"
        if kind in ("form", "bad form"):
            subject, text = (
                REGISTER,
                form(address, f"t{number}") if kind == "form" else f"no form {number}",
            )
        elif kind == "guess":
            subject, text = "please compile", program(f"<<FROM>> {name} k7qd-2mxw-9rtz-h4pc-v8sn\n")
        elif kind == "resend":
            address, subject = victim, "resend authentification"
        elif kind == "unsubscribe":
            address = victim
        mail = EmailMessage()
        if self.networks:
            network = number % self.networks
            mail["Received"] = (
                f"from a (b [11.{network // 256}.{network % 256}.7]) by mx.contest.example"
            )
        mail["From"], mail["Subject"] = address, subject
        mail["Message-ID"] = f"<{number}@evil.example>"
        mail.set_content(text)
        return mail


def flooded(world: World, flood: Flood, count: int, victim: str, name: str) -> Iterator[None]:
    """Handle so many letters within SPAN; yields in the middle of them."""
    start, at_once = world.clock.now(), 100
    for first in range(0, count, at_once):
        if first == count // 2:
            yield
        world.clock.at = start + SPAN * (first / count)
        numbers = range(first, min(first + at_once, count))
        batch = [incoming(flood.letter(number, victim, name)) for number in numbers]
        accept_all(world.store, batch, "smtp", world.clock.now())
        handle_all(world)
    world.clock.at = start + SPAN
    yield


def handle_all(world: World) -> None:
    while world.handle_next():
        pass


# --- those who have nothing to do with it ---------------------------------------------------------
def known(world: World, address: str, name: str) -> tuple[str, str]:
    """Register, and answer the welcome; the name and the string."""
    (welcome,) = world.send(REGISTER, form(address, name), sender=address)
    reply(world, welcome, sender=address)
    return told(welcome)


def minutes_until_mail(
    world: World, address: str, text: str, network: str = "93.184.216.34"
) -> float:
    """How long somebody waits for the answer to a form."""
    start = world.clock.now()
    facts = {"Received": f"from a (b [{network}]) by mx.contest.example"} if network else {}
    world.send(REGISTER, text, sender=address, **facts)
    while not mails_to(world, address):
        if world.clock.now() - start > 3 * HOUR:
            return float("inf")
        world.clock.at += MINUTE
        handle_all(world)
    return (world.clock.now() - start) / MINUTE


def mails_to(world: World, address: str) -> int:
    with world.store.read() as tx:
        return len(
            [item for item in due_mails(tx, world.clock.now(), 100_000) if item.to == address]
        )


def check_flood(world: World, flood: Flood, count: int) -> None:
    victim, name, string = f"ann@{FLOODED}", *known(world, f"ann@{FLOODED}", "ann")
    before = mails_to(world, victim)

    def is_served() -> bool:
        """Whether a team of the flooded domain gets an answer in the same second."""
        served = mails_to(world, victim)
        world.send("status", from_line(name, string) + f"{world.clock.now()}", sender=victim)
        return mails_to(world, victim) == served + 1

    middle = flooded(world, flood, count, victim, name)
    next(middle)
    is_among = f"amid@{FLOODED}"
    world.send(
        REGISTER,
        form(is_among, "amid"),
        sender=is_among,
        Received="from a (b [93.184.219.34]) by mx.contest.example",
    )
    among = world.clock.now()
    assert minutes_until_mail(world, "joe@other.example", form("joe@other.example", "joe_a")) <= 10
    assert is_served()
    next(middle)
    assert (
        minutes_until_mail(world, "jim@another.example", form("jim@another.example", "jim_a")) <= 10
    )
    assert is_served()
    new = f"new@{FLOODED}"
    assert minutes_until_mail(world, new, form(new, "new_a")) <= 60
    if 0 < flood.networks < 10:  # else nothing tells her letter from theirs
        while world.clock.now() < among + HOUR:
            world.clock.at += MINUTE
            handle_all(world)
        assert mails_to(world, is_among)
    # No more than five mails to her, beside the answers to her own letters, and nothing of hers has
    # changed.
    assert mails_to(world, victim) - before - 2 <= 5
    with world.store.read() as tx:
        assert teams.by_name(tx, name).registration.preferences == ("LAP", "DGP", "GRG", "RSM")
        assert teams.count(tx) == 1  # who has answered a welcome: nobody else takes a place
    assert is_served()


KINDS = {
    "one network and one domain": Flood(1, 1),
    "many networks and domains": Flood(3_334, 3_334),
    "forms for one domain, nobody knows from where": Flood(0, 1, ("form",)),
    "questions of one domain": Flood(0, 1, ("help",)),
}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[pytest.mark.slow] if at > 0 else [])
        for at, kind in enumerate(KINDS)
    ],
)
def test_a_flood_holds_up_nobody_for_long(world: World, kind: str) -> None:
    check_flood(world, KINDS[kind], 200)


# --- places ---------------------------------------------------------------------------------------
def test_forged_forms_take_no_place(make_world: Callable[..., World]) -> None:
    world = make_world(mail=Mail(), registration=Registration(), teams=Teams(max_teams=2))
    for number in range(4):
        address = f"u{number}@d{number}.example"
        (mail,) = world.send(REGISTER, form(address, f"t{number}"), sender=address)
        # As many are registered unheard as the contest takes; whoever comes then is asked.
        assert ("many teams are registered from which I have not heard yet" in flat(mail)) == (
            number >= 2
        )
    assert team_names(world) == ["t0", "t1"]
    (question,) = world.send(REGISTER, form("a@a.example", "first"), sender="a@a.example")
    (welcome,) = reply(world, question, sender="a@a.example")
    assert "Your registration is accepted." in flat(welcome)
    assert team_names(world) == ["t0", "t1", "first"]


def test_a_team_that_is_heard_from_when_all_places_are_taken_is_told(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(), registration=Registration(), teams=Teams(max_teams=1))
    (late,) = world.send(REGISTER, form("late@a.example", "late"), sender="late@a.example")
    (question,) = world.send(REGISTER, form("quick@b.example", "quick"), sender="quick@b.example")
    reply(world, question, sender="quick@b.example")
    (full,) = world.send("status", from_line(*told(late)), sender="late@a.example")
    assert full["To"] == "late@a.example"
    assert "the contest takes 1 team. If you think that this is a mistake" in flat(full)
    (again,) = reply(world, late, sender="late@a.example")
    assert "There are already too many participants" in flat(again)


def test_a_forged_form_gives_way_to_its_addresss_own(world: World) -> None:
    jane = "jane@school.example"
    (forged,) = world.send(REGISTER, form(jane, "evil"), sender=jane)
    (question,) = world.send(REGISTER, form(jane, "jane_a"), sender=jane)
    assert "the new form takes its place" in flat(question)
    assert team_names(world) == ["evil"]
    (welcome,) = reply(world, question, sender=jane)
    assert team_names(world) == ["jane_a"]
    assert "I did not do what it asks for" in world.answer(
        "status", from_line(*told(forged)), sender=jane
    )
    name, string = told(welcome)
    assert "jane_a" in world.answer("status", from_line(name, string), sender=jane)
    (other,) = world.send(REGISTER, form(jane, "once_more"), sender=jane)
    assert "There is already a team with this mail-address" in flat(other)


def test_who_was_never_heard_from_gets_no_lists(world: World) -> None:
    world.send(REGISTER, form("jane@school.example", "jane_a"), sender="jane@school.example")
    known(world, "joe@other.example", "joe_a")
    with world.store.read() as tx:
        assert [team.name for team in teams.present(tx)] == ["joe_a"]
        assert [team.state for team in teams.all_teams(tx)] == [TeamState.ACTIVE] * 2


# --- what waits -----------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_class_whose_addresses_begin_alike_gets_in(world: World) -> None:
    start = world.clock.now()
    for number in range(20):
        address = f"s-{number:02d}@school.example"
        at = start + number * 20 * MINUTE / 60
        world.send(REGISTER, form(address, f"s_{number}"), sender=address, at=at)
    answered: set[str] = set()
    for _ in range(10):
        for mail in world.mails():
            if str(mail["To"]).startswith("s-") and mail["To"] not in answered:
                answered.add(mail["To"])
                reply(world, mail, sender=str(mail["To"]))
        world.clock.at += MINUTE
        handle_all(world)
    assert len(answered) == 20
    with world.store.read() as tx:
        assert teams.count(tx) == 20


def test_the_organizer_is_told_once_and_a_form_that_waits_too_long_is_set_aside(
    world: World,
) -> None:
    for _ in flooded(world, Flood(0, 1, ("form",)), 100, "", ""):
        pass
    assert world.states()[LetterState.WAITING] == 40
    told_of = [mail for mail in world.mails() if "letters that may be forged" in mail["Subject"]]
    assert len(told_of) == 1
    assert "the one of domain uni.example" in flat(told_of[0])
    assert too_wide(body_of(told_of[0])) == []
    world.clock.at += MAX_WAIT_DAYS * DAY + MINUTE
    tidy(world.store, world.settings, world.renderer, world.clock.now())
    assert world.states()[LetterState.FAILED] == 40
    with world.store.write() as tx:
        assert letters.retry(tx) == 40
    handle_all(world)
    assert LetterState.FAILED not in world.states()
    assert world.states()[LetterState.HANDLED] == 100


def test_the_objections_of_strangers_do_not_use_up_those_of_teams(world: World) -> None:
    name, string = known(world, "joe@other.example", "joe_a")
    for number in range(25):
        world.send("objection", f"{number}", sender=f"u{number}@d{number}.example")
    world.send("objection", from_line(name, string), sender="joe@other.example")
    with world.store.read() as tx:
        to = world.settings.contest.organizer_address
        day, now = timedelta(days=1), world.clock.now()
        assert outbox.sent_within(tx, to, ("unproved_objection_passed_on",), day, now) == 20
        assert outbox.sent_within(tx, to, ("objection_passed_on",), day, now) == 1
