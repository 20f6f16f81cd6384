"""A class of sixty students of one domain, in German, without a command between `serve` and
`marks`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import timedelta

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
from tests.support.workbooks import xlsx

pytestmark = [pytest.mark.slow, pytest.mark.night]

ASKED = [student for student in STUDENTS if student.has_form]
SILENT = ASKED[-2:]  # they never reply
REPLYING = ASKED[:-2]
WRONG_NAMES = {ASKED[7]: "9 lords", ASKED[14]: "Die Würfler!", ASKED[21]: "<ein Bezeichner von C>"}
NAMELESS = ASKED[28]  # deletes the own name
REFUSED = {*WRONG_NAMES, NAMELESS}
LAZY = REPLYING[-4:]  # they send no program
MISTAKEN = dict(zip(REPLYING[3::9], MISTAKES.items(), strict=False))
UNSIGNED = REPLYING[40]  # sends a program without the `<<FROM>>` line


def team_of(student: Student) -> str:
    return f"wuerfler_{student.number}"


def choose_name(text: str, name: str) -> str:
    return re.sub(r"team-name: .*", f"team-name: {name}", text)


def people_of(*students: Student) -> int:
    """How many people are in the teams that these have registered."""
    return sum(GROUP_SIZE if student.group else 1 for student in students)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    course = Course(tmp_path_factory.mktemp("course"))
    try:
        file = course.path / "kurs.xlsx"
        file.write_bytes(xlsx({"Kurs": ROWS}))
        course.command("class", "invite", file)
        course.wait()
        yield course
    finally:
        course.kill()


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


def test_they_register_in_six_ways_and_who_is_refused_is_told_and_can_mend_it(
    course: Course,
) -> None:
    for student in REPLYING:
        name = WRONG_NAMES.get(student, team_of(student))
        own = "<Name>" if student is NAMELESS else student.name
        course.reply(
            student,
            lambda text, own=own, name=name, student=student: choose_name(text, name).replace(
                f"  {student.name}", f"  {own}"
            ),
        )
    course.wait()
    assert counts(course) == (4, 54, 0, 0)
    for student in REFUSED:
        assert "nicht angenommen" in str(course.mails(student.address)[-1]["Subject"])
        course.reply(
            student,
            lambda text, student=student: choose_name(text, team_of(student)).replace(
                "  <Name>", f"  {student.name}"
            ),
        )
    course.wait()
    assert counts(course) == (0, 58, 0, 0)


def test_they_send_programs_and_the_lecturer_sees_whose_fails(course: Course) -> None:
    course.set_clock(OPENS + timedelta(days=2))
    for student in REPLYING:
        if student in LAZY:
            continue
        source = program(student)
        if student in MISTAKEN:
            _, spoil = MISTAKEN[student]
            source = spoil(source)
        line = "" if student is UNSIGNED else course.from_line(student)
        course.send_program(student, source, line)
    course.wait()
    failing = people_of(*MISTAKEN)
    idle = people_of(UNSIGNED, *LAZY)
    assert (failing, idle) == (7, 5)
    assert counts(course) == (0, idle, failing, people_of(*REPLYING) - idle - failing)
    course.tell_lecturer()
    (told,) = course.mails("organizer@contest.example")
    assert "hat aber im Probespiel versagt" in " ".join(body_of(told).split())


def test_the_day_is_played_by_its_date_and_everybody_with_a_program_has_a_mark(
    course: Course,
) -> None:
    course.set_clock(CLOSES + timedelta(minutes=1))
    course.set_clock(START)
    course.wait_for_the_end()
    canvas = list(csv.reader(io.StringIO(course.command("class", "marks", "--for", "canvas"))))
    moodle = list(csv.reader(io.StringIO(course.command("class", "marks", "--for", "moodle"))))
    assert canvas[0] == [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Knobeln im Kurs",
    ]
    assert [row[:5] for row in canvas[1:]] == [student.row[:5] for student in STUDENTS]
    assert moodle[0] == ["Email address", "Knobeln im Kurs"]
    assert [row[0] for row in moodle[1:]] == [student.address for student in STUDENTS]
    marks = [row[-1] for row in canvas[1:]]
    assert [row[-1] for row in moodle[1:]] == marks
    assert sum(map(bool, marks)) >= people_of(*REPLYING) - people_of(*MISTAKEN, UNSIGNED, *LAZY)


def test_all_that_a_student_or_the_lecturer_reads_is_german(course: Course) -> None:
    course.command("site", "--class", course.path / "private")
    course.command("class", "handout", course.path / "handout.txt")
    page = (course.path / "private" / "class.html").read_text(encoding="utf-8")
    texts = [page.partition("<main")[2], (course.path / "handout.txt").read_text(encoding="utf-8")]
    for address in course.addresses():
        for mail in course.mails(address):
            texts += [str(mail["Subject"]), body_of(mail)]
    assert len(texts) > 300
    assert {word: text for text in texts for word in english_in(text)} == {}
