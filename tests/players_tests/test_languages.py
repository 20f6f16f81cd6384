"""How a program is known by its names, and built."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.languages import Problem, build, recognise, usable, version
from contest.errors import ToolMissing
from contest.language import speaking
from contest.schema.languages import Language, usual_languages
from contest.schema.sections import Programs
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox


@pytest.mark.parametrize(
    ("names", "program", "language"),
    [
        (["program_3.py"], "program_3.py", "Python"),
        (["PROGRAM.PY"], "PROGRAM.PY", "Python"),
        (["openings.txt", "a.b-c.c", "README", "tables.h"], "a.b-c.c", "C"),
        (["x.cc"], "x.cc", "C++"),
        (["x.rs"], "x.rs", "Rust"),
        (["x.mjs"], "x.mjs", "JavaScript"),
        (["x.pl"], "x.pl", "Perl"),
        (["x.sh"], "x.sh", "shell"),
    ],
)
def test_a_programs_suffix_tells_its_language(
    names: list[str], program: str, language: str
) -> None:
    found = recognise(dict.fromkeys(names, b"1"))
    assert (found.program, found.language.name) == (program, language)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["program_3.py; rm -rf"], '"program_3.py; rm -rf" cannot be used; a name consists of'),
        (["../x.py"], "cannot be used"),
        (["x.py", "-o.txt"], '"-o.txt" cannot be used'),
        ([".bashrc", "x.py"], "cannot be used"),
        (["x\n.py"], "cannot be used"),
        (["ü.py"], "cannot be used"),
        (["x" * 62 + ".py"], "at most 64"),
        (
            ["program_3"],
            (
                "no program is among the files (program_3); its suffix would tell its language: C"
                " (.c),"
            ),
        ),
        (["x.cob", "y.txt"], "no program is among the files (x.cob, y.txt)"),
        ([], "no program is among the files ();"),
        (["a.c", "b.py"], "programs in several languages: C (a.c); Python (b.py). Leave out"),
        (["a.py", "A.py"], "are one file on some systems"),
        (["a.py", "a.py/b.py"], "are one file on some systems"),
        (["a/../b.py"], "cannot be used"),
    ],
)
def test_names_that_cannot_be_used_are_refused_with_the_right_form(
    names: list[str], words: str
) -> None:
    with pytest.raises(Problem) as found:
        recognise(dict.fromkeys(names, b"1"))
    assert words in found.value.text


def test_the_right_form_of_a_name_is_told_in_the_teams_language():
    with (
        speaking("de"),
        pytest.raises(Problem, match="ein Name besteht aus höchstens 64 Buchstaben"),
    ):
        recognise({"ü.py": b"1"})


@given(st.lists(st.text(max_size=80), max_size=4))
def test_any_names_get_an_answer(names):
    with suppress(Problem):
        assert recognise(dict.fromkeys(names, b"1")).program in names


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.py": b""}, "a.py is empty"),
        ({"a.py": b" \n"}, "a.py is empty"),
        ({"a.py": b"1", "notes.txt": b"print(1)\xff"}, "notes.txt is not text"),
        ({"a.py": "print(1)".encode("utf-16")}, "a.py is not text"),
        ({"a.py": b"1", "net.dat": b"\x00\x01"}, "net.dat is not text"),
        ({"a.py": b"1" * 300_000}, "300,000 bytes; all files together may have at most 256,000"),
        ({"a.py": b"1", **{f"{n}.txt": b"1" for n in range(40)}}, "41 files; at most 40"),
        ({"a.cob": b"1"}, "among the files (a.cob)"),
    ],
)
def test_files_that_cannot_be_taken_are_refused_unread(
    files: dict[str, bytes], words: str, sandbox: Sandbox
) -> None:
    assert words in build(files, sandbox, Programs()).text


JAVA = "class A { class B {} static void main(String[] words) { Runnable r = () -> {}; } }"
MISTAKES = {
    "a.c": ("int main( {", "gcc found errors", "error: "),
    "a.cpp": ("int main() { return x; }", "g++ found errors", "not declared"),
    "a.rs": ("fn main() {", "rustc found errors", "error: "),
    "a.py": ("def f(:\n", "python3 found errors", "SyntaxError"),
    "a.js": ("function (", "node found errors", "SyntaxError"),
    "A.java": (
        "class A { static void main(String[] a) {",
        "javac found errors",
        "reached end of file",
    ),
    "a.pl": ("if (", "perl found errors", "syntax error"),
    "a.sh": ("if x\n", "sh found errors", "yntax error"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_program_with_mistakes_is_refused_with_the_compilers_words(
    name: str, sandbox: Sandbox
) -> None:
    text, problem, words = MISTAKES[name]
    language = next(row for row in usual_languages() if name.partition(".")[2] in row.suffixes)
    if language not in usable(usual_languages()):
        pytest.skip(f"{language.name} is not installed")
    found = build({name: text.encode()}, sandbox)
    assert problem in found.text
    assert words in found.messages
    assert "/usr" not in found.messages
    assert "/work" not in found.messages


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.c", "int printf(); int main() { printf(__TIME__ __FILE__); }"),
        ("a.cpp", "#include <vector>\nint main() { std::vector<int> v; }"),
        pytest.param(
            "A.java",
            JAVA,
            marks=pytest.mark.slow,
        ),
        ("a.py", "print(1)"),
    ],
)
def test_the_same_files_give_the_same_bundle(name: str, text: str, sandbox: Sandbox) -> None:
    if recognise({name: text.encode()}).language not in usable(usual_languages()):
        pytest.skip("not installed")
    files = {name: text.encode(), "notes.txt": b"more"}
    built, again = build(files, sandbox), build(dict(reversed(files.items())), sandbox)
    assert built.digest == again.digest
    assert built.files["notes.txt"] == b"more"


def test_a_bundle_comes_back_from_its_bytes(build_text: Callable[..., ProgramFolder]) -> None:
    program = build_text("a.py", "print(1)", notes="ä")
    assert ProgramFolder.from_bytes(program.to_bytes()) == program


NO_BUNDLES = (b"[]", b"{}", b'{"version": 2}', b'{"version": 1, "needs": 3}', b"1")


@given(st.binary(max_size=200))
def test_bytes_that_are_no_bundle_are_refused(raw):
    for each in (raw, *NO_BUNDLES):
        with pytest.raises(ValueError):  # noqa: PT011 - each way of being none has its own words
            ProgramFolder.from_bytes(each)


def test_a_language_that_is_not_installed_is_told_with_those_that_are(sandbox: Sandbox) -> None:
    cobol = Language(
        name="COBOL", suffixes=("cob",), tool="knobeln-cobol", run=("{program}",), build=("{tool}",)
    )
    found = build({"a.cob": b"1"}, sandbox, languages=(*usual_languages(), cobol))
    assert "COBOL is not installed on the contest host; languages that are: C, C++, " in found.text
    with pytest.raises(ToolMissing, match="knobeln-cobol"):
        version(cobol, sandbox)


def test_a_program_reads_the_files_that_came_with_it(
    build_text: Callable[..., ProgramFolder], sandbox: Sandbox
) -> None:
    text = '#include "notes.txt"\nint printf(); main() { printf("%d", N); }'
    compiled = build_text("a.c", text, notes="enum { N = 7 };")
    script = build_text("a.sh", "cat notes.txt", notes="eight")
    for program, said in ((compiled, "7"), (script, "eight")):
        with program.open(sandbox, cpu_seconds=5, answer_bytes=100) as process:
            assert process.finish(5).text == said
