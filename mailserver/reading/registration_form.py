"""The registration form, read tolerantly (K25-K36, R01-R08), with the contest's own fields. Pure.

We repair what a mailer did to a form, with a remark. Where only the team can decide,
we refuse the form; the answer names all such places, with line numbers and the right form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from contest.config.settings import Settings
from contest.language import gettext, ngettext, noted
from contest.mail.form import (
    ADDRESS,
    MEMBERS,
    ORGANIZATION,
    PREFERENCE,
    TEAM_NAME,
    Form,
    blank,
    field_names,
    is_in_c,
    own_fields,
    sample,
    sample_value,
)
from contest.model import Member, Registration
from contest.schema.sections import MAX_FIELD_VALUE, ExtraField, Teams, spelling
from contest.util.sanitize import ZERO_WIDTH, is_invisible, quote, visible, without_zero_width
from mailserver.problem import Problem
from mailserver.reading import addresses, members, team_names
from mailserver.reading.members import MAX_MEMBER_TEXT, Line
from mailserver.reading.part_text import was_wrapped

NONE = "none"  # in place of codes: no reports
MAX_ORGANIZATION = 500
MAX_PROBLEMS = 20
MAX_LINES = 400
MAX_LINE_CHARACTERS = 2_000  # no field and no member may have so many
_MAX_ATTRIBUTION_LINES = 3

_NO_FORM = Problem(noted("There is no registration form in the text of the letter."))

_ANY_FIELD = re.compile(r"\s*[A-Za-z][\w-]*( [\w-]+){0,2}\s*:")
_SIGNS = re.compile(r"[\W_]")
_MAX_NAME = 40  # characters of something that may be meant as a field's name
# Some scripts need characters without a width within a word; the others mean nothing anywhere. A
# run of them is read once, from its beginning.
_UNSEEN = re.compile(
    rf"(?<![^\s:,]){ZERO_WIDTH}++|(?<!{ZERO_WIDTH}){ZERO_WIDTH}++(?![^\s,])"
    r"|[\u00ad\u200b\u200e\u200f\u2060\ufeff]"
)
# blanks, left over from quoted-printable
_ENCODED_END = re.compile(r"(?<!=20)(?<!=09)(?>(?:=20|=09)+)$")
_DASHES = re.compile(r"\s*[-_=]{3,}\s*")
_SAMPLE_HEADER = re.compile(r"\s*(to|from|subject|date|cc)\s*:", re.IGNORECASE)


@dataclass(frozen=True)
class Field:
    """A field as it was found: its name as in the form, its value, and the lines below it."""

    name: str
    line: Line
    value: str
    below: tuple[Line, ...] = ()
    is_guess: bool = False  # the name was written in another way, of which a problem tells


@dataclass(frozen=True)
class FormResult:
    """What the letter says. `registration` is None if there are problems, `form` if the team wrote
    none."""

    registration: Registration | None
    problems: tuple[Problem, ...]
    remarks: tuple[str, ...]
    form: Form | None


def read(lines: Sequence[str], settings: Settings) -> FormResult:
    """The registration in these lines, or everything that is wrong with it."""
    order = _known_names(settings.teams)
    texts = (text[:MAX_LINE_CHARACTERS].expandtabs() for text in lines[:MAX_LINES])
    own = _without_quotes([Line(number, text) for number, text in enumerate(texts, 1)], order)
    scan = _Scan(order, own)
    for line in own:
        scan.take(line)
    right = {field.name for field in scan.fields if not field.is_guess}
    found = [field for field in scan.fields if not (field.is_guess and field.name in right)]
    fields = {field.name: field for field in reversed(found)}
    if not fields:
        return FormResult(None, (replace(_NO_FORM, text=gettext(_NO_FORM.text)),), (), None)
    values = _Values(fields, settings)
    problems = tuple(
        sorted(
            (
                *_too_long(own, lines),
                *scan.problems,
                *_structure(found, settings),
                *values.problems,
            ),
            key=lambda p: p.line or 10**6,
        )
    )
    if len(lines) > MAX_LINES:
        problems = (
            Problem(
                gettext(
                    "The letter has %(lines)s lines, more than a form can have.", lines=len(lines)
                )
            ),
            *problems,
        )
    quotes = (
        [gettext("quoted lines of another letter were left out")]
        if len(own) < min(len(lines), MAX_LINES)
        else []
    )
    remarks = tuple(dict.fromkeys(quotes + scan.remarks + values.remarks))
    registration = None if problems else values.registration
    return FormResult(registration, problems[:MAX_PROBLEMS], remarks, _written(fields, settings))


def _too_long(own: Sequence[Line], lines: Sequence[str]) -> Iterator[Problem]:
    """The lines of the form of which only the beginning was read."""
    for line in own:
        length = len(lines[line.number - 1].rstrip())
        if length > MAX_LINE_CHARACTERS:
            text = gettext(
                "The line has %(length)s characters; a line of the form has at most"
                " %(max_line_characters)s.",
                length=length,
                max_line_characters=MAX_LINE_CHARACTERS,
            )
            yield line.wrong(text)


def holds_form(lines: Sequence[str], settings: Settings) -> bool:
    """Whether a team has written a form, or a part of one: two fields that say more than our
    samples do."""
    field_line = _field_line(_known_names(settings.teams))
    ours = {
        line.strip()
        for form in (blank(settings), sample(settings))
        for line in form.text.split("\n")
    }
    written = (field_line.fullmatch(line) for line in lines[:MAX_LINES] if line.strip() not in ours)
    return len({spelling(found[1]) for found in written if found and found[3].strip()}) > 1


def _known_names(teams: Teams) -> tuple[str, ...]:
    """The names of all fields that a form may have."""
    return tuple(dict.fromkeys((*field_names(teams), *(field.name for field in own_fields(teams)))))


def _without_quotes(lines: Sequence[Line], order: tuple[str, ...]) -> Sequence[Line]:
    """The form without a quoted letter above or below it, and without `Joe wrote:` above that.

    All lines, if no field is outside of the quoted lines.
    """
    field_line = _field_line(order)
    own = [line for line in lines if not line.text.startswith(">")]
    if len(own) == len(lines) or not any(field_line.fullmatch(line.text) for line in own):
        return lines
    kept: list[Line] = []
    for line in lines:
        if not line.text.startswith(">"):
            kept.append(line)
        elif kept and not (line.number > 1 and lines[line.number - 2].text.startswith(">")):
            kept = _without_attribution(kept, field_line)
    return kept


def _without_attribution(lines: list[Line], field_line: re.Pattern[str]) -> list[Line]:
    """The lines without the last words, if they introduce what follows and are no field."""
    end = len(lines)
    while end and not lines[end - 1].text.strip():
        end -= 1
    start = end
    while start and end - start < _MAX_ATTRIBUTION_LINES and lines[start - 1].text.strip():
        start -= 1
    words = lines[start:end]
    introduces = words and words[-1].text.rstrip().endswith(":")
    is_other = introduces and not any(field_line.fullmatch(line.text) for line in words)
    return lines[:start] if is_other else lines


# --- lines -> fields ------------------------------------------------------------------------------
@lru_cache(maxsize=16)
def _field_line(order: tuple[str, ...]) -> re.Pattern[str]:
    """A line with one of these fields: as it is written, blanks before the colon, and the value."""
    spellings = (re.escape(name).replace(r"\-", "[-_ ]?") for name in order)
    return re.compile(rf"\s*({'|'.join(spellings)})(\s*):(.*)", re.IGNORECASE)


class _Scan:
    """Sorts lines, one after the other, into the fields that `order` names."""

    def __init__(self, order: tuple[str, ...], lines: Sequence[Line]) -> None:
        self._field_line = _field_line(order)
        self._names = {spelling(name): name for name in order}
        named = (self._field_line.fullmatch(self._plain(line)) for line in lines)
        self._given = {spelling(match[1]) for match in named if match}
        self.fields: list[Field] = []
        self.problems: list[Problem] = []
        self.remarks: list[str] = []
        self._open = False  # the last field may still go on
        self._previous = ""

    def take(self, line: Line) -> None:
        if _DASHES.fullmatch(line.text):
            return
        plain = self._plain(line)
        if plain != line.text:
            self.remarks.append(
                gettext(
                    "invisible characters were taken out of line %(number)s", number=line.number
                )
            )
        line = Line(line.number, plain)
        if any(map(is_invisible, line.text)):
            self.problems.append(
                line.wrong(gettext("There are control characters or invisible ones in it."))
            )
        match = self._field_line.fullmatch(line.text)
        if match:
            self._field(line, match)
        elif not line.text.strip():
            self._open = self._open and self.fields[-1].name == MEMBERS
        elif self._belongs_below(line):
            self._below(line)
        elif self.fields or not _SAMPLE_HEADER.match(line.text):
            self.problems.append(self._stray(line))
        self._previous = line.text

    @staticmethod
    def _plain(line: Line) -> str:
        """The line without what nobody sees, as far as it means nothing."""
        name, colon, value = line.text.partition(":")
        text = without_zero_width(name) + colon + _UNSEEN.sub("", value) if colon else line.text
        return _ENCODED_END.sub("", _UNSEEN.sub("", text))

    def _field(self, line: Line, match: re.Match[str]) -> None:
        name = self._names[spelling(match[1])]
        value = " ".join(match[3].split())
        if match[1] != name or match[2] or line.text.startswith(" "):
            self.remarks.append(
                gettext("line %(number)s was read as `%(name)s:`", number=line.number, name=name)
            )
        self.fields.append(Field(name, line, value))
        self._open = True

    def _belongs_below(self, line: Line) -> bool:
        """Whether the line continues the field above: in team-members any does, elsewhere a folded
        or wrapped one (K26).

        But a line that nearly has the name of a field that is nowhere in the letter is meant for
        that field.
        """
        if not self._open or self._nearest(line) not in ("", *self._given):
            return False
        is_text = self.fields[-1].name not in (ADDRESS, PREFERENCE, TEAM_NAME)
        wrapped = is_text and was_wrapped(self._previous, line.text)
        return self.fields[-1].name == MEMBERS or line.text.startswith(" ") or wrapped

    def _nearest(self, line: Line) -> str:
        """The spelling of the field whose name the line nearly has; "" if it has none of ours."""
        name, colon, _ = line.text.partition(":")
        written = _SIGNS.sub("", name).casefold()
        is_name = colon and len(written) <= _MAX_NAME
        return next(iter(get_close_matches(written, self._names, n=1)), "") if is_name else ""

    def _stray(self, line: Line) -> Problem:
        near = self._nearest(line)
        if near:
            meant, value = self._names[near], line.text.partition(":")[2]
            self.fields.append(Field(meant, line, " ".join(value.split()), is_guess=True))
            self._open = True
            text = gettext(
                "There is no such field in the form. Did you mean `%(meant)s:`?", meant=meant
            )
        elif _ANY_FIELD.match(line.text):
            text = gettext("There is no such field in the form.")
        else:
            text = gettext(
                "This line does not belong to the form; please send additional words in a separate"
                " letter to the organizer."
            )
        return line.wrong(text)

    def _below(self, line: Line) -> None:
        field = self.fields[-1]
        if field.name == MEMBERS:
            self.fields[-1] = replace(field, below=(*field.below, line))
            return
        self.fields[-1] = replace(
            field, value=f"{field.value} {' '.join(line.text.split())}".strip()
        )
        self.remarks.append(
            gettext(
                "line %(number)s was read as the rest of `%(field)s:`",
                number=line.number,
                field=field.name,
            )
        )


def _structure(fields: Sequence[Field], settings: Settings) -> Iterator[Problem]:
    """Fields that are missing, given twice, or out of order."""
    order = field_names(settings.teams)
    optional = {field.name for field in own_fields(settings.teams) if not field.required}
    seen: list[str] = []
    for field in fields:
        if field.name in seen:
            yield field.line.wrong(gettext("`%(field)s:` is given twice.", field=field.name))
        elif field.name not in order:
            continue  # the language, which has no place of its own
        elif seen and order.index(field.name) < order.index(seen[-1]):
            text = gettext(
                "`%(field)s:` comes after `%(seen)s:`; the right order is %(order)s.",
                field=field.name,
                seen=seen[-1],
                order=", ".join(order),
            )
            yield field.line.wrong(text)
        seen.append(field.name)
    for name in order:
        if name not in seen and name not in optional:
            yield Problem(
                gettext("The field `%(name)s:` is missing.", name=name),
                expected=_expected(name, settings),
            )


# --- fields -> values -----------------------------------------------------------------------------
def _expected(name: str, settings: Settings) -> str:
    """The right form of a field."""
    if name == MEMBERS:
        return members.expected(settings.teams.member_lines)
    if name == PREFERENCE:
        return sample_preferences(settings)
    fields = own_fields(settings.teams)
    own = {field.name: " | ".join(field.choices) or sample_value(field) for field in fields}
    examples = {
        ADDRESS: "name@machine.domain",
        TEAM_NAME: "the_heavy_lords_of_knobeln"
        if is_in_c(settings)
        else sample(settings).team_name,
        ORGANIZATION: "institution, city, country",
        **own,
    }
    return f"{name}: {examples[name]}"


def sample_preferences(settings: Settings) -> str:
    """An example of the field."""
    return f"{PREFERENCE}: {sample(settings).preferences}".rstrip()


class _Values:
    """Reads the value of each field that is there, and collects what is wrong with it."""

    def __init__(self, fields: dict[str, Field], settings: Settings) -> None:
        self._settings = settings
        self.problems: list[Problem] = []
        self.remarks: list[str] = []
        readers = {
            ADDRESS: self._address,
            PREFERENCE: self._preferences,
            TEAM_NAME: self._team_name,
            ORGANIZATION: self._organization,
            MEMBERS: self._members,
        }
        found = {name: read_it(fields[name]) for name, read_it in readers.items() if name in fields}
        if ORGANIZATION not in field_names(settings.teams):
            found[ORGANIZATION] = ""
        own = tuple(
            (field.name, value)
            for field in own_fields(settings.teams)
            if field.name in fields and (value := self._own(field, fields[field.name]))
        )
        self.registration: Registration | None = None
        if len(found) == len(readers) and not self.problems:
            usual = Registration(*(found[name] for name in readers))  # type: ignore[arg-type]
            self.registration = replace(usual, fields=own)

    def _wrong(self, field: Field, text: str) -> None:
        line = field.line
        right = _expected(field.name, self._settings)
        self.problems.append(Problem(text, line.number, line.text, right, field.name == PREFERENCE))

    def _address(self, field: Field) -> str:
        address, why = addresses.check(field.value)
        if address is None:
            reason = why[:1].lower() + why[1:].rstrip(".")
            self._wrong(
                field, gettext("I cannot use this mail address: %(reason)s.", reason=reason)
            )
            return ""
        if addresses.is_one_of(address, self._settings.contest.addresses):
            self._wrong(field, gettext("This is the contest's own address, not yours."))
        return address

    def _preferences(self, field: Field) -> tuple[str, ...]:
        codes = [code.strip() for code in field.value.split(",") if code.strip()]
        if [code.casefold() for code in codes] == [NONE]:
            return ()
        offered = self._settings.reports.offered
        for text in wrong_codes(codes, offered):
            self._wrong(field, text)
        return tuple(code for code in dict.fromkeys(codes) if code in offered)

    def _team_name(self, field: Field) -> str:
        fault = team_names.fault(field.value, in_c=is_in_c(self._settings))
        if fault:
            self._wrong(field, fault)
        return field.value

    def _organization(self, field: Field) -> str:
        if not field.value or field.value == blank(self._settings).organization:
            self._wrong(field, gettext("The organization is missing."))
        if len(field.value) > MAX_ORGANIZATION:
            text = gettext(
                "The organization has %(value)s characters; %(max_organization)s are allowed.",
                value=len(field.value),
                max_organization=MAX_ORGANIZATION,
            )
            self._wrong(field, text)
        return field.value

    def _own(self, rule: ExtraField, field: Field) -> str:
        """The value of the contest's own field; "" where the team left it empty, as it may."""
        value = field.value
        choice = next((c for c in rule.choices if c.casefold() == value.casefold()), "")
        if not value or value == dict(blank(self._settings).fields).get(rule.name):
            if rule.required:
                self._wrong(field, gettext("`%(rule)s:` is empty.", rule=rule.name))
            return ""
        if rule.choices and not choice:
            choices = ", ".join(rule.choices)
            text = gettext(
                "`%(value)s` is not one of %(choices)s.", value=quote(value), choices=choices
            )
            self._wrong(field, text)
        elif len(value) > MAX_FIELD_VALUE:
            text = gettext(
                "`%(rule)s:` has %(value)s characters; %(max_field_value)s are allowed.",
                rule=rule.name,
                value=len(value),
                max_field_value=MAX_FIELD_VALUE,
            )
            self._wrong(field, text)
        return choice or value

    def _members(self, field: Field) -> tuple[Member, ...]:
        found = members.read(_member_lines(field), self._settings.teams.member_lines)
        self.problems += found.problems
        if found.joined:
            self.remarks.append(gettext(members.JOINED))
        most = self._settings.teams.max_members
        if found.count > most:
            allowed = ngettext("%(num)s is allowed", "%(num)s are allowed", most)
            # The writer may count lines that are wrong in another way.
            text = noted("The team has %(count)s members, at most %(allowed)s.")
            if found.problems:
                text = noted("The team seems to have %(count)s members, at most %(allowed)s.")
            self._wrong(field, gettext(text, count=found.count, allowed=allowed))
        return found.members


