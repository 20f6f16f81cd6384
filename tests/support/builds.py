"""Compile reports without a compiler."""

from dataclasses import replace
from typing import Any

from contest.interfaces.protocols import Rendered, Renderer
from contest.model import BuildReport, MachineBuildReport

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


def build_report(**facts: Any) -> MachineBuildReport:
    """The report on a small C program that was accepted, but for these facts."""
    return replace(_SMALL_PROGRAM, **facts)


def compile_report(templates: Renderer, report: BuildReport, **facts: Any) -> Rendered:
    """The mail about version 3 of the team `example`, its first one, but for these facts."""
    first = {"team": "example", "number": 3, "previous_good": None, "replaced": (), "repairs": ()}
    return templates.render(
        "compile_report", **{"report": report, **first, "place": None, "digest": "", **facts}
    )
