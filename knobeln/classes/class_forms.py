"""The registration forms with which a class is invited: one for each group, or for each person who
is in none. Pure.

No form goes out that the robot would refuse: each is read before as a reply with it would be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.language import gettext, speaking
from contest.mail.form import (
    AFFILIATION,
    NAME,
    Form,
    blank,
    is_in_c,
    short_preferences,
    with_examples,
)
from contest.util.sanitize import quote
from knobeln.classes.class_list import Person, shortened
from mailserver.reading import registration_form, team_names

Groups = Literal["team", "split", "ignore"]
"""What the groups of a list are: teams; teams of which a large one is cut in several; nothing."""


@dataclass(frozen=True)
class Invitation:
    """A form, and who is in its team. The first of them gets it, the others hear of it."""

    form: Form
    members: tuple[Person, ...]

    @property
    def others(self) -> tuple[Person, ...]:
        """The members who hear who has the form."""
        rest = (person for person in self.members if person.address)
        return tuple(person for person in rest if person.address != self.form.address)


def invitations(
    people: Sequence[Person], settings: Settings, groups: Groups = "team"
) -> tuple[Invitation, ...]:
    """Make the form of each team. Raises GiveUp that names every group which cannot be one.

    What the list does not say stands in a form as `<what to fill in>`.
    """
    teams = _teams(people, settings.teams.max_members, groups)
    names = _TeamNames(settings)
    invitations_so_far: list[Invitation] = []
    problems: list[str] = []
    for number, members in enumerate(teams, start=1):
        readers = [person for person in members if person.address]
        if not readers:
            continue  # the summary tells how many have no address
        invitation = Invitation(
            _form(readers[0], members, names.name_of(members[0], number), settings), tuple(members)
        )
        invitations_so_far.append(invitation)
        problems += _problems(invitation, settings)
    if problems:
        raise GiveUp(
            "nobody was invited, because the robot would refuse these forms:\n  "
            + "\n  ".join(shortened(problems)),
            hint="`--groups split` makes several teams of a large group, `--groups ignore` none",
        )
    return tuple(invitations_so_far)


def _teams(people: Sequence[Person], most: int, groups: Groups) -> Iterator[list[Person]]:
    if groups == "ignore":
        yield from ([replace(person, team="")] for person in people)
        return
    teams: dict[str, list[Person]] = {}
    for person in people:
        own = f"\n{person.line}"  # no group has a name like this
        teams.setdefault(person.team.casefold() or own, []).append(person)
    for members in teams.values():
        if groups == "split":
            yield from _in_parts(members, most)
        else:
            yield members


def _in_parts(members: Sequence[Person], most: int) -> Iterator[list[Person]]:
    """The members in as few teams as can be, of nearly one size."""
    count = -(-len(members) // most)
    for part in range(count):
        start, end = part * len(members) // count, (part + 1) * len(members) // count
        yield list(members[start:end])


# --- a form ---------------------------------------------------------------------------------------
class _TeamNames:
    """Makes a team's name from a group's, each once; a person's own team has a number."""

    def __init__(self, settings: Settings) -> None:
        self._in_c = is_in_c(settings)
        self._taken: set[str] = set()

    def name_of(self, first: Person, number: int) -> str:
        wanted = team_name(first.team, in_c=self._in_c) if first.team else f"team_{number}"
        name = team_names.unique_name(wanted, lambda candidate: candidate.casefold() in self._taken)
        self._taken.add(name.casefold())
        return name


def team_name(group: str, *, in_c: bool) -> str:
    """A name that a team can have: `Gruppe 1` is `Gruppe_1`, `1` is `group_1`, `Müller` is
    `Mueller`."""
    german = group.translate(_GERMAN)
    decomposed = unicodedata.normalize("NFKD", german)
    letters = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    name = re.sub(r"[^A-Za-z0-9]+", "_", letters).strip("_")[: team_names.MAX_CHARACTERS]
    if not name or name[0].isdigit():
        name = f"group_{name}".strip("_")[: team_names.MAX_CHARACTERS]
    return name if not team_names.fault(name, in_c=in_c) else f"{name}_team"


_GERMAN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ø": "o"}
)


def _form(reader: Person, members: Sequence[Person], name: str, settings: Settings) -> Form:
    with speaking(settings.contest.language):
        empty = blank(settings)
        lines = [line for person in members for line in _lines(person, empty.members)]
    said = {
        field: value
        for person in reversed(members)
        for field, value in person.fields.items()
        if value
    }
    return replace(
        empty,
        address=reader.address,
        preferences=",".join(short_preferences(settings)),
        team_name=name,
        organization=next(filter(None, (p.organization for p in members)), empty.organization),
        members=tuple(lines),
        fields=tuple((field, said.get(field, text)) for field, text in empty.fields),
    )


def _lines(person: Person, empty: Iterable[str]) -> Iterator[str]:
    """A member's lines in the form, with what the list says."""
    name, affiliation = gettext(NAME), gettext(AFFILIATION)
    for line in empty:
        named = line.replace(name, person.name or name)
        yield named.replace(affiliation, person.organization or affiliation)


# --- what the robot says to it --------------------------------------------------------------------
def _problems(invitation: Invitation, settings: Settings) -> Iterator[str]:
    """Why a reply with the form would be refused once its open places are filled in."""
    with speaking(settings.contest.language):
        lines = with_examples(invitation.form, settings).text.split("\n")
    for problem in registration_form.read(lines, settings).problems:
        first = invitation.members[0]
        whose = f"group {quote(first.team)!r}" if first.team else f"row {first.line}"
        what = f" (`{quote(problem.quote)}`)" if problem.quote else ""
        yield f"{whose}: {problem.text}{what}"
