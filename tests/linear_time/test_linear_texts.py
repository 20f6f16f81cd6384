"""Readers of strangers' texts take twice as long for twice as much.

Letters and archives have tests of their own. The shapes are those that once took quadratic time,
and their relatives.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from compiler import checks, languages
from compiler.build import build
from compiler.likeness import fingerprints
from compiler.python2 import failed_as_python_2, refused_as_python_2
from compiler.source import SourceText, normalise
from compiler.source import count as count_elements
from compiler.toolchain import (
    MAX_CHARACTERS,
    Toolchain,
    clean,
    first_error,
    trouble,
    without_warnings,
)
from compiler.uploaded_files import take_apart
from contest.errors import GiveUp
from contest.ledger.notes import VerifierKey, read_note
from contest.ledger.receipts import from_file, notes_in
from contest.model import FileFacts, Participation, TextBuildReport
from contest.programs.archive import NotUnpacked, unpacked
from contest.public_number.beacon import Beacon
from contest.schema.languages import further_languages, usual_languages
from contest.schema.sections import Programs
from knobellib.software.protocolfmt import games_of
from knobeln import presets
from knobeln.classes import class_list
from knobeln.classes.marks import _Unfound
from reports.render import Templates
from reports.text import fold, plain, wrap
from sandbox.images import oci_image, unpacking
from sandbox.limits import Limits
from sandbox.players import function_fault, read_reply
from sandbox.process import ExitStatus
from sandbox.running import Ending
from sandbox.sandbox import Sandbox
from store.class_people import ListedPerson
from store.submissions import TeamsProgram
from tests.support.contest_field import NOW, settings
from tests.support.linear_time import MAX_GROWTH, growth
from trust.for_teams import receipts
from trust.for_teams.receipts import Wrong, read_mails

pytestmark = pytest.mark.slow

Read = Callable[[str], object]
SETTINGS = settings()
LARGEST = 32_000  # characters; more than enough to notice


def refusing(read: Read) -> Read:
    """A reader that may also say no."""

    def read_or_refuse(text: str) -> None:
        with suppress(ValueError, GiveUp, Wrong, oci_image.Refused):
            read(text)

    return read_or_refuse


def repeated(unit: str, end: str) -> Callable[[int], str]:
    return lambda size: unit * (size // len(unit)) + end


# --- the readers ----------------------------------------------------------------------------------
def of_c(text: str) -> None:
    program = SourceText(normalise(text)[0])
    checks.check_source(program, SETTINGS.programs)
    checks.check_tokens(checks.Expanded(program, tuple(program.code), None), SETTINGS.programs)
    count_elements(text)


def like_c(text: str) -> None:
    fingerprints({"program.c": text})


def like_number(text: str) -> None:
    fingerprints({"program.c": f"1{text}"})


def like_python(text: str) -> None:
    fingerprints({"program.py": text})


def like_ocaml(text: str) -> None:
    fingerprints({"program.ml": text})


def like_pascal(text: str) -> None:
    fingerprints({"program.pas": text})


def like_lisp(text: str) -> None:
    fingerprints({"program.lisp": text})


def like_python_2(text: str) -> None:
    refused_as_python_2({"program.py": text.encode()})
    failed_as_python_2("program.py", text)


def of_messages(text: str) -> None:
    messages = clean(text.encode(), frozenset({1}))
    first_error(messages)
    without_warnings(messages)
    trouble(ExitStatus(Ending.EXIT, 1, text.encode()), Limits())


def of_mail(text: str) -> None:
    with NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        read_mails(Path(file.name))


def of_published(text: str) -> None:
    """A mail with this as the published ledger, and as its checkpoint."""
    parts = (
        f"--b\nContent-Disposition: attachment; filename={name}\n\n{text}\n"
        for name in ("ledger.txt", "checkpoint.txt")
    )
    of_mail(f"Content-Type: multipart/mixed; boundary=b\n\n{''.join(parts)}--b--\n")


def of_field(text: str) -> None:
    """A mail with this in its header."""
    field = text.replace("\n", "\n ")
    of_mail(f"Subject: {field}\nFrom: {field}\nContent-Type: text/plain; {field}\n\nwords\n")


def of_promise(text: str) -> None:
    """A mail that tells where the public number comes from."""
    receipts._check_promise(receipts.Ledger("", b""), receipts.Mail("a mail", None, text=text))


def of_leaves(text: str) -> None:
    """The ledger of an archive, in which a team looks for what it has no mail of."""
    leaves = receipts._leaves(text.encode(), receipts.LINES_OF_AN_ENTRY)
    list(receipts._without_mail(receipts.Ledger("", b"", leaves, "drand"), leaves, ()))


def of_protocol(text: str) -> None:
    list(games_of(f"{GAME}{text}"))


def of_log(text: str) -> None:
    unpacking._message(f"time=1{text}".encode())


def of_settings(text: str) -> None:
    oci_image.read_configuration(text.encode())


def of_reply(text: str) -> None:
    function_fault("get_move", read_reply(f'{{"raised": {text}') or {})


def of_list(text: str) -> None:
    class_list.read(text.encode(), SETTINGS)


def of_rows(text: str) -> None:
    class_list.read(f"mail,name\n{text}".encode(), SETTINGS)


KEY = f"knobeln/{64 * '0'}"
NOTE = f"{KEY}\n1\n{43 * 'A'}=\n\n\N{EM DASH} a AAAA\n"
PROOF = f"c2sp.org/tlog-proof@v1\nextra YQ==\nindex 0\n\n{NOTE}"
PACKED = "YzJzcC5vcmcvdGxvZy1wcm9vZkB2MQ"  # how a proof in base64 begins
ENTRY = "list of entries\n\n2027-01-01T00:00:00.000000Z\n\n\n"
DRAW = "a public draw, which nobody knows before: "
ATTACHED = "Content-Type: message/rfc822\n\n"
GAME = "KNOBELN protocol 1\ngame round=1 group=1 attempt=1\nplayers a b\n"
READERS: tuple[tuple[Read, tuple[str, ...]], ...] = (
    (of_c, ("a", " ", "\n", '"', '\\"', "\\", "\\\n", "/*", "//", "(", "{", "??/", "1u")),
    (of_c, ("#if 0\n", "#if 0\n#endif\n", "#endif\n", "log2(", "log2)", "[ [", "_Pragma(")),
    (like_c, ("1", "1u", "#define a 1\n", '\\"', "/*", "(")),
    (like_number, ("u", "0", "e+", ".")),
    (like_python, ('\\"', "\\'", "\\\\", '"', "'", '"""', "'''", "#", "$#", "//", "1 # ")),
    (like_ocaml, ("(*", "*)", "(", '"')),
    (like_pascal, ("(*", "*)", "{", "}", "//", "'")),
    (like_lisp, (";", "'", '"')),
    (like_python_2, ("print ", " ", "except ", "except a,", "raise a", "a.", "name 'raw_input")),
    (
        of_messages,
        ("\x1b[", "\x1b]", "\x1b[0", "/usr/", "/usr/a", "program.c:1: error: ", "\r", "1"),
    ),
    (fold, ("a", "é", "漢", " ", "a ", "-", "\t", "\n", "\u200b")),
    (wrap.__wrapped__, ("a", "é", "漢", " ", "a ", "\n", "\n ")),
    (plain, ("a", "é", "\n", " \n", f"{80 * 'a'}\n")),
    (lambda text: list(notes_in(text)), (NOTE, "> ", "\n", PACKED, KEY)),
    (read_note, (NOTE, "\n", "\N{EM DASH} a AAAA\n", "a b c\n")),
    (lambda text: list(from_file(text.encode())), (ENTRY, "\n", "a", "\r")),
    (VerifierKey.of_witness, ("a", "+", "0")),
    (Beacon.of, (" ", "1/", "\n", "a ")),
    (lambda text: Beacon.of(f"lottery: 6 numbers of a{text}"), (" ", "\n", "a ")),
    (of_mail, (PROOF, NOTE, KEY, "c2sp.org/tlog-proof@v1\n", "  a,\n", "> ", "1. a: ", ATTACHED)),
    (of_published, ("a", "\n", ENTRY, f"{64 * '0'}\n", "a\n")),
    (of_field, ("(", "a ", "a@b,", "a=b; ", "=?utf-8?q?a?= ", '"', "<", "a\n")),
    (of_promise, (DRAW, "is round 1", "The chain of drand: ", "of drand ", "a")),
    (of_leaves, (ENTRY, "\n", "a")),
    (of_protocol, ("1,", "-1,", "a", "1,1\n", GAME)),
    (of_log, (' msg="', "a", "\n", " level=fatal", "time=1\n")),
    (of_settings, ("[", '{"config":', '{"config":{"Env":["', "1", '"')),
    (of_reply, ("[", "1", '"')),
    (
        of_list,
        ("a,", "a;", "a@b,", "a, b <a@b>;", "<a@b", "mail,", '"', "\n", "\r", "a\n", "a@b\n"),
    ),
    (of_rows, ("a,", "a@b.example\n", '"', "\n", "a b,", "\t")),
)
SHAPES = [(read, unit) for read, units in READERS for unit in units]


