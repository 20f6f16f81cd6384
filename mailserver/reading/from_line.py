"""The `<<FROM>>` line, by which a letter or a program says whose it is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

FROM_MARK = "<<FROM>>"

_COMMENT_MARKS = ("/*", "*/")


def has_from_line(lines: Sequence[str]) -> bool:
    return any(FROM_MARK in line for line in lines)


def begins_with_mark(line: str) -> bool:
    """Whether the line is a `<<FROM>>` line, right or wrong: nothing but a comment's signs are before it."""
    return line.lstrip(" \t\f\v\r/*#").startswith(FROM_MARK)


def without_from_line(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The other lines, without the marks of a comment around it, and without blank lines at both ends."""
    number = next((n for n, line in enumerate(lines) if FROM_MARK in line), None)
    if number is not None:
        before, after = lines[:number], lines[number + 1 :]
        if before and after and (before[-1].strip(), after[0].strip()) == _COMMENT_MARKS:
            before, after = before[:-1], after[1:]
        lines = (*before, *after)
    full = [n for n, line in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else ()
