"""What our regular expressions must not contain, because Python before 3.11.5 reads it wrongly."""

import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

ROOMS = [
    "arena",
    "compiler",
    "contest",
    "knobellib",
    "knobeln",
    "mailserver",
    "reports",
    "sandbox",
    "store",
    "tournament",
    "trust",
]
ONE_CHARACTER = ("IN", "LITERAL", "NOT_LITERAL", "ANY", "CATEGORY")


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Each regular expression that a module of ours has under a name."""
    for room in ROOMS:
        package = importlib.import_module(room)
        for found in pkgutil.walk_packages(package.__path__, f"{room}."):
            if found.name.endswith("__main__") or ".guests." in found.name:
                continue
            try:
                module = importlib.import_module(found.name)
            except ModuleNotFoundError:  # a file of the kit, which lies beside others where it runs
                continue
            for name, value in vars(module).items():
                if isinstance(value, re.Pattern):
                    yield f"{found.name}.{name}", value


def possessive_groups(pattern: str | bytes, flags: int = 0) -> int:
    """How many groups of the expression are repeated without going back (`(?:ab)*+`)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import sre_parse  # it warns that its new name is a private one

    def within(parsed: Any) -> int:
        count = 0
        for operator, arguments in parsed:
            if str(operator) == "POSSESSIVE_REPEAT":
                repeated = arguments[2]
                count += len(repeated) > 1 or str(repeated[0][0]) not in ONE_CHARACTER
            for part in arguments if isinstance(arguments, (tuple, list)) else [arguments]:
                for piece in part if isinstance(part, list) else [part]:
                    if isinstance(piece, sre_parse.SubPattern):
                        count += within(piece)
        return count

    return within(sre_parse.parse(pattern, flags))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        (r"a*+[bc]++\d{2,}+.?+", 0),
        (r"(?:ab)*+", 1),
        (r"x|((?:ab|c)?+)", 1),
        (r"(?=(?:a(?:b\s)++)*+)", 2),
    ],
)
def test_possessive_groups_are_seen(pattern: str, count: int) -> None:
    assert possessive_groups(pattern) == count


def test_no_group_is_repeated_without_going_back() -> None:
    """`(?:ab)*+` ends in the wrong place in Python 3.11.0 to 3.11.4; `(?>(?:ab)*)` is right
    everywhere."""
    all_patterns = dict(patterns())
    assert len(all_patterns) > 150
    wrong = [
        name
        for name, of in all_patterns.items()
        if possessive_groups(of.pattern, of.flags & ~re.UNICODE)
    ]
    assert wrong == []