@pytest.mark.parametrize(("read", "unit"), SHAPES)
def test_a_text_of_twice_the_length_takes_twice_as_long(read: Read, unit: str) -> None:
    assert growth(refusing(read), repeated(unit, "x"), LARGEST) < MAX_GROWTH


def test_a_class_list_has_a_largest_number_of_cells() -> None:
    text = f"mail{2_000 * ',a'}\n" + "".join(f"a{number}@b.example\n" for number in range(1_000))
    with pytest.raises(
        GiveUp, match="1,000 rows of 2,001 columns each; at most 20,000 rows and 2,000,000 cells"
    ):
        of_list(text)


def test_the_people_of_a_class_list_are_found_in_linear_time() -> None:
    def listed(size: int) -> list[ListedPerson]:
        return [ListedPerson(f"a{number}", f"b{number}", "", ()) for number in range(size)]

    def find(people: list[ListedPerson]) -> None:
        unfound = _Unfound(people)
        for person in reversed(people):
            unfound.take(unfound.named(person.name) or person)

    assert growth(find, listed, 16_000) < MAX_GROWTH


# --- programs -------------------------------------------------------------------------------------
LANGUAGES = {language.name: language for language in (*usual_languages(), *further_languages())}
UNITS = ("a", "\n", '\\"', "(", "1", "'", "/*", "static void main(String")
USUAL_PROGRAMS = [(language.name, unit) for language in usual_languages() for unit in UNITS]
FURTHER_PROGRAMS = [
    ("C#", "static "),
    ("Fortran", "\n program"),
    ("Go", "func  "),
    ("Haskell", "main\n"),
    ("Lua", "'a"),
    ("OCaml", "A "),
    ("Pascal", "\n unit "),
]


