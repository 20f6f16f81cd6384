"""The registration form, read tolerantly (K25-K36, R01-R08), with the contest's own fields. Pure.

We repair what a mailer did to a form, with a remark. Where only the team can decide,
we refuse the form; the answer names all such places, with line numbers and the right form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import islice

from contest.config.settings import Settings
from contest.language import SOURCE, gettext, ngettext, noted, speaking
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
from mailserver.reading import addresses, form_in_letter, html, members, team_names
from mailserver.reading.form_in_letter import DASHES, FormLines, Names
from mailserver.reading.members import MAX_MEMBER_TEXT, Line
from mailserver.reading.part_text import was_wrapped

NONE = "none"  # in place of codes: no reports
MAX_ORGANIZATION = 500
MAX_PROBLEMS = 20
MAX_LINES = 400
MAX_LINE_CHARACTERS = 2_000  # no field and no member may have so many

_NO_FORM = Problem(noted("There is no registration form in the text of the letter."))

_ESCAPED = re.compile(r"&(?:[lg]t|nbsp|amp|quot);")
_LONE_BULLET = re.compile(r"\s*[-*+•·▪◦]\s*")
_ANY_FIELD = re.compile(r"\s*[A-Za-z][\w-]*( [\w-]+){0,2}\s*:")
_BLANK = re.compile(r"<[^<>\n]{1,80}>")
_UNFILLED = noted("`%(blank)s` is still to be filled in.")
_SIGNS = re.compile(r"[\W_]")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())
_MAX_NAME = 40  # characters of something that may be meant as a field's name
# Some scripts need characters without a width within a word; the others mean nothing anywhere. A
# run of them is read once, from its beginning.
_UNSEEN = re.compile(
    rf"(?<![^\s:,]){ZERO_WIDTH}++|(?<!{ZERO_WIDTH}){ZERO_WIDTH}++(?![^\s,])"
    r"|[\u00ad\u200b\u200e\u200f\u2060\ufeff]"
)
# blanks, left over from quoted-printable
_ENCODED_END = re.compile(r"(?<!=20)(?<!=09)(?>(?:=20|=09)+)$")
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
    form = _form_lines(lines, settings)
    own = form.lines
    scan = _Scan(order, own, blanks(settings))
    for line in own:
        scan.take(line)
    right = {field.name for field in scan.fields if not field.is_guess}
    found = [field for field in scan.fields if not (field.is_guess and field.name in right)]
    cleaned = _Cleaned(settings)
    fields = {field.name: cleaned.field(field) for field in reversed(found)}
    if not fields:
        return FormResult(None, (replace(_NO_FORM, text=gettext(_NO_FORM.text)),), (), None)
    values = _Values(fields, settings)
    problems = tuple(
        sorted(
            (
                *_too_long(own, lines),
                *scan.problems,
                *_structure(found, settings),
                *_unclear(form.unclear, settings),
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
    remarks = tuple(
        dict.fromkeys([*form.remarks, *scan.remarks, *cleaned.remarks, *values.remarks])
    )
    registration = None if problems else values.registration
    return FormResult(registration, problems[:MAX_PROBLEMS], remarks, _written(fields, settings))


def _form_lines(lines: Sequence[str], settings: Settings) -> FormLines:
    """The lines of the form in these lines of a letter."""
    order = _known_names(settings.teams)
    field_line, table_row = _field_line(order), _table_row(order)
    names = {spelling(name): name for name in order}

    @cache  # the lines are looked at several times
    def name_of(text: str) -> str:
        found = field_line.fullmatch(_plain(text))
        return names[spelling(found[1])] if found else ""

    def name_near(text: str) -> str:
        return _nearest(text, names)

    cut = (_unescaped(text[:MAX_LINE_CHARACTERS]) for text in lines[:MAX_LINES])
    items = ("" if _LONE_BULLET.fullmatch(text) else text for text in cut)
    rows = (table_row.sub(r"\1\2: \3", text) for text in items)
    numbered = [
        Line(number, text.expandtabs()[:MAX_LINE_CHARACTERS]) for number, text in enumerate(rows, 1)
    ]
    known = Names(name_of, name_near, blanks(settings))
    return form_in_letter.form_in(numbered, known, settings.teams.member_lines)


def _unescaped(text: str) -> str:
    """The line without `&gt;` and the like, which some web mailers leave in plain text."""
    return html.unescaped(text).replace("\u00a0", " ") if _ESCAPED.search(text) else text


def _unclear(lines: Sequence[Line], settings: Settings) -> Iterator[Problem]:
    """The lines below the form that may be the names of members, or of whoever signed."""
    for line in lines:
        text = gettext(
            "I cannot tell whether this is a member: please write all members directly below each"
            " other, and nothing else below them."
        )
        yield line.wrong(text, members.expected(settings.teams.member_lines))


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
    order = _known_names(settings.teams)
    if not _may_name_a_field(lines, order):
        return False
    field_line = _field_line(order)
    ours = {
        line.strip()
        for form in (blank(settings), sample(settings))
        for line in form.text.split("\n")
    }
    form = _form_lines(lines, settings)
    written = (
        field_line.fullmatch(_plain(line.text))
        for line in form.lines
        if line.text.strip() not in ours
    )
    return len({spelling(found[1]) for found in written if found and found[2].strip()}) > 1


def _may_name_a_field(lines: Sequence[str], order: tuple[str, ...]) -> bool:
    """Whether a field's name may be in these lines: a quick look, for most letters have none.

    Signs and ends of lines count for nothing, as they may stand within a name. What is escaped or
    not in ASCII may hide one.
    """
    text = "".join(lines)
    if "&" in text or not text.isascii():
        return True
    letters = text.lower().encode().translate(None, _NO_LETTERS)
    return any(spelling(name).encode() in letters for name in order)


def _known_names(teams: Teams) -> tuple[str, ...]:
    """The names of all fields that a form may have."""
    return tuple(dict.fromkeys((*field_names(teams), *(field.name for field in own_fields(teams)))))


# --- lines -> fields ------------------------------------------------------------------------------
# Signs that mailers and their users put before a field's name, and around it.
_BEFORE = r"\s*+(?:[-*+•·▪◦–—]\s++|\(?(?:[0-9]{1,2}|[a-z])[.)]\s*+|\#{1,3}\s++)?[*_`]{0,3}"
_AFTER = r"[*_`]{0,3}(?:\s*+(?:[:：=]|$)|\s++[-–](?=\s|$))[*_`]{0,3}"


@lru_cache(maxsize=16)
def _field_line(order: tuple[str, ...]) -> re.Pattern[str]:
    """A line with one of these fields: its name as it is written, and the value."""
    return re.compile(rf"{_BEFORE}({_spellings(order)}){_AFTER}(.*)", re.IGNORECASE)


@lru_cache(maxsize=16)
def _table_row(order: tuple[str, ...]) -> re.Pattern[str]:
    """A row of a table with a field's name in its first cell, and its value in the next one."""
    name = rf"{_BEFORE}({_spellings(order)})[*_`]{{0,3}} ?:?[*_`]{{0,3}}"
    return re.compile(
        rf"^([> ]*+)\|?{name}(?: *+[|\t]| {{3,}}+(?![:：=]))([^|\t]*+)[|\t]?\s*+$", re.IGNORECASE
    )


