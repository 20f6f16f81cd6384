"""`ledger`: who gets how much of it."""

from collections.abc import Callable
from email.message import EmailMessage

from contest.ledger.receipts import CHECKPOINT_FILE, LEDGER_FILE, Effect, LedgerEntry
from contest.schema.sections import Registration
from mailserver.limits import MAX_STRANGERS_BYTES, MAX_UNPROVED_MAIL_BYTES
from store import ledger
from tests.support.mail_world import FORM, OPENS, REGISTER, World, flat, from_line, told

STRANGER = "mona@elsewhere.example"


def grown(world: World, entries: int) -> None:
    with world.store.write() as tx:
        for number in range(entries):
            ledger.append(
                tx, LedgerEntry(Effect.PREFERENCE_CHANGED, "a_team", OPENS, f"{number:064x}")
            )


def names(mail: EmailMessage) -> list[str | None]:
    return [part.get_filename() for part in mail.iter_attachments()]


def test_a_stranger_gets_a_small_ledger_and_of_a_large_one_the_checkpoint(world: World) -> None:
    grown(world, 10)
    (mail,) = world.send("ledger", "", sender=STRANGER)
    assert names(mail) == [LEDGER_FILE, CHECKPOINT_FILE]
    grown(world, 300)
    (mail,) = world.send("ledger", "", sender=f"other.{STRANGER}")
    assert "is too large for this mail" in flat(mail)
    assert names(mail) == [CHECKPOINT_FILE]
    assert len(mail.as_bytes()) < min(MAX_STRANGERS_BYTES, MAX_UNPROVED_MAIL_BYTES)
    assert world.send("ledger", "", sender=f"other.{STRANGER}") == []  # once in an hour


def test_a_team_gets_a_large_one(world: World) -> None:
    (welcome,) = world.send(REGISTER, FORM)
    grown(world, 300)
    (mail,) = world.send("ledger", from_line(*told(welcome)))
    assert names(mail) == [LEDGER_FILE, CHECKPOINT_FILE]


def test_who_may_be_forged_is_asked_before_a_mail_of_that_size(
    make_world: Callable[..., World],
) -> None:
    world = make_world(registration=Registration(confirm="when-doubtful"))
    grown(world, 100)
    (asked,) = world.send("ledger", "", sender=STRANGER)
    assert names(asked) == []
    assert "confirm" in str(asked["Subject"])
