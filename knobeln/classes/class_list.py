"""A class list, as a campus system or a spreadsheet exports it: who is in the class. Pure.

What cannot be is told for all rows at once; what was left out is told, too, so that nothing is
understood in silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.util.plurals import plural
from contest.util.sanitize import quote, visible
from knobeln.classes import class_columns, class_sheet
from knobeln.classes.class_columns import (
    FIRST,
    LAST,
    MAIL,
    NAME,
    NUMBER,
    ORGANIZATION,
    TEAM,
    TURNED,
    Columns,
)
from knobeln.classes.class_sheet import Row
from knobeln.classes.workbook_worker import MAX_CELLS
from mailserver.reading import addresses
from store.class_people import ListedPerson

MAX_PEOPLE = 20_000
_MAX_TOLD = 20  # rows with something wrong, or left out
_MAX_CELL_CHARACTERS = 2_000

# Rows below the people, and above them in Canvas' gradebook.
_NO_PERSON = re.compile(
    r"points possible|student, test|test student|(overall |class )?average|total|sum\b|count\b"
    r"|mean\b|exported|generated|end of"
    r"|summe\b|gesamt|insgesamt|anzahl|(kurs)?durchschnitt|mittelwert|stand\b|exportiert|erstellt"
    r"|gedruckt|seite\b"
    r"|somme\b|moyenne|nombre total|suma\b|promedio|media\b",
    re.IGNORECASE,
)
_AFTER_NAMES = re.compile(
    r"(jr|sr|ii|iii|iv|ph\.? ?d|dr|prof|m\.? ?sc|b\.? ?sc|m\.? ?a|b\.? ?a)\.?", re.IGNORECASE
)
_NO_GROUP = frozenset(
    (
        "nogroup",
        "nogroups",
        "none",
        "notinagroup",
        "notassigned",
        "unassigned",
        "keinegruppe",
        "keinegruppen",
        "keine",
        "ohnegruppe",
        "nichtzugeordnet",
        "nichtineinergruppe",
        "aucungroupe",
        "aucun",
        "singrupo",
        "ningungrupo",
        "ninguno",
    )
)
"""What systems write into the column of groups for a person who is in none."""
_LAST_NAME_IN_CAPITALS = re.compile(r"(?=[^\W\d_]{3})[^a-zà-öø-ÿ ]+ .*[a-zà-öø-ÿ]")
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")  # behind a name
_AROUND_ADDRESSES = " ;,\"'"  # Outlook writes 'ada@uni.example'
_WHITE = re.compile(r"\s+")


@dataclass(frozen=True)
class Person:
    """A row of the list. Texts are "" where the list says nothing; `fields`: the contest's own, by
    name. A person without an address cannot be invited."""

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


@dataclass(frozen=True)
class ClassList:
    """What was understood. `remarks`: what was left out or put together, and why. `sheets`: which
    of several was read."""

    people: tuple[Person, ...]
    columns: Columns
    remarks: tuple[str, ...]
    sheets: tuple[str, ...] = ()

    @property
    def invited(self) -> tuple[Person, ...]:
        """The people who have an address."""
        return tuple(person for person in self.people if person.address)

    @property
    def summary(self) -> str:
        """Such as `55 people, 3 without address, 12 groups`."""
        without = len(self.people) - len(self.invited)
        groups = len({person.team for person in self.people if person.team})
        parts = [plural(len(self.people), "person", "people")]
        parts += [f"{without:,} without address"] if without else []
        alone = sum(not person.team for person in self.people)
        parts += [plural(groups, "group")] if groups else []
        parts += [f"{alone:,} in no group"] if groups and alone else []
        return ", ".join(parts)

    @property
    def understood(self) -> tuple[str, ...]:
        """The summary, what each column was taken for, and the remarks: a sentence in each line."""
        return (
            self.summary,
            *self.sheets,
            *self.columns.sentences,
            self._names,
            *shortened(self.remarks),
        )

    @property
    def _names(self) -> str:
        """Some of the people as they were read, first those whose letters may have suffered."""
        by_letters = sorted(self.people, key=lambda person: person.name.isascii())
        return f"such as {', '.join(person.name or person.address for person in by_letters[:3])}"


def read(data: bytes, settings: Settings) -> ClassList:
    """Read the list, whose people are invited by mail.

    Raises GiveUp that names each wrong row and its column, or says that nobody has an address.
    """
    names = read_names(data, settings, needs_mail=True)
    if not names.invited:
        raise GiveUp(
            "nobody in the list has a mail address",
            hint="for names alone there is `knobeln class open`",
        )
    return names


def read_names(data: bytes, settings: Settings, *, needs_mail: bool = False) -> ClassList:
    """Read the list, whose people need no address unless `needs_mail`. Raises GiveUp."""
    sheet = class_sheet.read(data, class_columns.score_with(settings))
    columns = class_columns.find(sheet.rows, settings, needs_mail=needs_mail)
    below = [row for row in sheet.rows if row.number > columns.row]
    if len(below) * len(columns.heads) > MAX_CELLS or len(below) > MAX_PEOPLE:
        raise GiveUp(
            f"the list has {len(below):,} rows of {len(columns.heads):,} columns each; at most"
            f" {MAX_PEOPLE:,} rows and {MAX_CELLS:,} cells are read: leave out what nobody needs"
        )
    reader = _Reader(columns, settings)
    for row in below:
        reader.take(row)
    if reader.problems:
        raise GiveUp(
            "nothing was done, because the list has wrong rows:\n  "
            + "\n  ".join(shortened(reader.problems))
        )
    if not reader.people:
        raise GiveUp("the list names columns, but nobody")
    return ClassList(tuple(reader.people), columns, tuple(reader.remarks), sheet.chosen)


def shortened(lines: Sequence[str]) -> Sequence[str]:
    """The first of the lines, and how many more there are."""
    more = len(lines) - _MAX_TOLD
    return [*lines[:_MAX_TOLD], *([f"and {more:,} more"] if more > 0 else [])]


class _Reader:
    """Takes the rows one after the other."""

    def __init__(self, columns: Columns, settings: Settings) -> None:
        self._columns = columns
        self._own = [field.name for field in settings.teams.fields]
        known_columns = columns.of.values()
        # a student number comes first
        self._order = sorted(range(len(columns.heads)), key=lambda index: index in known_columns)
        self.people: list[Person] = []
        self.problems: list[str] = []
        self.remarks: list[str] = []
        self._by_address: dict[str, Person] = {}
        self._by_number: dict[tuple[str, str], Person] = {}
        self._by_name: dict[str, Person] = {}

    def take(self, row: Row) -> None:
        cells = [_one_line(cell) for cell in row.cells]
        extra = cells[len(self._columns.heads) :]
        cells += [""] * (len(self._columns.heads) - len(cells))
        if reason := self._no_person(cells, has_separators=len(row.cells) > 1):
            self.remarks.append(f"row {row.number} was left out, {reason}")
            return
        if any(extra):
            self.problems.append(
                f"row {row.number} has {len(cells)} cells, but {len(self._columns.heads)} columns"
                " have names: a text with the separator in it must stand in quotation marks"
            )
            return
        person = self._person(row.number, cells)
        if person is not None:
            self._add(person)

    def _no_person(self, cells: Sequence[str], *, has_separators: bool) -> str:
        """Why the row is nobody: it repeats the headings, is a sum, or is a heading; "" if it is
        somebody, who may have a name and nothing else."""
        columns = self._columns
        known = [index for index in columns.of.values() if cells[index]]
        if known and all(cells[index] == columns.heads[index] for index in known):
            return "which repeats the headings"
        if "@" not in self._cell(cells, MAIL):
            filled = [cell for cell in cells if cell]
            may_be_name = has_separators and bool(known)
            if reason := self._no_name(filled, may_be_name=may_be_name):
                return reason
        return "" if known else "which has neither a name nor an address"

    def _no_name(self, filled: Sequence[str], *, may_be_name: bool) -> str:
        """Why a row without an address, which has these cells, names nobody; "" if it may."""
        first = filled[0] if filled else ""
        if _NO_PERSON.match(first):
            return f"which is no person: `{quote(first)}`"
        is_name = may_be_name and self._may_be_whole_name(first)
        if len(filled) == 1 and len(self._columns.of) > 1 and not is_name:
            return f"which has one cell alone: `{quote(first)}`"
        return ""

    def _may_be_whole_name(self, cell: str) -> bool:
        """Whether the only cell of a row may name a person: it has two words, and the list has no
        two columns for them."""
        has_two = {FIRST, LAST} <= self._columns.of.keys()
        return " " in cell and not has_two and not any(map(str.isdigit, cell))

    def _cell(self, cells: Sequence[str], kind: str) -> str:
        index = self._columns.of.get(kind)
        return "" if index is None else cells[index]

    def _person(self, number: int, cells: Sequence[str]) -> Person | None:
        """The person, or None with a problem told."""
        before = len(self.problems)
        written = self._cell(cells, MAIL)
        address, shown = self._address(number, written) if written else ("", "")
        name = self._name(number, cells) or shown
        if not name and not address:
            self._wrong(number, NAME, "", "there is neither a name nor an address")
        team = self._cell(cells, TEAM)
        if "," in team or ";" in team:
            self._wrong(number, TEAM, team, "one person can be in one group")
        if len(self.problems) > before:
            return None
        heads = self._columns.heads
        return Person(
            line=number,
            address=address,
            name=name,
            team="" if _plain(team) in {"", *_NO_GROUP} else team,
            organization=self._cell(cells, ORGANIZATION),
            fields={field: self._cell(cells, field) for field in self._own},
            columns=tuple((heads[index], cells[index]) for index in self._order if heads[index]),
        )

    def _wrong(self, number: int, kind: str, cell: str, why: str) -> None:
        index = self._columns.of.get(kind)
        where = f", column `{self._columns.heads[index]}`" if index is not None else ""
        said = f"{quote(cell)!r}: " if cell else ""
        self.problems.append(f"row {number}{where}: {said}{why}")

    def _address(self, number: int, written: str) -> tuple[str, str]:
        """The address, and the name that stands before it in `Ada Lovelace <ada@uni.example>`."""
        text = written.removeprefix("mailto:").strip(_AROUND_ADDRESSES)
        shown, bracket, inside = text.rpartition("<")
        is_shown = bool(bracket) and inside.endswith(">")
        address, why = addresses.check(inside[:-1].strip() if is_shown else text)
        if address is None:
            self._wrong(number, MAIL, written, f"no mail address: {why}")
            return "", ""
        return address, (_in_order(shown.strip(_AROUND_ADDRESSES)) or "") if is_shown else ""

    def _name(self, number: int, cells: Sequence[str]) -> str:
        first, last = self._cell(cells, FIRST), self._cell(cells, LAST)
        if first or last:
            parts = [part for part in (first, last) if part]
            is_double = len(parts) == 2 and first.casefold() in last.casefold().split()
            return (last if is_double else " ".join(parts)).replace(",", " ")
        whole, kind = self._cell(cells, NAME), NAME
        if not whole:
            whole, kind = self._cell(cells, TURNED), TURNED
        name = _in_order(whole, is_turned=kind == TURNED)
        if name is None:
            self._wrong(number, kind, whole, "it has several commas: write the first name first")
        return name or ""

    def _add(self, person: Person) -> None:
        """Add the person, unless a row above is the same one."""
        earlier = self._earlier(person)
        if earlier is None:
            self.people.append(person)
            if person.address:
                self._by_address[person.address.casefold()] = person
            if key := self._key(person):
                self._by_number[key] = person
            self._tell_namesake(person)
            return
        rows = f"rows {earlier.line} and {person.line}"
        if _same(earlier.name, person.name) and earlier.team.casefold() == person.team.casefold():
            spelled = {earlier.address.casefold(), person.address.casefold()} - {""}
            used = f" `{earlier.address}` is used." if len(spelled) > 1 else ""
            self.remarks.append(f"{rows} are one person: {quote(person.name)}.{used}")
        elif _same(earlier.name, person.name):
            self._wrong(
                person.line, TEAM, person.team, f"row {earlier.line} is in {earlier.team!r}"
            )
        else:
            why = f"{quote(earlier.name)} in row {earlier.line} has the address, too"
            self._wrong(person.line, MAIL, person.address, why)

    def _tell_namesake(self, person: Person) -> None:
        namesake = self._by_name.setdefault(_plain(person.name), person)
        if not person.name or namesake is person:
            return
        rows = f"rows {namesake.line} and {person.line}"
        if person.address or namesake.address:
            self.remarks.append(f"{rows} have one name, {quote(person.name)}: two people?")
        else:
            self._wrong(person.line, NAME, person.name, f"row {namesake.line} has the name, too")

    def _earlier(self, person: Person) -> Person | None:
        """The row above with this address, or with this mailbox and name, or with this number and
        name."""
        exact = self._by_address.get(person.address.casefold()) if person.address else None
        key = self._key(person)
        return exact or (self._by_number.get(key) if key else None)

    def _key(self, person: Person) -> tuple[str, str] | None:
        """The student number and the name, which nobody shares; or the mailbox and the name."""
        index = self._columns.of.get(NUMBER)
        number = (
            dict(person.columns).get(self._columns.heads[index], "") if index is not None else ""
        )
        mailbox = addresses.mailbox_of(person.address) if person.address else ""
        return (number or mailbox, _plain(person.name)) if number or mailbox else None


def _one_line(cell: str) -> str:
    """The cell without ends of lines, which stand between words, and with one sign for each
    letter."""
    text = unicodedata.normalize("NFC", cell[:_MAX_CELL_CHARACTERS])
    return visible(_WHITE.sub(" ", text)).strip()


def _plain(name: str) -> str:
    return class_columns.plain(name)


def _same(one: str, other: str) -> bool:
    return _plain(one) == _plain(other)


def _in_order(written: str, *, is_turned: bool = False) -> str | None:
    """The name with the first name in front: `Lovelace, Ada` is turned round; None if nobody knows
    how.

    `is_turned`: the heading says that the last name is in front, also where no comma is. So do
    capitals: `LOVELACE Ada`.
    """
    parts = [part.strip() for part in _IN_BRACKETS.sub("", written).split(",")]
    parts = [part for part in parts if part]
    after = [part for part in parts[1:] if _AFTER_NAMES.fullmatch(part)]
    names = [part for part in parts if part not in after]
    if len(names) > 2:
        return None
    if len(names) == 1 and (is_turned or _LAST_NAME_IN_CAPITALS.match(names[0])):
        names = _split_last_name(names[0])
    return " ".join([*reversed(names), *after])


def _split_last_name(written: str) -> list[str]:
    """The last name, which may be in capitals, and the first: `DE LA CRUZ Ana`, `Lovelace Ada`."""
    words = written.split(" ")
    capitals = 0
    while capitals < len(words) and words[capitals].isupper() and len(words[capitals]) > 1:
        capitals += 1
    cut = capitals if 0 < capitals < len(words) else 1
    last, first = " ".join(words[:cut]), " ".join(words[cut:])
    return [last, first] if first else [last]
