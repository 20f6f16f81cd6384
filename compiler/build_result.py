"""What a build gives, whatever the language and the game."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from compiler.source import strip_secret
from contest.model import BuildReport, FileFacts


class Serializable(Protocol):
    """What plays for a team: an Image, a HogEntry, or a program of any language or container image."""

    def to_bytes(self) -> bytes: ...


Made_co = TypeVar("Made_co", bound=Serializable, covariant=True)


@dataclass(frozen=True)
class BuildResult(Generic[Made_co]):
    """`image` is there exactly when `report.accepted`; `program` is the name of the file that it is made of.

    The name is "" where no file was recognised as a program.
    """

    report: BuildReport
    image: Made_co | None
    program: str


Builder = Callable[[Mapping[str, bytes], str], BuildResult[Serializable]]
"""Builds the files as they were sent, given the letter's own words about them, with the trial in the report.

Raises ToolMissing or EngineFailed where our machinery is at fault, never for anything that a program does.
"""


def facts_of(files: Mapping[str, bytes]) -> tuple[FileFacts, ...]:
    """The files as they were sent, by name."""
    return tuple(
        FileFacts(name, len(files[name]), hashlib.sha256(files[name]).hexdigest()) for name in sorted(files)
    )


def without_secret(data: bytes) -> bytes:
    """The file with the authentification string of its `<<FROM>>` line blanked (K42); its size stays."""
    return strip_secret(data.decode("latin-1")).encode("latin-1")
