"""Teams: registrations, their members, mail preferences, and bans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True)
class Member:
    """One person of a team: the two-line informal description of K35.

    If a contest asks for one line a member (B21), `occupation` is what follows the name, `age` is
    None and `background` empty.
    """

    name: str
    age: int | None
    occupation: str
    background: str


LANGUAGE_FIELD = "language"
"""A field that every form may have, though no form asks for it."""


@dataclass(frozen=True)
class Registration:
    """What a team wrote into the form (K25), read and found well-formed.

    `preferences`: codes of the reports that it wants. `fields`: names and values of the contest's
    own fields, in the form's order, without empty ones.
    """

    address: str
    preferences: tuple[str, ...]
    team_name: str
    organization: str
    members: tuple[Member, ...]
    fields: tuple[tuple[str, str], ...] = ()

    def field(self, name: str) -> str:
        """Return the value of the contest's own field of this name; "" if it was left empty."""
        return dict(self.fields).get(name, "")

    @property
    def language(self) -> str:
        """The language that the team has chosen (`LANGUAGE_FIELD`); "" = the contest's."""
        return self.field(LANGUAGE_FIELD)


class TeamState(StrEnum):
    PENDING = "pending"  # waits for the organiser's decision; a rejected registration is deleted
    ACTIVE = "active"
    WITHDRAWN = "withdrawn"  # by its own letter before the start; it can register again


@dataclass(frozen=True)
class Team:
    """A registered team. `registration.team_name` counts; `requested_name` is what it asked for."""

    id: int
    registration: Registration
    requested_name: str
    state: TeamState
    registered_at: datetime
    # remarks for the organiser, e.g. people shared with another team (K36)
    flags: tuple[str, ...] = ()
    # somebody reads its address: its string was used, or a question was answered
    is_proved: bool = True

    @property
    def language(self) -> str:
        return self.registration.language

    @property
    def name(self) -> str:
        return self.registration.team_name

    @property
    def is_registered(self) -> bool:
        """Whether it has not withdrawn; its registration may still wait for the organizer."""
        return self.state is not TeamState.WITHDRAWN

    @property
    def address(self) -> str:
        return self.registration.address


class Participation(StrEnum):
    """Whether a team takes part in the tournament, or why not. The program of an active one
    plays."""

    ACTIVE = "active"
    # nothing was heard from its address, which a stranger may have written into a form
    UNHEARD = "unheard"
    PENDING = "pending"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    DROPPED = "dropped"


class BanKind(StrEnum):
    """Why the organizer took a registered team out."""

    DISQUALIFIED = "disqualified"
    DROPPED = "dropped"  # at its own request


@dataclass(frozen=True)
class Ban:
    """The team is out of the contest until the ban is lifted. `lifted_at`: None if it holds."""

    id: int
    team_id: int
    kind: BanKind
    reason: str
    at: datetime
    lifted_at: datetime | None = None
