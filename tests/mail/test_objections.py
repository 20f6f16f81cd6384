"""`objection`: it reaches the organizer as it came, and its writer learns what the ledger has."""

from datetime import timedelta
from email.message import EmailMessage
from typing import Any

from contest.ledger.receipts import PROOF_FILE, Effect, notes_in
from store import contest_state, entry_lists, ledger
from tests.support.mail_world import FORM, REGISTER, START, World, flat, from_line, registered, told

OBJECTS_AT = START - timedelta(hours=1)


def objection(world: World, body: str, **more: Any) -> tuple[EmailMessage, EmailMessage]:
    """The mail to the organizer, and the answer."""
    to_organizer, answer = world.send("objection", body, at=OBJECTS_AT, **more)
    assert str(to_organizer["To"]) == world.settings.contest.organizer_address
    return to_organizer, answer


def attachment(mail: EmailMessage, name: str) -> bytes:
    (found,) = (
        part.get_payload(decode=True) for part in mail.walk() if part.get_filename() == name
    )
    return found


def list_entries(world: World) -> None:
    with world.store.write() as tx:
        entry_lists.add(tx, START - timedelta(hours=2), is_final=False)


def test_a_team_learns_that_its_receipt_is_in_the_ledger_and_why_it_is_not_on_the_list(
    world: World,
) -> None:
    (welcome,) = world.send(REGISTER, FORM)
    list_entries(world)
    proof = attachment(welcome, PROOF_FILE)
    passed_on, answer = objection(
        world, f"{from_line(*told(welcome))}\nWhere am I?\n", attached={PROOF_FILE: proof}
    )
    for mail in (passed_on, answer):
        assert (
            "entry 1: it is in the ledger (registration accepted, the_heavy_lords_of_knobeln"
            in flat(mail)
        )
        assert "is not on the list of 1994-05-14 10:00 UT: no accepted program" in flat(mail)
    attached, *_ = passed_on.iter_attachments()
    assert b"Where am I?" in attached.get_payload(decode=True)
    (note,) = notes_in(str(answer))
    with world.store.read() as tx:
        entry = ledger.entry_of(tx, *note)
    assert entry
    assert (entry.effect, entry.team) == (Effect.OBJECTION, "the_heavy_lords_of_knobeln")


def test_a_mail_of_ours_may_be_attached_instead(world: World) -> None:
    (welcome,) = world.send(REGISTER, FORM)
    _, answer = objection(
        world, from_line(*told(welcome)), attached={"welcome.eml": welcome.as_bytes()}
    )
    assert "entry 1: it is in the ledger" in flat(answer)


def test_a_forged_receipt_is_called_so(world: World) -> None:
    (welcome,) = world.send(REGISTER, FORM)
    text = attachment(welcome, PROOF_FILE).decode()
    root = text.splitlines()[-3][:10]
    _, answer = objection(world, f"{from_line(*told(welcome))}\n{text.replace(root, 'A' * 10)}")
    assert "entry 1: this is no receipt of the ledger as I have it" in flat(answer)


def test_who_is_no_team_is_heard_but_does_not_write_the_ledger(world: World) -> None:
    passed_on, answer = objection(
        world, "My registration got lost.", sender="lost@elsewhere.example"
    )
    assert "lost@elsewhere.example objects to the list" in flat(passed_on)
    assert "There is no team with the address that you write from" in flat(answer)
    with world.store.read() as tx:
        assert list(ledger.entries(tx)) == []


def test_a_letter_without_the_from_line_is_marked_for_the_organizer(world: World) -> None:
    registered(world)
    passed_on, answer = objection(world, "Where am I?", sender="our_team@machine.domain.alfdkj")
    assert "so anybody could have written it" in flat(passed_on)
    assert "X-Knobeln-Receipt" not in answer
    with world.store.read() as tx:
        assert [each.effect for each in ledger.entries(tx)] == [Effect.REGISTRATION_ACCEPTED]


def test_after_the_start_it_is_too_late_and_says_so(world: World) -> None:
    (welcome,) = world.send(REGISTER, FORM)
    with world.store.write() as tx:
        contest_state.start(tx, {}, START)
    passed_on, answer = objection(world, from_line(*told(welcome)))
    assert "the list of entries is final" in flat(answer)
    assert "nothing can be changed" in flat(passed_on)
