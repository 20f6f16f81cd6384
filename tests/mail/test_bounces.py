"""Mails that come back: whose they were, why, and who could make that up."""

import string
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from contest.config.settings import MAX_ROBOT_NAME
from contest.model import LetterState, OutboxState, StoredLetter
from contest.schema.sections import Mail
from mailserver import bounces
from mailserver.bounces import bounce_address, bounced_items, tagged_addresses
from mailserver.delivery.deliver import Delivery, senders
from mailserver.reading.letter import parse
from store import Store, contest_state, outbox, teams
from tests.support.clocks import FixedClock
from tests.support.mail_world import FORM, OPENS, World, make_settings

FOLDER = Path(__file__).parent.parent / "bounces"
ROBOT = "knobeln@contest.example"
REGISTER = "registration for KNOBELN"
ADDRESS = "joe@machine.domain.alfdkj"
SECRET = bytes(range(32))


class Takes:
    """A way out that takes everything."""

    batch = 1

    def send(self, _sender: str, _to: str, _raw: bytes) -> str:
        return "250 taken"

    def close(self) -> None:
        pass

    def another(self) -> None:
        pass


def welcomed(world: World, address: str = ADDRESS, name: str = "lords") -> int:
    """A team is registered, its welcome mail was sent; the mail's number."""
    form = FORM.replace("our_team@machine.domain.alfdkj", address).replace(
        "the_heavy_lords_of_knobeln", name
    )
    world.send(REGISTER, form)
    Delivery(world.store, world.settings, FixedClock(world.clock.now()), Takes()).deliver_due()
    with world.store.read() as tx:
        return max(
            row.id for row in outbox.listing(tx, state=OutboxState.SENT, to=address, count=1)
        )


def returned(world: World, name: str, item_id: int, to: str | None = None) -> bytes:
    with world.store.read() as tx:
        item = outbox.get(tx, item_id)
        bounce = to or senders(tx, world.settings)(item_id)
    assert item is not None
    text = (FOLDER / f"{name}.eml").read_text()
    return text.replace("@BOUNCE@", bounce).replace("@MESSAGE_ID@", item.message_id).encode()


def state_of(store: Store, item_id: int) -> OutboxState:
    with store.read() as tx:
        item = outbox.get(tx, item_id)
    return item.state


CAME_BACK = [
    ("postfix", "550 5.1.1 <joe@machine.domain.alfdkj>: Recipient address rejected: User unknown"),
    (
        "exchange_online",
        (
            "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient joe@machine.domain.alfdkj not"
            " found by SMTP address lookup"
        ),
    ),
    ("gmail", "552 5.2.2 The recipient's inbox is out of storage space"),
    ("exim", "550 5.7.1 relaying denied"),
    ("qmail", "Sorry, no mailbox here by that name. (#5.1.1)"),
]


@pytest.mark.parametrize(("verp", "channel"), [(True, "smtp"), (False, "imap")])
@pytest.mark.parametrize(("name", "diagnosis"), CAME_BACK)
def test_a_mail_that_came_back_is_shown_with_the_reason(
    make_world: Callable[..., World], name: str, diagnosis: str, verp: bool, channel: str
) -> None:
    world = make_world(mail=Mail(verp=verp))
    item_id = welcomed(world)
    assert world.deliver(returned(world, name, item_id), envelope="", channel=channel) == []
    assert world.notes[-1] == f"mail {item_id} to {ADDRESS} came back: {diagnosis}"
    assert state_of(world.store, item_id) is OutboxState.BOUNCED
    with world.store.read() as tx:
        (bounce,) = outbox.bounces_of(tx, item_id)
        (team,) = teams.all_teams(tx)
        assert outbox.troubles(tx)[team.id].response == bounce.diagnosis == diagnosis
        assert contest_state.log(tx, 1)[0].text == world.notes[-1]
    assert world.states() == {LetterState.HANDLED: 2}


@pytest.mark.parametrize(
    ("name", "diagnosis"),
    [
        (
            "postfix_delayed",
            "4.4.1 connect to mx.machine.domain.alfdkj[192.0.2.7]:25: Connection timed out",
        ),
        ("unheard_of", "Ihre Nachricht konnte nicht zugestellt werden"),
    ],
)
def test_a_mail_that_is_late_or_of_which_nobody_knows_is_still_sent(
    world: World, name: str, diagnosis: str
) -> None:
    item_id = welcomed(world)
    assert world.deliver(returned(world, name, item_id), envelope="") == []
    assert world.notes[-1] == f"mail {item_id} to {ADDRESS} is late: {diagnosis}"
    assert state_of(world.store, item_id) is OutboxState.SENT
    with world.store.read() as tx:
        assert [bounce.permanent for bounce in outbox.bounces_of(tx, item_id)] == [False]
        assert outbox.troubles(tx) == {}


def test_an_answering_machine_is_no_bounce(world: World) -> None:
    item_id = welcomed(world)
    assert world.deliver(returned(world, "vacation", item_id), envelope="") == []
    assert world.notes[-1] == "a bounce (Return-Path <>)"
    assert state_of(world.store, item_id) is OutboxState.SENT