def _spellings(order: tuple[str, ...]) -> str:
    names = "|".join(re.escape(name).replace(r"\-", "[-_ ]?") for name in order)
    return f"(?a:{names})"  # a Turkish i without its dot is no i: `spelling` keeps it


def blanks(settings: Settings) -> frozenset[str]:
    """What our forms say, in the languages of this contest and of this moment, where a team has to
    fill something in."""
    texts = [blank(settings).text]
    for language in {settings.contest.language, SOURCE}:
        with speaking(language):
            texts.append(blank(settings).text)
    return frozenset(found for text in texts for found in _BLANK.findall(text))


def _plain(text: str) -> str:
    """The line without what nobody sees, as far as it means nothing."""
    if text.isascii():
        return _ENCODED_END.sub("", text) if "=" in text else text
    name, colon, value = text.partition(":")
    seen = without_zero_width(name) + colon + _UNSEEN.sub("", value) if colon else text
    return _ENCODED_END.sub("", _UNSEEN.sub("", seen))


_OTHER_NAMES: Mapping[str, Sequence[str]] = {
    ADDRESS: ("mail", "email", "emailaddress", "emailadresse", "mailadresse"),
    PREFERENCE: ("reports", "berichte"),
    TEAM_NAME: ("team",),
    ORGANIZATION: ("institution", "university", "universität", "hochschule"),
    MEMBERS: ("members", "member", "mitglieder", "mitglied", "teammitglieder"),
}


