"""An organizer who owns all of a contest: its database, its signing key, its archive."""

import base64
import hmac
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import select

from contest.config.settings import settings_digest
from contest.ledger import merkle, signatures
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.ledger.notes import Checkpoint
from contest.ledger.receipts import Effect, LedgerEntry, from_file, program_digest, to_file
from store import Store
from store.tables import contest as contest_table
from trust.archive import files

Change = Callable[[dict[str, bytes]], None]


def store_of(folder: Path) -> Store:
    """The database of the contest in this folder."""
    return Store(f"sqlite:///{folder / 'contest.db'}")


def signing_key(folder: Path) -> bytes:
    store = store_of(folder)
    with store.read() as tx:
        key: bytes = tx.execute(select(contest_table.c.signing_key)).scalar_one()
    store.close()
    return key


def entries_in(archive: Path) -> list[LedgerEntry]:
    return list(from_file((archive / "ledger.txt").read_bytes()))


def signed_again(folder: Path, entries: Sequence[LedgerEntry]) -> Change:
    """Put this ledger into an archive, signed with the contest's own key."""
    return signed(signing_key(folder), entries)


def signed(key: bytes, entries: Sequence[LedgerEntry]) -> Change:
    """Put this ledger into an archive, signed with this key."""

    def change(found: dict[str, bytes]) -> None:
        commitment = json.loads(found["contest.json"])["seed_commitment"]
        root = merkle.root(entry.leaf() for entry in entries)
        signature = signatures.sign(key, Checkpoint(commitment, len(entries), root).text.encode())
        facts = {
            "public_key": base64.b64encode(signatures.public_key(key)).decode(),
            "size": len(entries),
            "root": base64.b64encode(root).decode(),
            "signature": base64.b64encode(signature).decode(),
        }
        found["ledger.txt"] = to_file(entries)
        found["ledger.json"] = json.dumps(facts, indent=1).encode() + b"\n"

    return change


def resealed(folder: Path) -> Change:
    """Make lists, ledger and seal of an archive fit to its programs and builds, as if these had
    been sent."""

    def change(found: dict[str, bytes]) -> None:
        builds = {entry["name"]: entry["build"] for entry in json.loads(found["entries.json"])}
        sources = {team: f"programs/{team}/source/" for team in builds}
        programs = {
            team: program_digest(
                {p.removeprefix(place): found[p] for p in found if p.startswith(place)}
            )
            for team, place in sources.items()
        }
        lists, roots = json.loads(found["entry_lists.json"]), []
        for each in lists:
            for entry in each["entries"]:
                entry.update(program=programs[entry["team"]], build=builds[entry["team"]])
            roots.append(EntryList.of(SealedEntry(**entry) for entry in each["entries"]).root)
        told = iter(roots)
        ledger = [
            replace(each, digest=next(told).hex())
            if each.effect in (Effect.ENTRIES_LISTED, Effect.ENTRIES_FINAL)
            else replace(each, digest=programs[each.team])
            if each.effect is Effect.PROGRAM_ACCEPTED
            else each
            for each in from_file(found["ledger.txt"])
        ]
        seal, secret = json.loads(found["seal.json"]), json.loads(found["contest.json"])["seed"]
        seed = hmac.digest(
            bytes.fromhex(secret), roots[-1] + bytes.fromhex(seal["number"]), "sha256"
        )
        seal.update(entries_root=roots[-1].hex(), seed=seed.hex())
        for path, value in (("entry_lists.json", lists), ("seal.json", seal)):
            found[path] = json.dumps(value, indent=1).encode() + b"\n"
        signed_again(folder, ledger)(found)

    return change


def frozen(found: dict[str, bytes], entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """This ledger, as if the lists had gone out with the settings and the rules of these files."""
    digest = settings_digest(
        json.loads(found["contest.json"])["settings"], found["rules.md"].decode()
    )
    lists = (Effect.ENTRIES_LISTED, Effect.ENTRIES_FINAL)
    return [replace(each, letter=digest) if each.effect in lists else each for each in entries]


class Forgery:
    """An archive that its organizer changes in `files` and `ledger`, and then publishes, signed
    again."""

    def __init__(self, folder: Path, archive: Path) -> None:
        self._folder = folder
        self.files = dict(files.read(archive))
        self.ledger = entries_in(archive)

    @contextmanager
    def json(self, path: str) -> Iterator[Any]:
        """The contents of this file, which are written as they are at the end."""
        value = json.loads(self.files[path])
        yield value
        self.files[path] = json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"

    def place_of(self, effect: str, team: str = "") -> int:
        """Where the ledger has the first entry with this effect, from 0."""
        return next(
            n for n, each in enumerate(self.ledger) if (each.effect, each.team) == (effect, team)
        )

    def publish(self, folder: Path) -> Path:
        signed_again(self._folder, self.ledger)(self.files)
        files.write(folder, self.files)
        return folder


@dataclass(frozen=True)
class Said:
    """What `knobeln verify` has said, and its exit code."""

    code: int
    text: str

    @property
    def verdict(self) -> str:
        """Its first line, below the bars that tell how far it is."""
        return next(
            line
            for line in self.text.splitlines()
            if "\N{BOX DRAWINGS HEAVY HORIZONTAL}" not in line
        )

    @property
    def remarks(self) -> list[str]:
        """What it wants a person to look at."""
        return [
            line.split("look at this: ")[1]
            for line in self.text.splitlines()
            if "look at this: " in line
        ]


Verify = Callable[..., Said]
