"""From a mailed source to an image for the contest machine and the facts of its report.

Deterministic: the same source gives the same image, to the last bit, on every host with the same gcc.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from compiler import checks, elf, messages, tokens
from compiler.messages import FILE_NAME
from compiler.source import SourceText, normalise
from compiler.toolchain import Step, Toolchain
from compiler.uploaded_files import has_errors
from contest.interfaces.protocols import BuildResult
from contest.language import gettext
from contest.mail.from_line import strip_secret
from contest.model import Finding, MachineBuildReport, Severity, Trial
from contest.schema.sections import Programs
from sandbox.vm.image import MEMORY_SIZE, Image

WRAPS_FROM = 60  # mailers break lines that would be longer than this, most of them at 72 or more
_CHANGED = re.compile(r">|.*=(?:3D|[0-9A-F]{2}[ \t]*$)")  # as mailboxes and quoted-printable write text


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
    image = None if has_errors(facts.findings) else facts.image
    source_digest = hashlib.sha256(program.text.encode(errors="replace")).hexdigest()
    report = MachineBuildReport(
        findings=tuple(sorted(facts.findings, key=lambda finding: finding.line)),
        tool=toolchain.version,
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
        in_source = checks.Expanded(program, tuple(program.code), None)
        return facts.found(checks.check_tokens(in_source, settings))
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
    line, text = (0, step.trouble) if step.trouble else messages.first_error(step.messages)
    text = text or gettext("the compiler found errors; its messages tell more")
    # Mailers and lists add their text after the last line of the program (M64).
    if line > max((n for n, text in enumerate(program.physical_lines, 1) if "}" in text), default=line):
        text += gettext(
            ". If a signature or a list's footer was added there, leave it out, or write `-- ` above it"
        )
    elif _may_be_changed(program, line):
        text += gettext(
            ". If a mailer changed the program there, or broke a line in two, attach the program as a file"
        )
    finding = Finding("compiler", Severity.ERROR, line, text, program.quote(line))
    told = messages.without_warnings(step.messages) if line else step.messages
    joined = "\n".join(filter(None, (facts.messages, told)))
    return replace(facts, messages=joined).found([finding])


def _may_be_changed(program: SourceText, number: int) -> bool:
    """Whether a mailer may have changed this line, or broken it or the one above (K50)."""
    if not 0 < number <= len(program.physical_lines):
        return False
    above, line, below = ["", *program.physical_lines, ""][number - 1 : number + 2]
    return bool(_CHANGED.match(line)) or _was_wrapped(above, line) or _was_wrapped(line, below)


def _was_wrapped(line: str, rest: str) -> bool:
    """Whether a mailer wrapped the line here: the first word of the rest did not fit after it."""
    words = rest.split(maxsplit=1)
    return bool(words) and not rest[0].isspace() and len(line.rstrip()) + 1 + len(words[0]) > WRAPS_FROM


def _unreadable(error: ValueError) -> Finding:
    text = gettext("the compiler's output cannot be used: %(error)s", error=error)
    return Finding("compiler", Severity.ERROR, 0, text)
