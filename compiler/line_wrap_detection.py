"""Find the lines of a program that a mailer has broken and that the compiler complains about (K50). Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise

from compiler.source import SourceText
from compiler.tokens import TokenKind, scan

WRAPS_FROM = 60  # mailers break lines that would be longer than this, most of them at 72 or more


def broken_lines(program: SourceText, error_lines: Collection[int]) -> Sequence[int]:
    """The numbers of lines that continue on the next line: a `//` comment, a directive or a string.

    Elsewhere a line end means nothing. Only an error at the broken place turns the suspicion into a finding.
    """
    one_line, strings = _fragile_lines(program)
    pairs = enumerate(pairwise(program.physical_lines), 1)
    return [
        number
        for number, (line, rest) in pairs
        if _was_wrapped(line, rest)
        and (
            (number in one_line and number + 1 in error_lines)
            or (number in strings and number in error_lines)
        )
    ]


def _was_wrapped(line: str, rest: str) -> bool:
    """Whether the first word of the rest did not fit after the line."""
    words = rest.split(maxsplit=1)
    return bool(words) and not rest[0].isspace() and len(line.rstrip()) + 1 + len(words[0]) > WRAPS_FROM


def _fragile_lines(program: SourceText) -> tuple[Collection[int], Collection[int]]:
    """The lines of `//` comments and the last lines of directives; the lines with an open quote."""
    starts = [0, *accumulate(len(line) + 1 for line in program.physical_lines)]
    one_line = {line.numbers[-1] for line in program.live_lines if line.directive is not None}
    strings = set()
    for token in scan(program.text):
        if token.kind is TokenKind.COMMENT and token.text.startswith("//"):
            one_line.add(bisect_right(starts, token.offset))
        elif token.kind is TokenKind.BROKEN:
            strings.add(bisect_right(starts, token.offset))
    return one_line, strings
