"""The protocols by which parts use each other; the program passes in the implementations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from contest.config.settings import Settings
from contest.interfaces.events import Event
from contest.language import by_language, speaking
from contest.ledger.receipts import Receipt
from contest.model import (
    BuildReport,
    GameJob,
    GameResult,
    Outgoing,
    Team,
)
from contest.seeds import Seeds


@dataclass(frozen=True)
class Rendered:
    """A mail's words: the subject, and the body in lines of at most 72 columns."""

    subject: str
    body: str


def to_team(team: Team, key: str, kind: str, text: Rendered) -> Outgoing:
    """A mail to the team's address; `replace` adds what else there is."""
    return Outgoing(
        key=key,
        kind=kind,
        to=team.address,
        subject=text.subject,
        body=text.body,
        team_id=team.id,
        team=team.name,
        language=team.language,
    )


def key_of(event: str, team: Team) -> str:
    """The key of the mail that a team gets on this event."""
    return f"{event}/{team.name}"


def to_all(
    readers: Iterable[Team],
    event: str,
    template: str,
    settings: Settings,
    renderer: Renderer,
    receipt: Receipt | None = None,
    /,
    **facts: object,
) -> Iterator[Outgoing]:
    """The same mail from this template to each of these teams, in its language."""
    for language, of_language in by_language(readers, settings.contest.language):
        with speaking(language):
            rendered = renderer.render(template, **facts)
        for team in of_language:
            mail = to_team(team, key_of(event, team), template, rendered)
            yield replace(mail, receipt=receipt)


def to_organizer(settings: Settings, key: str, kind: str, text: Rendered) -> Outgoing:
    return Outgoing(key, kind, settings.contest.organizer_address, text.subject, text.body)


class Renderer(Protocol):
    def render(self, template: str, /, **facts: object) -> Rendered:
        """The template `<template>.txt.j2`, the organizer's own where there is one, with these
        facts.

        The language is the caller's (contest.language.speaking), or the contest's.
        """

    def part(self, name: str, **facts: object) -> str:
        """The text of this part of a mail, without what is around it."""


class Serializable(Protocol):
    """An image: it plays for a team. Each kind of play has its own class."""

    def to_bytes(self) -> bytes: ...


Image_co = TypeVar("Image_co", bound=Serializable, covariant=True)


@dataclass(frozen=True)
class BuildResult(Generic[Image_co]):
    """`image` is there exactly if `report.accepted`; `program` is the name of the file that it was
    made from.

    The name is "" if no file was recognised as a program.
    """

    report: BuildReport
    image: Image_co | None
    program: str


SparringOpponents = Mapping[str, tuple[str, bytes]]
"""Our own programs by name: the digest of the image that plays, and its bytes as in `Images`."""


Runner = Callable[[Sequence[GameJob]], Sequence[GameResult]]
"""Plays games: the results, in the order of the jobs. Raises EngineFailed when our machinery is to
blame."""

Images = Mapping[str, bytes]
"""What the builds made, by digest; each kind of play has its own form."""

ProgressCallback = Callable[[int], None]
"""Called with the number of games played since the last call, from any thread; for progress
bars."""


def no_progress(_games: int) -> None:
    """Show no progress."""


class RunnerFactory(Protocol):
    def __call__(
        self,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback = no_progress,
        /,
    ) -> AbstractContextManager[Runner]:
        """A runner for the contest's game with these programs; closing it ends everything that it
        started.

        No result depends on `progress`.
        """


class Reporter(Protocol):
    """Writes the mails of the contest day."""

    def needs_moves(self, team: Team) -> bool:
        """Whether a report that the team asked for needs the moves of its games."""

    def mails(self, event: Event) -> Iterable[Outgoing]:
        """The mails about this event, with the same keys whenever it is told again."""
