"""`class`, the lecturer's mail and page: who is how far, and why somebody was refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contest.language import speaking
from knobeln.classes.class_view import view
from knobeln.classes.daily import tell_of_class
from knobeln.context import ContestContext
from tests.support.command_line import knobeln, knobeln_in
from tests.support.letters import letter

LIST = "name,mail\nAda Lovelace,ada@uni.example\nEmmy Nöther,emmy@uni.example\nGrace Hopper,\n"


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder = tmp_path / "course"
    knobeln("init", folder, "--class", "--beacon", "none")
    (tmp_path / "list.csv").write_text(LIST, encoding="utf-8")
    knobeln_in(folder, "class", "invite", tmp_path / "list.csv")
    for text in ("mail-address: ada@uni.example\nteam-name: 1 team\n", "team-name: none\n"):
        knobeln(
            "receive",
            "-C",
            folder,
            stdin=letter("ada@uni.example", "registration for KNOBELN", text),
        )
    return folder


def test_a_lecturer_sees_who_was_refused_and_why(contest: Path) -> None:
    shown = knobeln_in(contest, "class").output
    steps = [line.split("\t")[:2] for line in shown.splitlines() if "\t" in line]
    assert steps == [
        ["Ada Lovelace", "refused"],
        ["Emmy Nöther", "invited"],
        ["Grace Hopper", "no address"],
    ]
    assert "ada@uni.example>: refused, 2 times, last " in shown
    assert "is missing" in shown


def test_a_german_lecturer_reads_it_in_german(contest: Path) -> None:
    with speaking("de"):
        ada, emmy, grace = view(ContestContext.open(contest)).students
        steps = [student.step.words for student in (ada, emmy, grace)]
    assert steps == ["abgelehnt", "eingeladen", "keine Adresse"]
    assert re.fullmatch(r"2-mal, zuletzt \d+\. \S+ \d{4}, \d\d:\d\d UT: .* fehlt.*", ada.detail)


def test_the_lecturer_is_told_by_mail_once(contest: Path) -> None:
    opened = ContestContext.open(contest)
    tell_of_class(opened)
    tell_of_class(opened)
    mails = knobeln_in(contest, "mail").output
    assert mails.count("your class, 0 of 3 registered") == 1


def test_the_page_is_the_lecturers_alone_and_is_not_written_among_public_ones(
    contest: Path, tmp_path: Path
) -> None:
    knobeln_in(contest, "site", "--class", tmp_path / "private")
    page = tmp_path / "private" / "class.html"
    assert page.stat().st_mode & 0o777 == 0o600
    assert "Ada Lovelace" in page.read_text(encoding="utf-8")
    knobeln_in(contest, "site", tmp_path / "public")
    refused = knobeln_in(contest, "site", "--class", tmp_path / "public" / "x", code=1).output
    assert "which everybody reads" in refused
