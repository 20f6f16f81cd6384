"""Compile reports without a compiler."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from contest.interfaces.protocols import Rendered, Renderer
from contest.model import (
    BuildReport,
    MachineBuildReport,
    Participation,
    Submission,
    SubmissionState,
)
from store.submissions import TeamsProgram

_SMALL_PROGRAM = MachineBuildReport(
    findings=(),
    tool="gcc",
    messages="",
    elements=9,
    element_limit=10,
    description_lines=15,
    static_bytes=0,
    memory_limit=0,
    code_bytes=0,
    source_digest="",
    image_digest="image",
)


def _active(counts: int | None) -> TeamsProgram:
    """What an active team is told whose version `counts` is the newest accepted one."""
    if counts is None:
        return TeamsProgram(Participation.ACTIVE, None, None)
    good = Submission(
        id=1,
        team_id=1,
        letter_id=1,
        number=counts,
        received_at=datetime(1994, 5, 14, tzinfo=UTC),
        files={},
        program="",
        description="",
        state=SubmissionState.BUILT,
    )
    return TeamsProgram(Participation.ACTIVE, good, good)


def build_report(**facts: Any) -> MachineBuildReport:
    """The report on a small C program that was accepted, but for these facts."""
    return replace(_SMALL_PROGRAM, **facts)


def compile_report(templates: Renderer, report: BuildReport, **facts: Any) -> Rendered:
    """The mail about version 3 of the team `example`, its first one, but for these facts."""
    first: dict[str, Any] = {"team": "example", "number": 3, "previous_good": None}
    first |= {"replaced": (), "repairs": ()}
    first["own"] = _active(3 if report.accepted else facts.get("previous_good"))
    return templates.render(
        "compile_report", **{"report": report, **first, "place": None, "digest": "", **facts}
    )
