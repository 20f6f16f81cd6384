"""One program as 95 mailers, gateways, editors and people mangle it: it arrives whole, or its team
is told.

Each mangling is one line of a table. WHOLE: all tokens arrive. Other words have to be in the
answer. RIDDLE: the compiler's messages are all that the team is told.
"""

import base64
import html
import io
import quopri
import re
from binascii import b2a_uu
from collections.abc import Callable, Mapping
from email.header import Header
from pathlib import Path
from textwrap import wrap
from zipfile import ZipFile

import pytest

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs
from mailserver.problem import Problem
from mailserver.reading.c_source_repair import tokens
from mailserver.reading.find_program import find_program
from mailserver.reading.letter import FROM_LIST, parse
from mailserver.reading.part_text import Text
from mailserver.team_secret import find_from_line

C = (Path(__file__).parents[1] / "letters/mailers/program.c").read_text()
LINES = C.splitlines()
MARK = next(line for line in LINES if "<<FROM>>" in line)
WHOLE, RIDDLE = "", "the compiler's messages"
UTF8 = "text/plain; charset=utf-8"


def part(text: str | bytes, kind: str = UTF8, encoding: str = "8bit", more: str = "") -> bytes:
    head = f"Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n{more}\n"
    return head.encode() + (text.encode() if isinstance(text, str) else text)


def mail(inner: bytes, more: str = "") -> bytes:
    return (
        f"From: joe@club.example\nSubject: please compile\nMIME-Version: 1.0\n{more}".encode()
        + inner
    )


def sent(text: str | bytes, kind: str = UTF8, encoding: str = "8bit") -> bytes:
    return mail(part(text, kind, encoding))


def multi(kind: str, *parts: bytes, end: bytes = b"\n--b--\n") -> bytes:
    inner = b"".join(b"\n--b\n" + each for each in parts)
    return f'Content-Type: multipart/{kind}; boundary="b"\n'.encode() + inner + end


def attached(
    data: bytes = C.encode(), name: str = "lords.c", kind: str = "application/octet-stream"
) -> bytes:
    disposition = f'Content-Disposition: attachment; filename="{name}"\n'
    return part(base64.encodebytes(data), kind, "base64", disposition)


def packed(files: Mapping[str, str]) -> bytes:
    data = io.BytesIO()
    with ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return attached(data.getvalue(), "bot.zip", "application/zip")


def mixed(*parts: bytes) -> bytes:
    return mail(multi("mixed", *parts))


def both(plain: str, page: str) -> bytes:
    return mail(multi("alternative", part(plain), part(page, "text/html; charset=utf-8")))


def quoted_printable(text: str = C) -> bytes:
    return quopri.encodestring(text.encode())


def each(change: Callable[[str], str], text: str = C) -> str:
    return "".join(change(line) + "\n" for line in text.splitlines())


def numbered(text: str = C) -> str:
    return "".join(f"{number:3} {line}\n" for number, line in enumerate(text.splitlines(), 1))


def flowed(width: int = 66, end: str = " ") -> str:
    """Words wrapped as mailers do; only where the program has a long line of words or a comment."""
    return "".join(
        "".join(f"{piece}{end}\n" for piece in pieces[:-1]) + pieces[-1] + "\n"
        for line in LINES
        for pieces in [re.findall(rf".{{1,{width}}}(?= |$)", line) if len(line) > 72 else [line]]
        for pieces in [[pieces[0], *(piece[1:] for piece in pieces[1:])] if pieces else [""]]
    )


def page(inner: str) -> str:
    return f"<!DOCTYPE html><html><head><style>p {{x: y}}</style></head><body>{inner}</body></html>"


def seen(text: str) -> str:
    return html.escape(text, quote=False).replace("\t", " " * 8).replace("  ", "&nbsp; ")


DIVS = page(each(lambda line: f"<div>{seen(line) or '<br>'}</div>"))
PRE = page(f"<pre>{html.escape(C)}</pre>")
TABLE = page(
    "<table>"
    + "".join(f"<tr><td>{n}</td><td>{seen(line)}</td></tr>" for n, line in enumerate(LINES, 1))
    + "</table>"
)
LONG = f'char *long_line = "{"x" * 960}" "{"y" * 80}";\n'
WITH_LONG = C + LONG
AT_990 = len(C) + 990
MORE = "From (x) { return x; }\n"
PICTURE = part(
    base64.encodebytes(bytes(99)), "image/png", "base64", "Content-Disposition: inline\n"
)
PLACEHOLDER = "Your mailer cannot show HTML.\n"
COMMENTED = C + "// first\n// second\nint mine_at_first = 1;\n"


