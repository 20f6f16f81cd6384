"""The files that a team sent for a game with programs of any language. Pure.

The description (B21) is the file `description.txt`, or else the letter's own text. It is for
people: the running program cannot read it, so it can be long without hiding a table of moves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from compiler.checks import description_wanted
from contest.games.game import TEXT
from contest.language import ngettext
from contest.mail.sent_files import without_secret
from contest.model import FileFacts, Finding, Severity
from contest.schema.sections import Programs
from contest.util.program_files import is_archive

DESCRIPTION = "description.txt"


@dataclass(frozen=True)
class UploadedFiles:
    """`files` is what we build, without the authentification string; `facts` are about everything
    sent."""

    files: Mapping[str, bytes] = field(repr=False)
    facts: tuple[FileFacts, ...]
    description: str

    @property
    def description_lines(self) -> int:
        return sum(bool(line.strip()) for line in self.description.splitlines())

    def digest_of(self, program: str) -> str:
        """Return the sha256 of this file in hex; of nothing, where there is no such file."""
        return hashlib.sha256(self.files.get(program, b"")).hexdigest()


def take_apart(files: Mapping[str, bytes], text: str) -> UploadedFiles:
    """Separate the files as they were sent into program and description; `text` is the letter's
    own."""
    described = next((name for name in sorted(files) if name.lower() == DESCRIPTION), "")
    description = files[described].decode(errors="replace") if described else text
    kept = {
        # An archive stays as it is, or its digests would be wrong.
        name: data if is_archive(name) else without_secret(data)
        for name, data in files.items()
        if name != described
    }
    facts = tuple(
        FileFacts(name, len(files[name]), hashlib.sha256(files[name]).hexdigest())
        for name in sorted(files)
    )
    return UploadedFiles(kept, facts, description)


def description_findings(uploaded: UploadedFiles, settings: Programs) -> Iterator[Finding]:
    """Yield what the contest's rules find wrong with the description."""
    wanted = 0 if settings.description == "none" else TEXT.description_lines
    lines = uploaded.description_lines
    form = ngettext(
        "a description of the strategy, of %(num)s line or more, as the text of the letter or as an"
        " attached file %(description)s",
        "a description of the strategy, of %(num)s lines or more, as the text of the letter or as"
        " an attached file %(description)s",
        wanted,
        description=DESCRIPTION,
    )
    yield from description_wanted(lines, wanted, form, settings)


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
