"""`knobeln programs`: what the teams sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import click

from contest.model import BuildReport, Severity, SubmissionState, TableBuildReport, TextBuildReport
from contest.store import submissions, teams
from contest.store.submissions import Version
from contest.util.plurals import plural
from contest.util.sanitize import sanitize
from knobeln.cli.answers import answer, answers
from knobeln.cli.lazy import LazyNounGroup
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import count_option, moment, print_facts, table, tell_of_more

MAX_REASON_CHARACTERS = 300


@dataclass(frozen=True)
class SubmissionLine:
    """A submission. `files`: their sizes in bytes, by name; `goal`: in games that are computed.

    `counted_by`: the engine and the guest that count the program's time; "" if processor time limits it.
    """

    id: int
    team: str
    version: int
    received_at: datetime
    letter: int
    state: str
    verdict: str
    program: str
    files: Mapping[str, int]
    language: str
    tool: str
    counted_by: str
    goal: int | None
    errors: tuple[str, ...]


@click.group(cls=LazyNounGroup)
@click.option("--team", default=None, help="Only those of this team.")
@click.option(
    "--state", type=click.Choice([str(state) for state in SubmissionState]), help="Only those in this state."
)
@count_option
@answers(list[SubmissionLine])
def programs(team: str | None, state: str | None, count: int) -> None:
    """List the programs that the teams sent, newest first, and the verdict on each."""
    with open_contest().store.read() as tx:
        team_id = None if team is None else teams.named(tx, team).id
        wanted = SubmissionState(state) if state else None
        versions = submissions.newest(tx, count, team_id=team_id, state=wanted)
        names = {one.id: one.name for one in teams.all_teams(tx)}
        lines = [_line(version, names[version.submission.team_id]) for version in versions]
        total = submissions.count(tx, team_id=team_id, state=wanted)
    tell_of_more(lines, total)
    answer(lines, _show_submissions)


def _show_submissions(lines: Sequence[SubmissionLine]) -> None:
    columns = ("#id", "received", "team", "#version", "state", "program", "language", "#bytes")
    rows = [
        (
            line.id,
            moment(line.received_at),
            line.team,
            line.version,
            line.verdict,
            line.program,
            line.language,
            sum(line.files.values()),
        )
        for line in lines
    ]
    table(plural(len(rows), "submission"), columns, rows, drop=("#bytes", "language", "received", "program"))
    for line in lines:
        if line.errors:
            # Below the table, because a column of it would be too narrow. Much of it is strangers' text.
            reasons = sanitize("; ".join(line.errors), max_length=MAX_REASON_CHARACTERS, one_line=True)
            click.echo(f"{line.id}, {line.team}: {reasons}")


@programs.command("show")
@click.argument("submission_id", type=int, metavar="ID")
@answers(SubmissionLine)
def show_submission(submission_id: int) -> None:
    """Show one submission: its files, the verdict, and all findings of the compiler."""
    with open_contest().store.read() as tx:
        submission = submissions.get(tx, submission_id)
        version = Version(submission, submissions.report_of(tx, submission_id))
        line = _line(version, teams.get(tx, submission.team_id).name)
    answer(line, lambda line: _show_submission(line, version.report))


def _show_submission(line: SubmissionLine, report: BuildReport | None) -> None:
    print_facts(
        {
            "submission": line.id,
            "team": line.team,
            "version": line.version,
            "received": f"{moment(line.received_at)}, in letter {line.letter}",
            "state": line.verdict,
            "program": line.program,
            "language": line.language,
            **({"time counted by": line.counted_by} if line.counted_by else {}),
            "files": ", ".join(f"{name} ({size:,} bytes)" for name, size in line.files.items()),
        }
    )
    for finding in report.findings if report else ():
        place = f"line {finding.line}: " if finding.line else ""
        click.echo(f"{finding.severity}: {place}{sanitize(finding.text)}")
    if report and report.messages:
        click.echo(f"\n{sanitize(report.messages)}")


def _line(version: Version, team: str) -> SubmissionLine:
    submission, report = version.submission, version.report
    findings = report.findings if report else ()
    return SubmissionLine(
        id=submission.id,
        team=team,
        version=submission.number,
        received_at=submission.received_at,
        letter=submission.letter_id,
        state=str(submission.state),
        verdict=version.verdict,
        program=submission.program,
        files={name: len(data) for name, data in submission.files.items()},
        language=report.language if report else "",
        tool=report.tool if report else "",
        counted_by=report.counted_by if isinstance(report, TextBuildReport) else "",
        goal=report.goal if isinstance(report, TableBuildReport) else None,
        errors=tuple(finding.text for finding in findings if finding.severity is Severity.ERROR),
    )


programs.add_lazy_commands("knobeln.cli.programs.submit", {"submit": "Submit a program of TEAM by hand."})
programs.add_lazy_commands(
    "knobeln.cli.programs.twins",
    {"twins": "Show programs that play alike, and those whose texts are alike."},
)
