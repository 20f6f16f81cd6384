"""`knobeln programs`: what the teams sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contest.model import BuildReport, Severity, SubmissionState, TableBuildReport, TextBuildReport
from contest.util.plurals import plural
from contest.util.sanitize import sanitize
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest
from knobeln.cli.dry_run import operator, reason_option
from knobeln.cli.output import (
    below,
    busy,
    count_option,
    moment,
    print_facts,
    remark,
    table,
    tell_of_more,
)
from knobeln.cli.terminal import console
from store import submissions, teams
from store.submissions import Version

if TYPE_CHECKING:
    from knobeln.organizer.twins import Twins

MAX_REASON_CHARACTERS = 300


@dataclass(frozen=True)
class SubmissionLine:
    """A submission. `files`: their sizes in bytes, by name; `goal`: in games that are computed.

    `counted_by`: the engine and the guest that count the program's time; "" if processor time
    limits it.
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


@click.group(cls=NounGroup)
@click.option("--team", default=None, help="Only those of this team.")
@click.option(
    "--state",
    type=click.Choice([str(state) for state in SubmissionState]),
    help="Only those in this state.",
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
    rows = []
    for line in lines:
        facts = (
            line.id,
            moment(line.received_at),
            line.team,
            line.version,
            line.verdict,
            line.program,
        )
        rows.append((*facts, line.language, sum(line.files.values())))
    drop = ("#bytes", "language", "received", "program")
    table(plural(len(rows), "submission"), columns, rows, drop=drop, is_list=True)
    for line in lines:
        if line.errors:
            # Below the table, because a column of it would be too narrow. Much of it is strangers'
            # text.
            reasons = sanitize(
                "; ".join(line.errors), max_length=MAX_REASON_CHARACTERS, one_line=True
            )
            below(f"{line.id}, {line.team}: {reasons}")


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


@programs.command()
@click.argument("team")
@click.argument("files", type=click.Path(path_type=Path, exists=True), nargs=-1, required=True)
@reason_option
def submit(team: str, files: tuple[Path, ...], reason: str) -> None:
    """Submit a program of TEAM by hand: its FILES, or its folder, or a .zip or .tar.gz of it.

    You can do this until the contest starts, also after the deadline for programs.

    The program is checked and compiled like one that comes by mail, and the team gets the report.
    """
    from knobeln.home.programs import files_at
    from knobeln.organizer.submit_by_hand import submit_by_hand

    program = {name: data for path in files for name, data in files_at(path).items()}
    done = submit_by_hand(open_contest(), team, program, reason, operator())
    what = f"version {done.submission.number} of {team}: {done.verdict}"
    remark(f"{what}; the report is in the outbox")


@programs.command()
@answers("knobeln.organizer.twins:Twins")
def twins() -> None:
    """Show programs that play alike, and those whose texts are alike.

    It is for you alone: nothing is mailed, stored or published. Every line is a hint to read the
    programs, and proves nothing.
    """
    from knobeln.organizer.twins import twins_of

    contest = open_contest()
    with busy("comparing the programs ..."):
        similar = twins_of(contest)
    answer(similar, _show_twins)


def _show_twins(similar: Twins) -> None:
    from compiler.likeness import ALIKE
    from knobeln.organizer.twins import SHORT_WORDS
    from tournament.behaviour import PROBES

    def show(text: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        console.print(text, markup=False)
        if rows:
            table("", columns, rows)
        else:
            console.print("None.\n")

    if similar.behaviour is None:
        console.print(
            "Behaviour: the games of these programs cannot be computed, so nobody can tell.\n"
        )
    else:
        rows = []
        for group in similar.behaviour:
            known = f"short: less than {SHORT_WORDS} words" if group.is_well_known else ""
            known = f"plays like our {', '.join(group.ours)}" if group.ours else known
            rows.append((", ".join(group.programs), group.words, known))
        show(
            f"Behaviour: of {similar.programs} programs, those that do the same in every game: in"
            f" up to {PROBES} games against fixed probes, or in their whole table. One idea can"
            " come to two teams, the more so if it is well known.",
            ("programs", "#words", "well known?"),
            rows,
        )
    show(
        f"Texts: pairs with a likeness of {ALIKE:.0%} or more, whatever their names and comments"
        " are. What both have from our kit does not count; what both have from a third source"
        " does.",
        ("one", "other", "#likeness"),
        [(pair.one, pair.other, f"{pair.share:.0%}") for pair in similar.texts],
    )
