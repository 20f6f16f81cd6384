"""What the teams sent: the log of their submissions, and the leaderboard."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from knobeln.cli.folder import ContestCommand, contest_folder
from knobeln.cli.show import json_option, moment, print_json, table
from knobeln.errors import NotFound
from knobeln.model import Severity, SubmissionState
from knobeln.store import Transaction
from knobeln.store import leaderboard as board_store
from knobeln.store import submissions as submission_store
from knobeln.store import teams as team_store
from knobeln.store.submissions import Version
from mailserver.commands.leaderboard import has_leaderboard

USUAL_COUNT = 50


# --- submissions ------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.option("--team", default=None, help="Only those of this team.")
@click.option(
    "--state", type=click.Choice([str(state) for state in SubmissionState]), help="Only those in this state."
)
@click.option("--count", default=USUAL_COUNT, show_default=True, help="How many, the newest.")
@json_option
def submissions(team: str | None, state: str | None, count: int, as_json: bool) -> None:
    """List the programs that the teams sent, newest first, and what became of them."""
    with contest_folder().store.read() as tx:
        team_id = None if team is None else _team_id(tx, team)
        chosen = SubmissionState(state) if state else None
        found = submission_store.newest(tx, count, team_id=team_id, state=chosen)
        names = {one.id: one.name for one in team_store.all_teams(tx)}
    facts = [_facts(version, names[version.submission.team_id]) for version in found]
    if as_json:
        print_json(facts)
        return
    columns = ("#id", "received", "team", "#version", "state", "program", "language", "#bytes", "why")
    rows = [
        (
            f["id"],
            moment(f["received_at"]),
            f["team"],
            f["version"],
            f["verdict"],
            f["program"],
            f["language"],
            sum(f["files"].values()),
            "; ".join(f["errors"])[:80],
        )
        for f in facts
    ]
    table(f"{len(rows)} submissions", columns, rows)


def _team_id(tx: Transaction, name: str) -> int:
    team = team_store.by_name(tx, name)
    if team is None:
        raise NotFound(f"there is no team {name}; `knobeln teams` lists them")
    return team.id


def _facts(version: Version, team: str) -> dict[str, Any]:
    sent, report = version.submission, version.report
    findings = report.findings if report else ()
    return {
        "id": sent.id,
        "team": team,
        "version": sent.number,
        "received_at": sent.received_at,
        "letter": sent.letter_id,
        "state": str(sent.state),
        "verdict": str(sent.state) if report is None else "accepted" if report.accepted else "rejected",
        "program": sent.program,
        "files": {name: len(data) for name, data in sent.files.items()},
        "language": report.language if report else "",
        "tool": report.tool if report else "",
        "goal": report.goal if report else None,
        "errors": [finding.text for finding in findings if finding.severity is Severity.ERROR],
    }


# --- leaderboard ------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@json_option
def leaderboard(as_json: bool) -> None:
    """Show the leaderboard of a contest whose game is computed exactly."""
    folder = contest_folder()
    if not has_leaderboard(folder.settings):
        raise NotFound("this contest has no leaderboard: only games that are computed have one, such as Hog")
    with folder.store.read() as tx:
        lines = board_store.board(tx).lines
    if as_json:
        print_json([asdict(line) for line in lines])
        return
    columns = ("#rank", "#match points", "#target", "#bytes", "team", "#version", "PLAYER_NAME")
    rows = [
        (
            line.rank,
            line.match_points,
            line.goal,
            line.source_bytes,
            line.team,
            line.version,
            line.player_name,
        )
        for line in lines
    ]
    table(f"leaderboard, {len(rows)} strategies", columns, rows)
