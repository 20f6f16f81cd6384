"""Class lists as systems and people have them: each is read right, or refused in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from contest.errors import GiveUp
from knobeln.classes import class_forms, class_list
from knobeln.presets import for_class
from mailserver.reading import registration_form
from tests.support.class_lists import FORMS, Form
from tests.support.contest_field import settings
from tests.support.other_class_lists import OTHER_FORMS, TOLD
from tests.support.workbooks import raw_ods, raw_xlsx

SETTINGS = for_class(settings())


def outcome(form: Form) -> str:
    try:
        found = class_list.read(form.data, SETTINGS)
    except GiveUp as error:
        return "refused" if form.refused and form.refused in str(error) else f"refused: {error}"
    people = tuple((person.address, person.name, person.team) for person in found.people)
    return "right" if people == form.people else f"wrong: {people}"


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_list_is_read_right_or_refused_in_words(form: Form) -> None:
    assert outcome(form) == ("refused" if form.refused else "right")


@pytest.mark.parametrize("form", OTHER_FORMS, ids=lambda form: form.name)
def test_a_list_of_a_stranger_is_read_right_or_refused_in_words(form: Form) -> None:
    assert outcome(form) == ("refused" if form.refused else "right")


@pytest.mark.parametrize(("name", "data", "told"), TOLD, ids=[name for name, *_ in TOLD])
def test_what_may_be_wrong_is_told(name: str, data: bytes, told: str) -> None:
    assert told in class_list.read(data, SETTINGS).understood


def test_of_51_forms_of_lists_48_are_right_and_3_are_refused() -> None:
    assert Counter("refused" if form.refused else "right" for form in FORMS) == {
        "right": 48,
        "refused": 3,
    }


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.people], ids=lambda form: form.name
)
def test_a_form_sent_back_without_a_change_registers_whoever_has_a_name(form: Form) -> None:
    people = class_list.read(form.data, SETTINGS).people
    for invitation in class_forms.invitations(people, SETTINGS):
        result = registration_form.read(invitation.form.text.split("\n"), SETTINGS)
        if not all(person.name for person in invitation.members):
            (problem,) = result.problems
            assert problem.text == "`<name>` is still to be filled in."
            continue
        assert result.registration is not None, (result.problems, invitation.form.text)
        assert "JSON" not in result.registration.preferences
        assert len(result.registration.members) == len(invitation.members)


# --- what was understood --------------------------------------------------------------------------
def understood(text: str) -> str:
    return "\n".join(class_list.read(text.encode(), SETTINGS).understood)


def test_the_summary_tells_people_columns_and_what_was_left_out() -> None:
    rows = "".join(f"{number // 5};P{number};Q;p{number}@uni.example\n" for number in range(52))
    told = understood(
        f"Gruppe;Name;Vorname;E-Mail\n{rows}9;A;B;\n9;C;D;\n9;E;F;\nSumme;55;;\n0;P0;Q;P0@uni.example\n"
    )
    assert "55 people, 3 without address, 11 groups" in told
    assert "column `Vorname` is the first name" in told
    assert "column `Name` is the last name" in told
    assert "row 57 was left out, which is no person: `Summe`" in told
    assert "rows 2 and 58 are one person: Q P0" in told


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a,b@uni.example\nb b,c at d\n", "row 3, column `mail`: 'c at d': no mail address"),
        ("a,a@uni,example\n", "row 2 has 3 cells, but 2 columns have names"),
        ('"a, b, c",a@uni.example\n', "row 2, column `name`: 'a, b, c': it has several commas"),
        ("a,a@uni.example\nb,A@uni.example\n", "a in row 2 has the address, too"),
    ],
)
def test_a_wrong_row_is_named_with_its_column(rows: str, told: str) -> None:
    with pytest.raises(GiveUp) as refused:
        class_list.read(f"name,mail\n{rows}".encode(), SETTINGS)
    assert told in str(refused.value)


def test_all_wrong_rows_are_named_at_once() -> None:
    rows = "".join(f"P{number},nowhere\n" for number in range(30))
    with pytest.raises(GiveUp, match=r"row 2, .*\n.*row 3, (.|\n)*and 10 more"):
        class_list.read(f"name,mail\n{rows}".encode(), SETTINGS)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"%PDF-1.7", "the list is a PDF file"),
        (b"\xef\xbb\xbf<!DOCTYPE html>", "the list is a web page"),
        ("Name;Mail\nMüller;m@uni.example\n".encode("cp437"), "an encoding that nobody can know"),
        ("Name;Mail\nMüller;m@uni.example\n".encode("mac_roman"), "save it in UTF-8"),
        (b"Name\nAda\n", "for names alone there is `knobeln class open`"),
        (b"Ada,Lovelace,ada@uni.example\n", "no row of the list names its columns"),
        (b'name,mail\n"Ada,a@uni.example\n', "the list is not CSV"),
        (b"mail\n" + 60_000 * b"a\n", "more than 50,000 rows"),
    ],
)
def test_a_file_that_is_no_list_is_refused_with_what_to_do(data: bytes, told: str) -> None:
    with pytest.raises(GiveUp, match=told):
        class_list.read(data, SETTINGS)


# --- hostile spreadsheets -------------------------------------------------------------------------
CELL = '<table:table-cell office:value-type="string"{}><text:p>{}</text:p></table:table-cell>'
REPEATED = ' table:number-columns-repeated="16000"'
ENTITY = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
TEXT = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
HOSTILE: tuple[tuple[str, Callable[[], bytes], str], ...] = (
    (
        "cells that repeat without end",
        lambda: raw_ods(
            '<table:table table:name="a"><table:table-row table:number-rows-repeated="1000000">'
            f"{CELL.format(REPEATED, 'a@b.example')}</table:table-row></table:table>"
        ),
        "cannot be read",
    ),
    (
        "a file of the host as an entity",
        lambda: raw_ods(
            '<table:table table:name="a"><table:table-row>'
            f"{CELL.format('', '&x;')}</table:table-row></table:table>",
            ENTITY,
        ),
        "cannot be read",
    ),
    (
        "the last cell that a sheet can have",
        lambda: raw_xlsx(
            ["a"],
            [
                f'<row r="1048576">{TEXT.format("XFD1048576", "mail")}</row><row r="1">'
                f"{TEXT.format('A1', 'mail')}</row>"
            ],
        ),
        "cannot be read",
    ),
    (
        "300 MB packed as 300 kB",
        lambda: raw_xlsx(["a"], [f'<row r="1">{TEXT.format("A1", 300_000_000 * "a")}</row>']),
        "more than 50,000 rows or 2,000,000 cells",
    ),
    ("a damaged file", lambda: b"PK\x03\x04" + 1000 * b"a", "cannot be read"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "made", "told"), HOSTILE, ids=[name for name, *_ in HOSTILE])
def test_a_hostile_spreadsheet_is_refused_within_limits(
    name: str, made: Callable[[], bytes], told: str
) -> None:
    with pytest.raises(GiveUp, match=told):
        class_list.read(made(), SETTINGS)


def test_a_formula_is_what_it_was_when_the_file_was_saved() -> None:
    formula = '<c r="A2" t="str"><f>WEBSERVICE("http://a.example/")</f><v>a@b.example</v></c>'
    data = raw_xlsx(
        ["a"], [f'<row r="1">{TEXT.format("A1", "mail")}</row><row r="2">{formula}</row>']
    )
    assert [person.address for person in class_list.read(data, SETTINGS).people] == ["a@b.example"]
