"""An organizer who owns all of a contest: its database, its signing key, its archive."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from contest.archive import files
from contest.ledger import merkle, signing
from contest.ledger.receipts import Checkpoint, LedgerEntry, from_file, to_file
from contest.store import Store
from contest.store.tables import contest as contest_table

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
        signature = signing.sign(key, Checkpoint(commitment, len(entries), root).to_bytes())
        facts = {
            "public_key": base64.b64encode(signing.public_key(key)).decode(),
            "size": len(entries),
            "root": base64.b64encode(root).decode(),
            "signature": base64.b64encode(signature).decode(),
        }
        found["ledger.txt"] = to_file(entries)
        found["ledger.json"] = json.dumps(facts, indent=1).encode() + b"\n"

    return change


class Forgery:
    """An archive that its organizer changes in `files` and `ledger`, and then publishes, signed again."""

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
        return next(n for n, each in enumerate(self.ledger) if (each.effect, each.team) == (effect, team))

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
        """Its last line."""
        return self.text.splitlines()[-1]

    @property
    def remarks(self) -> list[str]:
        """What it wants a person to look at."""
        return [
            line.split("look at this: ")[1] for line in self.text.splitlines() if "look at this: " in line
        ]


Verify = Callable[..., Said]