def _nearest(text: str, names: Mapping[str, str]) -> str:
    """The field whose name the line nearly has, or another word for it; "" if it has none of these.

    `names`: of the fields, by their spellings.
    """
    name, colon, _ = text.partition(":")
    written = _SIGNS.sub("", name).casefold()
    if not colon or len(written) > _MAX_NAME:
        return ""
    other = (field for field, words in _OTHER_NAMES.items() if written in words)
    return next((field for field in other if field in names.values()), "") or names.get(
        _near(written, tuple(names)), ""
    )


@lru_cache(maxsize=1_024)  # a line is looked at several times
def _near(written: str, names: tuple[str, ...]) -> str:
    return next(iter(get_close_matches(written, names, n=1)), "")


class _Scan:
    """Sorts lines, one after the other, into the fields that `order` names."""

    def __init__(
        self, order: tuple[str, ...], lines: Sequence[Line], blanks: frozenset[str]
    ) -> None:
        self._field_line = _field_line(order)
        self._names = {spelling(name): name for name in order}
        self._blanks = blanks
        named = (self._field_line.fullmatch(_plain(line.text)) for line in lines)
        self._given = {self._names[spelling(match[1])] for match in named if match}
        full = [line.text for line in lines if line.text.strip()]
        self._indent = full[0][: len(full[0]) - len(full[0].lstrip())] if full else ""
        self.fields: list[Field] = []
        self.problems: list[Problem] = []
        self.remarks: list[str] = []
        self._open = False  # the last field may still go on
        self._previous = ""

    def take(self, line: Line) -> None:
        if DASHES.fullmatch(line.text):
            return
        plain = _plain(line.text)
        if plain != line.text:
            self.remarks.append(
                gettext(
                    "invisible characters were taken out of line %(number)s", number=line.number
                )
            )
        line = Line(line.number, plain.removeprefix(self._indent))
        if any(map(is_invisible, line.text)):
            self.problems.append(
                line.wrong(gettext("There are control characters or invisible ones in it."))
            )
        match = self._field_line.fullmatch(line.text)
        if match:
            self._field(line, match)
        elif not line.text.strip():
            self._open = self._open and (
                self.fields[-1].name == MEMBERS or self._is_empty(self.fields[-1])
            )
        elif self._belongs_below(line):
            self._below(line)
        elif self.fields or not _SAMPLE_HEADER.match(line.text):
            self.problems.append(self._stray(line))
        self._previous = line.text

    def _field(self, line: Line, match: re.Match[str]) -> None:
        name = self._names[spelling(match[1])]
        value = " ".join(match[2].split())
        if not line.text.startswith(f"{name}:"):
            self.remarks.append(
                gettext("line %(number)s was read as `%(name)s:`", number=line.number, name=name)
            )
        self.fields.append(Field(name, line, value))
        self._open = True

    def _is_empty(self, field: Field) -> bool:
        """Whether the value may stand below the name."""
        return field.name != MEMBERS and (not field.value or field.value in self._blanks)

    def _belongs_below(self, line: Line) -> bool:
        """Whether the line continues the field above: in team-members any does, elsewhere a folded
        or wrapped one (K26), or one below an empty field.

        But a line that nearly has the name of a field that is nowhere in the letter is meant for
        that field.
        """
        if not self._open or _nearest(line.text, self._names) not in ("", *self._given):
            return False
        field = self.fields[-1]
        is_text = field.name not in (ADDRESS, PREFERENCE, TEAM_NAME)
        is_open_list = field.name == ORGANIZATION and self._previous.rstrip().endswith(",")
        wrapped = is_text and (is_open_list or was_wrapped(self._previous, line.text))
        is_likely = field.name != PREFERENCE or line.text.upper() == line.text
        is_value = self._is_empty(field) and is_likely
        return field.name == MEMBERS or line.text.startswith(" ") or wrapped or is_value

    def _stray(self, line: Line) -> Problem:
        meant = _nearest(line.text, self._names)
        if meant:
            value = line.text.partition(":")[2]
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
        above = "" if self._is_empty(field) else field.value
        self.fields[-1] = replace(field, value=f"{above} {' '.join(line.text.split())}".strip())
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


