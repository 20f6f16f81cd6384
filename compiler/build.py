"""From a mailed source to an image for the contest machine and the facts of its report.

Deterministic: the same source gives the same image, to the last bit, on every host with the same gcc.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from compiler import checks, elf, messages, tokens
from compiler.messages import FILE_NAME
from compiler.source import SourceText, normalise
from compiler.tokens import TokenKind
from compiler.toolchain import Step, Toolchain
from contest.interfaces.protocols import BuildResult
from contest.language import gettext, noted
from contest.mail.from_line import strip_secret
from contest.mail.sent_files import lines_named
from contest.model import Finding, MachineBuildReport, Severity, Trial
from contest.schema.sections import Programs
from sandbox.vm.image import MEMORY_SIZE, Image

WRAPS_FROM = 60  # mailers break lines that would be longer than this, most of them at 72 or more


@dataclass(frozen=True)
class _Facts:
    """The facts known so far; each step of the build adds to them."""

    findings: tuple[Finding, ...] = ()
    messages: str = ""
    elements: int | None = None
    static_bytes: int | None = None
    code_bytes: int | None = None
    image: Image | None = None

    def found(self, findings: Iterable[Finding]) -> _Facts:
        """Add these findings, each only once."""
        return replace(self, findings=tuple(dict.fromkeys((*self.findings, *findings))))

    @property
    def has_errors(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)


def build(
    source: str,
    settings: Programs,
    toolchain: Toolchain,
    play_trial: Callable[[Image, str], Trial] | None = None,
) -> BuildResult[Image]:
    """Check, compile and link one program. `source` may still hold its authentification string.

    `play_trial` plays the trial game of an accepted image, given the source's digest. Raises ToolMissing
    where the compiler or the sandbox is at fault, never for anything that a program does.
    """
    sent, remark = normalise(source)
    program = SourceText(strip_secret(sent))
    remarks = [Finding("letter", Severity.NOTE, 0, remark)] if remark else []
    facts = _examine(program, settings, toolchain).found(remarks)
    image = None if facts.has_errors else facts.image
    source_digest = hashlib.sha256(program.text.encode(errors="replace")).hexdigest()
    report = MachineBuildReport(
        findings=tuple(sorted(facts.findings, key=lambda finding: finding.line)),
        tool=toolchain.version(),
        messages=facts.messages,
        description_lines=len(program.description),
        source_digest=source_digest,
        image_digest=image.digest if image else None,
        trial=play_trial(image, source_digest) if image and play_trial else None,
        elements=facts.elements,
        element_limit=settings.MAX_ELEMENTS,
        static_bytes=facts.static_bytes,
        memory_limit=MEMORY_SIZE,
        code_bytes=facts.code_bytes,
    )
    return BuildResult(report, image, FILE_NAME)


def _examine(program: SourceText, settings: Programs, toolchain: Toolchain) -> _Facts:
    facts = _Facts(tuple(checks.check_source(program, settings)))
    if checks.keeps_from_compiler(facts.findings):
        return facts.found(checks.check_tokens(checks.in_source(program), settings))
    step = toolchain.preprocess(program.text, _prose(program))
    if step.output is None:
        return _failed(facts, program, step)
    found = tuple(tokens.scan(step.output.decode(errors="replace")))
    code = tuple(token for token in found if token.kind is not tokens.TokenKind.NEWLINE)
    expanded = checks.Expanded(program, code, sum(token.elements for token in found))
    facts = replace(facts, elements=expanded.elements).found(checks.check_tokens(expanded, settings))
    return facts if checks.keeps_from_compiler(facts.findings) else _compile(facts, expanded, toolchain)


def _compile(facts: _Facts, expanded: checks.Expanded, toolchain: Toolchain) -> _Facts:
    step = toolchain.compile(expanded.program.text, _prose(expanded.program))
    if step.output is None:
        return _failed(facts, expanded.program, step)
    facts = replace(facts, messages=step.messages)
    try:
        contents = elf.ObjectFacts.read(step.output)
    except ValueError as error:
        return facts.found([_unreadable(error)])
    facts = facts.found(found := checks.check_object(contents, expanded, toolchain.own_routines))
    return facts if found else _link(facts, expanded.program, step.output, toolchain)


def _link(facts: _Facts, program: SourceText, compiled: bytes, toolchain: Toolchain) -> _Facts:
    step = toolchain.link(compiled)
    if step.output is None:
        return _failed(facts, program, step)
    try:
        static_bytes = elf.linked_static_bytes(step.output)
        if static_bytes > checks.AVAILABLE_STATIC:
            return facts.found([checks.memory_finding(static_bytes)])
        image = elf.read_image(step.output, with_lines=toolchain.with_lines)
    except ValueError as error:
        return facts.found([_unreadable(error)])
    return replace(facts, static_bytes=image.static_size, code_bytes=len(image.code), image=image)


def _prose(program: SourceText) -> frozenset[int]:
    """The numbers of the lines in `#if 0`."""
    return frozenset(number for block in program.blocks for number in block)


def _failed(facts: _Facts, program: SourceText, step: Step) -> _Facts:
    lines = () if step.trouble else messages.error_lines(step.messages)
    line = next(iter(lines), 0)
    text = step.trouble or messages.first_error(step.messages)
    text = text or gettext("the compiler found errors; its messages tell more")
    # Mailers and lists add their text after the last line of the program (M64).
    if line > max((n for n, text in enumerate(program.physical_lines, 1) if "}" in text), default=line):
        text += gettext(
            ". If a signature or a list's footer was added there, leave it out, or write `-- ` above it"
        )
    finding = Finding("compiler", Severity.ERROR, line, text, program.quote(line))
    told = messages.without_warnings(step.messages) if lines else step.messages
    joined = "\n".join(filter(None, (facts.messages, told)))
    return replace(facts, messages=joined).found(
        [finding, *_wrapped(program, lines), *_left_by_mailers(program, lines)]
    )


def _wrapped(program: SourceText, error_lines: Iterable[int]) -> Iterable[Finding]:
    """A note about the lines that a mailer has probably broken, if there are errors in them (K50)."""
    broken = tuple(_broken_lines(program, frozenset(error_lines)))
    if broken:
        text = gettext(
            "a mailer seems to have broken %(lines)s in two, with the rest on the line below. Attach the "
            "program as a file, or keep such lines below %(wraps_from)s characters",
            lines=lines_named(broken),
            wraps_from=WRAPS_FROM,
        )
        yield Finding("letter", Severity.NOTE, 0, text, program.quote(broken[0]))


_TRACES = (
    (
        re.compile(r"=3D|=[0-9A-F]{2}[ \t]*$"),
        noted("seems to be encoded still (quoted-printable: `=3D` is `=`)"),
    ),
    (re.compile(">From "), noted("begins with `>From`; mailboxes write that for `From`")),
    (re.compile(">"), noted("begins with `>`, as quoted text of another letter does")),
)


def _left_by_mailers(program: SourceText, error_lines: Iterable[int]) -> Iterable[Finding]:
    """A note about the first wrong line that a mailer or mailbox has probably changed."""
    for number in error_lines:
        line = program.physical_lines[number - 1] if number <= len(program.physical_lines) else ""
        for trace, text in _TRACES:
            if trace.search(line) if trace.pattern.startswith("=") else trace.match(line):
                advice = gettext(
                    "line %(number)s %(text)s. If you did not write that, attach the program as a file",
                    number=number,
                    text=gettext(text),
                )
                yield Finding("letter", Severity.NOTE, number, advice, program.quote(number))
                return


def _unreadable(error: ValueError) -> Finding:
    text = gettext("the compiler's output cannot be used: %(error)s", error=error)
    return Finding("compiler", Severity.ERROR, 0, text)


# --- broken lines ---
def _broken_lines(program: SourceText, error_lines: Collection[int]) -> Sequence[int]:
    """The numbers of lines that a mailer has broken and that the compiler complains about (K50).

    They continue on the next line: a `//` comment, a directive or a string. Elsewhere a line end means
    nothing. Only an error at the broken place turns the suspicion into a finding.
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
    """Whether a mailer wrapped the line here: the first word of the rest did not fit after it."""
    words = rest.split(maxsplit=1)
    return bool(words) and not rest[0].isspace() and len(line.rstrip()) + 1 + len(words[0]) > WRAPS_FROM


def _fragile_lines(program: SourceText) -> tuple[Collection[int], Collection[int]]:
    """The lines of `//` comments and the last lines of directives; the lines with an open quote."""
    starts = [0, *accumulate(len(line) + 1 for line in program.physical_lines)]
    one_line = {line.numbers[-1] for line in program.live_lines if line.directive is not None}
    strings = set()
    for token in tokens.scan(program.text):
        if token.kind is TokenKind.COMMENT and token.text.startswith("//"):
            one_line.add(bisect_right(starts, token.offset))
        elif token.kind is TokenKind.BROKEN:
            strings.add(bisect_right(starts, token.offset))
    return one_line, strings
