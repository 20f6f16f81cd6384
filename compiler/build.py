"""From a mailed source to an image for the contest machine and the facts of its report.

Deterministic: the same source gives the same image, to the last bit, on every host with the same
gcc.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from compiler import checks, elf
from compiler.source import SourceText, TokenKind, normalise, scan
from compiler.toolchain import FILE_NAME, Step, Toolchain, first_error, without_warnings
from contest.interfaces.protocols import BuildResult
from contest.language import gettext
from contest.mail.sent_files import strip_secret
from contest.model import Finding, MachineBuildReport, Severity, Trial
from contest.schema.sections import Programs
from sandbox.vm.image import MEMORY_SIZE, Image

WRAPS_FROM = 60  # mailers break lines that would be longer than this, most of them at 72 or more
# as mailboxes and quoted-printable write text
_CHANGED = re.compile(r">|.*=(?:3D|[0-9A-F]{2}[ \t]*$)")


Found = tuple[MachineBuildReport, Image | None]
"""What is known so far: each step of the build adds to the report, and the last one makes the
image."""


def build(
    source: str,
    settings: Programs,
    toolchain: Toolchain,
    play_trial: Callable[[Image, str], Trial] | None = None,
) -> BuildResult[Image]:
    """Check, compile and link one program. `source` may still hold its authentification string.

    `play_trial` plays the trial game of an accepted image, given the source's digest. Raises
    ToolMissing where the compiler or the sandbox is at fault, never for anything that a program
    does.
    """
    sent, remark = normalise(source)
    program = SourceText(strip_secret(sent))
    empty = MachineBuildReport(
        findings=(),
        tool=toolchain.version,
        messages="",
        description_lines=len(program.description),
        source_digest=hashlib.sha256(program.text.encode(errors="replace")).hexdigest(),
        image_digest=None,
        elements=None,
        element_limit=settings.MAX_ELEMENTS,
        static_bytes=None,
        memory_limit=MEMORY_SIZE,
        code_bytes=None,
    )
    report, image = _examine(empty, program, settings, toolchain)
    report = _with(report, [Finding("letter", Severity.NOTE, 0, remark)] if remark else [])
    report = replace(
        report, findings=tuple(sorted(report.findings, key=lambda finding: finding.line))
    )
    if image is None or any(each.severity is Severity.ERROR for each in report.findings):
        return BuildResult(report, None, FILE_NAME)
    trial = play_trial(image, report.source_digest) if play_trial else None
    return BuildResult(replace(report, image_digest=image.digest, trial=trial), image, FILE_NAME)


def _with(report: MachineBuildReport, findings: Iterable[Finding]) -> MachineBuildReport:
    """Add these findings, each only once."""
    return replace(report, findings=tuple(dict.fromkeys((*report.findings, *findings))))


def _examine(
    report: MachineBuildReport, program: SourceText, settings: Programs, toolchain: Toolchain
) -> Found:
    report = _with(report, checks.check_source(program, settings))
    if not checks.keeps_from_compiler(report.findings):
        return _expand(report, program, settings, toolchain)
    rest = program.without_includes()
    if checks.keeps_from_compiler(checks.check_source(rest, settings)):
        in_source = checks.Expanded(program, tuple(program.code), None)
        return _with(report, checks.check_tokens(in_source, settings)), None
    # What else is wrong is told at once, not letter by letter. There is no image.
    report, _ = _expand(report, rest, settings, toolchain)
    return report, None


def _expand(
    report: MachineBuildReport, program: SourceText, settings: Programs, toolchain: Toolchain
) -> Found:
    """Preprocess the program, examine what that wrote, and compile it."""
    step = toolchain.preprocess(program.text, _prose(program))
    if step.output is None:
        return _failed(report, program, step), None
    found = tuple(scan(step.output.decode(errors="replace")))
    code = tuple(token for token in found if token.kind is not TokenKind.NEWLINE)
    expanded = checks.Expanded(program, code, sum(token.elements for token in found))
    findings = checks.check_tokens(expanded, settings)
    report = _with(replace(report, elements=expanded.elements), findings)
    if checks.keeps_from_compiler(findings):
        return report, None
    return _compile(report, expanded, toolchain)


def _compile(report: MachineBuildReport, expanded: checks.Expanded, toolchain: Toolchain) -> Found:
    """Compile and link the program, and examine both files. The second counts only if the first
    breaks no rule."""
    compiled = toolchain.compile(expanded.program.text, _prose(expanded.program))
    step = compiled.object_file
    if step.output is None:
        report = _failed(report, expanded.program, step)
        return _with(report, checks.calls_of_the_c_library(expanded)), None
    report = replace(report, messages=step.messages)
    try:
        contents = elf.ObjectFacts.read(step.output)
    except ValueError as error:
        return _with(report, [_unreadable(error)]), None
    found = checks.check_object(contents, expanded, toolchain.own_routines)
    if found:
        return _with(report, found), None
    return _image(report, expanded.program, compiled.linked, toolchain)


def _image(
    report: MachineBuildReport, program: SourceText, step: Step, toolchain: Toolchain
) -> Found:
    if step.output is None:
        return _failed(report, program, step), None
    try:
        image = elf.read_image(step.output, with_lines=toolchain.with_lines)
    except ValueError as error:
        return _with(report, [_unreadable(error)]), None
    if isinstance(image, int):
        return _with(report, [checks.memory_finding(image)]), None
    return replace(report, static_bytes=image.static_size, code_bytes=len(image.code)), image


def _prose(program: SourceText) -> frozenset[int]:
    """Return the numbers of the lines in `#if 0`."""
    return frozenset(number for block in program.blocks for number in block)


def _failed(report: MachineBuildReport, program: SourceText, step: Step) -> MachineBuildReport:
    line, text = (0, step.trouble) if step.trouble else first_error(step.messages)
    text = text or gettext("the compiler found errors; its messages tell more")
    # Mailers and lists add their text after the last line of the program (M64).
    if line > max(
        (n for n, text in enumerate(program.physical_lines, 1) if "}" in text), default=line
    ):
        text += gettext(
            ". If a signature or a list's footer was added there, leave it out, or write `-- `"
            " above it"
        )
    elif _may_be_changed(program, line):
        text += gettext(
            ". If a mailer changed the program there, or broke a line in two, attach the program as"
            " a file"
        )
    finding = Finding("compiler", Severity.ERROR, line, text, program.quote(line))
    told = without_warnings(step.messages) if line else step.messages
    joined = "\n".join(filter(None, (report.messages, told)))
    return _with(replace(report, messages=joined), [finding])


def _may_be_changed(program: SourceText, number: int) -> bool:
    """Return whether a mailer may have changed this line, or broken it or the one above (K50)."""
    if not 0 < number <= len(program.physical_lines):
        return False
    above, line, below = ["", *program.physical_lines, ""][number - 1 : number + 2]
    return bool(_CHANGED.match(line)) or _was_wrapped(above, line) or _was_wrapped(line, below)


def _was_wrapped(line: str, rest: str) -> bool:
    """Return whether a mailer wrapped the line here: the first word of the rest did not fit after
    it."""
    words = rest.split(maxsplit=1)
    return (
        bool(words)
        and not rest[0].isspace()
        and len(line.rstrip()) + 1 + len(words[0]) > WRAPS_FROM
    )


def _unreadable(error: ValueError) -> Finding:
    text = gettext("the compiler's output cannot be used: %(error)s", error=error)
    return Finding("compiler", Severity.ERROR, 0, text)
