"""A class list, as a spreadsheet or a campus system exports it, and the forms to invite people
with. Pure.

The first row names the columns. `mail` is needed. `name`, or `first name` and `last name`, are the
person's name. `team` is the team's name: rows with the same one are one team. `organization` and
the contest's own fields of the form go into the form. All columns come back in the marks.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.language import gettext, listed, speaking
from contest.mail.form import AFFILIATION, NAME, Form, blank, is_in_c, sample
from contest.store.class_people import ListedPerson
from contest.util.sanitize import sanitize
from mailserver.reading import addresses, team_names

# What a column may be called, in English and in German: capitals, blanks and punctuation do not
# matter.
_NAMES = {
    "mail": (
        "mail",
        "email",
        "mailaddress",
        "emailaddress",
        "address",
        "mailadresse",
        "emailadresse",
    ),
    "name": ("name", "fullname", "student", "member"),
    "first name": ("firstname", "givenname", "vorname"),
    "last name": ("lastname", "surname", "familyname", "nachname"),
    "team": ("team", "teamname", "group", "gruppe"),
    "organization": (
        "organization",
        "organisation",
        "institution",
        "school",
        "schule",
        "hochschule",
    ),
}
_DELIMITERS = ",;\t"
MAX_BYTES = 20_000_000
MAX_CELLS = 2_000_000  # a row has as many as the first row, also if it is shorter
_MAX_PROBLEMS = 20


@dataclass(frozen=True)
class Person:
    """A row of the list. Texts are "" where the list says nothing; `fields`: the contest's own, by
    name."""

    line: int
    address: str
    name: str
    team: str
    organization: str
    fields: Mapping[str, str]
    columns: tuple[tuple[str, str], ...]  # headings and texts: those that we do not know come first

    @property
    def listed(self) -> ListedPerson:
        return ListedPerson(self.address, self.name, self.team, self.columns)


def read(data: bytes, settings: Settings) -> tuple[Person, ...]:
    """Read the list: each address once. Raises GiveUp that names every wrong row."""
    if len(data) > MAX_BYTES:
        raise GiveUp(f"the list has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
    lines = _text(data).splitlines()
    if not lines:
        raise GiveUp("the list is empty; its first row must name the columns, like: mail,name,team")
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise GiveUp(f"the list is not CSV: {error}") from None
    if len(rows) * len(rows[0]) > MAX_CELLS:
        raise GiveUp(
            f"the list has {len(rows):,} rows of {len(rows[0]):,} columns each; at most"
            f" {MAX_CELLS:,} cells are read: leave out columns that nobody needs"
        )
    columns = _columns(rows[0], settings)
    heads = [sanitize(head, one_line=True).strip() for head in rows[0]]
    # a student number comes first
    order = sorted(range(len(heads)), key=lambda at: at in columns.values())
    problems: list[str] = []
    people: dict[str, Person] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        cells = [sanitize(cell, one_line=True).strip() for cell in row] + [""] * (
            len(heads) - len(row)
        )
        written = {name: cells[at] for name, at in columns.items()}
        address, why = addresses.check(written.get("mail", ""))
        if address is None:
            problems.append(f"row {number}: {written.get('mail', '')!r} is no mail address: {why}")
        elif address in people:
            problems.append(f"row {number}: {address} is in row {people[address].line}, too")
        else:
            kept = tuple((heads[at], cells[at]) for at in order if heads[at])
            both = (written.get("first name"), written.get("last name"))
            people[address] = Person(
                line=number,
                address=address,
                name=written.get("name") or " ".join(filter(None, both)),
                team=written.get("team", ""),
                organization=written.get("organization", ""),
                fields={field.name: written.get(field.name, "") for field in settings.teams.fields},
                columns=kept,
            )
    if problems:
        more = len(problems) - _MAX_PROBLEMS
        shown = [*problems[:_MAX_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
        raise GiveUp(
            "nobody was invited, because the list has wrong rows:\n  " + "\n  ".join(shown)
        )
    if not people:
        raise GiveUp("the list names columns, but nobody")
    return tuple(people.values())


def _text(data: bytes) -> str:
    """Decode the file: UTF-8, perhaps with a byte order mark, or else Windows-1252."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _columns(heads: Sequence[str], settings: Settings) -> Mapping[str, int]:
    """The index of each column that we know."""
    known = {spelled: name for name, spellings in _NAMES.items() for spelled in spellings}
    known |= {_plain(field.name): field.name for field in settings.teams.fields}
    found: dict[str, int] = {}
    for at, head in enumerate(heads):
        name = known.get(_plain(head))
        if name in found:
            raise GiveUp(
                f"two columns of the list are the {name}: {heads[found[name]]!r} and {head!r}"
            )
        if name is not None:
            found[name] = at
    if "mail" not in found:
        raise GiveUp(
            "the first row of the list must name a column `mail`; it names "
            + (listed([repr(sanitize(head, one_line=True)) for head in heads]))
        )
    return found


def _plain(head: str) -> str:
    return "".join(filter(str.isalnum, head.casefold()))


def forms(people: Sequence[Person], settings: Settings) -> Iterator[Form]:
    """Make the form of each team; people without a team's name get one each.

    What the list does not say stands in it as `<what to fill in>`. The address is that of the
    team's first member in the list.
    """
    teams: dict[str, list[Person]] = {}
    for person in people:
        teams.setdefault(person.team or person.address, []).append(person)
    for members in teams.values():
        yield _form(members, settings)


def _form(members: Sequence[Person], settings: Settings) -> Form:
    with speaking(settings.contest.language):
        empty = blank(settings)
    first = members[0]
    said = {
        name: value
        for person in reversed(members)
        for name, value in person.fields.items()
        if value
    }
    name = team_names.suggested(first.team, in_c=is_in_c(settings))
    lines = (line for person in members for line in _lines(person, empty.members, settings))
    return replace(
        empty,
        address=first.address,
        preferences=sample(settings).preferences,
        team_name=name or empty.team_name,
        organization=next(filter(None, (p.organization for p in members)), empty.organization),
        members=tuple(lines),
        fields=tuple((name, said.get(name, text)) for name, text in empty.fields),
    )


def _lines(person: Person, empty: Sequence[str], settings: Settings) -> Iterator[str]:
    """A member's lines in the form, with what the list says; `Lovelace, Ada` is a name, too."""
    last, _, first = person.name.partition(",")
    name = f"{first} {last}".strip()
    with speaking(settings.contest.language):
        known = {gettext(NAME): name, gettext(AFFILIATION): person.organization}
    for line in empty:
        for words, text in known.items():
            line = line.replace(words, text or words)  # noqa: PLW2901
        yield line
