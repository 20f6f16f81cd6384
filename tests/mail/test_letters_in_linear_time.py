"""Letters that would cost a careless reader quadratic time or worse: every reader of every one is
linear.

A letter is a beginning and a unit that is repeated up to a size. The sizes grow, so that a reader
that needs hours for a large letter is found with a small one.
"""

import base64
import gc
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.ledger.notes import VerifierKey, in_one_piece
from contest.ledger.receipts import notes_in
from contest.mail.sent_files import strip_secret, without_from_line, without_secret
from contest.model import LetterState, StoredLetter
from mailserver import bounces
from mailserver.commands import COMMANDS, help_topics, recognise
from mailserver.intake import envelope
from mailserver.intake.whose import other_recipient
from mailserver.problem import Problem
from mailserver.reading import mime_parts
from mailserver.reading.authentication_results import authenticity
from mailserver.reading.c_source_repair import is_prose, repaired
from mailserver.reading.find_program import MailedProgram, find_files, find_program
from mailserver.reading.html import seen_lines
from mailserver.reading.letter import Letter, clean_subject, network_of, parse
from mailserver.reading.part_text import Text
from mailserver.reading.registration_form import (
    MAX_LINE_CHARACTERS,
    holds_form,
    read,
    read_codes,
    wrong_codes,
)
from mailserver.team_secret import find_from_line, possible_strings, without_strings
from tests.support.mail_world import FORM, World, make_settings

SETTINGS = make_settings()
NOW = datetime(1994, 4, 1, tzinfo=UTC)
WITNESS = VerifierKey("witness.example", b"k" * 32, b"\x04")

SMALL_SIZES = (200, 500, 4_000)  # bytes; what is worse than quadratic does not come to the next one
EIGHTH, WHOLE = 5_000, 40_000
# for one reader and one letter of these sizes, of processor time; usual are 0.02
MAX_SECONDS = 0.25
# What takes less at WHOLE needs less than 4 s for 1 MB, even if it is quadratic.
FLOOR_SECONDS = 0.006
# of the times for WHOLE and EIGHTH: 8 is linear and 64 quadratic. A busy neighbour on the processor
# makes one of the two sizes up to twice as slow, for seconds; that may decide nothing.
MAX_RATIO = 20
TRIES = 12
MAX_SECONDS_OF_LARGEST = 6.0  # for all readers together; about 1.4 is usual for the worst ones

Make = Callable[[int], bytes]
Reader = tuple[str, Callable[[], object]]


# --- the readers ----------------------------------------------------------------------------------
def readers(raw: bytes) -> Iterator[Reader]:
    """All that read this letter, in an order in which each has what it needs."""
    yield "intake", partial(_take_in, raw)
    letter: list[Letter] = []
    yield "parse", lambda: letter.append(parse(raw))
    yield from readers_of(raw, letter[-1])


def readers_of(raw: bytes, letter: Letter) -> Iterator[Reader]:
    programs: list[Text | Problem] = []
    files: list[MailedProgram | Problem] = []
    yield "headers", partial(_read_headers, letter)
    yield "form", lambda: read(letter.form_lines, SETTINGS)
    yield "is a form", lambda: holds_form(letter.form_lines, SETTINGS)
    yield "find_program", lambda: programs.append(find_program(letter))
    yield "find_files", lambda: files.append(find_files(letter, "program.py"))
    yield "images", lambda: find_files(letter, images=True)
    yield "<<FROM>>", partial(_find_from_lines, letter)
    texts = [
        file for found in files if isinstance(found, MailedProgram) for file in found.files.values()
    ]
    texts += ["\n".join(found.lines).encode() for found in programs if isinstance(found, Text)]
    yield "strings", lambda: [list(possible_strings(text.decode("latin-1"))) for text in texts]
    yield "public", lambda: [without_secret(text) for text in texts]
    yield "message", lambda: without_strings("\n".join(letter.body.lines))
    # a person's letter; the library has its twenty formats to look for
    if not raw.startswith(HEAD):
        yield "bounce", lambda: bounces.read(_stored(raw), letter)
    yield "receipts", lambda: [list(notes_in(text)) for text in _all_texts(letter)]
    yield (
        "witness",
        lambda: [list(WITNESS.signatures_in(in_one_piece(text))) for text in _all_texts(letter)],
    )
    yield "help", lambda: is_prose(without_from_line(letter.body.lines))
    yield "preference", lambda: [_codes(line) for line in letter.body.lines]


