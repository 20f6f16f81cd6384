"""Raw bytes -> Letter: the oddities of mail, one numbered file each, and what no letter can do."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailserver.problem import Problem
from mailserver.reading.find_program import find_program
from mailserver.reading.letter import Letter, parse
from mailserver.reading.part_text import Text

LETTERS = Path(__file__).parent.parent / "letters"
PROGRAM = tuple((LETTERS / "program.c").read_text().splitlines())


def letter(name: str) -> Letter:
    (path,) = LETTERS.glob(f"{name}_*.eml")
    return parse(path.read_bytes())


@pytest.mark.parametrize("number", [str(n) for n in [*range(20, 34), 36]])
def test_a_program_arrives_whole_however_it_was_mailed(number: str) -> None:
    program = find_program(letter(number))
    assert isinstance(program, Text)
    assert program.lines == PROGRAM


REPAIRS = [
    ("20", ()),
    ("21", ()),
    ("22", ("2 lines that your mailer had wrapped were joined again",)),
    ("30", ("the text names no charset; it was read as Latin-1",)),
    ("31", ("the charset 'x-klingon' is unknown; it was read as UTF-8",)),
    ("32", ("the signature (2 lines from `-- ` on) was left out",)),
    ("33", ("the quotation marks `>` were removed",)),
    ("36", ("the text was taken out of HTML; plain text or an attached file is safer",)),
]


@pytest.mark.parametrize(("number", "repairs"), REPAIRS)
def test_what_was_mended_is_told(number: str, repairs: tuple[str, ...]) -> None:
    program = find_program(letter(number))
    assert isinstance(program, Text)
    assert program.repairs == repairs


NO_PROGRAM = [
    ("34", "There are 2 programs attached"),
    ("35", "it is not clear which one counts"),
    ("37", "its base64 encoding is damaged"),
    ("38", "No attached file (strategy.zip) is a .c file."),
    ("39", "There is no program in the letter."),
]


@pytest.mark.parametrize(("number", "words"), NO_PROGRAM)
def test_a_letter_without_one_clear_program_is_a_problem_in_words(number: str, words: str) -> None:
    problem = find_program(letter(number))
    assert isinstance(problem, Problem)
    assert words in problem.text


SUPPRESSED = [
    ("All", True),
    ("DR, OOF, AutoReply", True),
    ("DR, RN, NRN, OOF", False),
    ("None", False),
]


@pytest.mark.parametrize(("wish", "silent"), SUPPRESSED)
def test_a_sender_may_want_no_automatic_answer(wish: str, silent: bool) -> None:
    assert bool(parse(f"X-Auto-Response-Suppress: {wish}\n\nx".encode()).automatic) is silent


FROM_FIELDS = [
    ("joe@machine.domain.alfdkj", "joe@machine.domain.alfdkj"),
    ("<joe@a.example>", "joe@a.example"),
    ('"Cool, Joe" <joe@a.example>', "joe@a.example"),
    ("Joe Q. Cool <joe@A.Example>", "joe@a.example"),
    ("joe@a.example (Joe Cool)", "joe@a.example"),
    ("=?utf-8?q?=3Cevil=40b=2Eexample=3E?= <joe@a.example>", "joe@a.example"),
    ('"evil@b.example" <joe@a.example>', "joe@a.example"),
    ("Jörg <joerg@a.example>", "joerg@a.example"),
    ("joe@a.example (Joe (JJ) Cool)", "joe@a.example"),
    ("Joe (he/him) <joe@a.example>", "joe@a.example"),
    ('"joe"@a.example', "joe@a.example"),
    ("<@relay.example:joe@a.example>", "joe@a.example"),
    ("Cool, Joe <joe@a.example>", "joe@a.example"),
    ("joe@a.example <joe@a.example>", "joe@a.example"),
    ("Chair of Logic: Joe <joe@a.example>", "joe@a.example"),
    ("Joe [Student] <joe@a.example>", "joe@a.example"),
    ("Joe <joe@a.example", "joe@a.example"),
    ("Joe @ Lab <joe@a.example>;", "joe@a.example"),
    ("<mailto:joe@a.example.>", "joe@a.example"),
    ("=?utf-8?q?Joe_=3Cjoe=40a=2Eexample=3E?=", "joe@a.example"),
    ("evil@b.example <joe@a.example>", "joe@a.example"),
    ("Joe joe@a.example", "joe@a.example"),
    ("alice@example.org)bob@example.com", None),
    ("<a@x.example>b@y.example", None),
    ("<a@x.example> <b@y.example>", None),
    ("a@x.example, b@y.example", None),
    ("friends: a@x.example;", "a@x.example"),
    ("", None),
    ("Joe Cool", None),
    ("joe@localhost", None),
    ("joe@[10.0.0.1]", None),
    ("joe@10.0.0.1", None),
    ("(" * 1000, None),
    ('"' + "\\" * 900, None),
    ("a@x.example\x00", None),
]


@pytest.mark.parametrize(("field", "address"), FROM_FIELDS)
def test_a_from_field_means_one_address_or_none(field: str, address: str | None) -> None:
    assert parse(f"From: {field}\r\n\r\nx\r\n".encode()).sender == address


OTHER_FIELDS = [
    (b"From: a@x.example, b@y.example\nSender: b@y.example", "b@y.example"),
    (b"From: undisclosed:;\nReply-To: b@y.example", "b@y.example"),
    (b"Sender: b@y.example\nReply-To: c@y.example", "b@y.example"),
    (b"From: a@x.example\nFrom: A <a@x.example>", "a@x.example"),
    (b"From: a@x.example\nFrom: b@y.example", None),
    (b"From: a@x.example, b@y.example", None),
]


@pytest.mark.parametrize(("fields", "address"), OTHER_FIELDS)
def test_who_sent_a_letter_without_one_author_is_in_other_fields(
    fields: bytes, address: str | None
) -> None:
    letter = parse(fields + b"\n\nx\n")
    assert (letter.sender, letter.is_author) == (address, False)


MESSAGE_IDS = [
    ("<a@b>", "<a@b>"),
    ("<20260101.abc$1@mail.example.org>", "<20260101.abc$1@mail.example.org>"),
    ("<<a@b@c> x <d>", None),
    ("<[x]@y>", "<[x]@y>"),
    ("a@b", None),
    ("<\x01a@b>", None),
    ("<a@b\x7f>", None),
    ("", None),
    ("<a@b> <c@d>", None),
]


@pytest.mark.parametrize(("field", "message_id"), MESSAGE_IDS)
def test_a_message_id_is_kept_only_when_it_is_one(field: str, message_id: str | None) -> None:
    assert parse(f"Message-ID: {field}\n\nx".encode()).message_id == message_id


def test_a_subject_is_one_visible_line() -> None:
    assert letter("61").subject == "please compile [31m"


SUBJECTS = [
    (b"=?utf-8?q?caf=C3=A9?= =?utf-8?b?4oKs?=", "café€"),
    (b"=?x-klingon?q?please_compile?=", "please compile"),
    (b"=?utf-8?b?A?=", "=?utf-8?b?A?="),
    (b"caf\xe9", "café"),
    (b"please\r\n  compile", "please compile"),
    ("a\u202eb\u200bc".encode(), "a b c"),
    (b"x" * 50_000, "x" * 200),
]


@pytest.mark.parametrize(("raw", "subject"), SUBJECTS)
def test_subjects_are_decoded_and_cleaned(raw: bytes, subject: str) -> None:
    assert parse(b"Subject: " + raw + b"\r\n\r\nx").subject == subject


def test_short_lines_that_end_in_a_blank_were_not_wrapped() -> None:
    flowed = (
        b"Content-Type: text/plain; format=flowed\n\n// a remark \nint b;\nteam-members: \n Joe\n"
    )
    assert parse(flowed).body.lines == ("// a remark ", "int b;", "team-members: ", "Joe")


def nested(depth: int) -> bytes:
    head = b"From: joe@a.example\n"
    for level in range(depth):
        head += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
    return head + b"Content-Type: text/plain\n\nhello\n"


MONSTERS = {
    "nested too deep": (nested(1000), "nested deeper than 10"),
    "too many parts": (
        b"From: joe@a.example\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\n\n" * 100_000,
        "more than 50 parts",
    ),
    "too many header lines": (b"X: y\n" * 5_000 + b"\nx", "headers are longer than"),
    "too large a header": (b"To: " + b"a@b," * 50_000 + b"\n\nx", "headers are longer than"),
    "too many parameters": (
        b"From: joe@a.example\nContent-Type: text/plain" + b";\n a=b" * 900 + b"\n\nx",
        "Content-Type field is longer",
    ),
    "no end of headers": (b"From: joe@a.example\n" * 200_000, "headers are longer than"),
    "NUL": (b"From: joe@a.example\nSubject: a\0b\n\nx", "NUL"),
    "large part headers": (
        b"From: joe@a.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        + b"X: y\n" * 9_000,
        "headers of a part",
    ),
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_are_named(name: str) -> None:
    raw, words = MONSTERS[name]
    (problem,) = parse(raw).problems
    assert words in problem


def test_nine_levels_are_read() -> None:
    assert parse(nested(9)).body.lines == ("hello",)


PIECES = st.sampled_from(
    [
        b"From: ",
        b"Subject: ",
        b"Content-Type: ",
        b"multipart/mixed; boundary=b",
        b"text/plain",
        b"; charset=",
        b"utf-8",
        b"unicode_escape",
        b"idna",
        b"utf-7",
        b"x",
        b"; format=flowed",
        b"; delsp=yes",
        b"Content-Transfer-Encoding: ",
        b"base64",
        b"quoted-printable",
        b"x-uuencode",
        b"Message-ID: <[x]@y>",
        b"Content-Disposition: attachment; filename*0*=",
        b"utf-8''a%00.c",
        b"filename=a.c",
        b"--b\n",
        b"--b--\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"=?utf-8?b?",
        b"?=",
        b"=?",
        b"<a@b.example>",
        b"<<FROM>> a b",
        b"> ",
        b"-- \n",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\0",
        b'"',
        b"\\",
        b"boundary*=unicode_escape''%5Cud800",
        b"=",
        b"=3D",
        b" ",
    ]
)


@given(st.lists(PIECES | st.binary(max_size=8), max_size=60).map(b"".join))
def test_no_letter_raises(raw: bytes) -> None:
    parsed = parse(raw)
    assert isinstance(find_program(parsed), Text | Problem)
    for text in (parsed.body, *parsed.attachments):
        "\n".join(text.lines).encode()
        assert not any("\n" in line or "\r" in line for line in text.lines)
    parsed.subject.encode()


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"])), max_size=20
    )
)
def test_plain_lines_arrive_as_they_were(lines: list[str]) -> None:
    lines = ["x", *lines, "y"]
    raw = b"Content-Type: text/plain; charset=utf-8\n\n" + "\r\n".join(lines).encode() + b"\r\n"
    assert list(parse(raw).body.lines) == [line.replace("\u00a0", " ") for line in lines]
