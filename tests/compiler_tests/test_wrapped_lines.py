"""A program whose lines a mailer has broken: the report names the lines and says what helps."""

import pytest

LONG = "a long remark that reaches the place where mailers break their lines,"
BROKEN = {
    "a comment": f"// {LONG}\nslowly\n",
    "a directive": f"#define VALUE 1 + /* {LONG} */\n2 3\n",
    "a string": f'char *text = "{LONG}\nslowly";\n',
}


def advice(report):
    return [f for f in report.findings if f.rule == "letter"]


FIRST = 19  # the line below `int before;`, as `build_code` puts a description above


@pytest.mark.parametrize("name", BROKEN)
def test_the_broken_line_is_named_with_advice(build_code, name):
    report = build_code("int before;\n" + BROKEN[name]).report
    assert not report.accepted
    (finding,) = advice(report)
    assert finding.quote[:30] == BROKEN[name][:30]
    assert f"broken line {FIRST} in two" in finding.text
    assert "Attach the program as a file" in finding.text


def test_several_broken_lines_are_named_together(build_code):
    report = build_code(f"int before;\n// {LONG}\nbut slowly\nint y;\n// {LONG}\nand so on\n").report
    (finding,) = advice(report)
    assert f"broken lines {FIRST} and {FIRST + 3} in two" in finding.text


INNOCENT = {
    "short": "// a remark\nslowly\n",
    "indented": f"// {LONG}\n  slowly\n",
    "an error elsewhere": f"// {LONG}\nint x;\nint z = nothing;\n",
    "in code": f"int x = 1 + 2 /* {LONG} */ +\n3 4;\n",
}


@pytest.mark.parametrize("name", INNOCENT)
def test_other_errors_are_not_blamed_on_mailers(build_code, name):
    report = build_code("int before;\n" + INNOCENT[name]).report
    assert not report.accepted
    assert advice(report) == []


def test_what_compiles_is_not_suspected(build_code):
    report = build_code(f"// {LONG}\nint slowly;\n").report
    assert report.accepted
    assert advice(report) == []