def _member_lines(field: Field) -> tuple[Line, ...]:
    """The lines below the field; text after its colon counts as one of them, with the same
    indent."""
    indent = (
        " " * (len(field.below[0].text) - len(field.below[0].text.lstrip())) if field.below else ""
    )
    inline = (Line(field.line.number, indent + field.value),) if field.value else ()
    return inline + field.below


def wrong_codes(codes: Sequence[str], offered: Sequence[str]) -> Iterator[str]:
    """A sentence for each code that the contest does not offer, or that is not written as it should
    be.

    They are about the first few such codes, if there are many.
    """
    return islice(_wrong_codes(codes, offered), MAX_PROBLEMS)


def _wrong_codes(codes: Sequence[str], offered: Sequence[str]) -> Iterator[str]:
    known = ", ".join(offered)
    for code in dict.fromkeys(codes):
        if not offered:
            yield gettext("This contest offers no reports; please leave the field empty.")
            return
        if code in offered and codes.count(code) > 1:
            yield gettext("%(code)s is given twice.", code=code)
        elif code not in offered and code.upper() in offered:
            yield gettext(
                "Please write `%(code)s` in capitals: %(upper)s.", code=code, upper=code.upper()
            )
        elif code not in offered:
            yield gettext(
                "`%(code)s` is not one of %(known)s (separated by commas).",
                code=quote(code),
                known=known,
            )


