"""How far each person of a class is, as its lecturer needs it to know whom to write to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from contest.model import Participation, Phase
from contest.store import class_people, contest_state, letters
from contest.store.class_people import ListedPerson
from contest.store.letters import ListedLetter
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import plural
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

_REFUSED = "registration refused"
_ASKED = "registration of "  # ... is doubtful


class Step(StrEnum):
    """How far a person is."""

    NO_ADDRESS = "no address"
    NOT_INVITED = "not invited"
    INVITED = "invited"
    REFUSED = "refused"  # the form
    ASKED = "asked to confirm"
    WAITS = "waits for you"
    REGISTERED = "registered"
    FAILING = "failing"  # no program was accepted
    ACCEPTED = "accepted"
    PLAYING = "playing"
    PLAYED = "played"
    OUT = "out"


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


@dataclass(frozen=True)
class ClassView:
    """The students in the order of the list; then those who are not in it."""

    students: tuple[Student, ...]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many people there are, have registered, have sent a program, have an accepted one."""
        return (
            len(self.students),
            *(
                sum(student.step in steps for student in self.students)
                for steps in (REGISTERED, SUBMITTED, PASSING)
            ),
        )  # type: ignore[return-value]

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
        wrote = [*letters.with_note(tx, _REFUSED), *letters.with_note(tx, _ASKED)]
        stored = letters.get_all(tx, [letter.id for letter in wrote])
    writers = {each.id: headers_alone(each.raw).sender or each.sender for each in stored}
    by_number = sorted(wrote, key=lambda letter: letter.id)
    tried = _by_mailbox([replace(letter, sender=writers[letter.id]) for letter in by_number])
    students = [*_students(contest, rows, people, tried, phase)]
    known = {addresses.mailbox_of(student.mail) for student in students if student.mail}
    for mailbox, its_letters in tried.items():
        if mailbox not in known:
            student = Student("", its_letters[-1].sender, "", Step.INVITED, is_listed=False)
            students.append(_with_letters(contest, student, its_letters))
    return ClassView(tuple(students))


def _by_mailbox(wrote: Sequence[ListedLetter]) -> Mapping[str, list[ListedLetter]]:
    found: dict[str, list[ListedLetter]] = {}
    for letter in wrote:
        if letter.sender:
            found.setdefault(addresses.mailbox_of(letter.sender), []).append(letter)
    return found


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
        student = Student(name, mark.mail, mark.team, step, detail, is_listed)
        its_letters = tried.get(addresses.mailbox_of(mark.mail), []) if mark.mail else []
        is_in_no_team = step in (Step.INVITED, Step.NOT_INVITED)
        yield _with_letters(contest, student, its_letters) if is_in_no_team else student


_BEFORE_PROGRAMS = {
    marks.INVITED: (Step.INVITED, ""),
    marks.NOT_INVITED: (Step.NOT_INVITED, ""),
    Participation.ACTIVE: (Step.REGISTERED, ""),
    Participation.UNHEARD: (Step.REGISTERED, "has not answered the welcome"),
}


def _step(mark: Mark, phase: Phase) -> tuple[Step, str]:
    if mark.state == marks.NOT_INVITED and not mark.mail:
        return Step.NO_ADDRESS, ""
    if mark.state == Participation.PENDING:
        return Step.WAITS, f"`knobeln teams accept {mark.team}`, or `teams reject`"
    if mark.sent and mark.state in (Participation.ACTIVE, Participation.UNHEARD):
        return _step_of_program(mark, phase)
    return _BEFORE_PROGRAMS.get(mark.state, (Step.OUT, mark.state))


def _step_of_program(mark: Mark, phase: Phase) -> tuple[Step, str]:
    if mark.version is None:
        return Step.FAILING, f"{plural(mark.sent, 'program')} sent, none of which counts"
    if phase is Phase.OPEN:
        return Step.ACCEPTED, ""
    rank = f"rank {mark.rank}" if mark.rank else ""
    failures = plural(mark.failures, "failure") if mark.failures else ""
    told = ", ".join(filter(None, (rank, failures)))
    return (Step.PLAYING if phase is Phase.RUNNING else Step.PLAYED), told


def _with_letters(
    contest: ContestContext, student: Student, its_letters: Sequence[ListedLetter]
) -> Student:
    """The student, of whom these letters register nobody so far."""
    if not its_letters:
        return student
    last = its_letters[-1]
    refused = [letter for letter in its_letters if letter.note.startswith(_REFUSED)]
    if not last.note.startswith(_REFUSED):
        step, detail = Step.ASKED, f"{_at(last.received_at)}: must answer the robot's question"
    else:
        times = f"{len(refused)} times, last " if len(refused) > 1 else ""
        step, detail = Step.REFUSED, f"{times}{_at(last.received_at)}: {_why(contest, last)}"
    return Student(student.name, student.mail, student.team, step, detail, student.is_listed)


def _at(moment: datetime) -> str:
    return f"{moment:{TIME_FORMAT}}"


def _why(contest: ContestContext, letter: ListedLetter) -> str:
    """The first thing that is wrong with the form, as the robot's answer tells it."""
    with contest.store.read() as tx:
        stored = letters.get(tx, letter.id)
    reason = letter.note.removeprefix(_REFUSED).strip(": ")
    if stored is None:
        return reason
    try:
        said = shared_reader().read(stored, contest.settings, "en").said
    except TooHardToRead:
        return reason
    problems = said.problems if isinstance(said, FormResult) else ()
    return _of_problem(problems[0]) if problems else reason


def _of_problem(problem: Problem) -> str:
    where = f" (`{quote(problem.quote)}`)" if problem.quote else ""
    return f"{problem.text}{where}"
