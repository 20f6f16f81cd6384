"""The list of entries, on which the contest's seed depends: it is sealed when programs are no
longer taken, and final when the contest starts. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from contest.ledger import merkle


@dataclass(frozen=True)
class SealedEntry:
    """A team, the digest of its program as in the ledger, and the digest of the build; both in
    hex."""

    team: str
    program: str
    build: str

    def leaf(self) -> bytes:
        """Return the entry's bytes in the tree: three lines, each with its newline."""
        return f"{self.team}\n{self.program}\n{self.build}\n".encode()


@dataclass(frozen=True)
class EntryList:
    """All entries of a contest, sorted by the names of their teams."""

    entries: tuple[SealedEntry, ...]

    @classmethod
    def of(cls, entries: Iterable[SealedEntry]) -> EntryList:
        return cls(tuple(sorted(entries, key=lambda entry: entry.team)))

    @cached_property
    def root(self) -> bytes:
        return merkle.root(entry.leaf() for entry in self.entries)

    @property
    def by_team(self) -> dict[str, SealedEntry]:
        return {entry.team: entry for entry in self.entries}

    def changed_teams(self, later: EntryList) -> list[str]:
        """Return the teams whose entries differ between this list and a later one, sorted by
        name."""
        old, new = self.by_team, later.by_team
        return sorted(team for team in old | new if old.get(team) != new.get(team))

    def to_bytes(self) -> bytes:
        """Return the leaves, one after the other: three lines for each entry."""
        return b"".join(entry.leaf() for entry in self.entries)


@dataclass(frozen=True)
class AbsentTeam:
    """A team that is not on the list, and why: a sentence of the catalogue, or the organizer's
    reason."""

    team: str
    reason: str


@dataclass(frozen=True)
class SealedList:
    """A list of entries that all teams are told. `number`: from 1; `is_final`: the contest is
    played with it.

    `absent`: all other teams, sorted by name.
    """

    number: int
    at: datetime
    is_final: bool
    list: EntryList
    absent: tuple[AbsentTeam, ...]
