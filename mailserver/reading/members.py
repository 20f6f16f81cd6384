"""The lines below `team-members:`: two for each member (K35), one without ages (B21), or the name.
Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from contest.language import gettext, noted
from contest.mail.form import MEMBER, MEMBERS
from contest.model import Member
from contest.util.sanitize import quote
from mailserver.problem import Problem
from mailserver.reading.part_text import was_wrapped

MAX_MEMBER_TEXT = 200
MAX_AGE = 150
WITH_BACKGROUND = 2  # lines of each member, where one asks for age and occupation
JOINED = noted("lines of team-members that were broken in two were joined again")
UNNUMBERED = noted("numbers or signs before the members were left out")

_FIRST_LINE = re.compile(r"([^,]+),([^,]+),(.*)")
_WHOLE_MEMBER = re.compile(r"([^,]+,[^,]+,[^,]*\w[^,]*),\s*([^,\s].*)")
_ONLY_LINE = re.compile(r"([^,]+),(.*)")
_YEARS = r"(?:\s?(?:years?(?: old)?|yrs?\.?|jahre?(?: alt)?|j\.|ans|años|anni|jaar))?"
_AGE = re.compile(rf"(0*[1-9][0-9]{{0,2}}){_YEARS}", re.IGNORECASE)
_WITH_AGE = re.compile(rf"(?:^|,)\s*+[0-9]{{1,3}}{_YEARS}\s*+(?:,|$)", re.IGNORECASE)
_BULLET = re.compile(r"^(\s*)[-*+•·▪◦–—]\s+(?=\S)")
_NUMBER = re.compile(
    r"^(\s*)(?:(?:member|mitglied)\s+)?[#(]?([0-9]{1,2})([.):]{0,2})\s*(?=[^\W\d_])", re.IGNORECASE
)
_LABEL = re.compile(
    r"^(\s*)(?:(?:full )?name|member|mitglied)\s?[0-9]{0,2}\s?[:=]\s*", re.IGNORECASE
)
_MAX_WORDS_OF_NAME = 5
_ADDED = re.compile(r"://|www\.|\*\*\*|@")  # as in what mail systems add below a letter


@dataclass(frozen=True)
class Line:
    number: int  # from 1
    text: str

    def wrong(self, text: str, expected: str = "") -> Problem:
        """Return a problem with this line. `expected`: the right form."""
        return Problem(text, self.number, self.text, expected)


@dataclass(frozen=True)
class Members:
    """The members in the lines; none if there are problems.

    `count`: how many members the lines seem to describe. `joined`: lines that a mailer broke were
    joined.
    """

    members: tuple[Member, ...]
    count: int
    problems: tuple[Problem, ...] = ()
    joined: bool = False


def expected(lines_each: int) -> str:
    """Return the right form of the field."""
    return "\n  ".join((f"{MEMBERS}:", *MEMBER[lines_each]))


def read(lines: Sequence[Line], lines_each: int) -> Members:
    """Return the members in these lines, of which each has `lines_each`: 2 or 1, or 0 for the name
    alone."""
    if not lines:
        return Members(
            (), 0, (Problem(gettext("There are no team members."), expected=expected(lines_each)),)
        )
    return {2: _by_pairs, 1: _line_by_line, 0: _by_names}[lines_each](lines)


def may_be_one(text: str, lines_each: int) -> bool:
    """Return whether the line may begin a member, and is not plainly something else."""
    text = text.strip()
    is_long = len(text) > MAX_MEMBER_TEXT
    if not text or is_long or text[-1] in ".!?:;" or _ADDED.search(text):
        return False
    if lines_each == WITH_BACKGROUND:
        return text.count(",") > 1 or _WITH_AGE.search(text) is not None
    if lines_each:
        return "," in text
    words = text.split()
    return "," not in text and 1 < len(words) <= _MAX_WORDS_OF_NAME


def is_sentence(text: str) -> bool:
    """Return whether the line says something in words, and is no name, with whatever behind it."""
    name, comma, _ = text.partition(",")
    last_word = text.rsplit(maxsplit=1)[-1]
    ends = last_word.endswith(("!", "?")) or (last_word.endswith(".") and last_word[0].islower())
    return ends and (not comma or len(name.split()) > _MAX_WORDS_OF_NAME)


def names_one(text: str, lines_each: int) -> bool:
    """Return whether the line looks like a member, even among other words."""
    is_likely = may_be_one(text, lines_each)
    return bool(_WITH_AGE.search(text)) if lines_each == WITH_BACKGROUND else is_likely


def unnumbered(lines: Sequence[Line], lines_each: int) -> tuple[Line, ...]:
    """Return the lines without bullets, and without numbers if they count 1, 2, 3 from the first
    line on.

    A number without a sign behind it may begin what a member tells of his background.
    """
    texts = (_LABEL.sub(r"\1", _BULLET.sub(r"\1", line.text, count=1), count=1) for line in lines)
    plain = [Line(line.number, text) for line, text in zip(lines, texts, strict=True)]
    first = _NUMBER.match(plain[0].text) if plain else None
    if first is None or not (first[3] or lines_each != WITH_BACKGROUND):
        return tuple(plain)
    found = []
    expected = 1
    for line in plain:
        match = _NUMBER.match(line.text)
        is_next = match is not None and match[3] == first[3] and int(match[2]) == expected
        text = _NUMBER.sub(r"\1", line.text, count=1) if is_next else line.text
        expected += is_next
        found.append(Line(line.number, text))
    return tuple(found)


def complete_lines(lines: Sequence[Line], lines_each: int) -> tuple[Line, ...]:
    """Return the lines as they go back to a team whose form is refused."""
    return _rejoined(lines, _was_broken) if lines_each == 1 else tuple(lines)


# --- the name alone -------------------------------------------------------------------------------
def _by_names(lines: Sequence[Line]) -> Members:
    problems = [problem for line in lines for problem in _too_long(line)]
    for line in lines:
        if "," in line.text:  # nobody asked for an age or an occupation, so nobody keeps it
            text = gettext("This should be a member: the name alone, without a comma.")
            problems.append(line.wrong(text, expected(0)))
        elif line.text.strip()[:1].isdigit():
            text = gettext("This should be a member: a name does not begin with a number.")
            problems.append(line.wrong(text, expected(0)))
    found = (
        ()
        if problems
        else tuple(Member(" ".join(line.text.split()), None, "", "") for line in lines)
    )
    return Members(found, len(lines), tuple(problems))


# --- one line each --------------------------------------------------------------------------------
def _line_by_line(lines: Sequence[Line]) -> Members:
    """Return the name, a comma, and the affiliation."""
    rejoined = _rejoined(lines, _was_broken)
    problems = tuple(p for line in rejoined for p in (*_only_line_problems(line), *_too_long(line)))
    members = () if problems else tuple(_only_line_member(line) for line in rejoined)
    return Members(members, len(rejoined), problems, len(rejoined) < len(lines))


def _rejoined(lines: Sequence[Line], is_rest: Callable[[str, str], bool]) -> tuple[Line, ...]:
    """Join a line that is indented more than the first to the line above, if it is the rest of
    that."""
    result: list[Line] = []
    for number, line in enumerate(lines):
        if (
            number
            and indent(line) > indent(lines[0])
            and is_rest(lines[number - 1].text, line.text)
        ):
            result[-1] = Line(result[-1].number, f"{result[-1].text} {line.text.strip()}")
        else:
            result.append(line)
    return tuple(result)


def _was_broken(before: str, after: str) -> bool:
    """Return whether the second line could be no member by itself."""
    return "," not in after or before.rstrip().endswith(",") or was_wrapped(before, after)


def _only_line_problems(line: Line) -> Iterator[Problem]:
    match = _ONLY_LINE.fullmatch(line.text.strip())
    if (
        not match
        or not match[1].strip()
        or match[1].strip()[0].isdigit()
        or not match[2].strip(" ,")
    ):
        text = gettext("This should be a member: the name, a comma, and the affiliation.")
        yield line.wrong(text, expected(1))


def _only_line_member(line: Line) -> Member:
    name, _, affiliation = line.text.partition(",")
    return Member(" ".join(name.split()), None, " ".join(affiliation.split()).rstrip(" ,"), "")


# --- two lines each -------------------------------------------------------------------------------
def _by_pairs(lines: Sequence[Line]) -> Members:
    lines = _divided(lines)
    pairs = _pairs(lines) or _pairs(_rejoined(lines, lambda _before, _after: True))
    if pairs is None:
        groups = _groups(lines)
        return Members(
            (), len(groups), tuple(p for group in groups for p in _group_problems(group))
        )
    problems = tuple(p for pair in pairs for line in pair for p in _too_long(line))
    members = tuple(_member(*pair) for pair in pairs)
    return Members(members, len(members), problems, len(pairs) * 2 != len(lines))


def _pairs(lines: Sequence[Line]) -> tuple[tuple[Line, Line], ...] | None:
    """Two lines for each member (K35); None where that does not come out."""
    firsts, seconds = lines[::2], lines[1::2]
    if not lines or len(firsts) != len(seconds) or not all(map(_is_first, firsts)):
        return None
    # Who writes a member into one line would lose every other one.
    return None if any(map(_is_first, seconds)) else tuple(zip(firsts, seconds, strict=True))


def _divided(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines, in two where each has all that one asks about a member: name, age,
    occupation and background."""
    whole = [_WHOLE_MEMBER.fullmatch(line.text) for line in lines]
    if not all(found and _is_first(line) for found, line in zip(whole, lines, strict=True)):
        return lines
    return [
        Line(line.number, text)
        for found, line in zip(whole, lines, strict=True)
        if found
        for text in found.groups()
    ]


