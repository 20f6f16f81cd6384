"""The ledger in an archive: the organizer can sign another one, but it must fit contest and
receipts."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contest.errors import Differs
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import Mended, Published
from tests.support.organizers import entries_in, signed_again
from trust import verification
from trust.archive import contents, files

HOUR = timedelta(hours=1)


def refused(archive: Path) -> str:
    try:
        verification.verify(contents.from_files(files.read(archive)), progress_bar)
    except Differs as error:
        return str(error)
    return "nothing was noticed"


def swapped_build(found: dict[str, bytes]) -> None:
    lists = json.loads(found["entry_lists.json"])
    lists[-1]["entries"][0]["build"] = "ab" * 32
    found["entry_lists.json"] = json.dumps(lists, indent=1).encode() + b"\n"


def another_time(found: dict[str, bytes]) -> None:
    found["entry_lists.json"] = found["entry_lists.json"].replace(
        b"1994-05-14T12", b"1994-05-14T11"
    )


def no_final(found: dict[str, bytes]) -> None:
    found["entry_lists.json"] = found["entry_lists.json"].replace(b"true", b"false")


@pytest.mark.parametrize("change", [swapped_build, another_time, no_final])
def test_a_list_of_entries_that_the_ledger_does_not_have_is_noticed(
    tiny: Published, mended: Mended, change: Callable[..., Any]
) -> None:
    words = "entry_lists.json has not the lists that ledger.txt has"
    assert refused(mended(tiny.archive, change)) == words


def test_an_earlier_final_list_is_shown_but_after_a_restored_backup_it_is_no_lie(
    tiny: Published, mended: Mended
) -> None:
    *before, settings, final = entries_in(tiny.archive)
    earlier = replace(final, at=final.at - HOUR)
    archive = mended(
        tiny.archive, signed_again(tiny.contest, [*before, settings, earlier, settings, final])
    )
    verified = verification.verify(contents.from_files(files.read(archive)), progress_bar)
    (hidden,) = (each.text for each in verified.noticed if each.code == "list-hidden")
    assert "the ledger has another final list of entries, of 1994-05-14 11:00 UT" in hidden


def test_another_seed_than_that_of_the_entries_is_noticed(tiny: Published, mended: Mended) -> None:
    def change(found: dict[str, bytes]) -> None:
        found["seal.json"] = (
            found["seal.json"].replace(b'"seed": "', b'"seed": "00')[:-5] + b'"\n}\n'
        )

    assert refused(mended(tiny.archive, change)).startswith("seal.json: the seed that follows is ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda raw: raw[: raw.index(b"\n\n") + 2] if b"\n\n" in raw else raw[:-1],
            "not in the form",
        ),
        (
            lambda raw: raw.replace(b"program accepted", b"program aksepted", 1),
            "entry 2 is not in the form",
        ),
        (
            lambda raw: raw.replace(b"team_1", b"team_3", 1),
            "has not the 6 entries of which ledger.json",
        ),
        (
            lambda raw: raw + b"".join(raw.splitlines(keepends=True)[:5]),
            "has not the 6 entries of which ledger.json",
        ),
    ],
    ids=["cut", "no effect", "another team", "one more"],
)
def test_a_ledger_that_is_not_the_signed_one_is_noticed(
    tiny: Published, mended: Mended, change: Callable[..., Any], words: str
) -> None:
    def do(found: dict[str, bytes]) -> None:
        found["ledger.txt"] = change(found["ledger.txt"])

    assert words in refused(mended(tiny.archive, do))
