"""`knobeln class`: a class from a CSV list, what is done with odd lists, and the marks
afterwards."""

import csv
import io
import json
import mailbox
import re
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from pathlib import Path

import pytest

from tests.support.command_line import knobeln, knobeln_in
from tests.support.letters import letter

LIST = """\
Matrikelnummer;Nachname;Vorname;E-Mail;Team
1;Lovelace;Ada;ada@uni.example;analysts
2;Babbage;Charles;charles@uni.example;analysts
3;Gauß;Carl Friedrich;gauss@uni.example;
"""


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    knobeln("init", tmp_path / "spring", "--beacon", "none")
    return tmp_path / "spring"


@pytest.fixture
def students(tmp_path: Path) -> Path:
    file = tmp_path / "students.csv"
    file.write_text(LIST, encoding="utf-8")
    return file


def invited(contest: Path) -> list[str]:
    lines = json.loads(knobeln_in(contest, "mail", "--json").stdout)
    return sorted(line["to"] for line in lines if line["subject"] == "registration for KNOBELN")


def mails_of_dry_run(contest: Path, students: Path) -> dict[str, EmailMessage]:
    """The invitations as they would go out, by address."""
    printed = knobeln_in(contest, "class", "invite", students, "--dry-run").stdout_bytes
    file = contest / "printed"
    file.write_bytes(printed)
    parser = BytesParser(policy=default)
    found = [parser.parsebytes(bytes(mail)) for mail in mailbox.mbox(file)]
    return {str(mail["To"]): mail for mail in found}


def said(mail: EmailMessage) -> str:
    """The mail's text in one line."""
    return " ".join(mail.get_content().split())


def test_a_list_makes_a_form_for_each_team_and_each_single_person(
    contest: Path, students: Path
) -> None:
    mails = mails_of_dry_run(contest, students)
    assert sorted(mails) == ["ada@uni.example", "charles@uni.example", "gauss@uni.example"]
    assert "The form of your group went to ada@uni.example" in said(mails["charles@uni.example"])
    assert invited(contest) == []  # it was a dry run
    pair = mails["ada@uni.example"].get_content()
    assert "team-name: analysts\n" in pair
    assert "  Ada Lovelace, <age in years>, <occupation>,\n" in pair
    assert "  Charles Babbage, <age in years>, <occupation>,\n" in pair
    single = mails["gauss@uni.example"].get_content()
    assert "team-name: team_2\n" in single
    assert "  Carl Friedrich Gauß, <age in years>, <occupation>,\n" in single


def test_a_dry_run_prints_mails_as_their_readers_see_them(contest: Path, students: Path) -> None:
    printed = knobeln_in(contest, "class", "invite", students, "--dry-run").stdout
    assert "  Carl Friedrich Gauß, <age in years>, <occupation>,\n" in printed
    assert "=C3" not in printed


def test_a_reply_with_the_form_filled_in_registers_the_team(contest: Path, students: Path) -> None:
    invitation = mails_of_dry_run(contest, students)["ada@uni.example"]
    text = invitation.get_content()
    form = text[text.index("mail-address:") : text.rindex("\n---\n")]
    filled = (
        form.replace("<institution, city, country>", "University of London, England")
        .replace("<age in years>", "27")
        .replace("<occupation>", "student")
        .replace("<computer science and programming background>", "wrote the first program")
    )
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    to, subject = str(invitation["Reply-To"]), f"Re: {invitation['Subject']}"
    reply = letter("ada@uni.example", subject, f"{filled}\n\nThe robot wrote:\n{quoted}", to)
    knobeln("receive", "-C", contest, stdin=reply)
    team = json.loads(knobeln_in(contest, "teams", "show", "analysts", "--json").stdout)
    assert [member["name"] for member in team["team"]["registration"]["members"]] == [
        "Ada Lovelace",
        "Charles Babbage",
    ]

    said = knobeln_in(contest, "class", "invite", students).output
    assert invited(contest) == ["gauss@uni.example"]  # who is registered needs no invitation
    assert "1 invitation goes out. 1 address was registered, or invited before" in said


