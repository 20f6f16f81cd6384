"""Compare what a page prints with what came out.

Lines must be equal, apart from what differs from one time, or one computer, to the next: dates, durations,
authentification strings, digests, receipts, processes, and numbers that depend on the compiler. These are
compared by their shape only. Several blanks count as one. A printed `...` stands for any text; alone in a
line, for any number of lines.

A string or digest that the page repeats later must be the same one later, and what the page tells its reader
to type is typed with the real one.
"""

import re
from difflib import unified_diff

_SAME_EACH_TIME_IT_IS_PRINTED = {
    "string": r"\b[a-z0-9]{4}(?:-[a-z0-9]{4}){4}\b",
    "digest": r"\b[0-9a-f]{16,64}\b",
}
_SHAPES = _SAME_EACH_TIME_IT_IS_PRINTED | {
    "mail_date": r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}",
    "date": r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?)?",
    "receipt": r"(?<![\w/+])[A-Za-z0-9+/]{40,}={0,2}",
    "duration": r"\b\d+(?:\.\d+)? s\b|\b\d+:\d\d:\d\d\b",
    "instructions": r"\b[\d,]+ instructions|instructions +[\d,]+",
    "bytes": r"\b[\d.,]+ (?:bytes|kB|MB)\b",
    "process": r"\bprocess \d+",
    "compiler": r"riscv64-\w+-elf-gcc \([^)]*\)\s+[\d.]+",
}
_VOLATILE = re.compile("|".join(f"(?P<{kind}>{shape})" for kind, shape in _SHAPES.items()))
_ANY_LINES = "..."


class PrintedOutput:
    """What one page prints, and which real value each printed one stands for."""

    def __init__(self, **values: str) -> None:
        """`values`: real values by the printed ones, if they are known beforehand."""
        self._real = dict(values)

    def stands_for(self, printed: str, real: str) -> None:
        self._real[printed] = real

    def typed(self, text: str) -> str:
        """What the page tells its reader to type, with the real values."""
        for printed, real in self._real.items():
            text = text.replace(printed, real)
        return text

    def as_printed(self, text: str) -> str:
        """What came out, with the printed values."""
        for printed, real in self._real.items():
            text = text.replace(real, printed)
        return text

    def difference(self, printed: str, came_out: str) -> str:
        """ "" if they agree, otherwise their difference line by line. Remembers the new real values."""
        real = _squeezed(self.as_printed(came_out))
        pattern, kept = self._pattern(_squeezed(printed))
        found = re.fullmatch(pattern, real)
        if not found:
            lines = unified_diff(
                _squeezed(printed).splitlines(), real.splitlines(), "printed", "came out", lineterm=""
            )
            return "\n".join(lines) or "they differ"
        for group, value in kept.items():
            self._real.setdefault(value, found[group])
        return ""

    def _pattern(self, printed: str) -> tuple[str, dict[str, str]]:
        """A pattern for the text, and the printed value of each of its groups."""
        groups: dict[str, str] = {}

        def volatile(found: re.Match[str]) -> str:
            kind = found.lastgroup or ""
            if found[0] in self._real:
                return re.escape(found[0])
            if kind not in _SAME_EACH_TIME_IT_IS_PRINTED:
                return f"(?:{_SHAPES[kind]})"
            before = [group for group, value in groups.items() if value == found[0]]
            if before:
                return f"(?P={before[0]})"
            group = f"v{len(groups)}"
            groups[group] = found[0]
            return f"(?P<{group}>{_SHAPES[kind]})"

        lines = []
        for line in printed.splitlines():
            if line.strip() == _ANY_LINES:
                lines.append("(?:.*\n)*?")
                continue
            end, pattern = 0, ""
            for found in _VOLATILE.finditer(line):
                pattern += _escaped(line[end : found.start()]) + volatile(found)
                end = found.end()
            lines.append(f"{pattern}{_escaped(line[end:])}\n")
        return "".join(lines), groups


def _squeezed(text: str) -> str:
    """Without blanks that only align, and blank lines at both ends."""
    lines = [re.sub(r" +", " ", line).rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    return re.escape(text).replace(re.escape(_ANY_LINES), ".*")