def _take_in(raw: bytes) -> None:
    envelope.of(raw)
    envelope.writer(raw)
    other_recipient(raw, SETTINGS.contest, "robot")
    head = mime_parts.head_of(raw)
    if not mime_parts.is_too_large(head):
        mime_parts.count_hops(head)


def _read_headers(letter: Letter) -> None:
    authenticity(letter.headers, "joe@a.example", "mx.example")
    network_of("", letter.headers.all("Received"))
    bounces.tagged_addresses(" ".join(letter.headers.all("To")))


def _find_from_lines(letter: Letter) -> None:
    for text in (letter.body, *letter.attachments):
        find_from_line(text.lines)
    for file in letter.files:
        find_from_line(file.data.decode(errors="replace").splitlines())


def _codes(line: str) -> list[str]:
    name, _, codes = line.partition(":")
    return (
        list(wrong_codes(read_codes(codes), SETTINGS.reports.offered))
        if name == "mail-preference"
        else []
    )


def _all_texts(letter: Letter) -> list[str]:
    texts = ["\n".join([*text.lines, ""]) for text in (letter.body, *letter.attachments)]
    return texts + [file.data.decode(errors="replace") for file in letter.files]


def _stored(raw: bytes) -> StoredLetter:
    return StoredLetter(1, "", NOW, "", (), "smtp", LetterState.NEW, raw)


def times(raw: bytes) -> dict[str, float]:
    """The processor time of each reader of this letter, in seconds, without that of collecting
    garbage."""
    found = {}
    gc.disable()
    try:
        for name, reader in readers(raw):
            started = time.process_time()
            reader()
            found[name] = time.process_time() - started
    finally:
        gc.enable()
    return found


def check(make: Make) -> None:
    """Fail if a reader needs more than linear time for the letters that `make` makes."""
    for size in SMALL_SIZES:
        check_size(make(size))
    whole = check_size(make(WHOLE))
    if max(whole.values()) < FLOOR_SECONDS:
        return
    eighth = times(make(EIGHTH))
    tries = 1
    while (steep := _steep(eighth, whole)) and tries < TRIES:
        eighth = _minima(eighth, times(make(EIGHTH)))
        whole = _minima(whole, times(make(WHOLE)))
        tries += 1
    assert not steep


def check_size(raw: bytes) -> dict[str, float]:
    """The times of the readers. Fail if one takes long for this letter, twice."""
    seconds = times(raw)
    if max(seconds.values()) > MAX_SECONDS:
        seconds = _minima(seconds, times(raw))
    assert max(seconds.values()) <= MAX_SECONDS, (len(raw), max(seconds, key=seconds.__getitem__))
    return seconds


def _steep(eighth: dict[str, float], whole: dict[str, float]) -> dict[str, float]:
    """The readers whose time grows more than linearly, and by what factor."""
    ratios = {
        name: seconds / eighth[name] for name, seconds in whole.items() if seconds >= FLOOR_SECONDS
    }
    return {name: ratio for name, ratio in ratios.items() if ratio > MAX_RATIO}


def _minima(some: dict[str, float], others: dict[str, float]) -> dict[str, float]:
    return {name: min(seconds, others[name]) for name, seconds in some.items()}


# --- the letters ----------------------------------------------------------------------------------
HEAD = b"From: joe@a.example\nSubject: please compile\n"
PLAIN = HEAD + b"Content-Type: text/plain; charset=utf-8\n\n"
FLOWED = HEAD + b"Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n\n"
PAGE = HEAD + b"Content-Type: text/html; charset=utf-8\n\n"
QUOTED_PRINTABLE = HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n"
BASE64 = HEAD + b"Content-Transfer-Encoding: base64\n\n"
FILE = HEAD + b"Content-Type: application/octet-stream\nContent-Disposition: attachment; filename="
BOUNDARY = b"Content-Type: multipart/mixed; boundary=b\n\n"
C = PLAIN + b"/*\n  <<FROM>> lords k7qd\n*/\n"
MAIN = C + b"main() {}\n"
OPEN = C + b"main() {\n"
LONG = "a long remark that reaches the place where mailers break their lines, and"
STRING = C + f'char *s = "{LONG}\n'.encode()
REMARK = C + f"// {LONG}\n".encode()
START_OF_FORM = PLAIN + b"mail-address: joe@a.example\nteam-name: a"
MEMBERS = START_OF_FORM + b"\nteam-members:\n"
PREFERENCE = PLAIN + b"mail-preference: "
REPORT = (
    b"From: MAILER-DAEMON@a.example\n"
    b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
    b"--b\n\n"
)
STATUS = REPORT + b"x\n--b\nContent-Type: message/delivery-status\n\n"


