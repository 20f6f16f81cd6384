"""What a team sent for a game whose programs may be in any language, taken apart. Pure.

Its description (B21) is the file `description.txt`, or else the letter's own words. It is for people: it does
not lie beside the running program, so it can be as long as one likes without a table of moves hidden in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from compiler.build_result import facts_of, without_secret
from contest.config.sections import Programs
from contest.file_names import is_archive
from contest.model import BuildReport, FileFacts, Finding, ImageFacts, Severity
from contest.plurals import plural

DESCRIPTION = "description.txt"


@dataclass(frozen=True)
class UploadedFiles:
    """`files` is what is built, without the authentification string; `facts` are of all that was sent."""

    files: Mapping[str, bytes] = field(repr=False)
    facts: tuple[FileFacts, ...]
    description: str

    @property
    def size(self) -> int:
        """Bytes of what is built, as they were sent (H8)."""
        return sum(map(len, self.files.values()))

    @property
    def description_lines(self) -> int:
        return sum(bool(line.strip()) for line in self.description.splitlines())


def take_apart(files: Mapping[str, bytes], words: str) -> UploadedFiles:
    """The files as they were sent, and the letter's own words about them."""
    described = next((name for name in sorted(files) if name.lower() == DESCRIPTION), "")
    own = files[described].decode(errors="replace") if described else words
    kept = {
        # An archive stays as it is, or its digests would be wrong.
        name: data if is_archive(name) else without_secret(data)
        for name, data in files.items()
        if name != described
    }
    return UploadedFiles(kept, facts_of(files), own)


def description_findings(sent: UploadedFiles, settings: Programs) -> Iterator[Finding]:
    """Whether the program is described as the contest wants it."""
    wanted = 0 if settings.description == "none" else settings.min_description_lines
    lines = sent.description_lines
    form = (
        f"a description of the strategy, of {plural(wanted, 'line')} or more, as the text of the "
        f"letter or as an attached file {DESCRIPTION}"
    )
    if wanted and not lines:
        severity = Severity.ERROR if settings.description == "require" else Severity.WARNING
        yield Finding("description", severity, 0, f"your program has no description; it needs {form}")
    elif lines < wanted:
        text = f"your description has {plural(lines, 'line')}; the rules ask for {form}"
        yield Finding("description", Severity.WARNING, 0, text)


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def report_on(
    sent: UploadedFiles,
    *,
    findings: tuple[Finding, ...],
    program: str,
    language: str,
    tool: str,
    messages: str,
    image_digest: str | None,
    image: ImageFacts | None = None,
) -> BuildReport:
    """The report without a trial; rejected where a finding is an error."""
    return BuildReport(
        findings=findings,
        tool=tool,
        messages=messages,
        elements=None,
        element_limit=None,
        description_lines=sent.description_lines,
        static_bytes=None,
        memory_limit=None,
        code_bytes=None,
        source_digest=hashlib.sha256(sent.files.get(program, b"")).hexdigest(),
        image_digest=image_digest,
        language=language,
        files=sent.facts,
        source_bytes=sent.size,
        image=image,
    )
