"""Letters whose MIME is wrong: they are read where only one reading gives a text, and told so."""

import base64
import quopri
from pathlib import Path

import pytest

from mailserver.problem import Problem
from mailserver.reading.find_program import MailedProgram, find_files, find_program
from mailserver.reading.letter import parse
from mailserver.reading.part_text import Text

PROGRAM = (Path(__file__).parent.parent / "letters" / "program.c").read_text()
HEAD = "From: joe@a.example\nTo: knobeln@contest.example\nSubject: please compile\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n"
MIXED = "Content-Type: multipart/mixed; boundary=B\n"
PART = f"--B\n{PLAIN}\n{PROGRAM}\n--B--\n"
QUOTED = quopri.encodestring(PROGRAM.encode()).decode()
PACKED = base64.encodebytes(PROGRAM.encode()).decode()


def found(raw: str | bytes) -> Text | Problem:
    return find_program(parse(raw if isinstance(raw, bytes) else raw.encode()))


def check(raw: str | bytes, remark: str) -> None:
    program = found(raw)
    assert isinstance(program, Text)
    assert "\n".join(program.lines).strip() == PROGRAM.strip()
    assert remark in "; ".join(program.repairs)
    assert bool(remark) == bool(program.repairs)


UNKNOWN = "is unknown; it was read as "
ENCODINGS = [
    ("7bits", PROGRAM, ""),
    ("8-bit", PROGRAM, ""),
    ('"8bit"', PROGRAM, ""),
    ("8bit (as it is)", PROGRAM, ""),
    ("utf-8", PROGRAM, UNKNOWN + "plain text"),
    ("quoted-printable;", QUOTED, ""),
    ("quoted-printable (by a relay)", QUOTED, ""),
    ("quoted_printable", QUOTED, ""),
    ('"base64"', PACKED, ""),
    ("base64; x=y", PACKED, ""),
    ("x-base64", PACKED, UNKNOWN + "base64"),
    ("7bit\nContent-Transfer-Encoding: base64", PACKED, UNKNOWN + "base64"),
]


@pytest.mark.parametrize(("encoding", "body", "remark"), ENCODINGS)
def test_a_transfer_encoding_means_what_its_letters_say(
    encoding: str, body: str, remark: str
) -> None:
    check(f"{HEAD}{PLAIN}Content-Transfer-Encoding: {encoding}\n\n{body}", remark)


NO_BLANK = "no blank line stands between the headers and the text"
SEVERAL = "the letter names several Content-Types"
NOT_NAMED = "the letter does not name the boundary of its parts"
NO_PARTS = "the parts that the letter announces are not in it"
STRUCTURES = [
    (f"{HEAD}{PLAIN}{PROGRAM}", NO_BLANK),
    (f"{HEAD}{MIXED}\n--B\n{PLAIN}{PROGRAM}\n--B--\n", NO_BLANK),
    (f"{HEAD}{MIXED}{PART}", NO_BLANK),
    (f"{HEAD}{MIXED}\n--B\n{PROGRAM}\n--B--\n", "the text names no charset"),
    (f"{HEAD}{PLAIN}{MIXED}\n{PART}", SEVERAL),
    (f"{HEAD}{MIXED}{PLAIN}\n{PROGRAM}", SEVERAL),
    (f"{HEAD}Content-Type: multipart/mixed; boundary=B (a comment)\n\n{PART}", ""),
    (f"{HEAD}Content-Type: multipart/mixed; boundary='B'\n\n{PART}", ""),
    (f"{HEAD}Content-Type: multipart/mixed\n\n{PART}", NOT_NAMED),
    (f"{HEAD}Content-Type: multipart/mixed; boundary=C\n\n{PART}", NOT_NAMED),
    (f"{HEAD}\n{PART}", NOT_NAMED),
    (f"{HEAD}{MIXED}\n{PROGRAM}", NO_PARTS),
    (f"{HEAD}{PLAIN} \t\n{PROGRAM}", ""),
    (f"\ufeff{HEAD}{PLAIN}\n{PROGRAM}", ""),
    (f"a line of garbage\n{HEAD}{PLAIN}\n{PROGRAM}", ""),
    (f">From joe Sun\nmore\n{HEAD}{PLAIN}\n{PROGRAM}", ""),
    (f"{HEAD}no field\n{PLAIN}\n{PROGRAM}", ""),
    (f"{HEAD}{PLAIN}\n{PROGRAM}".replace(": ", " : ", 4), ""),
]