@pytest.mark.parametrize(("name", "unit"), [*USUAL_PROGRAMS, *FURTHER_PROGRAMS])
def test_a_program_in_any_language_is_looked_at_in_linear_time(name: str, unit: str) -> None:
    language = LANGUAGES[name]
    file = f"program.{language.suffixes[0]}"

    def read(text: str) -> None:
        other = f"parts/other.{language.suffixes[0]}"
        own = {file: text.encode(), other: text.encode()}
        sent = take_apart({**own, "description.txt": text.encode()}, text)
        languages.examine(
            sent.files, Sandbox(), SETTINGS.programs, [language], lambda *_: (b"", "")
        )

    assert growth(read, repeated(unit, ""), LARGEST) < MAX_GROWTH


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
@pytest.mark.parametrize("unit", ["PK\x01\x02", "a", "1 path=", "\0"])
def test_an_archive_is_looked_at_in_linear_time(name: str, unit: str) -> None:
    def read(text: str) -> None:
        with suppress(NotUnpacked):
            unpacked(name, text.encode())

    assert growth(read, repeated(unit, ""), LARGEST) < MAX_GROWTH


TOOLCHAIN = Toolchain()


@pytest.mark.parametrize("unit", ["int a;\n", "it's\n", "f () { g ();\n", "> \n"])
def test_what_gcc_says_of_a_program_is_looked_at_in_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        build(text, Programs(description="none"), TOOLCHAIN)

    assert growth(read, repeated(unit, "}\n"), LARGEST // 2) < MAX_GROWTH


TEMPLATES = Templates(presets.settings("cooperation", NOW), None)


OWN = TeamsProgram(Participation.ACTIVE, None, None)


@pytest.mark.parametrize("unit", ["a", "é", "a ", "\n", "\t", "-"])
def test_a_compile_report_with_long_messages_is_written_in_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        report = TextBuildReport(
            findings=(),
            tool="a compiler",
            messages=text,
            description_lines=0,
            source_digest="",
            image_digest=None,
            language="C",
            files=(FileFacts("a.c", 1, ""),),
        )
        told = {"team": "a", "number": 1, "report": report, "previous_good": None, "repairs": ()}
        TEMPLATES.render("compile_report", **told, own=OWN, replaced=(), place=None, digest="")

    assert growth(read, repeated(unit, ""), MAX_CHARACTERS) < MAX_GROWTH
