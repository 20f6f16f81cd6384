"""The registration form of the announcement (K25): its field names, and a registration in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knobeln.model import Member, Registration

ADDRESS = "mail-address"
PREFERENCE = "mail-preference"
TEAM_NAME = "team-name"
ORGANIZATION = "Organization"
MEMBERS = "team-members"
FIELDS = (ADDRESS, PREFERENCE, TEAM_NAME, ORGANIZATION, MEMBERS)

INDENT = "  "


@dataclass(frozen=True)
class Form:
    """What stands behind each field, as text. Members are single lines, two for each member."""

    address: str
    preferences: str
    team_name: str
    organization: str
    members: tuple[str, ...]

    @property
    def text(self) -> str:
        """The form, field by field in the right order, without a newline at the end."""
        values = (self.address, self.preferences, self.team_name, self.organization, "")
        lines = [f"{field}: {value}".rstrip() for field, value in zip(FIELDS, values, strict=True)]
        return "\n".join(lines + [INDENT + line for line in self.members])


PLACEHOLDER = Form(
    address="<the mail address of your team>",
    preferences="",
    team_name="<a C identifier>",
    organization="<institution, city, country>",
    members=("<name>, <age in years>, <occupation>,", "<computer science and programming background>"),
)


def record_text(registration: Registration) -> str:
    """The registration in the form, as LAP reports and answers show it (K91). It never holds a secret (K42).

    Lines may be long (500 characters of Organization); read again, the text gives the same registration.
    """
    return Form(
        registration.address,
        ",".join(registration.preferences),
        registration.team_name,
        registration.organization,
        member_lines(registration.members),
    ).text


def member_lines(members: Sequence[Member]) -> tuple[str, ...]:
    """Two lines for each member (K35), not indented."""
    pairs = ((f"{m.name}, {m.age}, {m.occupation},", m.background) for m in members)
    return tuple(line for pair in pairs for line in pair)
