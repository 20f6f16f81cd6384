"""Submissions, their builds, and practice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from contest.model.games import GameResult
from contest.util.plurals import form, plural, span


class SubmissionState(StrEnum):
    QUEUED = "queued"
    BUILT = "built"
    # never compiled: the team sent too many in an hour, and a newer one took its turn
    REPLACED = "replaced"
    # our compile service failed on it; `knobeln letters retry` puts it back
    SET_ASIDE = "set aside"


class PracticeState(StrEnum):
    QUEUED = "queued"
    PLAYED = "played"
    # our practice service failed on it; `knobeln letters retry` puts it back
    SET_ASIDE = "set aside"


@dataclass(frozen=True)
class Practice:
    """A team's request to try a program against ours, without any consequence for the contest."""

    id: int
    team_id: int
    letter_id: int
    files: Mapping[str, bytes]
    program: str = ""  # the name of the program among the files, "" while it is not known
    description: str = ""  # the letter's text about it, as in a submission
    repairs: tuple[str, ...] = ()
    reply_to: str | None = None


@dataclass(frozen=True)
class PracticeGame:
    """One game of practice: the team that asked has the first seat, `opponents` have the others."""

    opponents: tuple[str, ...]
    result: GameResult


@dataclass(frozen=True)
class Submission:
    """One mailed program. `number` counts a team's submissions from 1, in order of arrival (K47).

    The files are as they were sent, with the authentification string in one of them.
    """

    id: int
    team_id: int
    letter_id: int
    number: int
    received_at: datetime
    files: Mapping[str, bytes] = field(repr=False)  # by name
    program: str  # the name of the program among them, "" while it is not known
    description: str  # the letter's text about it (B21), "" if it is in the program
    state: SubmissionState
    repairs: tuple[str, ...] = ()  # of the letter's program, as sentences
    reply_to: str | None = None  # the Message-ID of the letter


class Wait(StrEnum):
    """What a program waits for."""

    LANGUAGE = "language"  # its host has lost the language
    HOUR = "hour"  # as many programs of its team as may be were compiled within an hour
    AGAIN = "again"  # our machinery has failed with it, and tries again
    TURN = "turn"  # other programs come first
    ORGANIZER = "organizer"  # our compile service broke on it, and set it aside


@dataclass(frozen=True)
class WaitingProgram:
    """A program that waits. `since`: when it came; `until`: the end of an hour that is used up."""

    submission: int
    team: int
    number: int
    since: datetime
    reply_to: str | None
    waits_for: Wait
    language: str = ""  # that is lost
    until: datetime | None = None


@dataclass(frozen=True)
class ProgramsWaiting:
    """Queued programs that wait for the same. `reason`: why a host cannot build the language."""

    waits_for: Wait
    programs: int
    since: datetime  # when the first of them came
    language: str = ""
    reason: str = ""

    def sentence(self, now: datetime) -> str:
        """In one line, without a full stop."""
        in_language = f" in {self.language}" if self.language else ""
        waited = span((now - self.since).total_seconds())
        programs = f"{plural(self.programs, 'program')}{in_language}, up to {waited}"
        return f"waiting: {programs}, because {self._why}"

    @property
    def _why(self) -> str:
        match self.waits_for:
            case Wait.LANGUAGE:
                them = form(self.programs, "it", "them")
                reason = next(iter(self.reason.splitlines()), "")
                return f"this host cannot build {them}: {reason}"
            case Wait.HOUR:
                return "no more programs of a team are compiled in an hour"
            case Wait.AGAIN:
                return "our machinery failed, and tries again: see the journal"
            case _:
                return "others come first: is the host too busy?"


class Severity(StrEnum):
    ERROR = "error"  # the program is rejected
    WARNING = "warning"  # it is accepted, and the report says so
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """A rule's finding in a program. Lines count from 1 in the program as sent; 0 = no particular
    line."""

    rule: str  # "include", "description", "forbidden routine" ...
    severity: Severity
    line: int
    text: str
    quote: str = ""  # the offending line, shortened


@dataclass(frozen=True)
class Trial:
    """The trial game of a program; it has the first seat, its opponents have the others."""

    opponent: str  # its name, or their names
    result: GameResult

    @property
    def failed(self) -> bool:
        """Whether the program did what the rules forbid."""
        return self.result.seats[0].verdict.is_charged


@dataclass(frozen=True)
class ImageFacts:
    """A container image that plays for a team (M11)."""

    digest: str  # in hex: the sha256 of the archive, or of the manifest in the registry
    platform: str  # e.g. "linux/amd64"
    unpacked_bytes: int
    command: tuple[str, ...]  # the words before the move's arguments
    name: str = ""  # in its registry; "" = it came as an archive


@dataclass(frozen=True)
class FileFacts:
    """A file as it was sent; its sha256 in hex."""

    name: str
    size: int  # bytes
    digest: str


@dataclass(frozen=True, kw_only=True)
class BuildFacts:
    """What every compile report tells, whatever the kind of play."""

    findings: tuple[Finding, ...]
    tool: str  # the version of the compiler or interpreter, in its own words
    messages: str  # from the compiler, cleaned and shortened
    description_lines: int  # without blank ones
    source_digest: str  # sha256 of the program as compiled, in hex
    image_digest: str | None  # None: rejected
    language: str  # "" where no file was recognised as a program
    trial: Trial | None = None  # None: rejected, or a game that is computed
    stderr_tail: str = ""  # the end of the program's standard error; for its own team only

    @property
    def accepted(self) -> bool:
        return self.image_digest is not None and not any(
            f.severity is Severity.ERROR for f in self.findings
        )


@dataclass(frozen=True, kw_only=True)
class MachineBuildReport(BuildFacts):
    """The report on a C program for the contest machine. Memory figures in bytes."""

    kind: Literal["machine"] = "machine"
    language: str = "C"
    elements: int | None  # lexical elements; None where the preprocessor failed (K46)
    element_limit: int
    static_bytes: int | None  # data and bss; None where the program was not linked
    memory_limit: int
    code_bytes: int | None


@dataclass(frozen=True, kw_only=True)
class TextBuildReport(BuildFacts):
    """The report on a program of any language, or on a container image, for a text game."""

    kind: Literal["text"] = "text"
    files: tuple[FileFacts, ...]
    image: ImageFacts | None = None  # of a container image that plays in place of a program
    # engine and guest, with versions, where its time is counted; "" = processor time
    counted_by: str = ""


@dataclass(frozen=True, kw_only=True)
class TableBuildReport(BuildFacts):
    """The report on a strategy that is tabulated (Hog)."""

    kind: Literal["table"] = "table"
    files: tuple[FileFacts, ...]
    source_bytes: int  # of all files that count for the goal (H8)
    goal: int  # the score that the strategy has to reach
    player_name: str = ""  # its PLAYER_NAME
    trial_rates: tuple[tuple[str, float], ...] = ()  # how often it beats these samples


BuildReport = MachineBuildReport | TextBuildReport | TableBuildReport
"""Everything that a compile report says. In JSON, `kind` tells which of the three records it is."""
