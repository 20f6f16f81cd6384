"""Letters that were damaged at random: whatever comes out, nothing is raised, leaked or slow.

`make fuzz` runs this for minutes, with many more examples than the ordinary tests.
"""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.util.sanitize import is_invisible
from mailserver.problem import Problem
from mailserver.reading.find_program import MailedProgram, find_files, find_program
from mailserver.reading.letter import parse
from mailserver.reading.part_text import Text
from mailserver.reading.registration_form import FormResult, read
from mailserver.team_secret import FromLine, find_from_line
from tests.support.mail_world import make_settings

CORPUS = [
    path.read_bytes() for path in sorted((Path(__file__).parent.parent / "letters").rglob("*.eml"))
]
SETTINGS = make_settings()
SECONDS = 10.0  # of processor time; the worst letters of 1 MB that we know take 2

TOKENS = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\r",
        b"\n\n",
        b"\0",
        b"\xff",
        b"\xe2\x80\x9c",
        b"\xc2\xa0",
        b"\xef\xbb\xbf",
        b"=",
        b"=3D",
        b"--b\n",
        b"--b--\n",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n",
        b"\nContent-Type: text/html\n\n",
        b"Content-Transfer-Encoding: base64\n",
        b"Content-Transfer-Encoding: quoted-printable\n",
        b"; charset=utf-16",
        b"; format=flowed; delsp=yes",
        b"Content-Disposition: attachment; filename=a.c\n",
        b"<<FROM>> a b\n",
        b"> ",
        b"=?utf-8?q?=0ABcc=3A_evil=40x.example?=",
        b"=?utf-7?b?AA==?=",
        b"-- \n",
        b"#if 0\n",
        b"#endif\n",
        b"}\n",
        b"{",
        b'"',
        b"'",
        b"\\",
        b"/*",
        b"*/",
        b"//",
        b"<div>",
        b"</div>",
        b"<br>",
        b"<pre>",
        b"<!--",
        b"&lt;",
        b"&#13;",
        b"-----BEGIN PGP SIGNED MESSAGE-----\n\n",
        b"-----BEGIN PGP SIGNATURE-----\n",
        b"___________\n",
        b"Reply-To: ",
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A letter of the corpus after a few accidents."""
    raw = draw(st.sampled_from(CORPUS))
    for _ in range(draw(st.integers(0, 8))):
        begin = draw(st.integers(0, len(raw)))
        end = min(len(raw), begin + draw(st.integers(0, 200)))
        match draw(st.integers(0, 4)):
            case 0:
                raw = raw[:begin] + raw[end:]
            case 1:
                raw = raw[:end] + raw[begin:end] * draw(st.integers(1, 50)) + raw[end:]
            case 2:
                raw = (
                    raw[:begin]
                    + draw(TOKENS) * draw(st.sampled_from([1, 1, 1, 2, 100, 2000]))
                    + raw[begin:]
                )
            case 3:
                raw = raw[:begin] + draw(st.binary(min_size=1, max_size=20)) + raw[end:]
            case _:
                other = draw(st.sampled_from(CORPUS))
                raw = raw[:begin] + other[draw(st.integers(0, len(other))) :]
    return raw


@pytest.mark.slow
@pytest.mark.fuzz
@given(damaged())
def test_a_damaged_letter_has_a_clear_end(raw: bytes) -> None:
    started = time.process_time()
    letter = parse(raw)
    program, files = find_program(letter), find_files(letter, "program.py")
    reading = read(letter.form_lines, SETTINGS)
    assert time.process_time() - started < SECONDS
    assert isinstance(program, Text | Problem)
    assert isinstance(files, MailedProgram | Problem)
    assert isinstance(reading, FormResult)
    if isinstance(program, Text):
        assert isinstance(find_from_line(program.lines), FromLine | Problem)
        "\n".join(program.lines).encode()
        assert not any(sign in line for line in program.lines for sign in "\n\r\0")
    for line in (
        letter.subject,
        letter.sender or "",
        letter.reply_to or "",
        letter.message_id or "",
    ):
        # nothing that goes into a header of an answer ends it
        assert not any(map(is_invisible, line))
    for problem in (found for found in (program, files) if isinstance(found, Problem)):
        assert not any(map(is_invisible, problem.text))
        assert problem.text.isprintable()


HEAD = b"From: joe@a.example\nSubject: please compile\n"
CODE = HEAD + b"Content-Type: text/plain; charset=utf-8\n\n/*\n  <<FROM>> a b\n*/\n"
PAGE = HEAD + b"Content-Type: text/html; charset=utf-8\n\n"
LARGE = {
    "20 MB in one line": HEAD + b"\n" + b"x" * 20_000_000,
    "20 MB of line ends": HEAD + b"\n" + b"\r" * 20_000_000,
    "20 MB of almost boundaries": HEAD
    + b"Content-Type: multipart/mixed; boundary=b\n\n"
    + b"--bx\n" * 4_000_000,
    "20 MB of base64": HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"QUJD" * 5_000_000,
    "a To field of 50 kB": b"To: " + b"a@b.example," * 4_000 + b"\n" + CODE,
    "escaped quotation marks": CODE + b"\\'" * 450_000,
    "escaped curly ones": CODE + "\\“".encode() * 220_000,
    "open comments": CODE + b"/*" * 450_000,
    "a long rule": CODE + b"main() {}\n" + b"-" * 900_000 + b"x",
    "almost links": CODE + b"a.b<http" * 110_000,
    "quotation marks": CODE + b"> " * 450_000,
    "remarks in pieces": CODE + (b"// " + b"a" * 70 + b"\nb c d " + b"e" * 60 + b"\n") * 6_000,
    "open tags": PAGE + b"<a " * 300_000,
    "deep tags": PAGE + b"<div>" * 99 + b"</b>" * 240_000,
    "almost comments": PAGE + b"<!-" * 300_000,
    "many quotations": PAGE + b"<blockquote type=cite>" * 95 + b"a<br>" * 190_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_no_large_letter_takes_long(name: str) -> None:
    started = time.process_time()
    letter = parse(LARGE[name])
    find_program(letter)
    find_files(letter, "program.py")
    read(letter.form_lines, SETTINGS)
    assert time.process_time() - started < SECONDS