def at(old: str, new: str, text: str = C) -> str:
    assert old in text
    return text.replace(old, new, 1)


MANGLINGS: dict[str, tuple[bytes, str]] = {
    # --- encodings
    "8 bit": (sent(C), WHOLE),
    "CRLF": (sent(C.replace("\n", "\r\n")), WHOLE),
    "no MIME at all": (b"From: joe@club.example\nSubject: please compile\n\n" + C.encode(), WHOLE),
    "us-ascii that is none": (sent(C, "text/plain; charset=us-ascii"), WHOLE),
    "quoted-printable": (sent(quoted_printable(), encoding="quoted-printable"), WHOLE),
    "quoted-printable in lower case": (
        sent(
            re.sub(rb"=[0-9A-F]{2}", lambda found: found[0].lower(), quoted_printable()),
            encoding="quoted-printable",
        ),
        WHOLE,
    ),
    "blanks behind soft breaks": (
        sent(quoted_printable().replace(b"=\n", b"=  \n"), encoding="quoted-printable"),
        WHOLE,
    ),
    "quoted-printable without its label": (sent(quoted_printable()), WHOLE),
    "its label without quoted-printable": (
        sent(C.replace("=3", "= 3"), encoding="quoted-printable"),
        WHOLE,
    ),
    "base64": (sent(base64.encodebytes(C.encode()), encoding="base64"), WHOLE),
    "base64 in one line": (sent(base64.b64encode(C.encode()), encoding="base64"), WHOLE),
    "base64 and a plain footer": (
        sent(
            base64.encodebytes(C.encode()) + b"____________\nThe list of the club\n",
            encoding="base64",
        ),
        WHOLE,
    ),
    "base64 that is none": (sent(C, encoding="base64"), WHOLE),
    "damaged base64": (
        sent(
            b"!!".join(
                (base64.encodebytes(C.encode())[:500], base64.encodebytes(C.encode())[500:])
            ),
            encoding="base64",
        ),
        "its base64 encoding is damaged",
    ),
    "UTF-16 with a mark": (
        sent(base64.encodebytes(C.encode("utf-16")), "text/plain; charset=utf-16", "base64"),
        WHOLE,
    ),
    "UTF-16LE": (
        sent(base64.encodebytes(C.encode("utf-16-le")), "text/plain; charset=utf-16le", "base64"),
        WHOLE,
    ),
    "Latin-1": (sent(C.encode("latin-1"), "text/plain; charset=iso-8859-1"), WHOLE),
    "Latin-1 without a label": (sent(C.encode("latin-1"), "text/plain"), WHOLE),
    "macroman": (sent(C.encode("mac_roman"), "text/plain; charset=macintosh"), WHOLE),
    "Latin-1 labelled UTF-8": (sent(C.encode("latin-1")), WHOLE),
    "UTF-8 labelled Latin-1": (sent(C, "text/plain; charset=iso-8859-1"), WHOLE),
    "an unknown charset": (sent(C, "text/plain; charset=x-klingon"), WHOLE),
    "a byte order mark": (sent("\ufeff" + C), WHOLE),
    "uuencoded": (
        sent(
            "begin 644 lords.c\n"
            + "".join(
                b2a_uu(C.encode()[n : n + 45]).decode() for n in range(0, len(C.encode()), 45)
            )
            + "`\nend\n"
        ),
        "it has a uuencoded file in its text",
    ),
    # --- line ends and blanks
    "lone carriage returns": (sent(C.replace("\n", "\r")), WHOLE),
    "one lone carriage return in a comment": (
        sent(at("// first\n", "// first\r", COMMENTED).replace("\n", "\r\n")),
        "a carriage return (CR) without a line feed was read as a line end",
    ),
    "a code that seems to be in a comment": (
        sent(at("// second\nint", "// second\rint", COMMENTED).replace("\n", "\r\n")),
        "a carriage return (CR) without a line feed was read as a line end",
    ),
    "a line separator in a comment": (sent(at("// first\n", "// first\u2028\n", COMMENTED)), WHOLE),
    "a paragraph separator in code": (
        sent(at("int mine_at_first", "\u2029int mine_at_first", COMMENTED)),
        "a line or paragraph separator (U+2028, U+2029) was read as a line end",
    ),
    "line separators alone": (sent(C.replace("\n", "\u2028")), WHOLE),
    "tabs became blanks": (sent(C.expandtabs()), WHOLE),
    "non-breaking blanks": (sent(C.replace("  ", "\u00a0 ")), WHOLE),
    "everything indented": (sent(each(lambda line: f"    {line}")), WHOLE),
    "a blank line between all": (sent(C.replace("\n", "\n\n")), WHOLE),
    "no line ends": (sent(C.replace("\\\n", "").replace("\n", " ")), RIDDLE),
    "zero-width blanks in the mark": (sent(at("<<FROM", "<<\u200bFROM")), WHOLE),
    "zero-width blanks in code": (sent(at("int up;", "int\u200b up;")), WHOLE),
    # --- wrapped lines
    "format=flowed": (sent(flowed(), UTF8 + "; format=flowed"), WHOLE),
    "format=flowed with delsp": (
        sent(flowed(end="  "), UTF8 + "; format=flowed; delsp=yes"),
        WHOLE,
    ),
    "wrapped as in its HTML": (both(flowed(end=""), DIVS), WHOLE),
    "a long string broken": (
        sent(C + 'char *text = "a text that is so long that it reaches the end of\nits line";\n'),
        WHOLE,
    ),
    "a long remark broken": (
        sent(C + "int x; // a remark that is so long that it reaches the end of\nits line\n"),
        "1 line below the program was left out",
    ),
    "a mark broken in two": (sent(at("heavy_lords ", "heavy_lords\n")), "split over two lines"),
    "sendmail breaks a long line": (sent(WITH_LONG[:AT_990] + "!\n " + WITH_LONG[AT_990:]), WHOLE),
    "a relay breaks a long line": (
        sent(WITH_LONG[: AT_990 + 8] + "\n" + WITH_LONG[AT_990 + 8 :]),
        "a mail system may have broken line 50",
    ),
    # --- quoted
    "quoted": (sent(each(lambda line: f"> {line}")), WHOLE),
    "quoted twice": (sent(each(lambda line: f"> > {line}")), WHOLE),
    "quoted below words": (
        sent("Does this work?\n\nJoe wrote:\n" + each(lambda line: f"> {line}")),
        WHOLE,
    ),
    "forwarded": (
        sent("---- Forwarded message ----\nFrom: Joe\nDate: today\nSubject: program\n\n" + C),
        WHOLE,
    ),
    "half of it quoted": (
        sent(each(lambda line: f"> {line}", "\n".join(LINES[:36])) + "\n".join(LINES[36:])),
        "begin with `>`. Please send the program without that, or attach it. It does not "
        "stand before lines 37, 39, 40",
    ),
    "numbered": (sent(numbered()), "Most lines begin with a number."),
    "a list of changes": (sent(each(lambda line: f"+{line}")), "begin with `+`"),
    "in a frame": (sent(each(lambda line: f"| {line}")), "begin with `|`"),
    "a word before the mark": (sent(at("  <<FROM>>", "Team: <<FROM>>")), "but there is `Team:`"),
    "the mark in small letters": (
        sent(C.replace("<<FROM>>", "<<from>>")),
        "to be given exactly as shown",
    ),
    "From became >From": (sent(C + MORE.replace("From", ">From")), WHOLE),
    # --- words around it
    "a signature": (sent(C + "-- \nJoe Cool\nKarlsruhe's best\n"), WHOLE),
    "a line of minuses in the description": (sent(at("That's all.", "-- \nThat's all.")), WHOLE),
    "a greeting": (sent("Hello,\nhere it is.\n\n" + C + "\nBye,\nJoe\n"), WHOLE),
    "a list's footer": (
        sent(
            C
            + "_______________________________________________\nclub mailing list\nhttps://club.example\n"
        ),
        WHOLE,
    ),
    "a disclaimer": (
        sent(C + "\nThis e-mail is confidential. If it is not yours, delete it.\n"),
        WHOLE,
    ),
    "a banner": (sent("[EXTERNAL] Do not click links.\n\n" + C), WHOLE),
    "signed within the text": (
        sent(
            f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{C}"
            "-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"
        ),
        WHOLE,
    ),
    # --- HTML
    "HTML lines": (sent(DIVS, "text/html; charset=utf-8"), WHOLE),
    "HTML as it was typed": (sent(PRE, "text/html; charset=utf-8"), WHOLE),
    "HTML whose signs nobody escaped": (
        sent(page(f"<pre>{C}</pre>"), "text/html; charset=utf-8"),
        WHOLE,
    ),
    "a mark that nobody escaped": (
        sent(PRE.replace("&lt;&lt;FROM&gt;&gt;", "<<FROM>>"), "text/html; charset=utf-8"),
        WHOLE,
    ),
    "HTML labelled plain": (sent(PRE), WHOLE),
    "plain labelled HTML": (sent(C, "text/html; charset=utf-8"), WHOLE),
    "a placeholder beside HTML": (both(PLACEHOLDER, DIVS), WHOLE),
    "escaped text beside HTML": (both(html.escape(C), DIVS), WHOLE),
    "the plain text is cut short": (
        both(C, DIVS.replace("</body>", "<div>int weight = 9;</div></body>")),
        "the letter's text in HTML has another program",
    ),
    "another number in the HTML": (
        both(C, DIVS.replace("12288", "12289")),
        "the letter's text in HTML has another program",
    ),
    "a table with numbers": (sent(TABLE, "text/html; charset=utf-8"), "begin with a number"),
    "backslashes as in Markdown": (
        sent(C.replace("heavy_lords", "heavy\\_lords")),
        "There are backslashes",
    ),
    # --- parts
    "a picture above the program": (mixed(part("Look:\n"), PICTURE, part(C)), WHOLE),
    "Markdown": (sent(f"```c\n{C}```\n", "text/markdown; charset=utf-8"), WHOLE),
    "attached": (mixed(part("Here it is.\n"), attached()), WHOLE),
    "attached under an encoded name": (
        mixed(attached(name=Header("größe.c", "utf-8").encode(), kind="text/x-csrc")),
        WHOLE,
    ),
    "attached twice": (mixed(attached(), attached(name="copy.c")), WHOLE),
    "in the text and attached": (mixed(part(C), attached()), WHOLE),
    "attached, and another as text": (
        mixed(part(at("12288", "1")), attached()),
        "not clear which one",
    ),
    "an attached letter that ends before its end": (
        mail(multi("mixed", part("Here.\n"), attached()[:-400], end=b"")),
        "the letter ends before its end",
    ),
    "by a list": (mail(part(C), "List-Id: <club.example>\nPrecedence: list\n"), WHOLE),
    # --- signs
    "curly quotation marks": (sent(at('"friendly"', "“friendly”")), WHOLE),
    "one curly quotation mark": (
        sent(at("m();", "m(“);")),
        "LEFT DOUBLE QUOTATION MARK in line 43",
    ),
    "a sign for unequal": (
        sent(at("his > mine", "his \u2260 mine")),
        "NOT EQUAL TO in line 35 (write `!=`)",
    ),
    "a sign for not less": (
        sent(at("1 >= his", "1 \u2265 his")),
        "OR EQUAL TO in line 35 (write `>=`)",
    ),
    "a copyright": (sent(at("init_random()", "init_random(\u00a9)")), "COPYRIGHT SIGN in line 43"),
    "an emoji": (sent(at("his, length;", "his, length\U0001f609")), "WINKING FACE in line 41"),
    "a wide semicolon": (
        sent(at("up++;", "up++\uff1b")),
        "FULLWIDTH SEMICOLON in line 35 (write `;`)",
    ),
    "guillemets": (
        sent(at("mine << 1", "mine \u00ab 1")),
        "QUOTATION MARK in line 35 (write `<<`)",
    ),
    "a Cyrillic letter": (
        sent(at("int up;", "int u\u0440;")),
        "CYRILLIC SMALL LETTER ER in line 32",
    ),
    "a dash": (sent(at("his - mine", "his \u2013 mine")), "EN DASH in line 36"),
    "a sign in an attached file": (
        mixed(attached(at("his - mine", "his \u2013 mine").encode())),
        "EN DASH in line 36",
    ),
}