def test_a_form_sent_back_as_it_was_is_refused_and_names_what_is_missing(
    contest: Path, students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no question to the sender first
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    text = mails_of_dry_run(contest, students)["gauss@uni.example"].get_content()
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    reply = letter("gauss@uni.example", "Re: registration for KNOBELN", quoted)
    knobeln("receive", "-C", contest, stdin=reply)
    assert json.loads(knobeln_in(contest, "teams", "--json").stdout) == []
    subjects = [
        mail["subject"] for mail in json.loads(knobeln_in(contest, "mail", "--json").stdout)
    ]
    assert subjects == ["International KNOBELN contest: your registration is not accepted"]
    answer = knobeln_in(contest, "mail", "show", "1").output
    assert "<age in years>" in answer
    assert "<institution, city, country>" in answer


def test_a_contest_for_a_class_asks_for_names_and_nothing_else(
    tmp_path: Path, students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    contest = tmp_path / "course"
    knobeln("init", contest, "--class", "--language", "de", "--beacon", "none")
    invitation = mails_of_dry_run(contest, students)["gauss@uni.example"]
    text = invitation.get_content()
    assert text.startswith("Ihr seid zu")
    form = text[text.index("mail-address:") : text.rindex("\n---\n")]
    fields = [line.partition(":")[0] for line in form.splitlines() if ":" in line]
    assert fields == ["mail-address", "mail-preference", "team-name", "team-members"]
    assert form.endswith("\n  Carl Friedrich Gauß")
    assert "LAP" not in text
    assert re.search(r"[0-9]{4}, [0-9:]{5} UT \((.*, )?[0-9:]{5} CES?T\)", text)
    assert not {"Alter", "Beruf", "Organization"} & set(text.replace(",", " ").split())
    reply = EmailMessage()
    reply["From"], reply["To"] = "gauss@uni.example", str(invitation["Reply-To"])
    reply["Subject"] = f"Re: {invitation['Subject']}"
    reply.set_content(re.sub("team-name: .*", "team-name: princeps", form))
    knobeln("receive", "-C", contest, stdin=reply.as_bytes())
    team = json.loads(knobeln_in(contest, "teams", "show", "princeps", "--json").stdout)["team"]
    (member,) = team["registration"]["members"]
    assert (member["name"], member["age"], member["occupation"]) == (
        "Carl Friedrich Gauß",
        None,
        "",
    )
    assert "is there already" in knobeln("init", contest, "--class", code=1).output


def test_the_same_list_again_invites_nobody_twice_and_a_longer_one_the_new(
    contest: Path, students: Path
) -> None:
    knobeln_in(contest, "class", "invite", students)
    said = knobeln_in(contest, "class", "invite", students).output
    assert "0 invitations go out. 2 addresses were registered, or invited before" in said
    students.write_text(LIST + "4;Hopper;Grace;grace@navy.example;\n", encoding="utf-8")
    assert "1 invitation goes out." in knobeln_in(contest, "class", "invite", students).output
    assert len(invited(contest)) == 3
    assert (
        "3 invitations go out."
        in knobeln_in(contest, "class", "invite", students, "--again").output
    )
    said = knobeln_in(contest, "class", "invite", students, "--again").output
    assert "3 addresses were registered, or invited today." in said
    assert "invitations were sent" in knobeln_in(contest, "log", "--what", "invite").output


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the list is empty"),
        (b"mail,name\n", "but nobody"),
        (
            b"name,team\nAda,a\n",
            "no column of the list is the mail address: it has 'name' and 'team'",
        ),
        (
            b"mail,name\nada at uni,Ada\nbob@uni.example,Bob\n",
            "row 2, column `mail`: 'ada at uni': no mail address",
        ),
        (
            b"mail,name\na@uni.example,Ada\nb@uni.example,Bob\na@uni.example,Eve\n",
            "row 4, column `mail`: 'a@uni.example': Ada in row 2 has the address, too",
        ),
        (b"mail,email\na@uni.example,b@uni.example\n", "two columns of the list are the mail"),
        (b'mail,name\na@uni.example,"Ada\n', "not CSV"),
        (b"\xff\xfe\x00\x00", "no column of the list is the mail address"),
    ],
)
def test_a_wrong_list_invites_nobody_and_says_why(
    contest: Path, tmp_path: Path, data: bytes, reason: str
) -> None:
    file = tmp_path / "odd.csv"
    file.write_bytes(data)
    assert reason in knobeln_in(contest, "class", "invite", file, code=1).output
    assert invited(contest) == []


