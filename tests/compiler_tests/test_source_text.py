"""Lines, descriptions and secrets of a program as it was sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.source import SourceText, normalise, with_trigraphs
from contest.mail.sent_files import strip_secret


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("#if 0\none\n\ntwo\n#endif\n", ["one", "two"]),
        ("  #  if   0  \none\n # endif /* the end */\n", ["one"]),
        ("# if /**/ 0 // why\none\n#endif\n", ["one"]),
        ("#if (0)\none\n#endif\n", ["one"]),
        ("%:if 0\none\n%:endif\n", ["one"]),
        (
            "#if 0\none\n#if 1\ntwo\n#endif\nthree\n#endif\n",
            ["one", "#if 1", "two", "#endif", "three"],
        ),
        ("#if 0\none\n#else\ntwo\n#endif\n", ["one"]),
        ("#if 0\none\n#endif\nx;\n#if 0\nb\nc\n#endif\n", ["b", "c"]),
        ("#if 0\ndon't\n#endif\n", ["don't"]),
        ("#if 0\n/*\n#endif\n*/\n#endif\n", ["/*", "#endif", "*/"]),
        ("#if 0\nno end\n", ["no end"]),
        ("#i\\\nf 0\none\n#endif\n", ["one"]),
        ("/* #if 0\none\n#endif */\n", []),
        ('char *s = "\\\n#if 0";\n', []),
        ("#if 1\none\n#endif\n", []),
        ("#ifdef NEVER\none\n#endif\n", []),
        ("", []),
    ],
)
def test_the_description_is_what_stands_in_if_0(text: str, description: list[str]) -> None:
    assert SourceText(text).description == description


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x\n", 1),
        ("\n\nx\n", 3),
        ("a\\\nb\n x\n", 3),
        ("a\\\n x\n", 2),
        ("/*\n\n*/ x\n", 3),
        ("// a \\\n b\nx\n", 3),
        ("#define X \\\n x\n", 2),
        ("a \\  \n x\n", 2),
    ],
)
def test_a_word_is_found_on_the_line_where_it_was_sent(text: str, line: int) -> None:
    assert SourceText(text).lines_of("x") == [line]


@pytest.mark.parametrize(
    ("line", "stripped"),
    [
        (" <<FROM>> team secret\n", " <<FROM>> team       \n"),
        ("/* <<FROM>>\tteam  secret*/", "/* <<FROM>>\tteam        */"),
        ("/* <<FROM>> team secret */", "/* <<FROM>> team        */"),
        ("// <<from>> team secret", "// <<from>> team       "),
        ("<<FROM>> team\n", "<<FROM>> team\n"),
        ("nothing of the kind", "nothing of the kind"),
        # what is no <<FROM>> line loses no word
        ("/* <<FROM>> */ main () {", "/* <<FROM>> */ main () {"),
        ("int x; /* <<FROM>> a b */", "int x; /* <<FROM>> a b */"),
        ("/* <<FROM>> is my line */ int n;", "/* <<FROM>> is my line */ int n;"),
        ('s = "<<FROM>> a b";', 's = "<<FROM>> a b";'),
        # however it was written
        (
            "\ufeff<<\u200bFROM>>\u200b team\xa0secret\u2060 \r\n",
            "\ufeff<<\u200bFROM>>\u200b team\xa0      \u2060 \r\n",
        ),
        ("# <<FROM>>\xe2\x80\x8bteam\xc2\xa0secret", "# <<FROM>>\xe2\x80\x8bteam\xc2\xa0      "),
    ],
)
def test_the_secret_is_blanked_and_nothing_else(line: str, stripped: str) -> None:
    assert strip_secret(line) == stripped


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a\r\nb", "a\nb\n"),
        ("\ufeffa\n", "a\n"),
        ("", "\n"),
        ("a\n", "a\n"),
        ("a\u2028b", "a\u2028b\n"),
    ],
)
def test_line_ends_become_newlines(source: str, text: str) -> None:
    assert normalise(source) == (text, "")


@pytest.mark.parametrize(
    ("source", "text", "lines"),
    [
        ("a\rb\r", "a\nb\n", "lines 1 and 2"),
        ("a\r\n// b\rc\r\n", "a\n// b\nc\n", "line 2"),
        ("a\n\r\r\n", "a\n\n\n", "line 2"),
    ],
)
def test_a_carriage_return_alone_becomes_a_newline_and_is_told(
    source: str, text: str, lines: str
) -> None:
    remark = f"a carriage return (CR) without a line feed was read as a line end in {lines}"
    assert normalise(source) == (text, remark)


def test_trigraphs_are_seen_as_other_compilers_see_them():
    assert with_trigraphs("??=??/??'??(??)??!??<??>??-") == "#\\^[]|{}~"


def test_a_quote_is_short_and_harmless():
    program = SourceText("x" * 500 + "\n\t a\x1b[1m  b\n")
    assert len(program.quote(1)) == 60
    assert program.quote(2) == "a[1m b"
    assert program.quote(0) == program.quote(99) == ""


@given(st.text(alphabet="#if01 endl\\\n\"'/*%:?=<>x\r\f\0é", max_size=300))
def test_any_text_can_be_taken_apart(text):
    program = SourceText(normalise(text)[0])
    total = len(program.physical_lines)
    assert all(1 <= number <= total for line in program.lines for number in line.numbers)
    assert len(program.description) <= total
    assert set(program.live_lines) <= set(program.lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["#if 0\n#endif\n", "#if 0\n", "\\\n", "x\n", "/**/#", "'\n", "??/\n"]
)
def test_no_long_text_is_hard_to_take_apart(piece: str) -> None:
    program = SourceText(normalise(piece * (100_000 // len(piece)))[0])
    assert program.live_lines is not None
    assert program.description is not None
