"""A program that a mailer has changed: the report says what helps."""

from collections.abc import Callable

import pytest

from compiler.build import BuildResult

LONG = "a long remark that reaches the place where mailers break their lines,"
ADVICE = "attach the program as a file"
CHANGED = {
    "a comment": f"// {LONG}\nslowly\n",
    "a string": f'char *text = "{LONG}\nslowly";\n',
    "quoted-printable": "int y =3D 2;\n",
    "a mailbox": ">From here;\n",
}
INNOCENT = {
    "short": "// a remark\nslowly\n",
    "indented": f"// {LONG}\n  slowly\n",
    "an error elsewhere": f"// {LONG}\nint x;\nint z = nothing;\n",
}


@pytest.mark.parametrize("code", [*CHANGED.values(), *INNOCENT.values()], ids=[*CHANGED, *INNOCENT])
def test_advice_is_given_where_a_mailer_may_be_to_blame(
    build_code: Callable[..., BuildResult], code: str
) -> None:
    report = build_code(f"int before;\n{code}").report
    (finding,) = (each for each in report.findings if each.rule == "compiler")
    assert (ADVICE in finding.text) is (code in CHANGED.values())
