"""The registration form, read tolerantly (K25-K36, R01-R08). Pure.

What a mailer does to a form is mended with a remark; what the team must decide is refused, all of it at once,
with the number of the line and the right form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from knobeln.config import Settings
from knobeln.form import ADDRESS, FIELDS, MEMBERS, ORGANIZATION, PLACEHOLDER, PREFERENCE, TEAM_NAME, Form
from knobeln.model import MailPreference, Member, Registration
from mailserver import addresses, names
from mailserver.problem import Problem, has_invisible, quote, visible
from mailserver.text import was_wrapped

MAX_ORGANIZATION = 500
MAX_MEMBER_TEXT = 200
MAX_AGE = 150
MAX_PROBLEMS = 20
MAX_LINES = 400

_FIELD = re.compile(rf"\s*({'|'.join(f.replace('-', '[-_ ]?') for f in FIELDS)})(\s*):(.*)", re.IGNORECASE)
_ANY_FIELD = re.compile(r"\s*[A-Za-z][\w-]*( [\w-]+){0,2}\s*:")
_DASHES = re.compile(r"\s*[-_=]{3,}\s*")
_SAMPLE_HEADER = re.compile(r"\s*(to|from|subject|date|cc)\s*:", re.IGNORECASE)
_FIRST_LINE = re.compile(r"([^,]+),([^,]+),(.*)")
_AGE = re.compile(r"0*[1-9][0-9]{0,2}")
_SPELLINGS = {field.replace("-", "").casefold(): field for field in FIELDS}


@dataclass(frozen=True)
class Line:
    number: int  # from 1
    text: str


@dataclass(frozen=True)
class Field:
    """A field as it was found: its name as in the form, its value, and the lines below it."""

    name: str
    line: Line
    value: str
    below: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What was read. `registration` is None when there are problems. `form` shows what the team wrote."""

    registration: Registration | None
    problems: tuple[Problem, ...]
    remarks: tuple[str, ...]
    form: Form


def read(lines: Sequence[str], settings: Settings) -> Reading:
    """The registration in these lines, or everything that is wrong with it."""
    scan = _Scan()
    for number, text in enumerate(lines[:MAX_LINES], 1):
        scan.take(Line(number, text.expandtabs()))
    fields = {field.name: field for field in reversed(scan.fields)}
    if not fields:
        return Reading(None, (_no_form(),), (), PLACEHOLDER)
    values = _Values(fields, settings)
    problems = tuple(
        sorted((*scan.problems, *_structure(scan.fields), *values.problems), key=lambda p: p.line or 10**6)
    )
    if len(lines) > MAX_LINES:
        problems = (Problem(f"The letter has {len(lines)} lines, more than a form can have."), *problems)
    remarks = tuple(dict.fromkeys(scan.remarks + values.remarks))
    registration = None if problems else values.registration
    return Reading(registration, problems[:MAX_PROBLEMS], remarks, _written(fields))


def _no_form() -> Problem:
    return Problem("There is no registration form in the text of the letter.")


# --- lines -> fields -------------------------------------------------------------------------------------
class _Scan:
    """Takes the lines one after the other and sorts them into fields."""

    def __init__(self) -> None:
        self.fields: list[Field] = []
        self.problems: list[Problem] = []
        self.remarks: list[str] = []
        self._open = False  # the last field may still go on
        self._previous = ""

    def take(self, line: Line) -> None:
        if _DASHES.fullmatch(line.text):
            return
        if has_invisible(line.text):
            self.problems.append(
                Problem("There are control characters or invisible ones in it.", line.number, line.text)
            )
        match = _FIELD.fullmatch(line.text)
        if match:
            self._field(line, match)
        elif not line.text.strip():
            self._open = self._open and self.fields[-1].name == MEMBERS
        elif self._belongs_below(line):
            self._below(line)
        elif self.fields or not _SAMPLE_HEADER.match(line.text):
            self.problems.append(_stray(line))
        self._previous = line.text

    def _field(self, line: Line, match: re.Match[str]) -> None:
        name = _SPELLINGS[re.sub(r"[-_ ]", "", match[1]).casefold()]
        value = " ".join(match[3].split())
        if match[1] != name or match[2] or line.text.startswith(" "):
            self.remarks.append(f"line {line.number} was read as `{name}:`")
        self.fields.append(Field(name, line, value))
        self._open = True

    def _belongs_below(self, line: Line) -> bool:
        """A line goes on with the field above: in team-members any, elsewhere folded or wrapped (K26)."""
        if not self._open:
            return False
        wrapped = self.fields[-1].name == ORGANIZATION and was_wrapped(self._previous, line.text)
        return self.fields[-1].name == MEMBERS or line.text.startswith(" ") or wrapped

    def _below(self, line: Line) -> None:
        field = self.fields[-1]
        if field.name == MEMBERS:
            self.fields[-1] = replace(field, below=(*field.below, line))
            return
        self.fields[-1] = replace(field, value=f"{field.value} {' '.join(line.text.split())}".strip())
        self.remarks.append(f"line {line.number} was read as the rest of `{field.name}:`")