@pytest.mark.parametrize(("raw", "remark"), STRUCTURES)
def test_a_structure_is_read_as_it_stands_in_the_letter(raw: str, remark: str) -> None:
    check(raw, remark)
    letter = parse(raw.encode())
    assert (letter.sender, letter.subject) == ("joe@a.example", "please compile")


NAMELESS = [
    "application/octet-stream\nContent-Disposition: attachment",
    "application/octet-stream",
    "text/plain\nContent-Disposition: attachment",
    "application/x-unknown",
]


@pytest.mark.parametrize("kind", NAMELESS)
def test_a_program_may_be_attached_without_a_name(kind: str) -> None:
    text = f"--B\n{PLAIN}\nhere it is\n--B\nContent-Type: {kind}\n\n{PROGRAM}\n--B--\n"
    check(f"{HEAD}{MIXED}\n{text}", "the attached file without a name was read as the program")


def test_a_file_without_a_name_is_the_program_whose_name_the_contest_knows() -> None:
    kind = "Content-Type: application/octet-stream\n\n<<FROM>> a b\nprint(4)"
    letter = parse(f"{HEAD}{MIXED}\n--B\n{PLAIN}\nhello\n--B\n{kind}\n--B--\n".encode())
    program = find_files(letter, "player.py")
    assert isinstance(program, MailedProgram)
    assert list(program.files) == ["player.py"]
    assert "without a name" in program.repairs[0]
    problem = find_files(letter)
    assert isinstance(problem, Problem)
    assert problem.text == "A file has no name."


def wrapped(kind: str, inner: str) -> str:
    report = "This is probably spam; the original message has been attached."
    parts = f"--W\n{PLAIN}\n{report}\n--W\nContent-Type: {kind}\n\n{inner}\n--W--\n"
    return f"{HEAD}Content-Type: multipart/mixed; boundary=W\n\n{parts}"


INNER = [
    ("message/rfc822; x-spam-type=original", f"Subject: x\n{PLAIN}\n{PROGRAM}"),
    ("text/plain; x-spam-type=original", f"{HEAD}{PLAIN}\n{PROGRAM}"),
    ("message/rfc822; x-spam-type=original", f"{HEAD}{MIXED}\n{PART}"),
    ("message/rfc822", f"{HEAD}{PLAIN}\n{PROGRAM}"),
]


@pytest.mark.parametrize(("kind", "inner"), INNER)
def test_a_letter_in_a_spam_filters_report_is_the_letter(kind: str, inner: str) -> None:
    check(wrapped(kind, inner), "the letter was taken out of another one")


def test_somebody_elses_letter_that_is_attached_is_not_the_letter() -> None:
    inner = f"{HEAD}{PLAIN}\n{PROGRAM}".replace("joe@", "jane@")
    letter = wrapped("message/rfc822; name=letter.eml", inner).replace("spam;", "for you,")
    program = found(letter)
    assert isinstance(program, Problem)
    assert "Please send the program itself" in program.text


UMLAUTS = PROGRAM.replace("deliberately", "„übertrieben“, 5 €, deliberately")
CHARSETS = [
    (UMLAUTS.encode("utf-16"), "utf-16"),
    (UMLAUTS.encode("utf-16-le"), "utf-16"),
    (UMLAUTS.encode("utf-16-be"), "utf-16"),
    (UMLAUTS.encode("utf-16-be"), "utf-8"),
    (UMLAUTS.encode("utf-16-le") + b"\n", "us-ascii"),
    (UMLAUTS.encode("utf-32"), "utf-32"),
]


@pytest.mark.parametrize(("data", "charset"), CHARSETS)
def test_wide_characters_are_read_whatever_their_letter_says(data: bytes, charset: str) -> None:
    head = f"{HEAD}Content-Type: text/plain; charset={charset}\n"
    packed = base64.encodebytes(data).decode()
    program = found(f"{head}Content-Transfer-Encoding: base64\n\n{packed}")
    assert isinstance(program, Text)
    assert "\n".join(program.lines).strip() == UMLAUTS.strip()


@pytest.mark.parametrize("charset", ["utf-7", "unicode-1-1-utf-7"])
def test_utf_7_is_read_and_named(charset: str) -> None:
    head = f"{HEAD}Content-Type: text/plain; charset={charset}\n\n".encode()
    program = found(head + UMLAUTS.encode("utf-7"))
    assert isinstance(program, Text)
    assert "\n".join(program.lines).strip() == UMLAUTS.strip()
    assert any("the text was in UTF-7" in repair for repair in program.repairs)
