"""The contest's seed is made when the entries are final: of a secret number and of the list of
entries."""

from dataclasses import replace
from email import message_from_bytes
from pathlib import Path

import pytest
from sqlalchemy import select

from contest.config.settings import Settings, game_settings
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.seeds import ContestSeed
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from store import contest_state, outbox, submissions
from store.tables import outbox as outbox_table
from tests.support.contest_field import SEED, House, make_contest, settings

PREFERENCES = ("LAP,LGP,GRP,RSM",)


def short(**tournament: int) -> Settings:
    return settings(workers=1, **tournament).model_copy(update={"game": game_settings({"L": 40})})


def played(path: Path, house: House, count: int = 4, **tournament: int) -> ContestContext:
    folder = make_contest(path, count, house, short(**tournament), PREFERENCES)
    contest_day(folder).run()
    return folder


def seed_of(folder: ContestContext) -> ContestSeed:
    with folder.store.read() as tx:
        return contest_state.state(tx).seed


def mails(folder: ContestContext) -> list[tuple[str, bytes]]:
    """The kind and the text and files of every mail, in their order, with line ends taken out."""
    with folder.store.read() as tx:
        kinds = {
            row.id: row.kind for row in tx.execute(select(outbox_table.c.id, outbox_table.c.kind))
        }
        items = outbox.queued_after(tx, 0)
    return [(kinds[item.id], _parts(item.raw).replace(b"\r\n", b"")) for item in items]


def _parts(raw: bytes) -> bytes:
    return b"".join(part.get_payload(decode=True) or b"" for part in message_from_bytes(raw).walk())


# --- pure -----------------------------------------------------------------------------------------
def test_each_digest_and_each_name_changes_the_root_but_the_order_does_not() -> None:
    entries = [SealedEntry("a", "01", "02"), SealedEntry("b", "03", "04")]
    root = EntryList.of(entries).root
    assert EntryList.of(entries[::-1]).root == root
    changed = [
        [entries[0]],
        [replace(entries[0], team="c"), entries[1]],
        [replace(entries[0], program="05"), entries[1]],
        [replace(entries[0], build="05"), entries[1]],
    ]
    assert len({EntryList.of(each).root for each in changed} | {root}) == 5


# --- the day --------------------------------------------------------------------------------------
def test_the_start_seals_the_list_and_tells_it(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path, 4, house, short(), PREFERENCES)
    with pytest.raises(ValueError, match="no seed"):
        _ = seed_of(folder).value
    contest_day(folder).run()
    with folder.store.read() as tx:
        sealed = submissions.entry_list(tx)
    assert [entry.team for entry in sealed.entries] == [f"team_{n:04}" for n in range(1, 5)]
    assert all(len(entry.program) == len(entry.build) == 64 for entry in sealed.entries)
    seed = seed_of(folder)
    assert (seed.secret, seed.entries_root) == (SEED, sealed.root)
    lists = [raw for kind, raw in mails(folder) if kind == "LAP"]
    assert len(lists) == 4
    for raw in lists:
        assert sealed.root.hex().encode() in raw
        assert seed.commitment.encode() in raw


def test_secret_and_seed_leave_the_contest_with_the_last_summary_only(
    tmp_path: Path, house: House
) -> None:
    folder = played(tmp_path, house, 5, group_min=2, group_max=3, final_size=3)
    seed = seed_of(folder)
    secrets = (seed.secret.hex().encode(), seed.value.hex().encode())
    telling = [kind for kind, raw in mails(folder) if any(secret in raw for secret in secrets)]
    assert set(telling) == {"RSM"}
    summaries = [raw for kind, raw in mails(folder) if kind == "RSM"]
    assert len(telling) == len(summaries) // 2  # there are two rounds
    assert all(secret in summaries[-1] for secret in secrets)
