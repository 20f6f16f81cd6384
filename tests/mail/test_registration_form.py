"""The form of the announcement: what is mended, what is refused and in which words, and round
trips."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.mail.form import blank
from contest.model import Member, Registration
from contest.schema.sections import KNOBELN_REPORTS
from contest.util.sanitize import is_invisible
from mailserver.reading.letter import parse
from mailserver.reading.registration_form import FormResult, holds_form, read
from mailserver.reading.team_names import unique_name
from tests.support.mail_world import FORM, make_settings

LETTERS = Path(__file__).parent.parent / "letters"
SETTINGS = make_settings()
SAMPLE = Registration(
    "our_team@machine.domain.alfdkj",
    ("LAP", "DGP", "GRG", "RSM"),
    "the_heavy_lords_of_knobeln",
    "University of Northeast Sacrodata, Intellect City, Eggland",
    (
        Member("Joe Cool", 45, "professional systems programmer", "20-year-experienced programmer"),
        Member(
            "Jane More",
            20,
            "graduate student of computer science",
            "hackeress fluent in 34 programming languages",
        ),
        Member("Mona Morn", 35, "Professor of CS", "hobby game strategy programmer"),
        Member(
            "Bill Neat",
            24,
            "undergraduate student of psychology",
            "advanced beginner (will be my first C program!)",
        ),
    ),
)


def read_text(text: str) -> FormResult:
    return read(text.split("\n"), SETTINGS)


def read_letter(number: str) -> FormResult:
    (path,) = LETTERS.glob(f"{number}_*.eml")
    return read(parse(path.read_bytes()).form_lines, SETTINGS)


def test_a_line_of_the_form_may_end_as_some_editors_end_it() -> None:
    (path,) = LETTERS.glob("00_*.eml")
    head, _, form = path.read_text().partition("\n\n")
    sent = parse(f"{head}\n\n{form.replace(chr(10), chr(0x2028), 3)}".encode())
    assert read(sent.form_lines, SETTINGS) == read_letter("00")


@pytest.mark.parametrize("number", [f"{n:02}" for n in range(10)])
def test_the_announcements_sample_is_read_however_it_was_mailed(number: str) -> None:
    reading = read_letter(number)
    assert reading.problems == ()
    assert reading.registration == SAMPLE


REMARKS = [
    ("00", ()),
    ("03", ("line 5 was read as the rest of `Organization:`",)),
    ("09", ("lines of team-members that were broken in two were joined again",)),
]


@pytest.mark.parametrize(("number", "remarks"), REMARKS)
def test_what_was_mended_is_remarked(number: str, remarks: tuple[str, ...]) -> None:
    assert read_letter(number).remarks == remarks


def test_everything_that_is_wrong_is_listed_at_once_with_its_line() -> None:
    found = [(p.line, re.split("[:,;]", p.text)[0]) for p in read_letter("16").problems]
    assert found == [
        (3, "Please write `lap` in capitals"),
        (3, "`XYZ` is not one of LAP"),
        (3, "GRP is given twice."),
        (4, "`mail-address"),
        (4, "I cannot use this mail address"),
        (5, "The name `while` is a keyword of C (or of gcc)"),
        (6, "There is no such field in the form."),
        (7, "The organization is missing."),
        (9, "The age should be a number from 1 to 150"),
        (11, "Each member takes exactly two lines"),
    ]


def with_value(field: str, value: str) -> FormResult:
    lines = [f"{field}: {value}" if line.startswith(field) else line for line in FORM.split("\n")]
    return read_text("\n".join(lines))


ADDRESSES = [
    "two@a.example, addresses@a.example",
    "joe@a.example, or jim@a.example",
    "joe@localhost",
    "joe@[127.0.0.1]",
    "joe@127.0.0.1",
    "joe@",
    "Knobeln+x@Contest.Example",
    "jörg@a.example",
    "",
    "joe@a..example",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_cannot_identify_a_team_is_refused(address: str) -> None:
    reading = with_value("mail-address", address)
    assert reading.registration is None
    assert [p.line for p in reading.problems] == [1]


GOOD_ADDRESSES = [
    ("joe@a.alfdkj", "joe@a.alfdkj"),
    ("joe@A.Example", "joe@a.example"),
    ("joe@team.test", "joe@team.test"),
    ("joe@team.invalid", "joe@team.invalid"),
    ("joe+knobeln@a.example", "joe+knobeln@a.example"),
    ("joe@müller.example", "joe@xn--mller-kva.example"),
    ("Joe Cool <joe@a.example>", "joe@a.example"),
    ("joe@a.example (Joe)", "joe@a.example"),
    ("<joe@a.example>", "joe@a.example"),
    ("joe@a.example<mailto:joe@a.example>", "joe@a.example"),
    ("joe@a.example <mailto:Joe@a.example>", "joe@a.example"),
    ("[joe@a.example](mailto:joe@a.example)", "joe@a.example"),
    ("<mailto:joe@a.example>", "joe@a.example"),
    ("*joe@a.example*.", "joe@a.example"),
]


@pytest.mark.parametrize(("written", "address"), GOOD_ADDRESSES)
def test_an_internet_style_address_needs_no_known_top_level_domain(
    written: str, address: str
) -> None:
    assert with_value("mail-address", written).registration.address == address


PREFERENCES = [
    ("", ()),
    ("None", ()),
    ("LAP", ("LAP",)),
    ("RSM , LAP", ("RSM", "LAP")),
    ("LAP,LGP,DGP,GRP,GRG,GRR,RSM", KNOBELN_REPORTS),
    ("lap", None),
    ("LAP;RSM", ("LAP", "RSM")),
    ("LAP RSM", ("LAP", "RSM")),
    ("LAP, DGP and RSM.", ("LAP", "DGP", "RSM")),
    ("keine.", None),
    ("LAP,LAP", None),
    ("ALL", None),
]


@pytest.mark.parametrize(("written", "codes"), PREFERENCES)
def test_preferences_are_codes_in_capitals_between_commas_or_blanks(
    written: str, codes: tuple[str, ...] | None
) -> None:
    registration = with_value("mail-preference", written).registration
    assert (registration and registration.preferences) == codes


NAMES = [
    ("a" * 30, True),
    ("_x9", True),
    ("Int", True),
    ("a" * 31, False),
    ("9lives", False),
    ("heavy lords", False),
    ("heavy-lords", False),
    ("\u0430bc", False),
    ("int", False),
    ("asm", False),
    ("CON", False),
    ("House", False),
    ("", False),
    ("{{7*7}}", False),
]


@pytest.mark.parametrize(("name", "is_good"), NAMES)
def test_a_team_name_is_a_c_identifier_of_at_most_30_characters(name: str, is_good: bool) -> None:
    assert (with_value("team-name", name).registration is not None) == is_good


@pytest.mark.parametrize(
    ("name", "why"),
    [("con", "no file of that name"), ("referee", "reports use it for something else")],
)
def test_a_reserved_name_comes_with_the_reason_and_advice(name: str, why: str) -> None:
    (problem,) = with_value("team-name", name).problems
    assert why in problem.text
    assert f"for example `{name}_team`" in problem.text


ORGANIZATIONS = [
    ("x" * 500, True),
    ("x" * 501, False),
    ("", False),
    ("a\x1b[31mb", False),
    ("%s{{7*7}}", True),
]


@pytest.mark.parametrize(("text", "is_good"), ORGANIZATIONS)
def test_an_organization_is_one_visible_text_of_at_most_500_characters(
    text: str, is_good: bool
) -> None:
    assert (with_value("Organization", text).registration is not None) == is_good


HEAD = FORM.partition("team-members:\n")[0] + "team-members:\n"
ONE = "  Joe, 45, programmer,\n  many years\n"
MEMBERS = [
    (ONE, 1),
    (ONE * 10, 10),
    (ONE.replace("  ", ""), 1),
    (ONE.replace("Joe", "\tJoe") + "\n" + ONE, 2),
    ("  Joe, 45, father, programmer,\n  many, years, 20, old\n", 1),
    (ONE * 11, None),
    ("", None),
    ("  Joe, 45, programmer\n", None),
    ("  Joe, 0, programmer\n  x\n", None),
    ("  Joe, 151, programmer\n  x\n", None),
    ("  Joe, 4½, programmer\n  x\n", None),
    ("  Joe, programmer, 45\n  x\n", None),
    ("  Joe, 45,\n  x\n", None),
    ("  Joe, 45, programmer,\n" + "  more\n" * 199, None),
    ("  Joe, 45, " + "x" * 300 + "\n  x\n", None),
]


@pytest.mark.parametrize(("text", "count"), MEMBERS)
def test_members_take_two_lines_each(text: str, count: int | None) -> None:
    reading = read_text(HEAD + text)
    assert (reading.registration and len(reading.registration.members)) == count
    assert (count is None) == bool(reading.problems)


NOBODY = "  Joe, old, programmer\n  many years\n"
TOO_MANY = [
    (NOBODY + ONE * 10, "The team seems to have 11 members, at most 10 are allowed."),
    (
        ONE * 10 + "  Joe, 45, programmer\n",
        "The team seems to have 11 members, at most 10 are allowed.",
    ),
    (ONE * 11, "The team has 11 members, at most 10 are allowed."),
]


@pytest.mark.parametrize(("text", "words"), TOO_MANY)
def test_that_there_are_too_many_members_is_told_although_a_line_is_wrong(
    text: str, words: str
) -> None:
    found = [problem.text for problem in read_text(HEAD + text).problems]
    assert [text for text in found if "at most" in text] == ([words] if words else [])
    assert len(found) == (1 if "has 11" in words else 2 if words else 1)


STRUCTURES = [
    (
        FORM.replace("team-name: the_heavy_lords_of_knobeln\n", ""),
        "The field `team-name:` is missing.",
    ),
    (FORM + "team-name: again\n", "`team-name:` is given twice."),
    (FORM + "\nregards, Joe, 45, programmer\n", "Each member takes exactly two lines"),
    (f"{HEAD}  Joe, 45, programmer\n  Ann, 33, student\n", "Each member takes exactly two lines"),
    (FORM.replace("mail-pref", "Hi\nmail-pref"), "does not belong to the form"),
    (FORM.replace("team-name:", "team name x:"), "There is no such field in the form."),
    (FORM.replace("mail-address:", "mail-adress:"), "Did you mean `mail-address:`?"),
    ("just a letter", "There is no registration form in the text of the letter."),
    ("", "There is no registration form in the text of the letter."),
    (
        FORM.replace("Eggland\n", "Eggland\nhello\n").replace(", Intellect City, Eggland", ""),
        "does not belong",
    ),
]


LONG = FORM.replace("Eggland", "Eggland, the Union of the Northern Sacrodata Isles")


def misspelled(name: str) -> st.SearchStrategy[str]:
    """The name as people write it: a letter or a word wrong, too many or too few, and signs
    around."""
    places, letters = st.integers(0, len(name) - 1), st.sampled_from("aeinrst")
    return st.one_of(
        places.map(lambda at: name[:at] + name[at + 1 :]),
        st.builds(lambda at, sign: name[:at] + sign + name[at:], places, letters),
        st.builds(lambda at, sign: name[:at] + sign + name[at + 1 :], places, letters),
        places.map(lambda at: name[:at] + name[at : at + 2][::-1] + name[at + 2 :]),
        st.sampled_from(
            (name + "s", f"{name}(s)", name.rpartition("-")[2], name.replace("-", "."))
        ),
    )


NAMES = ("mail-address", "mail-preference", "team-name", "Organization", "team-members")


@given(
    st.sampled_from(NAMES).flatmap(lambda n: st.tuples(st.just(n), misspelled(n))), st.booleans()
)
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_field_that_is_nearly_right_is_read_or_named_with_its_line(
    indent: str, names, in_capitals
) -> None:
    name, written = names
    shown = written.upper() if in_capitals else written
    number = LONG[: LONG.index(name)].count("\n") + 1
    reading = read_text(LONG.replace(f"{name}:", f"{indent}{shown}:"))
    assert reading.form.text == LONG.strip()
    if reading.registration is None:
        (problem,) = reading.problems
        assert (problem.line, f"Did you mean `{name}:`?" in problem.text) == (number, True)


@pytest.mark.parametrize(
    "words", ["Address: Main Street 5", "Members: 500", "Organizational unit: CS", "Team: A"]
)
def test_a_line_like_a_field_that_is_there_goes_on_with_the_field_above(words: str) -> None:
    (folded,) = [FORM.replace("Eggland\n", f"Eggland,\n  {words}\n")]
    for text in (folded, LONG.replace("Isles\n", f"Isles,\n{words}\n")):
        assert read_text(text).registration.organization.endswith(f", {words}")


@pytest.mark.parametrize(("text", "words"), STRUCTURES)
def test_a_wrong_structure_is_explained(text: str, words: str) -> None:
    reading = read_text(text)
    assert reading.registration is None
    assert any(words in problem.text for problem in reading.problems)


def test_a_letter_that_only_looks_like_one_of_ours_is_named() -> None:
    (problem,) = with_value("team-name", "t\N{CYRILLIC SMALL LETTER IE}am").problems
    assert "is another sign: CYRILLIC SMALL LETTER IE" in problem.text


def test_a_letter_that_everybody_sees_is_none_of_ours_needs_no_name() -> None:
    (problem,) = with_value("team-name", "Würfler").problems
    assert "another sign" not in problem.text


def test_a_refused_form_comes_back_filled_with_what_was_written() -> None:
    form = with_value("team-name", "int").form
    assert form.text == FORM.strip().replace("the_heavy_lords_of_knobeln", "int")


FRAGMENTS = st.sampled_from(
    [
        "mail-address:",
        "mail-preference:",
        "team-name:",
        "Organization:",
        "team-members:",
        " ",
        "\n",
        "\t",
        "---",
        "Joe, 45, x,",
        "LAP",
        "a@b.example",
        "-- ",
        ",",
        "\u202e",
        "\x00",
        "x" * 600,
        "Team_Name :",
        "9" * 50,
    ]
)


@given(st.lists(FRAGMENTS | st.text(max_size=10), max_size=60).map("".join))
def test_reading_never_raises_and_says_yes_or_why_not(text: str) -> None:
    reading = read_text(text)
    assert (reading.registration is None) == bool(reading.problems)
    form = reading.form or blank(SETTINGS)
    assert not any(is_invisible(c) for c in form.text.replace("\n", ""))


@pytest.mark.parametrize(
    ("text", "is_form"),
    [
        ("Team-Name: nuts\nOrganization: none", True),
        ("team name: nuts\n\nTEAMMEMBERS: Joe Cool", True),
        ("> > Team_Name: nuts\n> > Organization: none", True),
        ("&gt; Team-Name: nuts\n&gt; Organization: none", True),
        ("*Team-Name*: nuts\n- _Organization_ : none", True),
        ("| Team-Name | nuts |\n| Organization | none |", True),
        ("Team-Name\tnuts\nOrganization\tnone", True),
        ("Te\u200bam-Name: nuts\nOrgani\u00adzation: none", True),
        ("\u00a0Team-Name\u00a0: nuts\nOrganization\uff1a none", True),
        ("Team-Name=20: nuts\nOrganization: none=20", True),
        ("Team-Name: nuts", False),
        ("Team-Name:\nOrganization:", False),
        ("Where do I write the name of our team?", False),
        ("Grüße, das Team", False),
        ("", False),
    ],
)
def test_two_fields_that_say_something_are_a_form(text: str, is_form: bool) -> None:
    """A quick look leaves most letters out; it must miss no form."""
    assert holds_form(text.split("\n"), SETTINGS) is is_form


def test_a_turkish_letter_in_a_name_is_told_and_never_raises() -> None:
    result = read_text(FORM.replace("mail-address", "ma\u0131l-address"))
    assert result.registration is None
    assert any("mail-address" in problem.text for problem in result.problems)


def test_a_taken_name_gets_a_number() -> None:
    assert unique_name("lords", {"kings"}.__contains__) == "lords"
    assert unique_name("Lords", {"Lords"}.__contains__) == "Lords_2"
    assert unique_name("lords", {"lords", "lords_2"}.__contains__) == "lords_3"
    assert unique_name("a" * 30, {"a" * 30}.__contains__) == "a" * 28 + "_2"