def _stray(line: Line) -> Problem:
    if _ANY_FIELD.match(line.text):
        return Problem("There is no such field in the form.", line.number, line.text)
    return Problem(
        "This line does not belong to the form; please send additional words in a separate letter to the "
        "organizer.",
        line.number,
        line.text,
    )


def _structure(fields: Sequence[Field]) -> Iterator[Problem]:
    """Fields that are missing, given twice, or out of order."""
    seen: list[str] = []
    for field in fields:
        if field.name in seen:
            yield Problem(f"`{field.name}:` is given twice.", field.line.number, field.line.text)
        elif seen and FIELDS.index(field.name) < FIELDS.index(seen[-1]):
            yield Problem(
                f"`{field.name}:` stands behind `{seen[-1]}:`; the right order is {', '.join(FIELDS)}.",
                field.line.number,
                field.line.text,
            )
        seen.append(field.name)
    for name in FIELDS:
        if name not in seen:
            yield Problem(f"The field `{name}:` is missing.", expected=_EXPECTED[name])


# --- fields -> values ------------------------------------------------------------------------------------
_EXPECTED = {
    ADDRESS: f"{ADDRESS}: name@machine.domain",
    PREFERENCE: f"{PREFERENCE}: LAP,DGP,GRG,RSM",
    TEAM_NAME: f"{TEAM_NAME}: the_heavy_lords_of_knobeln",
    ORGANIZATION: f"{ORGANIZATION}: institution, city, country",
    MEMBERS: (
        f"{MEMBERS}:\n  name, age in years, occupation,\n  computer science and programming background"
    ),
}


class _Values:
    """Reads the value of each field that is there, and collects what is wrong with it."""

    def __init__(self, fields: dict[str, Field], settings: Settings) -> None:
        self._settings = settings
        self.problems: list[Problem] = []
        self.remarks: list[str] = []
        values = {
            ADDRESS: self._address,
            PREFERENCE: self._preferences,
            TEAM_NAME: self._team_name,
            ORGANIZATION: self._organization,
            MEMBERS: self._members,
        }
        found = {name: values[name](field) for name, field in fields.items()}
        self.registration: Registration | None = None
        if len(found) == len(FIELDS) and not self.problems:
            self.registration = Registration(*(found[name] for name in FIELDS))  # type: ignore[arg-type]

    def _wrong(self, field: Field, text: str) -> None:
        line = field.line
        self.problems.append(Problem(text, line.number, line.text, _EXPECTED[field.name]))

    def _address(self, field: Field) -> str:
        address, why = addresses.check(field.value)
        if address is None:
            self._wrong(field, f"This is no usable mail address: {why.rstrip('.')}.")
            return ""
        contest = self._settings.contest
        if addresses.is_one_of(address, (contest.address, *contest.aliases)):
            self._wrong(field, "This is the contest's own address, not yours.")
        return address

    def _preferences(self, field: Field) -> tuple[MailPreference, ...]:
        codes = [code.strip() for code in field.value.split(",") if code.strip()]
        for text in _wrong_codes(codes):
            self._wrong(field, text)
        return tuple(MailPreference(code) for code in dict.fromkeys(codes) if code in _CODES)

    def _team_name(self, field: Field) -> str:
        fault = names.fault(field.value)
        if fault:
            self._wrong(field, fault)
        return field.value

    def _organization(self, field: Field) -> str:
        if not field.value or field.value == PLACEHOLDER.organization:
            self._wrong(field, "The organization is missing.")
        if len(field.value) > MAX_ORGANIZATION:
            self._wrong(
                field,
                f"The organization has {len(field.value)} characters; {MAX_ORGANIZATION} are allowed.",
            )
        return field.value

    def _members(self, field: Field) -> tuple[Member, ...]:
        inline = (Line(field.line.number, field.value),) if field.value else ()
        lines = inline + field.below
        pairs = _pairs(lines) or _pairs(_unfolded(lines))
        if pairs is None:
            self.problems += _member_problems(lines)
            return ()
        if len(pairs) * 2 != len(lines):
            self.remarks.append("lines of team-members that were broken in two were joined again")
        most = self._settings.teams.max_members
        if len(pairs) > most:
            self._wrong(field, f"The team has {len(pairs)} members, at most {most} are allowed.")
        self.problems += [p for first, second in pairs for p in _too_long(first, second)]
        return tuple(_member(first, second) for first, second in pairs)


