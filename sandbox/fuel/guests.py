"""The guests: interpreters as WebAssembly that run programs of languages that are not compiled to it.

A guest never changes within a contest: its sha256 is in every program that was built for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class PreparedGuest:
    """What a worker is told of its guest (`facts`: keys of /box/program.json), and what its sandbox shows."""

    facts: dict[str, Any]
    folders: list[str] = field(default_factory=list)


class Guest(Protocol):
    """An interpreter. `facts`: its name, version and sha256, in one line."""

    language: str

    @property
    def facts(self) -> str: ...

    def prepared(self, sandbox: Sandbox) -> PreparedGuest:
        """Ready to run on this computer, made on first use. Raises ToolMissing if it cannot be."""


GUESTS: tuple[Guest, ...] = ()


def facts_of(language: str) -> str:
    """Name, version and sha256 of the guest for this language; "" if there is none."""
    return next((guest.facts for guest in GUESTS if guest.language == language), "")


def guest_of(language: str) -> Guest:
    """Raises KeyError for a language without a guest."""
    for guest in GUESTS:
        if guest.language == language:
            return guest
    raise KeyError(language)