# --- the filled form ------------------------------------------------------------------------------
def _written(fields: dict[str, Field], settings: Settings) -> Form:
    """The form as the team wrote it, in the right layout; missing fields are as in the empty
    form."""
    asked = blank(settings)
    asked_for = dict(asked.fields)
    return Form(
        _value(fields, ADDRESS) or asked.address,
        _value(fields, PREFERENCE),
        _value(fields, TEAM_NAME) or asked.team_name,
        _value(fields, ORGANIZATION)[:MAX_ORGANIZATION] or asked.organization,
        tuple(_written_members(fields.get(MEMBERS), settings)) or asked.members,
        tuple(
            (name, _value(fields, name)[:MAX_FIELD_VALUE] or asked_for[name])
            for name in (field.name for field in own_fields(settings.teams))
            if name in asked_for or name in fields
        ),
    )


def _value(fields: dict[str, Field], name: str) -> str:
    return visible(fields[name].value) if name in fields else ""


def _written_members(field: Field | None, settings: Settings) -> Iterable[str]:
    if field is None:
        return ()
    lines = _member_lines(field)[: 2 * MAX_PROBLEMS]
    complete = members.complete_lines(lines, settings.teams.member_lines)
    return (visible(line.text)[:MAX_MEMBER_TEXT] for line in complete)
