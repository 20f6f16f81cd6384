"""Programs in the text of letters: what mailers do is undone, and what teams wrote is left
alone."""

import html
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailserver.problem import Problem
from mailserver.reading import c_source_repair
from mailserver.reading.part_text import Text

ROOT = Path(__file__).parents[2]
FROM = "/*\n  <<FROM>> lords k7qd\n*/\n"
LONG = "a long remark that reaches the place where mailers break their lines, and"
FOLDERS = ("knobellib/strategies", "knobellib/demo", "tests/strategies/accepted")
PROGRAMS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.c"))
TEXTS = [
    path.read_text(encoding="utf-8", errors="strict")
    for path in PROGRAMS
    if path.read_bytes().isascii()
]


def text(program: str) -> Text:
    return Text(tuple((FROM + program).rstrip("\n").split("\n")))


def repaired(program: str) -> tuple[str, tuple[str, ...]]:
    """The program without its first three lines, and what was done to it."""
    found = c_source_repair.repaired(text(program))
    assert isinstance(found, Text)
    return "\n".join(found.lines).removeprefix(FROM), found.repairs


# --- nothing that a team wrote is changed ---------------------------------------------------------
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_program_that_arrived_whole_is_left_alone(path: Path) -> None:
    program = text(path.read_text(encoding="utf-8", errors="replace"))
    assert c_source_repair.repaired(program) == program