# --- what mailers and their users put around values -----------------------------------------------
_LINK = re.compile(
    r"(?<=\S) ?(?:<(?:mailto:|https?:)[^<>\s]*>|(?<=\])\((?:mailto:|https?:)[^()\s]*\))"
)
_KEPT_BRACKETS = re.compile(r"<([^<>@]{1,200})>")
_ANSWERED_BLANK = re.compile(r"(<[^<>\n]{1,80}>)\s{0,20}(?=\w)")
_PAIRS = ('""', "''", "``", "“”", "„“", "»«", "«»", "[]")
_AROUND_ADDRESS = re.compile(r"[\s<>()\[\],;:\"|*]+")
_AROUND = "*` "
_AROUND_NAME = _AROUND + ".,;:!\"'“”„«»()[]"
_BETWEEN_CODES = re.compile(r"[\s,;/|]+")
_AND = ("and", "und", "et", "y", "e", "&", "+")


def read_codes(text: str) -> tuple[str, ...]:
    """The codes as they are written, parted by commas or blanks; (`none`,) for that word, () for
    nothing."""
    words = (word.strip("*`.:<>()[]\"'-–—") for word in _BETWEEN_CODES.split(text))
    codes = tuple(word for word in words if word and word.casefold() not in _AND)
    return (NONE,) if tuple(map(str.casefold, codes)) == (NONE,) else codes


class _Cleaned:
    """Takes out of values what mailers and their users put around them; says so."""

    def __init__(self, settings: Settings) -> None:
        self._blanks = blanks(settings)
        self._lines_each = settings.teams.member_lines
        self.remarks: list[str] = []

    def field(self, field: Field) -> Field:
        """The field with its value alone."""
        if field.name == MEMBERS:
            return self._members(field)
        value = _unwrapped(self._said(field.value))
        is_bold = field.line.text.lstrip().startswith("*") or value.startswith("*")
        if is_bold or field.name in (ADDRESS, PREFERENCE, TEAM_NAME):
            value = value.strip(_AROUND)
        if field.name == ADDRESS:
            value = _address_in(value)
        elif field.name == TEAM_NAME and value not in self._blanks:
            value = value.strip(_AROUND_NAME)
        elif field.name == PREFERENCE:
            value = ",".join(read_codes(value))
        if "".join(value.split(" ")) != "".join(field.value.split(" ")):
            self.remarks.append(
                gettext(
                    "line %(number)s was read as `%(name)s: %(value)s`",
                    number=field.line.number,
                    name=field.name,
                    value=quote(value),
                )
            )
        return replace(field, value=value)

    def _members(self, field: Field) -> Field:
        lines = [Line(line.number, self._said(line.text)) for line in _member_lines(field)]
        filled = [line for line in lines if not self._asks_alone(line.text)]
        plain = members.unnumbered(filled or lines, self._lines_each)
        if plain != tuple(lines):
            self.remarks.append(gettext(members.UNNUMBERED))
        return replace(field, value="", below=plain)

    def _said(self, text: str) -> str:
        """The text without links, without the brackets around what was filled in, and without our
        words in brackets beside which it was written."""
        plain = _KEPT_BRACKETS.sub(
            lambda found: found[0] if found[0] in self._blanks else found[1], _LINK.sub("", text)
        )
        return _ANSWERED_BLANK.sub(
            lambda found: "" if found[1] in self._blanks else found[0], plain
        )

    def _asks_alone(self, text: str) -> bool:
        """Whether all that the line says are our own words in brackets."""
        rest = _BLANK.sub(lambda found: "" if found[0] in self._blanks else found[0], text)
        return rest != text and not re.search(r"\w", rest)