_CODES = frozenset(MailPreference)


def _wrong_codes(codes: Sequence[str]) -> Iterator[str]:
    known = ", ".join(MailPreference)
    for code in dict.fromkeys(codes):
        if code in _CODES and codes.count(code) > 1:
            yield f"{code} is given twice."
        elif code not in _CODES and code.upper() in _CODES:
            yield f"Please write `{code}` in capitals: {code.upper()}."
        elif code not in _CODES:
            yield f"`{quote(code)}` is none of {known} (separated by commas)."


# --- team-members ----------------------------------------------------------------------------------------
def _pairs(lines: Sequence[Line]) -> tuple[tuple[Line, Line], ...] | None:
    """Two lines for each member (K35); None where that does not come out."""
    firsts, seconds = lines[::2], lines[1::2]
    if not lines or len(firsts) != len(seconds) or not all(_is_first(line) for line in firsts):
        return None
    return tuple(zip(firsts, seconds, strict=True))


def _unfolded(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines that stand further in than the first one joined to the line above."""
    result: list[Line] = []
    for line in lines:
        if result and _indent(line) > _indent(lines[0]):
            result[-1] = Line(result[-1].number, f"{result[-1].text} {line.text.strip()}")
        else:
            result.append(line)
    return tuple(result)


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _is_first(line: Line) -> bool:
    return not _first_line_fault(line.text)


def _first_line_fault(text: str) -> str:
    match = _FIRST_LINE.fullmatch(text.strip())
    if not match or not match[1].strip():
        return "This should be the first line of a member: name, age in years, occupation."
    if not _AGE.fullmatch(match[2].strip()) or int(match[2]) > MAX_AGE:
        return f"The age should be a number from 1 to {MAX_AGE}, not `{quote(match[2])}`."
    if not match[3].strip(" ,"):
        return "The occupation is missing behind the age."
    return ""


def _member(first: Line, second: Line) -> Member:
    match = _FIRST_LINE.fullmatch(first.text.strip())
    assert match, "only lines that _is_first has accepted come here"  # noqa: S101
    name, age, occupation = (" ".join(part.split()) for part in match.groups())
    return Member(name, int(age), occupation.rstrip(" ,"), " ".join(second.text.split()))


def _too_long(first: Line, second: Line) -> Iterator[Problem]:
    for line in (first, second):
        if len(line.text.strip()) > MAX_MEMBER_TEXT:
            yield Problem(
                f"A line about a member has at most {MAX_MEMBER_TEXT} characters.", line.number, line.text
            )


def _member_problems(lines: Sequence[Line]) -> Iterator[Problem]:
    """Why these lines are not two for each member."""
    expected = _EXPECTED[MEMBERS]
    if not lines:
        yield Problem("There are no team members.", expected=expected)
    elif len(lines) % 2 == 0:
        for line in lines[::2]:
            if not _is_first(line):
                yield Problem(_first_line_fault(line.text), line.number, line.text, expected)
    else:
        yield from _odd_members(lines)


def _odd_members(lines: Sequence[Line]) -> Iterator[Problem]:
    """An odd number of lines: who has one too few or too many? A first line is known by its age."""
    expected = _EXPECTED[MEMBERS]
    groups: list[list[Line]] = []
    for line in lines:
        if _is_first(line) or not groups:
            groups.append([line])
        else:
            groups[-1].append(line)
    for group in groups:
        fault = _first_line_fault(group[0].text)
        if fault:
            yield Problem(fault, group[0].number, group[0].text, expected)
        elif len(group) != 2:
            yield Problem(
                f"Each member takes exactly two lines, this one has {len(group)}.",
                group[0].number,
                group[0].text,
                expected,
            )


# --- the filled form -------------------------------------------------------------------------------------
def _written(fields: dict[str, Field]) -> Form:
    """What the team wrote, in the right form; what is missing as the form asks for it."""
    return Form(
        _value(fields, ADDRESS) or PLACEHOLDER.address,
        _value(fields, PREFERENCE),
        _value(fields, TEAM_NAME) or PLACEHOLDER.team_name,
        _value(fields, ORGANIZATION)[:MAX_ORGANIZATION] or PLACEHOLDER.organization,
        tuple(_written_members(fields.get(MEMBERS))) or PLACEHOLDER.members,
    )


def _value(fields: dict[str, Field], name: str) -> str:
    return visible(fields[name].value) if name in fields else ""


def _written_members(field: Field | None) -> Iterable[str]:
    if field is None:
        return ()
    texts = [field.value] if field.value else []
    texts += [line.text for line in field.below[: 2 * MAX_PROBLEMS]]
    return (visible(text)[:MAX_MEMBER_TEXT] for text in texts)
