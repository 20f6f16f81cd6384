"""A class of sixty students of one domain, in German, without a command between `serve` and
`marks`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.class_of_sixty import (
    GROUP_SIZE,
    MISTAKES,
    ROWS,
    STUDENTS,
    Course,
    Student,
    program,
)
from tests.support.german import english_in
from tests.support.mail_world import OPENS, START, body_of
from tests.support.mailed_contest import CLOSES
from tests.support.replies import Fill
from tests.support.workbooks import xlsx

pytestmark = [pytest.mark.slow, pytest.mark.night]

ASKED = [student for student in STUDENTS if student.has_form]
SILENT = ASKED[-2:]  # they never reply
REPLYING = ASKED[:-2]
WRONG_NAMES = {ASKED[7]: "9 lords", ASKED[14]: "Die Würfler!", ASKED[21]: "<ein Bezeichner von C>"}
NAMELESS = ASKED[28]  # deletes the own name
REFUSED = {*WRONG_NAMES, NAMELESS}
LAZY = REPLYING[-4:]  # they send no program
MISTAKEN = dict(zip(REPLYING[3::9], MISTAKES, strict=False))
UNSIGNED = REPLYING[40]  # sends a program without the `<<FROM>>` line


def team_of(student: Student) -> str:
    return f"wuerfler_{student.number}"


def people_of(*students: Student) -> int:
    """How many people are in the teams that these have registered."""
    return sum(GROUP_SIZE if student.group else 1 for student in students)


def filled(student: Student, team: str, name: str) -> Fill:
    """What fills in a form with this name of the team and of the student."""
    own = re.compile(rf"^  (?:{re.escape(student.name)}|<Name>)$", re.MULTILINE)
    return lambda text: own.sub(f"  {name}", re.sub(r"team-name: .*", f"team-name: {team}", text))


def counts(course: Course) -> tuple[int, int, int, int]:
    """How many are refused, registered without a program, failing and accepted."""
    shown = json.loads(course.command("class", "--json"))["students"]
    steps = [student["step"] for student in shown]
    return (
        steps.count("refused"),
        steps.count("registered"),
        steps.count("failing"),
        steps.count("accepted"),
    )


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    course = Course(tmp_path)
    try:
        yield course
    finally:
        course.kill()


def test_a_class_of_sixty_is_invited_registers_plays_and_is_marked(course: Course) -> None:
    file = course.path / "kurs.xlsx"
    file.write_bytes(xlsx({"Kurs": ROWS}))
    course.command("class", "invite", file)
    course.wait()
    they_register(course)
    they_send_programs(course)
    the_day_is_played(course)
    they_have_marks(course)
    all_is_german(course)


def they_register(course: Course) -> None:
    """In six ways; who is refused is told, and mends it in a reply."""
    for student in REPLYING:
        team = WRONG_NAMES.get(student, team_of(student))
        name = "<Name>" if student is NAMELESS else student.name
        course.reply(student, filled(student, team, name))
    course.wait()
    assert counts(course) == (len(REFUSED), people_of(*REPLYING) - len(REFUSED), 0, 0)
    for student in REFUSED:
        assert "nicht angenommen" in str(course.mails(student.address)[-1]["Subject"])
        course.reply(student, filled(student, team_of(student), student.name))
    course.wait()
    assert counts(course) == (0, people_of(*REPLYING), 0, 0)


def they_send_programs(course: Course) -> None:
    """Some are wrong, and the lecturer hears of it."""
    course.set_clock(OPENS + timedelta(days=2))
    for student in set(REPLYING) - set(LAZY):
        spoil = MISTAKEN.get(student, str)
        line = "" if student is UNSIGNED else course.from_line(student)
        course.send_program(student, spoil(program(student)), line)
    course.wait()
    failing, idle = people_of(UNSIGNED, *MISTAKEN), people_of(*LAZY)
    assert (failing, idle) == (8, 4)
    assert counts(course) == (0, idle, failing, people_of(*REPLYING) - idle - failing)
    course.tell_lecturer()
    (told,) = course.mails("organizer@contest.example")
    words = " ".join(body_of(told).split())
    assert "hat aber im Probespiel versagt" in words
    assert f"<{UNSIGNED.address}>: ohne gültiges Programm" in words


def the_day_is_played(course: Course) -> None:
    """By the clock alone."""
    course.set_clock(CLOSES + timedelta(minutes=1))
    course.set_clock(START)
    course.wait_for_the_end()


def they_have_marks(course: Course) -> None:
    """In the forms that Canvas and Moodle document."""
    canvas = list(csv.reader(io.StringIO(course.command("class", "marks", "--for", "canvas"))))
    moodle = list(csv.reader(io.StringIO(course.command("class", "marks", "--for", "moodle"))))
    title = "Knobeln im Kurs"
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    assert [row[:5] for row in canvas[1:]] == [student.row[:5] for student in STUDENTS]
    assert moodle[0] == ["Email address", title]
    assert [row[0] for row in moodle[1:]] == [student.address for student in STUDENTS]
    marks = [row[-1] for row in canvas[1:]]
    assert [row[-1] for row in moodle[1:]] == marks
    assert sum(map(bool, marks)) >= people_of(*REPLYING) - people_of(*MISTAKEN, UNSIGNED, *LAZY)


def all_is_german(course: Course) -> None:
    """All mails, the lecturer's page and the handout."""
    course.command("site", "--class", course.path / "private")
    course.command("class", "handout", course.path / "handout.txt")
    page = (course.path / "private" / "class.html").read_text(encoding="utf-8")
    texts = [page.partition("<main")[2], (course.path / "handout.txt").read_text(encoding="utf-8")]
    for address in course.addresses():
        for mail in course.mails(address):
            texts += [str(mail["Subject"]), body_of(mail)]
    assert len(texts) > 300
    assert {word: text for text in texts for word in english_in(text)} == {}
