"""The real gcc in the real sandbox, prepared once for all tests here."""

from collections.abc import Callable

import pytest

from compiler.build import BuildResult, build
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs

DESCRIPTION = "#if 0\n" + "A line that says what the program does.\n" * 15 + "#endif\n"
PLAY = "\nmain()\n{\n  for (;;)\n    make_throw(1994);\n}\n"


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain()


@pytest.fixture(scope="session")
def build_code(toolchain: Toolchain) -> Callable[..., BuildResult]:
    """Builds code between a description and a main function that plays; the code starts on line
    18."""

    def with_description(
        code: str, settings: Programs | None = None, main: str = PLAY
    ) -> BuildResult:
        return build(DESCRIPTION + code + main, settings or Programs(), toolchain)

    return with_description