def test_a_person_who_writes_to_the_bounce_address_is_answered(world: World) -> None:
    item_id = welcomed(world)
    with world.store.read() as tx:
        address = senders(tx, world.settings)(item_id)
    assert len(world.send("help", "550 lines of C", To_=address)) == 1


def test_a_stranger_cannot_report_another_teams_mail(world: World) -> None:
    item_id = welcomed(world)
    own = welcomed(world, "evil@a.example", "evil")
    with world.store.read() as tx:
        mine, theirs = senders(tx, world.settings)(own), outbox.get(tx, item_id)
    assert theirs is not None
    made_up = f"<{'0' * 32}@contest.example>"
    for to in (mine.replace(f"+b-{own}-", f"+b-{item_id}-"), ROBOT):
        letter = returned(world, "postfix", item_id, to).replace(
            theirs.message_id.encode(), made_up.encode()
        )
        world.deliver(letter, envelope="")
        assert world.notes[-1] == "a delivery report"
    assert state_of(world.store, item_id) is OutboxState.SENT


def test_a_bounce_of_a_mail_that_there_is_not_is_ignored(world: World) -> None:
    with world.store.read() as tx:
        secret = contest_state.secret(tx)
    address = bounce_address(ROBOT, 99, secret)
    letter = (FOLDER / "postfix.eml").read_text().replace("@BOUNCE@", address).encode()
    assert world.deliver(letter, envelope="") == []
    assert world.states() == {LetterState.IGNORED: 1}


def test_a_mail_that_came_back_can_be_sent_again(world: World) -> None:
    item_id = welcomed(world)
    world.deliver(returned(world, "postfix", item_id), envelope="")
    with world.store.write() as tx:
        assert outbox.retry(tx, world.clock.now()) == ()  # not unless it is named
        assert outbox.retry(tx, world.clock.now(), ids=(item_id,)) == (item_id,)
    world.deliver(returned(world, "qmail", item_id), envelope="")  # of the first time: it came late
    assert state_of(world.store, item_id) is OutboxState.READY
    with world.store.read() as tx:
        assert len(outbox.bounces_of(tx, item_id)) == 2


def test_a_hostile_bounce_is_kept_with_what_is_wrong_with_it(world: World) -> None:
    item_id = welcomed(world)
    with world.store.read() as tx:
        address = senders(tx, world.settings)(item_id)
    nested = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(2_000)
    )
    world.deliver(f"From: x@a.example\nTo: {address}\n{nested}".encode(), envelope="")
    assert "the bounce cannot be read" in world.notes[-1]
    assert world.states() == {LetterState.HANDLED: 2}


# --- the address ----------------------------------------------------------------------------------
def test_the_address_fits_into_its_bounds_whatever_its_number() -> None:
    address = bounce_address(f"{'a' * MAX_ROBOT_NAME}@contest.example", 10**9 - 1, SECRET)
    assert len(address.partition("@")[0]) <= 64
    assert set(address) <= set(string.ascii_lowercase + string.digits + "+-@.")


def test_a_robots_name_that_is_too_long_for_it_is_a_fault_of_the_settings() -> None:
    name = "a" * (MAX_ROBOT_NAME + 1) + "@contest.example"
    with pytest.raises(ValidationError, match=r"mail\.verp = false"):
        make_settings(contest={"address": name})
    assert make_settings(contest={"address": name}, mail=Mail(verp=False))


def test_an_address_is_found_where_mail_systems_write_it() -> None:
    address = bounce_address(ROBOT, 17, SECRET)
    texts = (address, f"<{address.upper()}>", f'"x" <{address}>, b@c.example', f"rfc822;{address} ")
    assert all(bounced_items(tagged_addresses(text), ROBOT, SECRET) == (17,) for text in texts)


OTHERS = [
    bounce_address(ROBOT, 17, SECRET).replace("17", "18"),
    bounce_address(ROBOT, 17, bytes(32)),
    bounce_address("other@contest.example", 17, SECRET),
    bounce_address("knobeln@other.example", 17, SECRET),
    ROBOT,
    "",
]


@pytest.mark.parametrize("text", OTHERS)
def test_an_address_that_we_did_not_make_is_not_genuine(text: str) -> None:
    assert bounced_items(tagged_addresses(text), ROBOT, SECRET) == ()


# --- what strangers send --------------------------------------------------------------------------
SAMPLES = tuple(path.read_bytes() for path in sorted(FOLDER.glob("*.eml")))
stored_letter = StoredLetter(1, "", OPENS, "", (), "smtp", LetterState.NEW, b"")


@st.composite
def damaged(draw: Any) -> bytes:
    """A bounce with some of its bytes replaced by others, or by a piece of another bounce."""
    raw = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(len(raw), start + 200)))
        other = draw(st.sampled_from(SAMPLES))
        cut = draw(st.integers(0, len(other)))
        raw = (
            raw[:start]
            + draw(st.one_of(st.binary(max_size=20), st.just(other[cut : cut + 300])))
            + raw[end:]
        )
    return raw


@given(damaged())
def test_whatever_comes_to_the_bounce_address_is_read_without_an_error(raw: bytes) -> None:
    reading = bounces.read(replace(stored_letter, raw=raw), parse(raw))
    assert reading is None or (reading.diagnosis.isprintable() and len(reading.diagnosis) <= 300)
