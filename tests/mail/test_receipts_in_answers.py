"""Every letter with an effect has one entry in the ledger, and its answer ends with a receipt."""

import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError

from contest.errors import GiveUp
from contest.ledger import merkle, signatures
from contest.ledger.notes import Checkpoint
from contest.ledger.receipts import Effect, LedgerEntry
from contest.schema.sections import Teams
from store import Store, contest_state, ledger, migrate, teams
from store.tables import ledger as ledger_table
from tests.support.contest_field import NOW
from tests.support.mail_world import (
    FORM,
    REGISTER,
    START,
    World,
    body_of,
    from_line,
    program,
    registered,
)
from tests.support.organizer import organizer_acts_in
from trust.for_teams import receipts

ENTRY = LedgerEntry(Effect.WITHDRAWN, "heavy_lords", NOW, "ab" * 32)


def receipt_in(mail: EmailMessage) -> receipts.Receipt:
    """The receipt that is attached to the mail, which its header and the last line of its text
    name, too."""
    (found,) = receipts._mails(mail)
    assert found.receipt
    assert found.told == (found.receipt.number, found.receipt.number)
    assert body_of(mail).endswith(
        f"\nReceipt: entry {found.receipt.number}. Proof: receipt.tlog-proof\n"
    )
    return found.receipt


def entries(store: Store) -> list[LedgerEntry]:
    with store.read() as tx:
        return list(ledger.entries(tx))


def must_fit(world: World, receipt: receipts.Receipt) -> LedgerEntry:
    """The entry of this receipt, which is signed by the contest and has the root of the entries up
    to it."""
    known = entries(world.store)[: receipt.number]
    assert merkle.root(entry.leaf() for entry in known) == receipt.root
    assert known[-1].leaf() == receipt.leaf
    with world.store.read() as tx:
        key = ledger.public_key(tx)
    at = Checkpoint(key.name.partition("/")[2], receipt.number, receipt.root)
    (signature,) = receipt.signatures
    assert signature[:4] == key.id
    assert signatures.is_signed(key.key, at.text.encode(), signature[4:])
    return known[-1]


@pytest.mark.parametrize(
    ("subject", "effect"),
    [
        ("mail-preference RSM", Effect.PREFERENCE_CHANGED),
        ("unsubscribe", Effect.PREFERENCE_CHANGED),
        ("change address joe@new.example", Effect.ADDRESS_CHANGED),
        ("withdraw", Effect.WITHDRAWN),
    ],
)
def test_a_command_with_an_effect_is_answered_with_a_receipt(
    world: World, subject: str, effect: Effect
) -> None:
    name, string = registered(world)
    before = len(entries(world.store))
    mails = world.send(subject, from_line(name, string))
    # asked for a reply first
    if "X-Knobeln-Receipt" not in "".join(mail.as_string() for mail in mails):
        question = next(mail for mail in mails if "new.example" in str(mail["To"]))
        mails = world.send(
            "Re: yes", "", sender=str(question["To"]), In_Reply_To=str(question["Message-ID"])
        )
    answer, *_copies = (mail for mail in mails if "X-Knobeln-Receipt" in mail)
    entry = must_fit(world, receipt_in(answer))
    assert (entry.effect, entry.team) == (effect, name)
    assert len(entries(world.store)) == before + 1


def test_welcome_refusal_and_new_string_have_receipts_in_their_order(world: World) -> None:
    (welcome,) = world.send(REGISTER, FORM, sender="our_team@machine.domain.alfdkj")
    found = re.search(r"name is +(\S+)\n.*string +(\S+)\n", body_of(welcome))
    assert found
    late = START - timedelta(hours=1)
    (refused,) = world.send("please compile", program(from_line(found[1], found[2])), at=late)
    (renewed,) = world.send("resend authentification", "", sender="our_team@machine.domain.alfdkj")
    effects = [must_fit(world, receipt_in(mail)).effect for mail in (welcome, refused, renewed)]
    assert effects == [Effect.REGISTRATION_ACCEPTED, Effect.PROGRAM_LATE, Effect.STRING_OFFERED]
    assert [receipt_in(mail).number for mail in (welcome, refused, renewed)] == [1, 2, 3]
    assert entries(world.store)[1].at == late


