"""Teams: registrations, their members, mail preferences, and bans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class MailPreference(StrEnum):
    """What a team may ask for: KNOBELN's announcement's in its order (K30), then those of other contests."""

    LAP = "LAP"
    LGP = "LGP"
    DGP = "DGP"
    GRP = "GRP"
    GRG = "GRG"
    GRR = "GRR"
    RSM = "RSM"
    OWN = "OWN"
    BRK = "BRK"

    @property
    def meaning(self) -> str:
        return _PREFERENCE_MEANINGS[self]


_PREFERENCE_MEANINGS = {
    MailPreference.LAP: "send list of all participants (full registration format)",
    MailPreference.LGP: "send list of my groups' participants (team names only)",
    MailPreference.DGP: "send detailed game protocol for each of my games (every move)",
    MailPreference.GRP: "send game result (points) for each of my games",
    MailPreference.GRG: "send group result (all games of all participants)",
    MailPreference.GRR: "send group result (ranking)",
    MailPreference.RSM: "send summaries of rounds (includes all group rankings)",
    MailPreference.OWN: "send my own result (place and points) at the end",
    MailPreference.BRK: "send the bracket after each round",
}
USUAL_PREFERENCES = tuple(MailPreference)[:7]
"""Those of KNOBELN's announcement, which a contest offers unless it says otherwise."""


@dataclass(frozen=True)
class Member:
    """One person of a team: the two-line informal description of K35.

    Where a contest asks for one line a member (B21), `occupation` is what stands behind the name, `age` is
    None and `background` empty.
    """

    name: str
    age: int | None
    occupation: str
    background: str


@dataclass(frozen=True)
class Registration:
    """What a team wrote into the form (K25), read and found well-formed.

    `fields`: names and values of the contest's own fields, in the form's order; one left empty is not there.
    """

    address: str
    preferences: tuple[MailPreference, ...]
    team_name: str
    organization: str
    members: tuple[Member, ...]
    fields: tuple[tuple[str, str], ...] = ()

    def field(self, name: str) -> str:
        """The value of the contest's own field of this name; "" = none was given."""
        return dict(self.fields).get(name, "")


class TeamState(StrEnum):
    PENDING = "pending"  # waits for the organiser's word; a rejected registration is taken out again
    ACTIVE = "active"
    WITHDRAWN = "withdrawn"  # by its own letter before the start; registering again brings it back


@dataclass(frozen=True)
class Team:
    """A registered team. `registration.team_name` counts; `requested_name` is what it asked for."""

    id: int
    registration: Registration
    requested_name: str
    state: TeamState
    registered_at: datetime
    flags: tuple[str, ...] = ()  # remarks for the organiser, e.g. people shared with another team (K36)
    is_friendly: bool = False  # other teams may play friendly matches against it

    @property
    def name(self) -> str:
        return self.registration.team_name

    @property
    def address(self) -> str:
        return self.registration.address


class BanKind(StrEnum):
    """Why a team that has registered takes no part (any more), by the organizer's hand."""

    DISQUALIFIED = "disqualified"
    DROPPED = "dropped"  # at its own request


@dataclass(frozen=True)
class Ban:
    """A team is out of the contest until this is lifted."""

    id: int
    team_id: int
    kind: BanKind
    reason: str
    at: datetime