LEFT_ALONE = {
    "separators in comments, strings and the description": (
        "// first\u2028mine = 1;\n/* \u2029 */\n#if 0\na\u2028b\n#endif\nchar *s ="
        ' "\u2028";\nmain() {}'
    ),
    "typographic signs in comments, strings and the description": (
        '/* “don’t” – really */\n#if 0\n“We” – don’t…\n#endif\nchar *s = "“–”";\nmain() {}'
    ),
    "a macro that is the last definition": "#define PLAY main() { for (;;) make_throw(1); }\nPLAY",
    "open braces": "main() {\nSent from my telephone",
    "a line of minuses in a comment": "main() {}\n/*\n-----\nmore\n*/\nint x;",
    "a quoted line in a comment": "main() {}\n/*\n> why?\n*/",
    "a decrement on a line of its own": "main() { int x = 2;\nx\n--\n; }",
    "comparisons at the ends of lines": "int f(a, b)\n{\nreturn a\n> b;\n}\nmain() {}",
    "a long remark above a short line": f"// {LONG}\nint x;\nmain() {{}}",
    "a long remark above types": f"// {LONG}\nunsigned long int number;\nmain() {{}}",
    "a long remark above macros": (
        f"#define API\n#define WORD int\n// {LONG}\nAPI WORD number;\nmain() {{}}"
    ),
    "a long remark above a string": f'// {LONG}\nchar *text = "three words here";\nmain() {{}}',
    "a long directive above code": (
        f"#define VALUE 1 /* {LONG} */\nint f(a) {{ return (a); }}\nmain() {{}}"
    ),
    "escaped signs in a string beside real ones": 'char *s = "&lt;";\nmain() { if (1 < 2) ; }',
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_c_allows_is_left_alone(name: str) -> None:
    assert repaired(LEFT_ALONE[name]) == (LEFT_ALONE[name], ())


ABOVE = ["int x;", "#define X 1", "struct a {", "/* more */", "main()"]


@pytest.mark.parametrize("line", ABOVE)
def test_what_may_be_c_above_the_from_line_stays(line: str) -> None:
    program = Text((line, *FROM.split("\n")[:3], "main() {}"))
    assert c_source_repair.repaired(program) == program


# --- what mailers do is undone --------------------------------------------------------------------
MENDED = {
    "a wrapped string": (
        f'char *s = "{LONG}\nso on";',
        f'char *s = "{LONG} so on";',
        "joined again: line 4",
    ),
    "a wrapped remark": (
        f"// {LONG}\nso it goes on\nint x;",
        f"// {LONG} so it goes on\nint x;",
        "joined again: line 4",
    ),
    "a remark in three pieces": (
        (
            f"// {LONG}\nso it goes on for some time and on and on, until the next\nline which ends"
            " it\nint x;"
        ),
        (
            f"// {LONG} so it goes on for some time and on and on, until the next line which ends"
            " it\nint x;"
        ),
        "joined again: line 4",
    ),
    "a wrapped directive": (
        "#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) :\n(x))\nint x;",
        "#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))\nint x;",
        "joined again: line 4",
    ),
    "a wrapped line of a macro": (
        (
            "#define PLAY(x) if ((x) > 1 && something_else(x) || another(x)) do\nit(x); \\\n  else"
            " x\nint x;"
        ),
        (
            "#define PLAY(x) if ((x) > 1 && something_else(x) || another(x)) do it(x); \\\n  else"
            " x\nint x;"
        ),
        "joined again: line 4",
    ),
    "typographic strings and characters": (
        "char *s = “a ‘b’ c”, c = ‘x’, n = ’\\n’;",
        "char *s = \"a ‘b’ c\", c = 'x', n = '\\n';",
        "became those of C in 1 line",
    ),
    "half a typographic string": ('char *s = "a”;', 'char *s = "a";', "became those of C"),
    "long dashes": (
        "int f() { x—; return x − 1; }",
        "int f() { x--; return x - 1; }",
        "became those of C",
    ),
    "invisible characters": (
        "int\u200b x\ufeff;",
        "int x;",
        "invisible characters were taken out of 1 line",
    ),
    "separators in code": (
        'int x;\u2028int y; // a\u2028b\nint z;\u2029f() { g("\u2028"); }',
        'int x;\nint y; // a\u2028b\nint z;\nf() { g("\u2028"); }',
        "was read as a line end in lines 4 and 6",
    ),
    "encoded below words": (
        "int a =3D b;=20\nint x;=20",
        "int a = b; \nint x; ",
        "still quoted-printable, and was decoded",
    ),
    "encoded in part": (
        "int From =3D=3D 2; /* a = b */\nint n; n = x;=20\nint y;",
        "int From == 2; /* a = b */\nint n; n = x; \nint y;",
        "(`=3D`, `=20`) was decoded in lines 4 and 5",
    ),
    "links": ("f() { p.to<http://p.to> = 1; }", "f() { p.to = 1; }", "taken out of 1 line"),
    "a name below": ("main() {}\n\nRegards,\nJoe (the cool one)", "main() {}\n", "2 lines below"),
    "a rule below": ("main() {}\n_____\nTo leave; {write}", "main() {}", "2 lines below"),
    "a signature without its blank": ("main() {}\n--\nJoe; Cool", "main() {}", "2 lines below"),
    "an original letter below": (
        "main() {}\n-----Original Message-----\nFrom: robot\nint x;",
        "main() {}",
        "3 lines below",
    ),
    "a quoted letter below": (
        "main() {}\n\nThe robot wrote:\n> int x;\n> }",
        "main() {}\n",
        "3 lines below",
    ),
    "a quoted letter directly below": ("main() {}\n> int x;", "main() {}", "1 line below"),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_only_a_mailer_does_is_undone_and_told(name: str) -> None:
    sent, whole, remark = MENDED[name]
    program, repairs = repaired(sent)
    assert program.rstrip("\n") == whole.rstrip("\n")
    assert len(repairs) == 1
    assert remark in repairs[0]


def test_blank_lines_between_all_lines_are_left_out() -> None:
    program = "#define X \\\n  1\nmain()\n{\n\n}"
    found = c_source_repair.repaired(
        Text(tuple((FROM + program).replace("\n", "\n\n").split("\n")))
    )
    assert isinstance(found, Text)
    assert "\n".join(found.lines) == FROM + program
    assert "blank lines" in found.repairs[0]


def test_signs_of_html_in_plain_text_are_read_as_what_they_mean() -> None:
    found = c_source_repair.repaired(
        Text(tuple(html.escape(FROM + "main() { if (1 < 2 && 3) ; }").split("\n")))
    )
    assert isinstance(found, Text)
    assert found.lines[-1] == "main() { if (1 < 2 && 3) ; }"


def quoted(program: str, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}\n" for line in (FROM + program).split("\n"))


def test_a_quoted_program_below_another_one_is_not_taken_for_it() -> None:
    found = c_source_repair.repaired(Text(("main() { x(); }", *quoted("main() {}").split("\n"))))
    assert isinstance(found, Text)
    assert found.lines == ("main() { x(); }",)


PIECES = st.sampled_from(
    [
        "“",
        "”",
        '"',
        "'",
        "‘",
        "’",
        "\\",
        "/*",
        "*/",
        "//",
        "\n",
        "{",
        "}",
        ";",
        ">",
        "> ",
        "-- ",
        "_____",
        "#if 0",
        "#endif",
        "#else",
        "#define X",
        "<<FROM>>",
        "&lt;&lt;FROM&gt;&gt;",
        "–",
        "—",
        "\u200b",
        "a",
        " ",
        "p.to<http://p.to>",
        "wrote:",
        LONG,
        "(",
        ")",
        "<%",
        "%>",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_no_text_raises(sent: str) -> None:
    found = c_source_repair.repaired(Text(tuple(sent.split("\n"))))
    assert isinstance(found, Text | Problem)
    if isinstance(found, Text):
        assert not any("\n" in line for line in found.lines)