def repeated(head: bytes, unit: str, tail: bytes = b"") -> Make:
    """Letters of one unit, again and again between `head` and `tail`."""

    def make(size: int) -> bytes:
        room = size - len(head) - len(tail)
        return head + unit.encode() * (room // len(unit.encode())) + tail

    return make


def two(head: bytes, first: str, second: str) -> Make:
    """Letters of one unit, again and again, and then of another."""

    def make(size: int) -> bytes:
        return repeated(repeated(head, first)(size // 2), second)(size)

    return make


def parts(head: str, unit: str) -> Make:
    """Letters of as many parts as may be, whose headers are as long as they may be."""
    part = f"--b\n{head}{unit * (3_900 // len(unit))}\n\nx\n".encode()

    def make(size: int) -> bytes:
        return (
            HEAD + BOUNDARY + part * min(size // len(part), mime_parts.MAX_PARTS - 2) + b"--b--\n"
        )

    return make


def twins(unit: str) -> Make:
    """Letters with the same text as a plain one and as a page."""

    def make(size: int) -> bytes:
        text = unit.encode() * (size // 2 // len(unit.encode()))
        kinds = (b"text/plain", text), (b"text/html", b"<html>" + text.replace(b"\n", b" "))
        shown = b"".join(b"--b\nContent-Type: %s; charset=utf-8\n\n%s\n" % each for each in kinds)
        return HEAD + b"Content-Type: multipart/alternative; boundary=b\n\n" + shown + b"--b--\n"

    return make


# The letters of the strings, signs, marks and lines that were found to be too slow, then others
# like them.
LETTERS: dict[str, Make] = {
    "letters before the mark": repeated(PLAIN, "a", b"<<FROM>> x\n"),
    "groups before the mark": repeated(PLAIN, "aaaa-", b"<<FROM>> x\n"),
    "blanks before the mark": repeated(PLAIN, " ", b"x<<FROM>> x\n"),
    "numbers before each line": repeated(PLAIN, "17 int x;\n", b"18 <<FROM>> a b\n"),
    "signs before each line": two(PLAIN, "> int x;\n", "I> <<FROM>> a b\n"),
    "joiners in a form": repeated(START_OF_FORM, "\u200c", b"b\n"),
    "hyphens in a form": repeated(START_OF_FORM, "\u00ad\u200c", b"b\n"),
    "quoted forms": repeated(START_OF_FORM, "\n> mail-address: <a@b.example>\n> team-name: a"),
    "marks in a form": repeated(
        START_OF_FORM, "\n| : % } ] JD> ! team-name: a\n| : % } ] JD> ! ---"
    ),
    "many marks in a form": repeated(
        START_OF_FORM,
        "".join(
            f"\n{first}{second}team-name: a\n{first}{second}Organization: a"
            for first in "|:%}]!"
            for second in "~;$&?^"
        ),
    ),
    "rules in forms": repeated(START_OF_FORM, "\n---\nmail-address: a@b.example\nteam-name: a"),
    "signs before names": repeated(PLAIN + b"mail-address: a@b.example\n", "- **team-nam: "),
    "blanks before a name": repeated(PLAIN + b"mail-address: a@b.example\n", " ", b"team-name x"),
    "quotation marks in a form": repeated(START_OF_FORM + b"\n", "> ", b"team-name: a\n"),
    "cells in a form": repeated(START_OF_FORM + b"\nteam-name", "| ", b"x\n"),
    "tabs in a form": repeated(START_OF_FORM + b"\nteam-name", "\t", b"x\n"),
    "links in a form": repeated(START_OF_FORM, " a<mailto:a@b.example"),
    "brackets in a form": repeated(START_OF_FORM, " <a"),
    "addresses in a form": repeated(PLAIN + b"mail-address: ", "a@b.example "),
    "introductions": repeated(START_OF_FORM + b"\n", "On Sunday Joe wrote:\n> x\n"),
    "headers in a form": repeated(START_OF_FORM + b"\n", "From: a\nTo: b\n\n"),
    "greetings in a form": repeated(
        MEMBERS, "mit besten freundlichen viele Gr\u00fc\u00dfe a b, \n"
    ),
    "telephones in a form": repeated(MEMBERS, "sent from my sent from my mail mail mail\n"),
    "numbered members": repeated(MEMBERS, "1. Joe, 45, x,\n"),
    "names below members": repeated(MEMBERS, "  Joe, 45, x\n\nJoe\n"),
    "fields and nearly fields": repeated(START_OF_FORM + b"\n", "team-nane: x\nteam-mame: y\n"),
    "encoded blanks in a form": repeated(START_OF_FORM, "=20", b"y\n"),
    "signatures in a brace": repeated(OPEN, "-- \n", b"}\n"),
    "signatures in a comment": repeated(MAIN + b"/*\n", "-- \n", b"*/ int x;\n"),
    "signatures": repeated(OPEN, "-- \nint x;\n", b"}\n"),
    "marks in comments": two(PLAIN, "/*\n<<FROM>> a b\n*/\n", "<\n"),
    "marks": two(PLAIN, "<\n", "<<FROM>>\n"),
    "right lines": repeated(PLAIN, "<<FROM>> a b\n"),
    "other lines": repeated(PLAIN, "# <<FROM>> a b c\n"),
    "almost marks": repeated(PLAIN, "< from"),
    "a string in pieces": repeated(STRING, "a/" * 31 + "\n"),
    "a string that is over": repeated(STRING, 'b"' + "a/" * 31 + "\n"),
    "strings in pieces": repeated(C, f'x = "{LONG}\n{LONG}";\n'),
    "a remark in pieces": repeated(REMARK, f"{LONG}\n"),
    "a remark of one word": repeated(REMARK, "a"),
    "a remark of words": repeated(REMARK, "ab cd\u00e9 "),
    "directives in pieces": repeated(C, f"#define X {LONG} (\n{LONG})))\n"),
    "a condition and blanks": repeated(C + b"#if", " ", b"x\n"),
    "a condition and more blanks": repeated(C + b"#if 0", " ", b"x\n"),
    "conditions and comments": repeated(C + b"# /*", "*/ /*", b"x\n"),
    "conditions": repeated(C, "#if\n"),
    "prose": repeated(C, "#if 0\n#else\n"),
    "soft hyphens in the line": repeated(FILE + b"a.py\n\n/* <<from>> a", "\u00ad", b"b c d */\n"),
    "joiners in the line": repeated(FILE + b"a.py\n\n/* <<from>> a", "\u200c", b"b c d */\n"),
    "joiners in the mark": repeated(FILE + b"a.py\n\n/* <", "\u200b", b"<from>> a b c */\n"),
    "C2 in the line": repeated(FILE + b"a.py\n\n/* <<FROM>> a ", "\u00a0\u00ad", b"b c */\n"),
    "a long name in the line": repeated(C + b"/* <<FROM>> ", "a", b" b c */\n"),
    "like strings": repeated(FILE + b"a.py\n\n", "aaaa-"),
    "strings": repeated(C, "k7qd-k7qd-k7qd-k7qd-k7qd "),
    # plain text
    "blanks": repeated(C, " "),
    "tabs": repeated(C, "\t"),
    "line ends": repeated(C, "\n"),
    "returns": repeated(C, "\r"),
    "separators": repeated(PLAIN, "x\u2028"),
    "separators in code": repeated(MAIN, "x;\u2028\u2029\n"),
    "quotes": repeated(PLAIN, "> "),
    "quoted programs": repeated(PLAIN, "> > > > > <<FROM>> a b\nrest\n"),
    "wrapped quotes": repeated(PLAIN + b"> <<FROM>> a b\n", f"> {LONG}\nx\n"),
    "From": repeated(MAIN, ">From x;\n"),
    "signed": two(
        PLAIN, "-----BEGIN PGP SIGNED MESSAGE-----\n\n", "-----BEGIN PGP SIGNATURE-----\n"
    ),
    "long lines": repeated(PLAIN, "a" * 989 + "!\n "),
    "uuencoded": repeated(PLAIN, "begin 644 a\nM" + "a" * 59 + "\n"),
    "rules": repeated(MAIN, "-" * 199 + "x\n;\n"),
    "rules of pieces": repeated(MAIN, "--" + " --" * 60 + "x\n;\n"),
    "links": repeated(MAIN, "p.to<http://p.to> "),
    "almost links": repeated(MAIN, "p.to<http://p.tx> "),
    "a word and a link": repeated(MAIN, "a" * 200 + "<http://b>"),
    "=3D": repeated(MAIN, "=3D", b"=zz\n"),
    "=20": repeated(MAIN + b"x =3D=zz;\n", "=20"),
    "references": repeated(PLAIN + b"&lt;&lt;FROM&gt;&gt; a b\n", "&#9&a"),
    # C
    "braces": repeated(C, "{"),
    "closed braces": repeated(C, "}"),
    "comments": repeated(C, "/**/"),
    "open comments": repeated(C, "/*"),
    "slashes": repeated(C, "/a"),
    "strings of C": repeated(C, '""'),
    "open strings": repeated(C, '"\n'),
    "escapes": repeated(C, '\\"'),
    "backslashes": repeated(C + b"#define X \\\n", "\\\n"),
    "trigraphs": repeated(C, "??/\n"),
    "typographic signs": repeated(C, "“a” ‘b’ — "),
    "half of them": repeated(C, "‘a"),
    "all kinds": repeated(C, "“a” '' \"\" /**/ a\u200b // b\u2028 =20\n-- \n>From x;\n"),
    # format=flowed, and a page beside the text
    "flowed lines": repeated(FLOWED, "a" * 58 + " \nbb \n"),
    "flowed blanks": repeated(FLOWED, " \n"),
    "flowed quotes": repeated(FLOWED, ">>> x \n"),
    "twins": twins("a" * 10 + "\n"),
    "twins of one letter": twins("a\n"),
    "twin programs": twins("“a” '' \"\" /**/ a // b\n"),
    # pages
    "tags without an end": repeated(PAGE, "<a "),
    "<": repeated(PAGE, "<"),
    "blanks in a tag": repeated(PAGE + b"<a", " "),
    "slashes in a tag": repeated(PAGE + b"<a", "/"),
    "attributes": repeated(PAGE, "<a " + "x=1 " * 900 + ">"),
    "attributes without an end": repeated(PAGE, "<a x='\" y=\"' "),
    "one attribute": repeated(PAGE + b"<a x", "="),
    "styles": repeated(PAGE, '<b style="' + "white-space: " * 300 + '">'),
    "short words": repeated(PAGE, "<b>a</b>"),
    "other short words": repeated(PAGE, "<b>é"),
    "cells": repeated(PAGE, "<td>a"),
    "empty tags": repeated(PAGE, "<u></u>"),
    "deep tags": repeated(PAGE + b"<b>" + b"<div>" * 98, "</i>"),
    "quoted letters": repeated(PAGE, "<blockquote type=cite>a<br>"),
    "literal text": repeated(PAGE, "<pre>\n\na</pre>"),
    "almost comments": repeated(PAGE, "<!-"),
    "comments of pages": repeated(PAGE, "<!---->"),
    "declarations": repeated(PAGE, "<?"),
    "entities": repeated(PAGE, "&" + "a" * 32),
    "numbers": repeated(PAGE + b"&#", "9", b";"),
    "zeros": repeated(PAGE + b"&#", "0", b"65;"),
    # encodings
    "soft breaks": repeated(QUOTED_PRINTABLE, "=\n"),
    "equals signs": repeated(QUOTED_PRINTABLE, "= "),
    "encoded": repeated(QUOTED_PRINTABLE, "=C2=AD"),
    "unlabelled": repeated(PLAIN + b"=3D", "= "),
    "base64": repeated(BASE64, "QUJD"),
    "padded base64": repeated(BASE64, "A=\n"),
    "words in base64": repeated(BASE64, "QUJD\na b\n"),
    # parts
    "boundaries": repeated(HEAD + BOUNDARY, "--b\n"),
    "almost boundaries": repeated(HEAD + BOUNDARY, "--b" + " " * 70 + "x\n"),
    "ends": repeated(HEAD + BOUNDARY, "--b--\n"),
    "parameters": parts("Content-Type: text/plain", ";"),
    "quoted parameters": parts('Content-Type: text/plain; a="', '";'),
    "pieces of a parameter": parts("Content-Type: text/plain", "; a*0=b"),
    "pieces of a boundary": parts("Content-Type: multipart/mixed; boundary", '=";'),
    "file names": parts("Content-Disposition: attachment; filename=", "=?utf-8?q?a"),
    "unseen file names": parts("Content-Disposition: attachment; filename=", "\u200b"),
    # headers and parts that are wrong
    "headers without an end": repeated(HEAD, "X-a: b\n"),
    "one header without an end": repeated(HEAD, "a"),
    "blanks before a colon": repeated(HEAD + b"X-a", " ", b": b\n\nx\n"),
    "headers with blanks": repeated(HEAD, "X-a  : b\n"),
    "lines between headers": repeated(HEAD, "no field\nX-a: b\n"),
    "lines that are no headers": repeated(b"", "no field\n"),
    "types": repeated(HEAD, "Content-Type: multipart/mixed; boundary=b\n", b"\nx\n"),
    "other types": two(HEAD, "Content-Type: text/a\nContent-Type: text/b\n\n", "--b\n"),
    "unnamed boundaries": repeated(
        HEAD + b"Content-Type: multipart/mixed\n\n", "--b\nContent-Type: multipart/mixed\n\n"
    ),
    "almost unnamed boundaries": repeated(HEAD + b"Content-Type: multipart/mixed\n\n", "--b  \n"),
    "an unknown encoding": repeated(HEAD + b"Content-Transfer-Encoding: x\n\n", "QUJD"),
    "wrapped letters": repeated(
        HEAD + BOUNDARY, "--b\nContent-Type: message/rfc822; x-spam-type=original\n\n"
    ),
    "UTF-7": repeated(HEAD + b"Content-Type: text/plain; charset=utf-7\n\n", "+APw-"),
    "UTF-16": repeated(PLAIN, "a\0"),
    "tags of an address": repeated(b"Precedence: bulk\nTo: a", "+a", b"@b.example\n\nx\n"),
    # forms
    "fields": repeated(PLAIN, "team-nam: a\n"),
    "almost fields": repeated(PLAIN, "team-name a a a "),
    "a folded field": repeated(START_OF_FORM + b"\nOrganization: x\n", "  more of it\n"),
    "members": repeated(MEMBERS, "  Joe, 4, x,\n"),
    "a broken member": repeated(MEMBERS + b"  Joe\n", "   x\n"),
    "commas": repeated(MEMBERS + b"  ", ","),
    "zeros of an age": repeated(MEMBERS + b"  Joe, ", "0", b"1, x,\n y\n"),
    "an address": repeated(PLAIN + b"mail-address: a@", "a.", b"example\n"),
    "codes": repeated(PREFERENCE, "LAPX,"),
    "the same code": repeated(PREFERENCE, "LAP,"),
    "lines of codes": repeated(PREFERENCE, "LAPX\nmail-preference: "),
    # objections and witnesses
    "notes": repeated(PLAIN, f"knobeln/{'a' * 64}\n17\n{'a' * 43}=\n\n— x "),
    "packed notes": repeated(PLAIN, base64.b64encode(b"c2sp.org/tlog-proof@v").decode() + "aa "),
    "cosignatures": repeated(PLAIN, "witness.example" + "a" * 102 + "=="),
    "images": repeated(PLAIN, "image:  a\n"),
    # bounces
    "lines of a report": repeated(REPORT, "<a@b.example>: 550 5.1.1 no\n"),
    "recipients of a report": repeated(
        STATUS, "Final-Recipient: rfc822; a@b.example\nAction: failed\n\n"
    ),
    "blanks of a report": repeated(REPORT, " "),
    "letters in letters": repeated(b"", "Content-Type: message/rfc822\n\n"),
    "letters in a report": repeated(REPORT, "Content-Type: message/rfc822\n\n"),
}

FIELDS = (
    "Subject: ",
    "From: ",
    'From: "',
    "From: a@b.example (",
    "To: ",
    "Reply-To: ",
    "Sender: ",
    "Auto-Submitted: ",
    "Message-ID: ",
    "References: ",
    "Received: ",
    "Authentication-Results: mx.example; ",
    "Content-Type: ",
    "Content-Type: text/plain; x=",
    "Content-Disposition: attachment; filename=",
    "Content-Transfer-Encoding: ",
    "X-Knobeln-Cut: ",
)
CONTENTS = (
    "a",
    " ",
    "\n a",
    ";",
    '";',
    "=?utf-8?q?a",
    "=?utf-8?b?YQ==?= ",
    "(",
    "()",
    "<",
    '"',
    '\\"',
    "a@b.c, ",
    "<a@b>",
    " = ",
    "helo=",
    "[1.2.3.4] by ",
    "Re: ",
    "[",
    "*a",
    "*(",
    "\u200b",
    "a+b-1-aaaaaaaaaaaaaaaa@",
)


@pytest.mark.parametrize("name", LETTERS)
def test_each_reader_of_a_hostile_letter_needs_linear_time(name: str) -> None:
    check(LETTERS[name])


@pytest.mark.parametrize("field", FIELDS)
def test_no_header_field_takes_long(field: str) -> None:
    end = b"\n" + HEAD + b"\n/*\n  <<FROM>> lords k7qd\n*/\n"
    for content in CONTENTS:
        make = repeated(field.encode(), content, end)
        for size in (2_000, mime_parts.MAX_HEADER_BYTES):
            check_size(make(size))


@pytest.mark.parametrize("content", CONTENTS)
def test_the_command_that_a_subject_may_mean_is_found_soon(content: str) -> None:
    subject = parse(repeated(b"Subject: ", content, b"\n\n")(10_000)).subject
    started = time.process_time()
    recognise(subject, SETTINGS)
    help_topics.meant(clean_subject(subject).casefold(), COMMANDS, SETTINGS)
    help_topics.near(clean_subject(subject).casefold(), COMMANDS, SETTINGS)
    assert time.process_time() - started < MAX_SECONDS


LARGEST = ("all kinds", "joiners in a form")


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_letter_is_read_within_seconds(name: str) -> None:
    assert sum(times(LETTERS[name](SETTINGS.MAX_LETTER_BYTES)).values()) < MAX_SECONDS_OF_LARGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", LETTERS)
def test_every_largest_letter_is_read_within_seconds(name: str) -> None:
    assert sum(times(LETTERS[name](SETTINGS.MAX_LETTER_BYTES)).values()) < MAX_SECONDS_OF_LARGEST


SUBJECTS = (
    "please compile",
    pytest.param("registration for KNOBELN", marks=pytest.mark.slow),
    pytest.param("objection", marks=pytest.mark.slow),
    pytest.param("status", marks=pytest.mark.slow),
    pytest.param("mail-preference LAP", marks=pytest.mark.slow),
    pytest.param("help", marks=pytest.mark.slow),
    pytest.param("organizer tell all", marks=pytest.mark.slow),
    "something else",
)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_desk_answers_each_command_within_seconds(world: World, subject: str) -> None:
    raw = LETTERS["signs before each line"](200_000).replace(b"please compile", subject.encode(), 1)
    started = time.process_time()
    world.deliver(raw)
    assert time.process_time() - started < MAX_SECONDS_OF_LARGEST
    assert world.states() == {LetterState.HANDLED: 1}


UNITS = st.sampled_from(
    [
        "a",
        " ",
        "\n",
        "\t",
        "<",
        "<<FROM>> a b",
        ">",
        "-- ",
        "-",
        "=",
        "=20",
        "=3D",
        "&",
        "&#9",
        "{",
        "}",
        ";",
        "(",
        "/*",
        "*/",
        "/",
        "*",
        "#if",
        " 0",
        "#endif",
        "#define ",
        "\\",
        '"',
        "'",
        "“",
        "‘",
        "\u200b",
        "\u200c",
        "\u00ad",
        "\u00a0",
        "\u2028",
        "—",
        "<http://a>",
        "aaaa-",
        ">From ",
        "!\n ",
        "mail-address:",
        "team-members:",
        "LAP,",
        "<b>",
        "</b>",
        "<br>",
        "<!--",
        "--b\n",
        "|",
        "@",
        ",",
    ]
)
BEGINNINGS = st.sampled_from(
    [
        PLAIN,
        C,
        MAIN,
        OPEN,
        STRING,
        REMARK,
        PAGE,
        FLOWED,
        QUOTED_PRINTABLE,
        MEMBERS,
        PREFERENCE,
        REPORT,
    ]
)


@pytest.mark.slow
@pytest.mark.fuzz
@given(
    BEGINNINGS,
    st.lists(UNITS, min_size=1, max_size=5).map("".join),
    st.lists(UNITS, max_size=3).map("".join),
)
def test_no_repetition_takes_long(head: bytes, unit: list[str], tail: list[str]) -> None:
    make = repeated(head, "".join(unit), "".join(tail).encode())
    for size in (1_000, 8_000, 40_000):
        check_size(make(size))


# --- what the bounds refuse, and what raised before -----------------------------------------------
def test_the_answer_names_a_line_of_the_form_that_is_too_long() -> None:
    form = FORM.replace("Organization: ", f"Organization: {'x' * MAX_LINE_CHARACTERS}")
    problem = read(form.split("\n"), SETTINGS).problems[0]
    assert problem.line == 4
    assert "a line of the form has at most 2000" in problem.text


def test_blanks_at_the_end_of_a_line_of_the_form_do_not_count() -> None:
    lines = FORM.replace("Eggland", "Eggland" + " " * MAX_LINE_CHARACTERS).split("\n")
    assert read(lines, SETTINGS).problems == ()


def test_an_answer_names_a_few_of_many_wrong_codes() -> None:
    assert len(list(wrong_codes([f"X{number}" for number in range(1_000)], ("LAP",)))) == 20


@pytest.mark.parametrize("name", ["Content-Type", "Content-Disposition"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("x" * 4_001, "is longer than 4,000 characters"),
        ("x;" * 201, "has more than 200 parameters"),
    ],
)
def test_a_field_that_is_too_long_is_beyond_our_bounds(name: str, content: str, words: str) -> None:
    letter = parse(f"From: joe@a.example\n{name}: {content}\n\nHello!\n".encode())
    assert letter.beyond == f"a {name} field {words}"
    assert letter.sender == "joe@a.example"


def test_a_signature_may_be_the_first_line() -> None:
    program = repaired(Text(("-- ", "<<FROM>> lords k7qd", "main() {}")))
    assert isinstance(program, Text)
    assert program.lines == ("-- ", "<<FROM>> lords k7qd", "main() {}")


@pytest.mark.parametrize(
    ("reference", "sign"),
    [
        ("&#65;", "A"),
        (f"&#{'0' * 5_000}65;", "A"),
        (f"&#{'9' * 5_000};", "\ufffd"),
        (f"&#{'0' * 5_000};", "\ufffd"),
        ("&#x41;", "A"),
    ],
)
def test_a_number_of_a_character_may_have_thousands_of_digits(reference: str, sign: str) -> None:
    assert seen_lines(f"<p>a{reference}b</p>") == (f"a{sign}b",)


def test_a_sign_in_quotation_marks_does_not_end_a_tag() -> None:
    assert seen_lines("<p>a <a title=\"x > y\" href='>'>b</a> c</p>") == ("a b c",)


BLANKS = st.sampled_from([" ", "\t", "  ", "\u00a0", " \u200b", "\u00ad "])
UNSEEN = st.sampled_from(["", "\u200b", "\u00ad", "\u2060\ufeff"])


@given(st.sampled_from(["", "/* ", " * ", "// ", "# \u200b"]), UNSEEN, BLANKS, BLANKS, UNSEEN)
def test_the_string_that_is_found_is_the_one_that_is_blanked(
    before: str, inner: str, first: str, second: str, after: str
) -> None:
    line = f"{before}<<{inner}FROM>>{first}lords{second}k7{inner}qd{after}"
    (found,) = (found for found in [find_from_line([line])] if not isinstance(found, Problem))
    assert (found.team, found.string) == ("lords", "k7qd")
    for public in (strip_secret(line), without_secret(line.encode()).decode()):
        assert "lords" in public
        assert "k7" not in public
        assert "qd" not in public
