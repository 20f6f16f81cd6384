"""The ledger in an archive: the organizer can sign another one, but it must fit contest and receipts."""

from __future__ import annotations

import json
import mailbox
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contest.archive import contents, files
from contest.config.load import load_settings
from contest.errors import Differs
from contest.ledger.receipts import Effect, LedgerEntry
from contest.mail.compose import compose
from contest.model import Outgoing
from contest.store import ledger
from knobeln.archive import verification
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import DRAW_BELIEVED, Mended, Published, knobeln
from tests.support.contest_field import NOW
from tests.support.organizers import entries_in, signed_again, store_of

HOUR = timedelta(hours=1)


def refused(archive: Path) -> str:
    try:
        verification.verify(contents.from_files(files.read(archive)), progress_bar)
    except Differs as error:
        return str(error)
    return "nothing was noticed"


def test_a_program_that_nobody_sent_is_noticed(tiny: Published, mended: Mended) -> None:
    without = [entry for entry in entries_in(tiny.archive) if entry.team != "team_2"]
    archive = mended(tiny.archive, signed_again(tiny.contest, without))
    assert refused(archive) == "ledger.txt: no program of team_2 was accepted, but it has played"


def test_another_program_than_an_accepted_one_is_noticed(tiny: Published, mended: Mended) -> None:
    def change(found: dict[str, bytes]) -> None:
        found["programs/team_1/source/program.c"] += b"/* more */\n"

    archive = mended(tiny.archive, change)
    assert refused(archive) == "programs/team_1/source is none of the accepted programs in ledger.txt"


def test_an_entry_that_was_put_in_before_the_final_list_is_noticed(tiny: Published, mended: Mended) -> None:
    newer = LedgerEntry(Effect.PROGRAM_ACCEPTED, "team_1", NOW + HOUR, "ab" * 32, "cd" * 32)
    *before, settings, final = entries_in(tiny.archive)
    archive = mended(tiny.archive, signed_again(tiny.contest, [*before, newer, settings, final]))
    verified = verification.verify(contents.from_files(files.read(archive)), progress_bar)
    told = " ".join(verified.noticed)
    assert "an older program of team_1 has played: the newest that was accepted came at" in told
    assert "a program of team_1 was accepted that came at" in told


def swapped_build(found: dict[str, bytes]) -> None:
    lists = json.loads(found["entry_lists.json"])
    lists[-1]["entries"][0]["build"] = "ab" * 32
    found["entry_lists.json"] = json.dumps(lists, indent=1).encode() + b"\n"


def another_time(found: dict[str, bytes]) -> None:
    found["entry_lists.json"] = found["entry_lists.json"].replace(b"1994-05-14T12", b"1994-05-14T11")


def no_final(found: dict[str, bytes]) -> None:
    found["entry_lists.json"] = found["entry_lists.json"].replace(b"true", b"false")


@pytest.mark.parametrize("change", [swapped_build, another_time, no_final])
def test_a_list_of_entries_that_the_ledger_does_not_have_is_noticed(
    tiny: Published, mended: Mended, change: Callable[[dict[str, bytes]], None]
) -> None:
    words = "entry_lists.json has not the lists that ledger.txt has"
    assert refused(mended(tiny.archive, change)) == words


def test_an_earlier_final_list_is_shown_but_after_a_restored_backup_it_is_no_lie(
    tiny: Published, mended: Mended
) -> None:
    *before, settings, final = entries_in(tiny.archive)
    earlier = replace(final, at=final.at - HOUR)
    archive = mended(tiny.archive, signed_again(tiny.contest, [*before, settings, earlier, settings, final]))
    verified = verification.verify(contents.from_files(files.read(archive)), progress_bar)
    assert "the ledger has another final list of entries, of 1994-05-14 11:00 UT" in verified.noticed[0]


def test_another_seed_than_that_of_the_entries_is_noticed(tiny: Published, mended: Mended) -> None:
    def change(found: dict[str, bytes]) -> None:
        found["seal.json"] = found["seal.json"].replace(b'"seed": "', b'"seed": "00')[:-5] + b'"\n}\n'

    assert refused(mended(tiny.archive, change)).startswith("seal.json: the seed that follows is ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda raw: raw[: raw.index(b"\n\n") + 2] if b"\n\n" in raw else raw[:-1], "not in the form"),
        (lambda raw: raw.replace(b"program accepted", b"program aksepted", 1), "entry 2 is not in the form"),
        (lambda raw: raw.replace(b"team_1", b"team_3", 1), "has not the 6 entries of which ledger.json"),
        (
            lambda raw: raw + b"".join(raw.splitlines(keepends=True)[:5]),
            "has not the 6 entries of which ledger.json",
        ),
    ],
    ids=["cut", "no effect", "another team", "one more"],
)
def test_a_ledger_that_is_not_the_signed_one_is_noticed(
    tiny: Published, mended: Mended, change: Callable[[bytes], bytes], words: str
) -> None:
    def do(found: dict[str, bytes]) -> None:
        found["ledger.txt"] = change(found["ledger.txt"])

    assert words in refused(mended(tiny.archive, do))


# --- with a team's mails -----------------------------------------------------------------------------------
@pytest.fixture
def mails(tiny: Published, tmp_path: Path) -> Path:
    """A Maildir with an answer for each entry, as it went out."""
    settings, store = load_settings(tiny.contest), store_of(tiny.contest)
    box = mailbox.Maildir(tmp_path / "mails")
    with store.write() as tx:
        for entry in list(ledger.entries(tx)):
            if not entry.team:
                continue
            receipt = ledger.append(tx, entry)
            text = f"{ledger.public_key(tx)} {entry.digest}\n"
            mail = Outgoing(entry.letter, "compile report", "a@b.example", "x", text, receipt=receipt)
            box.add(compose(mail, settings, bytes(32), NOW).raw)
    store.close()
    return tmp_path / "mails"


def test_verify_checks_the_receipts_in_a_maildir(tiny: Published, mails: Path) -> None:
    result = knobeln("verify", tiny.archive, "--letters", mails)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "3 receipts: the ledger is the one that they were signed for" in result.output


def test_verify_names_the_first_receipt_that_does_not_fit(
    tiny: Published, mails: Path, mended: Mended
) -> None:
    first, *others = entries_in(tiny.archive)
    archive = mended(tiny.archive, signed_again(tiny.contest, [*others, first]))
    result = knobeln("verify", archive, "--letters", mails)
    assert result.exit_code == 1
    assert "the ledger was changed: up to entry 2 it is another one than when the mail" in result.output
