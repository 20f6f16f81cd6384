"""The compile report (K45, K46)."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.interfaces.protocols import Rendered, Renderer
from contest.model import BuildReport, LadderPlace
from reports.used import used


def compile_report(
    team_name: str,
    number: int | None,
    report: BuildReport,
    *,
    previous_good: int | None,
    repairs: Sequence[str],
    replaced: Sequence[int] = (),
    place: LadderPlace | None = None,
    digest: str = "",
    settings: Settings,
    templates: Renderer,
) -> Rendered:
    """What the team is told about its version `number`; None: a check at home, without a letter.

    `previous_good` is the accepted version that counted before it, if any (K47); `repairs` says what had to
    be mended in the letter, `replaced` which versions were not compiled because of this one; `place` is
    that on the ladder, where there is one; `digest` the program's in the ledger, in hex. In the trial game
    the team has the first seat.
    """
    return templates.render(
        "compile_report",
        team=team_name,
        number=number,
        report=report,
        used=used(report.trial.result.seats[:1]) if report.trial else None,
        previous_good=previous_good,
        repairs=repairs,
        replaced=replaced,
        place=place,
        digest=digest,
        open_until=settings.dates.compilation_closes,
        max_instructions=settings.programs.max_instructions,
    )
