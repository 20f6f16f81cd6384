"""A stranger's archive is read, and its ledger checked, in twice the time for twice as much."""

import shutil
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from contest.errors import Differs
from contest.ledger import merkle, signatures
from contest.ledger.entry_list import EntryList
from contest.ledger.notes import Checkpoint, VerifierKey
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import BanKind
from knobeln.archive.season import SEASON, read_season
from tests.support.archives import Published, of_game
from tests.support.linear_time import MAX_GROWTH, growth
from tests.support.organizers import signing_key
from trust.archive import files
from trust.archive.contents import (
    Archive,
    ArchivedList,
    LedgerFacts,
    TakenOut,
    from_files,
    settings_of,
)
from trust.for_teams import receipts
from trust.verify_entries import Verified, check_entries

pytestmark = pytest.mark.slow

LARGEST = 32_000  # characters
MOST_ENTRIES = 4_000


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    names = ("two_tits.sh", "always_in_trouble.sh")
    return of_game(tmp_path_factory.mktemp("published"), "cooperation", names, games=1)


# --- files that are none --------------------------------------------------------------------------
FILES = (
    "contest.json",
    "entries.json",
    "decisions.json",
    "ranking.json",
    "ledger.json",
    "seal.json",
    "entry_lists.json",
    "rounds.json",
    "rounds/1/group-1.json",
    "manifest.json",
    "certainty.json",
    "evolution.json",
    "counted.json",
    "time_changes.json",
    "cosignatures.json",
    "ledger.txt",
    "rules.md",
    "announcement.txt",
    "programs/two_tits/description.txt",
    "programs/two_tits/source/two_tits.sh",
)


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("unit", ["[", "1", "[\n {\n"])
def test_a_file_of_an_archive_is_read_in_linear_time(
    published: Published, tmp_path: Path, path: str, unit: str
) -> None:
    contents = dict(files.read(published.archive))

    def make(size: int) -> Path:
        folder = tmp_path / str(size)
        shutil.rmtree(folder, ignore_errors=True)
        changed = {**contents, path: (unit * (size // len(unit))).encode()}
        for name, data in {files.MANIFEST: files.manifest_of(changed), **changed}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder

    def read(folder: Path) -> None:
        with suppress(Differs):
            settings_of(from_files(files.read(folder)).contest)
        with suppress(receipts.Wrong):
            receipts.read_ledger(folder)

    assert growth(read, make, LARGEST, LARGEST // 2) < MAX_GROWTH


@pytest.mark.parametrize("unit", ["[", '"', "1", '{"archives": ['])
def test_the_file_of_a_season_is_read_in_linear_time(tmp_path: Path, unit: str) -> None:
    def make(size: int) -> Path:
        (tmp_path / SEASON).write_text(unit * (size // len(unit)))
        return tmp_path

    def read(folder: Path) -> None:
        with suppress(Differs):
            read_season(folder, None)

    assert growth(read, make, LARGEST) < MAX_GROWTH


# --- a long ledger --------------------------------------------------------------------------------
class Organizer:
    """Has the key of a contest, and signs any ledger with it."""

    def __init__(self, published: Published) -> None:
        self.archive = from_files(files.read(published.archive))
        self.settings = settings_of(self.archive.contest)
        self.key = signing_key(published.contest)
        *self.before, self.final = self.archive.letters[: self._final() + 1]
        self.after = self.archive.letters[self._final() + 1 :]

    def _final(self) -> int:
        return next(
            at
            for at, each in enumerate(self.archive.letters)
            if each.effect is Effect.ENTRIES_FINAL
        )

    def entry(
        self, effect: Effect, team: str = "", digest: str = "", number: int = 0
    ) -> LedgerEntry:
        return LedgerEntry(effect, team, self.at(number), self.final.letter, digest)

    def at(self, number: int) -> datetime:
        return self.archive.contest.started_at - timedelta(microseconds=number)

    def with_entries(self, entries: Sequence[LedgerEntry]) -> Archive:
        """The archive with these entries before the final list."""
        letters = (*self.before, *entries, self.final, *self.after)
        note = self.checkpoint(letters, len(letters))
        signed = b64encode(signatures.sign(self.key, note.text.encode())).decode()
        public = b64encode(signatures.public_key(self.key)).decode()
        facts = LedgerFacts(public, len(letters), b64encode(note.root).decode(), signed)
        return replace(self.archive, letters=letters, ledger=facts)

    def checkpoint(self, letters: Sequence[LedgerEntry], size: int) -> Checkpoint:
        root = merkle.root(each.leaf() for each in letters[:size])
        return Checkpoint(self.archive.contest.seed_commitment, size, root)


def many_lists(organizer: Organizer, size: int) -> Archive:
    """Lists of entries that all teams got before the final one."""
    root = EntryList.of(()).root.hex()
    entries = [
        organizer.entry(Effect.ENTRIES_LISTED, digest=root, number=number) for number in range(size)
    ]
    lists = tuple(ArchivedList(each.at, False, ()) for each in entries)
    archive = organizer.with_entries(entries)
    return replace(archive, entry_lists=(*lists, *organizer.archive.entry_lists))


def other_lists(organizer: Organizer, size: int) -> Archive:
    """Lists in the ledger that the archive does not show."""
    root = EntryList.of(()).root.hex()
    return organizer.with_entries(
        [
            organizer.entry(Effect.ENTRIES_LISTED, digest=root, number=number)
            for number in range(size)
        ]
    )


def withdrawn_teams(organizer: Organizer, size: int) -> Archive:
    effects = (Effect.PROGRAM_ACCEPTED, Effect.WITHDRAWN)
    return organizer.with_entries(
        [
            organizer.entry(each, f"t{number}", 64 * "0")
            for number in range(size)
            for each in effects
        ]
    )


def programs_of_one_team(organizer: Organizer, size: int) -> Archive:
    return organizer.with_entries(
        [organizer.entry(Effect.PROGRAM_ACCEPTED, "two_tits", 64 * "0")] * size
    )


def many_tournaments(organizer: Organizer, size: int) -> Archive:
    """With teams that were taken out of the first."""
    out = [organizer.entry(Effect.TAKEN_OUT, f"t{number}") for number in range(size)]
    archive = organizer.with_entries([*out, *[organizer.entry(Effect.TOURNAMENT_BEGUN)] * size])
    return replace(archive, contest=replace(archive.contest, tournament=size + 1))


def many_decisions(organizer: Organizer, size: int) -> Archive:
    out = [organizer.entry(Effect.TAKEN_OUT, f"t{number}") for number in range(size)]
    told = tuple(TakenOut(each.team, BanKind.DROPPED, each.at, None) for each in out)
    archive = organizer.with_entries(out)
    return replace(archive, decisions=replace(archive.decisions, taken_out=told))


def many_cosignatures(organizer: Organizer, size: int) -> Archive:
    archive = organizer.with_entries(())
    checkpoint = organizer.checkpoint(archive.letters, 1)
    key = VerifierKey(checkpoint.origin, signatures.public_key(organizer.key))
    note = key.note(checkpoint.text, signatures.sign(organizer.key, checkpoint.text.encode()))
    return replace(archive, cosignatures=(note,) * size)


LEDGERS = (
    many_lists,
    other_lists,
    withdrawn_teams,
    programs_of_one_team,
    many_tournaments,
    many_decisions,
    many_cosignatures,
)


@pytest.mark.parametrize("make", LEDGERS)
def test_a_ledger_of_twice_the_length_is_checked_in_twice_the_time(
    published: Published, make: Callable[[Organizer, int], Archive]
) -> None:
    organizer = Organizer(published)

    def check(archive: Archive) -> None:
        check_entries(archive, organizer.settings, Verified())

    assert growth(check, lambda size: make(organizer, size), MOST_ENTRIES) < MAX_GROWTH
