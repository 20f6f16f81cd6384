"""A contest's own fields of the registration form, and members of one line: read tolerantly."""

import string
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from contest.config.settings import Settings
from contest.mail.form import field_names, record_text
from contest.model import Member, Registration
from contest.schema.sections import ExtraField, Reports, Teams, spelling
from mailserver.reading.registration_form import FormResult, read
from reports.kinds import reports
from reports.text import fold
from tests.support.mail_world import make_settings

SCHOOL = ExtraField(name="school", choices=("Caltech", "MIT", "Carnegie Mellon"))
COACH = ExtraField(name="home-town", description="where you live", required=False)
FORM = """mail-address: our_team@machine.example
mail-preference: OWN
team-name: the_lords
Organization: University of Northeast Sacrodata, Eggland
school: Carnegie Mellon
home-town: Intellect City
team-members:
  Joe Cool, Carnegie Mellon University
  Jane More, MIT, Cambridge
"""


def settings_of(
    *fields: ExtraField, lines: int = 1, offered: Sequence[str] = tuple(reports())
) -> Settings:
    return make_settings(
        teams=Teams(fields=fields, member_lines=lines), reports=Reports(offered=tuple(offered))
    )


SETTINGS = settings_of(SCHOOL, COACH)


def read_text(text: str, settings: Settings = SETTINGS) -> FormResult:
    return read(text.split("\n"), settings)


NAMES_ALONE = """mail-address: our_team@machine.example
mail-preference: OWN
team-name: the_lords
team-members:
  Joe Cool
    Jane  More
"""


def test_a_form_can_ask_for_names_and_nothing_else() -> None:
    settings = settings_of(lines=0)
    assert field_names(settings.teams) == (
        "mail-address",
        "mail-preference",
        "team-name",
        "team-members",
    )
    registration = read_text(NAMES_ALONE, settings).registration
    assert registration
    assert registration.organization == ""
    assert registration.members == (
        Member("Joe Cool", None, "", ""),
        Member("Jane More", None, "", ""),
    )
    assert record_text(registration).endswith(
        "team-name: the_lords\nteam-members:\n  Joe Cool\n  Jane More"
    )
    assert read_text(record_text(registration), settings).registration == registration


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("Joe Cool, 27, student", "the name alone, without a comma."),
        ("x" * 201, "A line about a member has at most 200 characters."),
        ("", "There are no team members."),
    ],
)
def test_what_nobody_asked_for_is_refused(wrong: str, says: str) -> None:
    found = read_text(
        NAMES_ALONE.replace("  Joe Cool\n    Jane  More\n", f"  {wrong}\n"), settings_of(lines=0)
    )
    assert not found.registration
    assert any(says in problem.text for problem in found.problems)


def test_a_form_with_fields_of_the_contest_is_read() -> None:
    registration = read_text(FORM).registration
    assert registration.fields == (("school", "Carnegie Mellon"), ("home-town", "Intellect City"))
    assert registration.field("school") == "Carnegie Mellon"
    assert registration.field("nothing") == ""
    assert registration.members == (
        Member("Joe Cool", None, "Carnegie Mellon University", ""),
        Member("Jane More", None, "MIT, Cambridge", ""),
    )


MENDED = [
    ("school:", "School :"),
    ("school:", " SCHOOL:"),
    ("home-town:", "Home_Town:"),
    ("home-town:", "hometown:"),
    ("home-town:", "HOME TOWN:"),
    ("Carnegie Mellon\n", "CARNEGIE   mellon\n"),
    ("school: Carnegie Mellon", "school: Carnegie\n  Mellon"),
    ("  Jane More, MIT, Cambridge", "  Jane More,\n      MIT, Cambridge"),
    ("  Joe", "Joe"),
    ("team-members:\n  Joe", "team-members: Joe"),
]


@pytest.mark.parametrize(("right", "written"), MENDED)
def test_what_people_and_mailers_do_to_the_fields_is_mended(right: str, written: str) -> None:
    assert right in FORM
    reading = read_text(FORM.replace(right, written, 1))
    assert reading.problems == ()
    assert reading.registration == read_text(FORM).registration


WRONG = [
    ("school: Carnegie Mellon\n", "", "The field `school:` is missing."),
    ("school: Carnegie Mellon", "school:", "`school:` is empty."),
    ("Carnegie Mellon\n", "Harvard\n", "`Harvard` is not one of Caltech, MIT, Carnegie Mellon."),
    (
        "home-town: Intellect City",
        "home-town: " + "x" * 501,
        "`home-town:` has 501 characters; 500 are",
    ),
    ("school:", "school: MIT\nschool:", "`school:` is given twice."),
    ("team-name: the_lords\n", "", "The field `team-name:` is missing."),
    (", Carnegie Mellon University", "", "the name, a comma, and the affiliation"),
    ("Joe Cool,", ",", "the name, a comma, and the affiliation"),
    ("Joe Cool, C", "Joe Cool, " + "x" * 200, "at most 200 characters"),
    (
        "  Joe Cool, Carnegie Mellon University\n  Jane More, MIT, Cambridge\n",
        "",
        "no team members",
    ),
    ("Intellect", "Intel\u202elect", "invisible"),
]


@pytest.mark.parametrize(("right", "written", "words"), WRONG)
def test_what_only_the_team_can_decide_is_refused(right: str, written: str, words: str) -> None:
    assert right in FORM
    reading = read_text(FORM.replace(right, written, 1))
    assert reading.registration is None
    assert any(words in problem.text for problem in reading.problems), reading.problems