def answer(raw: bytes) -> tuple[Text | Problem, str]:
    """The program, and what the team is told of the letter without the compiler."""
    letter = parse(raw)
    assert letter.automatic in ("", FROM_LIST)
    program = find_program(letter)
    found = program if isinstance(program, Problem) else find_from_line(program.lines)
    told = found.text if isinstance(found, Problem) else "; ".join(getattr(program, "repairs", ()))
    return found if isinstance(found, Problem) else program, told


ARRIVED = {tokens(Text(tuple(each.splitlines()))) for each in (C, COMMENTED, WITH_LONG, C + MORE)}
ALSO = {  # after the 95
    "quoted with the writer's name": (
        sent(each(lambda line: f"joe> {line}")),
        "Most lines begin with `joe>`",
    ),
    "in winmail.dat": (
        mixed(
            part("Here it is.\n"),
            attached(b"\x78\x9f\x3e\x22", "winmail.dat", "application/ms-tnef"),
        ),
        "plain text or HTML in place of `Rich Text`",
    ),
    "a link in its place": (
        sent("https://files.example/lords.c\n"),
        "I follow no links: please put the program itself into the letter",
    ),
    "forwarded as an attached letter": (
        mixed(part("See there.\n"), b"Content-Type: message/rfc822\n\n" + sent(C)),
        WHOLE,
    ),
    "between fences": (sent(f"Hi!\n\n```c\n{C}```\n\nThanks, Joe\n"), WHOLE),
    "between fences, with words above and below": (
        sent(f"Sure! Here is it:\n\n```c\n{C}\n```\n\nIt **follows**.\n\n```\nmake\n```\n"),
        WHOLE,
    ),
    "between fences that do not end": (sent(f"Hi!\n\n```c\n{C}\n"), WHOLE),
    "packed": (mixed(part("Here.\n"), packed({"bot/lords.c": C, "bot/.x": "x"})), WHOLE),
    "packed twice": (
        mixed(part("Here.\n"), packed({"lords.c": C, "more.c": MORE})),
        "There are 2 programs attached",
    ),
    "packed without a program": (
        mixed(part("Here.\n"), packed({"lords.txt": C})),
        "send the program unpacked",
    ),
    "curly quotes in an attached file": (
        mixed(attached(at('"friendly"', "\u201cfriendly\u201d").encode())),
        WHOLE,
    ),
    "compressed": (
        mixed(part("Here.\n"), attached(b"\x1f\x8b", "lords.c.gz", "application/gzip")),
        "send the program unpacked",
    ),
    "numbered with colons": (
        sent(numbered().replace(" ", ": ", 1)),
        "Most lines begin with a number",
    ),
    "a yen sign for a backslash": (sent(C.replace("\\", "¥")), "YEN SIGN in line"),
    "wrapped at 60": (
        sent(
            "\n".join(
                piece for line in LINES for piece in wrap(line, 60, drop_whitespace=False) or [""]
            )
        ),
        WHOLE,
    ),
    "with a euro sign": (
        sent(at("/*", "/* \u20ac").encode("iso-8859-15"), "text/plain; charset=iso-8859-15"),
        WHOLE,
    ),
}
NUMBERED = [
    pytest.param(*row, id=f"{number:02} {name}")
    for number, (name, row) in enumerate((*MANGLINGS.items(), *ALSO.items()), 1)
]


@pytest.mark.parametrize(("raw", "words"), NUMBERED)
def test_a_mangled_program_arrives_whole_or_its_team_is_told(raw: bytes, words: str) -> None:
    program, told = answer(raw)
    if words not in (WHOLE, RIDDLE):
        assert words in told
    else:
        assert isinstance(program, Text), told
        arrives = tokens(program) in ARRIVED
        assert arrives is (words == WHOLE)
        assert (
            arrives or not build("\n".join(program.lines), Programs(), Toolchain()).report.accepted
        )


def test_of_95_at_most_4_are_answered_with_riddles() -> None:
    assert len(MANGLINGS) == 95
    assert sum(words == RIDDLE for _, words in MANGLINGS.values()) <= 4