def test_a_letter_without_an_effect_has_no_receipt(world: World) -> None:
    (answer,) = world.send("please compile", "x")
    assert "X-Knobeln-Receipt" not in answer
    assert "Receipt:" not in body_of(answer)
    assert entries(world.store) == []


def test_the_organizers_word_about_a_registration_is_an_entry(
    make_world: Callable[..., World],
) -> None:
    world = make_world(teams=Teams(approval="organizer"))
    first, second = FORM, FORM.replace("our_team", "your_team").replace("heavy", "light")
    for form in (first, second):
        world.send(REGISTER, form)
    with world.store.read() as tx:
        yes, no = teams.all_teams(tx)
    organizer_acts_in(world, lambda organizer: organizer.accept(yes))
    organizer_acts_in(world, lambda organizer: organizer.reject(no, "No."))
    found = [must_fit(world, receipt_in(mail)) for mail in world.mails()]
    waits = Effect.REGISTRATION_WAITS
    decided = [Effect.REGISTRATION_ACCEPTED, Effect.REGISTRATION_REJECTED]
    assert [entry.effect for entry in found] == [waits, waits, *decided]
    assert [entry.letter for entry in found[:2]] == [entry.letter for entry in found[2:]]


# --- the database ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change", [update(ledger_table).values(team="other"), delete(ledger_table)]
)
def test_the_database_refuses_to_change_the_ledger(world: World, change: object) -> None:
    registered(world)
    before = entries(world.store)
    with pytest.raises(IntegrityError, match="only grows"), world.store.write() as tx:
        tx.execute(change)
    assert entries(world.store) == before


def test_the_same_entry_again_has_its_first_receipt(world: World) -> None:
    with world.store.write() as tx:
        first = ledger.append(tx, ENTRY)
        ledger.append(tx, LedgerEntry(Effect.WITHDRAWN, "other", NOW, "ab" * 32))
        assert ledger.append(tx, ENTRY) == first
    assert len(entries(world.store)) == 2


def test_mails_to_all_show_no_entry_that_a_letter_made(world: World) -> None:
    made = (
        LedgerEntry(Effect.CONTEST_MADE, "", NOW, "ab" * 32, "cd" * 32),
        LedgerEntry(Effect.PROGRAM_ACCEPTED, "heavy_lords", NOW, "ab" * 32, "cd" * 32),
        LedgerEntry(Effect.ENTRIES_FINAL, "", NOW, "ab" * 32, "cd" * 32),
        LedgerEntry(Effect.TAKEN_OUT, "light_lords", NOW),
        ENTRY,
    )
    newest = []
    with world.store.write() as tx:
        for entry in made:
            ledger.append(tx, entry)
            newest.append(ledger.newest_without_letter(tx).number)
    assert newest == [1, 1, 3, 4, 4]


def another_store(path: Path) -> Store:
    store = Store(f"sqlite:///{path / 'other.db'}")
    migrate.upgrade(store)
    with store.write() as tx:
        contest_state.create(tx)
    return store


def test_a_restored_ledger_takes_over_what_came_since(world: World, tmp_path: Path) -> None:
    restored = another_store(tmp_path)
    later = [LedgerEntry(Effect.WITHDRAWN, f"team_{n}", NOW, "ab" * 32) for n in range(5)]
    with world.store.write() as tx, restored.write() as copy:
        for entry in (ENTRY, *later):
            ledger.append(tx, entry)
        ledger.append(copy, ENTRY)
        assert ledger.add_those_of(copy, tx) == 5
        assert ledger.add_those_of(copy, tx) == 0
    assert entries(restored) == entries(world.store) == [ENTRY, *later]
    restored.close()


def test_two_ledgers_that_parted_are_never_mixed(world: World, tmp_path: Path) -> None:
    restored = another_store(tmp_path)
    with world.store.write() as tx, restored.write() as copy:
        ledger.append(tx, ENTRY)
        ledger.append(copy, LedgerEntry(Effect.WITHDRAWN, "light_lords", NOW, "ab" * 32))
        with pytest.raises(GiveUp, match="does not continue"):
            ledger.add_those_of(copy, tx)
    restored.close()