def test_lists_of_spreadsheets_are_read(contest: Path, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    for data in (LIST.encode("utf-8-sig"), LIST.encode("cp1252"), LIST.replace(";", "\t").encode()):
        file.write_bytes(data)
        mails = mails_of_dry_run(contest, file)
        assert "Carl Friedrich Gauß" in mails["gauss@uni.example"].get_content()


# --- the list comes back --------------------------------------------------------------------------
PAIR = """\
mail-address: ada@uni.example
mail-preference: RSM
team-name: analysts
Organization: London
team-members:
  Augusta Ada King, 27, student,
    wrote the first program
  Charles  BABBAGE, 51, engineer,
    builds engines
"""


def register(contest: Path, form: str, sender: str) -> None:
    letter = EmailMessage()
    letter["From"], letter["To"] = sender, "knobeln@localhost.example"
    letter["Subject"] = "registration for KNOBELN"
    letter.set_content(form)
    knobeln("receive", "-C", contest, stdin=letter.as_bytes())


def marks(contest: Path, *words: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(knobeln_in(contest, "class", "marks", *words).stdout)))


def test_marks_have_all_columns_of_the_list_and_everybody_in_it(
    contest: Path, students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    knobeln_in(contest, "class", "invite", students)
    before = marks(contest)
    assert list(before[0])[:6] == [
        "Matrikelnummer",
        "Nachname",
        "Vorname",
        "E-Mail",
        "Team (list)",
        "member",
    ]
    assert [(row["Matrikelnummer"], row["state"], row["mail"], row["sent"]) for row in before] == [
        ("1", "invited", "ada@uni.example", "0"),
        ("2", "invited", "charles@uni.example", "0"),
        ("3", "invited", "gauss@uni.example", "0"),
    ]
    students.write_text(LIST + "4;Hopper;Grace;grace@navy.example;\n", encoding="utf-8")
    knobeln_in(contest, "class", "invite", students)
    register(contest, PAIR, "ada@uni.example")
    alone = PAIR.replace("ada@uni", "gauss@uni").replace("analysts", "princeps")
    register(contest, alone.partition("  Charles")[0], "gauss@uni.example")
    rows = [
        (r["Matrikelnummer"], r["member"], r["team"], r["mail"], r["state"]) for r in marks(contest)
    ]
    assert rows == [
        # who is left has the address
        ("1", "Augusta Ada King", "analysts", "ada@uni.example", "active"),
        ("2", "Charles BABBAGE", "analysts", "charles@uni.example", "active"),
        ("3", "Augusta Ada King", "princeps", "gauss@uni.example", "active"),
        ("4", "Grace Hopper", "", "grace@navy.example", "invited"),
    ]


def test_who_is_not_in_the_list_has_marks_too(
    contest: Path, students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    knobeln_in(contest, "class", "invite", students)
    register(contest, PAIR.replace("ada@uni", "king@uni"), "king@uni.example")
    assert [(row["Matrikelnummer"], row["member"], row["mail"]) for row in marks(contest)] == [
        ("1", "Ada Lovelace", "ada@uni.example"),
        ("2", "Charles BABBAGE", "charles@uni.example"),
        ("3", "Carl Friedrich Gauß", "gauss@uni.example"),
        ("", "Augusta Ada King", "king@uni.example"),
    ]


# --- a fixed field, and what other systems import -------------------------------------------------
PROGRAM = """\
/*
  <<FROM>> analysts STRING
*/
#if 0
It throws the highest number in each throw.
#endif
main () { for (;;) make_throw (12288); }
"""


@pytest.mark.slow
def test_the_same_program_has_the_same_marks_in_each_class(
    tmp_path: Path, students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    field = tmp_path / "field"
    field.mkdir()
    (field / "low.c").write_text("main () { for (;;) make_throw (6144); }\n")
    series = "n = next_random (1, 12288); for (i = 0; i < 8; i++) make_throw (n);"
    (field / "lucky.c").write_text(f"main () {{ int i, n; for (;;) {{ {series} }} }}\n")
    found = []
    for name in ("spring", "autumn"):
        contest = tmp_path / name
        knobeln("init", contest, "--beacon", "none")
        knobeln_in(contest, "class", "invite", students)
        register(contest, PAIR, "ada@uni.example")
        program = tmp_path / f"{name}.c"
        program.write_text(PROGRAM if name == "spring" else PROGRAM.replace("highest", "greatest"))
        knobeln_in(contest, "programs", "submit", "analysts", program, "--reason", "of the class")
        found.append([row for row in marks(contest, "--field", field) if row["team"]])
        assert all(row["accepted"] == "1" for row in found[-1])
    columns = ("field_games", "field_won", "field_failures", "field_points")
    first, second = ([[row[column] for column in columns] for row in rows] for rows in found)
    assert first == second
    assert len(first) == 2
    games, won, failures, points = first[0]
    assert (games, failures) == ("32", "0")
    # 12288 against 6144: the higher wins 13 points a throw; against chance less than half of the
    # throws.
    assert int(won) >= 16
    assert 6_500 < float(points) < 13_000
    in_moodle = csv_rows(contest, "--for", "moodle", "--field", field)
    assert in_moodle == [
        ["Email address", "International KNOBELN contest"],
        ["ada@uni.example", points],
        ["charles@uni.example", points],
        ["gauss@uni.example", ""],
    ]


def csv_rows(contest: Path, *words: object) -> list[list[str]]:
    return list(csv.reader(io.StringIO(knobeln_in(contest, "class", "marks", *words).stdout)))


def test_canvas_imports_one_mark_by_its_own_columns(
    contest: Path, students: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    knobeln_in(contest, "class", "invite", students)
    refused = knobeln_in(contest, "class", "marks", "--for", "canvas", code=1).output
    assert "the class list has no column Student, ID and Section" in refused
    exported = tmp_path / "gradebook.csv"
    exported.write_text(
        'Student,ID,SIS Login ID,Section,mail\n"Babbage,'
        ' Charles",17,cb1,A,charles@uni.example\n"Lovelace, Ada",18,al2,A,ada@uni.example\n"Gauß,'
        ' Carl",19,cg3,B,gauss@uni.example\n'
    )
    knobeln_in(contest, "class", "invite", exported)
    register(contest, PAIR.partition("  Charles")[0], "ada@uni.example")
    assert csv_rows(contest, "--for", "canvas", "--mark", "sent") == [
        [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            "International KNOBELN contest",
        ],
        ["Lovelace, Ada", "18", "", "al2", "A", "0"],
        ["Babbage, Charles", "17", "", "cb1", "A", "0"],
        ["Gauß, Carl", "19", "", "cg3", "B", "0"],
    ]
    unknown = knobeln_in(contest, "class", "marks", "--mark", "beauty", code=2).output
    assert "--mark is one of sent, accepted" in unknown.replace("\n", " ")