def _is_first(line: Line) -> bool:
    return not _first_line_fault(line.text)


def _first_line_fault(text: str) -> str:
    match = _FIRST_LINE.fullmatch(text.strip())
    if not match or not match[1].strip() or match[1].strip()[0].isdigit():
        return gettext("This should be the first line of a member: name, age in years, occupation.")
    age = _AGE.fullmatch(match[2].strip())
    if not age or int(age[1]) > MAX_AGE:
        return gettext(
            "The age should be a number from 1 to %(max_age)s, not `%(match)s`.",
            max_age=MAX_AGE,
            match=quote(match[2]),
        )
    if not match[3].strip(" ,"):
        return gettext("The occupation is missing after the age.")
    return ""


def _member(first: Line, second: Line) -> Member:
    match = _FIRST_LINE.fullmatch(first.text.strip())
    assert match, "only lines that _is_first has accepted come here"  # noqa: S101
    name, age, occupation = (" ".join(part.split()) for part in match.groups())
    years = int("".join(filter(str.isdigit, age)))
    return Member(name, years, occupation.rstrip(" ,"), " ".join(second.text.split()))


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Guess which lines belong to which member, if not every member has two.

    In an even number of lines every other one begins a member. In an odd number, or where two first
    lines follow each other, some member has a line too few or too many, and we know a first line by
    its age.
    """
    is_by_age = len(lines) % 2 or any(map(_is_first, lines[1::2]))
    groups: list[list[Line]] = []
    for number, line in enumerate(lines):
        begins = _is_first(line) if is_by_age else number % 2 == 0
        if begins or not groups:
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _group_problems(group: Sequence[Line]) -> Iterator[Problem]:
    """Yield why these are not the two lines of a member."""
    first = group[0]
    fault = _first_line_fault(first.text)
    if fault:
        yield first.wrong(fault, expected(2))
    elif len(group) != 2:
        text = gettext(
            "Each member takes exactly two lines, this one has %(group)s.", group=len(group)
        )
        yield first.wrong(text, expected(2))


# --- both -----------------------------------------------------------------------------------------
def _too_long(line: Line) -> Iterator[Problem]:
    if len(line.text.strip()) > MAX_MEMBER_TEXT:
        text = gettext(
            "A line about a member has at most %(max_member_text)s characters.",
            max_member_text=MAX_MEMBER_TEXT,
        )
        yield line.wrong(text)


def indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())