def _unwrapped(value: str) -> str:
    """The value without the quotation marks, or square brackets, that are around all of it."""
    is_pair = len(value) > 1 and value[0] + value[-1] in _PAIRS
    inner = value[1:-1]
    return inner.strip() if is_pair and not {value[0], value[-1]} & set(inner) else value


def _address_in(value: str) -> str:
    """The one address in the value, whatever else is in it; the whole value if there is none, or
    more than one."""
    words = (word.strip(".'") for word in _AROUND_ADDRESS.split(value))
    found = {word.casefold(): word for word in words if "@" in word}
    return next(iter(found.values())) if len(found) == 1 else value


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
        self._blanks = blanks(settings)
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

    def _is_unfilled(self, field: Field) -> bool:
        """Whether the value is still what our form asks for, which is told."""
        if field.value in self._blanks:
            self._wrong(field, gettext(_UNFILLED, blank=field.value))
        return field.value in self._blanks

    def _wrong(self, field: Field, text: str) -> None:
        line = field.line
        right = _expected(field.name, self._settings)
        self.problems.append(Problem(text, line.number, line.text, right, field.name == PREFERENCE))

    def _address(self, field: Field) -> str:
        if self._is_unfilled(field):
            return ""
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
        codes = read_codes(field.value)
        if codes == (NONE,):
            return ()
        offered = self._settings.reports.offered
        for text in wrong_codes(codes, offered):
            self._wrong(field, text)
        return tuple(code for code in dict.fromkeys(codes) if code in offered)

    def _team_name(self, field: Field) -> str:
        if self._is_unfilled(field):
            return ""
        fault = team_names.fault(field.value, in_c=is_in_c(self._settings))
        if fault:
            self._wrong(field, fault)
        return field.value

    def _organization(self, field: Field) -> str:
        if self._is_unfilled(field):
            return ""
        if not field.value:
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
        if not value or value in self._blanks:
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
        lines = _member_lines(field)
        found = members.read(lines, self._settings.teams.member_lines)
        self.problems += found.problems
        self.problems += self._unfilled(lines, {problem.line for problem in found.problems})
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

    def _unfilled(self, lines: Sequence[Line], told: set[int]) -> Iterator[Problem]:
        """The lines in which something is still to be filled in, but those that are told."""
        for line in lines:
            left = next((found for found in _BLANK.findall(line.text) if found in self._blanks), "")
            if left and line.number not in told:
                yield line.wrong(gettext(_UNFILLED, blank=left))


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
    names = [field.name for field in own_fields(settings.teams)]
    return Form(
        address=_value(fields, ADDRESS) or asked.address,
        preferences=_understood_codes(fields.get(PREFERENCE), settings),
        team_name=_understood_name(_value(fields, TEAM_NAME), settings) or asked.team_name,
        organization=_value(fields, ORGANIZATION)[:MAX_ORGANIZATION] or asked.organization,
        members=tuple(_written_members(fields.get(MEMBERS), settings)) or asked.members,
        fields=tuple(
            (name, _value(fields, name)[:MAX_FIELD_VALUE] or asked_for[name])
            for name in names
            if name in asked_for or name in fields
        ),
    )


def _understood_codes(field: Field | None, settings: Settings) -> str:
    """The codes that the contest has, in capitals, each once; those of the example if there are
    none.

    A field that is there and empty asks for no reports, and stays so.
    """
    if field is not None and not field.value.strip():
        return ""
    written = visible(field.value).split(",") if field is not None else []
    offered = [code.upper() for code in written if code.upper() in settings.reports.offered]
    return ",".join(dict.fromkeys(offered)) or sample(settings).preferences


def _understood_name(name: str, settings: Settings) -> str:
    """The team's name, without the signs that no name may have."""
    if name in blanks(settings):
        return name
    return team_names.suggested(name, in_c=is_in_c(settings)) or name


def _value(fields: dict[str, Field], name: str) -> str:
    return visible(fields[name].value) if name in fields else ""


def _written_members(field: Field | None, settings: Settings) -> Iterable[str]:
    if field is None:
        return ()
    lines = _member_lines(field)[: 2 * MAX_PROBLEMS]
    complete = members.complete_lines(lines, settings.teams.member_lines)
    return (visible(line.text)[:MAX_MEMBER_TEXT] for line in complete)