def test_fields_in_another_order_are_refused_with_the_right_one() -> None:
    lines = FORM.splitlines()
    lines[4], lines[5] = lines[5], lines[4]
    (problem,) = read(lines, SETTINGS).problems
    assert (
        "the right order is mail-address, mail-preference, team-name, Organization, school"
        in problem.text
    )


@pytest.mark.parametrize("line", ["home-town: Intellect City\n", "home-town: Intellect City"])
def test_a_field_that_may_be_empty_may_be_missing_too(line: str) -> None:
    registration = read_text(
        FORM.replace(line, "" if line.endswith("\n") else "home-town:")
    ).registration
    assert registration.fields == (("school", "Carnegie Mellon"),)


def test_a_refused_form_comes_back_with_the_fields_that_were_written() -> None:
    form = read_text(FORM.replace("team-name: the_lords", "team-name: 9 lives")).form
    assert form.text == FORM.strip().replace("the_lords", "team_9_lives")


def test_a_member_whose_line_was_broken_comes_back_in_one() -> None:
    broken = FORM.replace("Jane More, MIT", "Jane More,\n    MIT").replace("the_lords", "9 lives")
    form = read_text(broken).form
    assert form.members == ("Joe Cool, Carnegie Mellon University", "Jane More, MIT, Cambridge")


def test_an_empty_field_comes_back_with_what_belongs_there() -> None:
    form = read_text(FORM.replace("school: Carnegie Mellon", "school:")).form
    assert "school: <Caltech or MIT or Carnegie Mellon>" in form.text


def test_members_of_two_lines_are_none_where_one_line_is_asked_for() -> None:
    (problem,) = read_text(
        FORM.replace("University\n", "University,\n  many years of Perl\n")
    ).problems
    assert problem.line == 9
    assert problem.expected == "team-members:\n  name, affiliation"


OFFERS = [
    ("OWN", "LAP", "`LAP` is not one of OWN (separated by commas)."),
    ("OWN", "lap", "`lap` is not one of OWN (separated by commas)."),
    ("OWN", "own", "Please write `own` in capitals: OWN."),
    ("OWN,BRK", "ALL", "`ALL` is not one of OWN, BRK (separated by commas)."),
    ("", "OWN", "This contest offers no reports; please leave the field empty."),
]


@pytest.mark.parametrize(("offered", "written", "words"), OFFERS)
def test_a_report_that_is_not_offered_is_refused_with_those_that_are(
    offered: str, written: str, words: str
) -> None:
    codes = tuple(code for code in offered.split(",") if code)
    (problem,) = read_text(
        FORM.replace("OWN", written), settings_of(SCHOOL, COACH, offered=codes)
    ).problems
    assert problem.text == words
    assert problem.lists_reports


# --- any contest, any team ------------------------------------------------------------------------
LETTERS = st.sampled_from(string.ascii_letters)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9]{1,7}(-[a-z0-9]{1,6})?", fullmatch=True).filter(
    lambda name: (
        spelling(name) not in {"to", "from", "subject", "date", "cc", "mailaddress", "teamname"}
    )
)
VISIBLE = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="<>,:-_=")
PLAIN = LETTERS | st.sampled_from("0123456789.!'+/ é한")


@st.composite
def contests(draw: st.DrawFn, characters: st.SearchStrategy[str]) -> tuple[Settings, Registration]:
    """A contest, with or without fields of its own, and a registration of these characters that
    fits."""
    texts = st.text(characters | st.just(" "), max_size=60).map(
        lambda text: "x" + " ".join(text.split())
    )
    choices = st.lists(texts, max_size=4, unique_by=str.casefold).map(tuple)
    one_field = st.builds(
        ExtraField, name=NAMES, description=texts, choices=choices, required=st.booleans()
    )
    fields = draw(st.lists(one_field, max_size=4, unique_by=lambda field: spelling(field.name)))
    lines = draw(st.sampled_from((1, 2)))
    values = []
    for field in fields:
        if field.required or draw(st.booleans()):
            values.append(
                (field.name, draw(st.sampled_from(field.choices) if field.choices else texts))
            )
    two = st.builds(Member, texts, st.integers(1, 150), texts, texts)
    one = st.builds(Member, texts, st.none(), texts, st.just(""))
    members = draw(st.lists(two if lines == 2 else one, min_size=1, max_size=4))
    registration = Registration(
        "team@machine.example",
        tuple(draw(st.lists(st.sampled_from(tuple(reports())), unique=True))),
        draw(st.from_regex(r"[A-Za-z]q[A-Za-z0-9_]{0,28}", fullmatch=True)),
        draw(st.lists(texts, min_size=1, max_size=7).map(", ".join)),
        tuple(members),
        tuple(values),
    )
    return settings_of(*fields, lines=lines), registration


def reads_again(contest: tuple[Settings, Registration], change: Callable[[str], str]) -> None:
    settings, registration = contest
    reading = read_text(change(record_text(registration)), settings)
    assert reading.problems == ()
    assert reading.registration == registration


@examples(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(contests(VISIBLE))
def test_the_record_of_any_contest_read_again_is_the_same(
    contest: tuple[Settings, Registration],
) -> None:
    reads_again(contest, str)


@examples(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(contests(PLAIN))
def test_it_is_the_same_when_an_answer_has_folded_it(
    contest: tuple[Settings, Registration],
) -> None:
    reads_again(contest, partial(fold, indent="  "))
