"""The files of a program in any language: attached under their own names, byte for byte."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailserver.problem import Problem
from mailserver.reading.find_program import MailedProgram, find_files
from mailserver.reading.letter import parse
from mailserver.team_secret import FromLine, find_from_line

PYTHON = 'print("Grüße")  \n\nif 1 < 2:\n\tprint(">")\n'
SAID = "/*\n  <<FROM>> lords k7qd\n*/\nIt bids what is left.\n\nOne did the work.\n"


def mail(text: str = SAID) -> EmailMessage:
    letter = EmailMessage(policy=SMTP)
    letter["From"] = "joe@a.example"
    letter["Subject"] = "please compile"
    letter.set_content(text)
    return letter


def attach(
    letter: EmailMessage, name: str, data: bytes, kind: str = "octet-stream"
) -> EmailMessage:
    letter.add_attachment(data, maintype="application", subtype=kind, filename=name)
    return letter


def read(letter: EmailMessage) -> MailedProgram:
    files = find_files(parse(letter.as_bytes()))
    assert isinstance(files, MailedProgram)
    return files


def problem(raw: bytes) -> Problem:
    found = find_files(parse(raw))
    assert isinstance(found, Problem)
    return found


def test_files_arrive_byte_for_byte_below_base64() -> None:
    windows = PYTHON.replace("\n", "\r\n").encode()
    letter = attach(attach(mail(), "program_3.py", windows), "book.txt", b"no line end")
    assert read(letter).files == {"program_3.py": windows, "book.txt": b"no line end"}


@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
def test_text_parts_have_plain_line_ends(encoding: str) -> None:
    letter = mail()
    letter.add_attachment(PYTHON, subtype="x-python", filename="program_3.py", cte=encoding)
    sent = PYTHON if encoding != "base64" else PYTHON.replace("\n", "\r\n")
    assert read(letter).files == {"program_3.py": sent.encode()}


@given(
    st.binary()
    .map(lambda data: bytes(b for b in data if (b >= 32 or b in b"\t\n\r") and b != ord("<")))
    .filter(lambda data: not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)))
)
def test_any_text_survives_the_post(data: bytes) -> None:
    assert read(attach(mail(), "a.txt", data)).files == {"a.txt": data}


def test_what_flowed_did_to_a_file_is_undone() -> None:
    raw = (
        b"From: joe@a.example\nContent-Type: text/plain; format=flowed; name=a.py\n"
        b"Content-Disposition: attachment; filename=a.py\n\n  if x:\n   y = 1 \n"
    )
    files = find_files(parse(raw))
    assert isinstance(files, MailedProgram)
    assert files.files == {"a.py": b" if x:\n  y = 1 \n"}


def test_the_text_is_what_the_team_says_without_signature_and_from_line() -> None:
    files = read(attach(mail(SAID + "-- \nJoe\n"), "program_3.py", b"1"))
    assert files.description == "It bids what is left.\n\nOne did the work."
    assert files.marked_in == ""


def test_the_from_line_may_stand_in_a_comment_of_a_file() -> None:
    data = b"#!/bin/sh\r\n// <<FROM>> lords k7qd\r\n"
    files = read(attach(attach(mail("Hello!\n"), "a.txt", b"x"), "program_3.sh", data))
    assert files.marked_in == "program_3.sh"
    assert files.files["program_3.sh"] == data
    assert files.description == "Hello!"
    assert find_from_line(files.marked) == FromLine("lords", "k7qd", 2)


def test_a_misspelled_from_line_in_a_file_is_found_there() -> None:
    files = read(attach(mail("Hello!\n"), "program_3.py", b"#\n# <<from>> lords k7qd\n"))
    found = find_from_line(files.marked)
    assert isinstance(found, Problem)
    assert (files.marked_in, found.line) == ("program_3.py", 2)


def test_a_named_text_part_is_a_file_and_not_what_the_team_says() -> None:
    raw = (
        b"Content-Type: text/x-python; charset=utf-8\nContent-Disposition: inline;"
        b" filename=a.py\n\n# hi\n"
    )
    files = find_files(parse(raw))
    assert isinstance(files, MailedProgram)
    assert (files.files, files.description) == ({"a.py": b"# hi\n"}, "")


def test_the_text_is_the_program_where_the_contest_names_it() -> None:
    letter = parse(mail("# <<FROM>> lords k7qd\ndef f(): pass\n-- \nJoe\n").as_bytes())
    files = find_files(letter, "final_strategy.py")
    assert isinstance(files, MailedProgram)
    assert files.files == {"final_strategy.py": b"# <<FROM>> lords k7qd\ndef f(): pass\n"}
    assert files.marked_in == "final_strategy.py"
    assert find_from_line(files.marked) == FromLine("lords", "k7qd", 1)
    assert files.repairs == ("the signature (2 lines from `-- ` on) was left out",)


def test_what_mailers_add_is_no_file() -> None:
    letter = mail()
    letter.add_attachment(PYTHON, subtype="x-python", filename="program_3.py")
    attach(letter, "signature.asc", b"\0", "pgp-signature")
    attach(letter, "smime.p7s", b"\0", "pkcs7-signature")
    letter.add_attachment(
        b"\x89PNG\0",
        maintype="image",
        subtype="png",
        disposition="inline",
        filename="x.png",
        cid="<a>",
    )
    assert set(read(letter).files) == {"program_3.py"}


WRONG = [
    ([], "There is no file attached", "the program as an attached file"),
    (
        [("program_3.py; rm -rf", b"x")],
        "`program_3.py; rm -rf` cannot be used",
        "a name consists of",
    ),
    ([("../a.py", b"x")], "`../a.py` cannot be used", "a name consists of"),
    ([("a\u202eyp.py", b"x")], "cannot be used", "a name consists of"),
    ([("\u200ba.py", b"x")], "cannot be used", "a name consists of"),
    ([("a.py", b"1"), ("a.py", b"2")], "several files named a.py", "only once"),
    ([("a.py", b"1"), ("A.py", b"1")], "several files named", "only once"),
    ([(f"{n}.py", b"1") for n in range(41)], "There are 41 files attached; at most 40", ""),
    ([("a.py", b"x" * 1_500_000), ("b.py", b"x" * 600_000)], "have 2,100,000 bytes", ""),
    (
        [("a.py", b"1"), ("logo.png", b"\x89PNG\r\n\x1a\n\0")],
        "logo.png is no text",
        "attached file",
    ),
    (
        [("a.py", b"# <<FROM>> x y"), ("b.txt", b"# <<FROM>> x z")],
        "different <<FROM>> lines",
        "one <<FROM>>",
    ),
]


@pytest.mark.parametrize(("sent", "words", "form"), WRONG)
def test_files_that_cannot_be_taken_are_a_problem_with_the_right_form(
    sent: list[tuple[str, bytes]], words: str, form: str
) -> None:
    letter = mail("Hello!\n")
    for name, data in sent:
        attach(letter, name, data)
    found = problem(letter.as_bytes())
    assert words in found.text
    assert form in found.expected


def test_a_file_without_a_name_and_a_damaged_one_are_named_so() -> None:
    nameless = b"Content-Type: text/x-python\nContent-Disposition: attachment\n\nx\n"
    assert "A file has no name" in problem(nameless).text
    damaged = (
        b"Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=a.py\n"
        b"Content-Transfer-Encoding: base64\n\nabc*\n"
    )
    assert "a.py could not be read: its base64 encoding is damaged" in problem(damaged).text
