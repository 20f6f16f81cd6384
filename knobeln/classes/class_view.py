"""How far each person of a class is, as its lecturer needs it to know whom to write to.

Details are sentences in the language of the caller, and so is `Step.words`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from contest.language import date, gettext, ngettext, noted, spoken
from contest.model import Participation, Phase
from contest.util.sanitize import quote
from knobeln.classes import marks
from knobeln.classes.marks import Mark, MarkedPerson
from knobeln.context import ContestContext
from mailserver.problem import Problem
from mailserver.reader import TooHardToRead
from mailserver.reader_process import shared_reader
from mailserver.reading import addresses
from mailserver.reading.letter import headers_alone
from mailserver.reading.registration_form import FormResult
from store import Transaction, class_people, contest_state, letters
from store.class_people import ListedPerson
from store.letters import ListedLetter

_REFUSED = "registration refused"
_ASKED = "registration of "  # ... is doubtful
_PROGRAM_REFUSED = "program refused"


class Step(StrEnum):
    """How far a person is."""

    NO_ADDRESS = noted("no address")
    NOT_INVITED = noted("not invited")
    INVITED = noted("invited")
    REFUSED = noted("refused")  # the form
    ASKED = noted("asked to confirm")
    WAITS = noted("waits for you")
    REGISTERED = noted("registered")
    FAILING = noted("failing")  # no program was taken or accepted, or it failed in its trial game
    ACCEPTED = noted("accepted")
    PLAYING = noted("playing")
    PLAYED = noted("played")
    OUT = noted("takes no part")

    @property
    def words(self) -> str:
        return gettext(self.value)


REGISTERED = frozenset(
    {Step.REGISTERED, Step.FAILING, Step.ACCEPTED, Step.PLAYING, Step.PLAYED, Step.OUT}
)
SUBMITTED = REGISTERED - {Step.REGISTERED}
PASSING = frozenset({Step.ACCEPTED, Step.PLAYING, Step.PLAYED})


@dataclass(frozen=True)
class Student:
    """A person of the class list, or one who wrote and is not in it. `detail`: what to know."""

    name: str
    mail: str
    team: str
    step: Step
    detail: str = ""
    is_listed: bool = True


class Counts(NamedTuple):
    """How many people there are, have registered, have sent a program, have one that works."""

    people: int
    registered: int
    sent: int
    accepted: int


@dataclass(frozen=True)
class ClassView:
    """The students in the order of the list; then those who are not in it."""

    students: tuple[Student, ...]

    @property
    def counts(self) -> Counts:
        return Counts(
            people=len(self.students),
            registered=self._count(REGISTERED),
            sent=self._count(SUBMITTED),
            accepted=self._count(PASSING),
        )

    def _count(self, steps: Collection[Step]) -> int:
        return sum(student.step in steps for student in self.students)

    @property
    def troubled(self) -> tuple[Student, ...]:
        """Those whom somebody should write to."""
        trouble = (Step.REFUSED, Step.ASKED, Step.WAITS, Step.FAILING, Step.NO_ADDRESS)
        return tuple(student for student in self.students if student.step in trouble)


def view(contest: ContestContext) -> ClassView:
    """Look up how far everybody is."""
    rows = marks.marks_of(contest)
    with contest.store.read() as tx:
        phase = contest_state.state(tx).phase
        people = class_people.everybody(tx)
        tried = _by_mailbox(tx, _REFUSED, _ASKED)
        untaken = _by_mailbox(tx, _PROGRAM_REFUSED)
    students = [
        _with_untaken(contest, student, untaken)
        for student in _students(contest, rows, people, tried, phase)
    ]
    known = {addresses.mailbox_of(student.mail) for student in students if student.mail}
    for mailbox, its_letters in tried.items():
        if mailbox not in known:
            student = Student("", its_letters[-1].sender, "", Step.INVITED, is_listed=False)
            students.append(_with_letters(contest, student, its_letters))
    return ClassView(tuple(students))


def _by_mailbox(tx: Transaction, *notes: str) -> Mapping[str, list[ListedLetter]]:
    """The letters whose notes begin so, the oldest first, by who wrote them."""
    wrote = [letter for note in notes for letter in letters.with_note(tx, note)]
    stored = letters.get_all(tx, [letter.id for letter in wrote])
    writers = {whole.id: headers_alone(whole.raw).sender or whole.sender for whole in stored}
    by_mailbox: dict[str, list[ListedLetter]] = {}
    for letter in sorted(wrote, key=lambda letter: letter.id):
        if writer := writers[letter.id]:
            known = by_mailbox.setdefault(addresses.mailbox_of(writer), [])
            known.append(replace(letter, sender=writer))
    return by_mailbox


def _students(
    contest: ContestContext,
    rows: Sequence[MarkedPerson],
    people: Sequence[ListedPerson],
    tried: Mapping[str, list[ListedLetter]],
    phase: Phase,
) -> Iterator[Student]:
    """The rows of the marks are in the order of the list, and begin with its people."""
    for number, (_, mark) in enumerate(rows):
        is_listed = number < len(people)
        name = people[number].name if is_listed else mark.member
        step, detail = _step(mark, phase)
        student = Student(
            name=name, mail=mark.mail, team=mark.team, step=step, detail=detail, is_listed=is_listed
        )
        its_letters = tried.get(addresses.mailbox_of(mark.mail), []) if mark.mail else []
        is_in_no_team = step in (Step.INVITED, Step.NOT_INVITED)
        yield _with_letters(contest, student, its_letters) if is_in_no_team else student


_BEFORE_PROGRAMS = {
    marks.INVITED: (Step.INVITED, ""),
    marks.NOT_INVITED: (Step.NOT_INVITED, ""),
    Participation.ACTIVE: (Step.REGISTERED, ""),
    Participation.UNHEARD: (Step.REGISTERED, noted("has not answered the welcome")),
    Participation.WITHDRAWN: (Step.OUT, noted("withdrawn")),
    Participation.DISQUALIFIED: (Step.OUT, noted("disqualified")),
    Participation.DROPPED: (Step.OUT, noted("dropped")),
}


def _step(mark: Mark, phase: Phase) -> tuple[Step, str]:
    if mark.state == marks.NOT_INVITED and not mark.mail:
        return Step.NO_ADDRESS, ""
    if mark.state == Participation.PENDING:
        return Step.WAITS, gettext(
            "`knobeln teams accept %(team)s`, or `teams reject`", team=mark.team
        )
    if mark.sent and mark.state in (Participation.ACTIVE, Participation.UNHEARD):
        return _step_of_program(mark, phase)
    step, detail = _BEFORE_PROGRAMS[mark.state]
    return step, detail and gettext(detail)


def _step_of_program(mark: Mark, phase: Phase) -> tuple[Step, str]:
    if mark.version is None:
        return Step.FAILING, ngettext(
            "%(num)s program sent, which does not count",
            "%(num)s programs sent, none of which counts",
            mark.sent,
        )
    if phase is Phase.OPEN and mark.trial == marks.FAILED:
        return Step.FAILING, gettext("the program is accepted, but failed in its trial game")
    if phase is Phase.OPEN:
        return Step.ACCEPTED, ""
    rank = gettext("rank %(rank)s", rank=mark.rank) if mark.rank else ""
    failures = (
        ngettext("%(num)s failure", "%(num)s failures", mark.failures) if mark.failures else ""
    )
    detail = ", ".join(filter(None, (rank, failures)))
    return (Step.PLAYING if phase is Phase.RUNNING else Step.PLAYED), detail


def _with_letters(
    contest: ContestContext, student: Student, its_letters: Sequence[ListedLetter]
) -> Student:
    """The student, of whom these letters register nobody so far."""
    if not its_letters:
        return student
    last = its_letters[-1]
    day = _date(contest, last)
    refusals = sum(letter.note.startswith(_REFUSED) for letter in its_letters)
    if not last.note.startswith(_REFUSED):
        step, detail = Step.ASKED, gettext("%(date)s: must answer the robot's question", date=day)
    elif refusals == 1:
        step, detail = Step.REFUSED, f"{day}: {_why(contest, last)}"
    else:
        times = gettext("%(times)s times, last %(date)s", times=refusals, date=day)
        step, detail = Step.REFUSED, f"{times}: {_why(contest, last)}"
    return replace(student, step=step, detail=detail)


def _with_untaken(
    contest: ContestContext, student: Student, untaken: Mapping[str, list[ListedLetter]]
) -> Student:
    """The student, whose only programs may have come in these letters, from which none was
    taken."""
    its_letters = untaken.get(addresses.mailbox_of(student.mail), []) if student.mail else []
    if student.step is not Step.REGISTERED or not its_letters:
        return student
    day = _date(contest, its_letters[-1])
    detail = gettext("%(date)s: no program could be taken from the letter", date=day)
    return replace(student, step=Step.FAILING, detail=detail)


def _date(contest: ContestContext, letter: ListedLetter) -> str:
    zone = contest.settings.contest.zone
    return date(letter.received_at, ZoneInfo(zone) if zone else None)


_REASONS = {
    "problems": noted("the form has mistakes"),
    "too early": noted("registration was not open yet"),
    "too late": noted("registration had closed"),
    "running": noted("the contest had started"),
    "finished": noted("the contest was over"),
    "duplicate": noted("there is a team with this address"),
    "full": noted("the contest is full"),
    "organization": noted("this organization has no more teams to enter"),
    "shared people": noted("a member is in another team"),
    "no class": noted("there was no class list"),
    "word": noted("the word of the lesson was missing"),
    "no name": noted("the name was missing"),
    "near": noted("the list has no such name, but one like it"),
}
"""Why a registration was refused, by the word in the note of its letter."""


def _why(contest: ContestContext, letter: ListedLetter) -> str:
    """The first thing that is wrong with the form, as the robot's answer tells it."""
    with contest.store.read() as tx:
        stored = letters.get(tx, letter.id)
    reason = gettext(_REASONS.get(letter.note.removeprefix(_REFUSED).strip(": "), ""))
    if stored is None:
        return reason
    try:
        said = shared_reader().read(stored, contest.settings, spoken()).said
    except TooHardToRead:
        return reason
    problems = said.problems if isinstance(said, FormResult) else ()
    return _of_problem(problems[0]) if problems else reason


def _of_problem(problem: Problem) -> str:
    where = f" (`{quote(problem.quote)}`)" if problem.quote else ""
    return f"{problem.text}{where}"
