"""What the teams sent: the log of their submissions, and the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import click

from contest.errors import GiveUp, NotFound, NotNow
from contest.file_names import is_safe
from contest.games.base import MACHINE
from contest.games.registry import game_of
from contest.model import (
    LetterState,
    Outgoing,
    Phase,
    Severity,
    SubmissionState,
    TableBuildReport,
    Team,
    TeamState,
)
from contest.plurals import form
from contest.store import Transaction, decisions, outbox
from contest.store import contest_state as contest_store
from contest.store import leaderboard as board_store
from contest.store import letters as letter_store
from contest.store import submissions as submission_store
from contest.store import teams as team_store
from contest.store.submissions import Version
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, operator, print_mails, reason_option, tell
from knobeln.cli.output import json_option, moment, print_json, table
from knobeln.contest_day.rehearsal import scratch_copy
from knobeln.context import ContestContext, contest_folder
from knobeln.server.services import Services
from mailserver.commands.compile import C_PROGRAM
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
    table(f"{len(rows)} {form(len(rows), 'submission')}", columns, rows)


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
        "goal": report.goal if isinstance(report, TableBuildReport) else None,
        "errors": [finding.text for finding in findings if finding.severity is Severity.ERROR],
    }


# --- submit -----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.argument("team")
@click.argument(
    "files", type=click.Path(path_type=Path, exists=True, dir_okay=False), nargs=-1, required=True
)
@reason_option
@dry_run_option
def submit(team: str, files: tuple[Path, ...], reason: str, dry_run: bool) -> None:
    """Put in a program of TEAM by hand, before the contest starts, though programs may be closed.

    It is checked and compiled like one that comes by mail, and the team gets the report.
    """
    folder = contest_folder()
    if dry_run:
        with scratch_copy(folder) as copy:
            done = _submit(copy, team, files, reason)
            with copy.store.read() as tx:
                print_mails(copy, tx, outbox.queued_after(tx, done.before))
    else:
        done = _submit(folder, team, files, reason)
    tell(f"version {done.number} of {team}: {done.verdict}; the report is in the outbox", dry_run=dry_run)


@dataclass(frozen=True)
class _Done:
    number: int
    verdict: str
    before: int  # the newest mail before it


def _submit(folder: ContestContext, name: str, files: tuple[Path, ...], reason: str) -> _Done:
    sent = _read(folder, files)
    now = folder.clock.now()
    with folder.store.write() as tx:
        if contest_store.state(tx).phase is not Phase.OPEN:
            raise NotNow("the contest has started: the programs are frozen")
        team_id = _able_team(tx, name)
        before = outbox.newest(tx)
        raw = _as_letter(name, sent, reason, now)
        letter_id, _ = letter_store.add(tx, raw=raw, sender="", recipients=(), channel="submit", now=now)
        program = next(iter(sent)) if C_PROGRAM in sent else ""
        put_in = submission_store.add(
            tx,
            team_id,
            letter_id,
            sent,
            now,
            program=program,
        )
        _tell_team(tx, folder, team_store.get(tx, team_id), put_in.number, reason)
        text = f"version {put_in.number} of {name} was put in by hand"
        letter_store.finish(tx, letter_id, LetterState.HANDLED, text, None)
        contest_store.note(tx, "submit", text, now, actor=operator(), whom=name, reason=reason)
    Services(folder).compile_programs(at_once=True)
    with folder.store.read() as tx:
        version = submission_store.versions(tx, team_id)[put_in.number - 1]
    return _Done(put_in.number, _facts(version, name)["verdict"], before)


def _tell_team(tx: Transaction, folder: ContestContext, team: Team, number: int, reason: str) -> None:
    words = folder.templates.render("put_in", team=team.name, number=number, reason=reason)
    mail = Outgoing(
        key=f"submit/{team.id}/{number}",
        kind="put_in",
        to=team.address,
        subject=words.subject,
        body=words.body,
        team_id=team.id,
    )
    outbox.put(tx, mail, folder.settings, folder.clock.now())


def _able_team(tx: Transaction, name: str) -> int:
    team_id = _team_id(tx, name)
    ban = decisions.ban_of(tx, team_id)
    if ban is not None:
        raise NotNow(f"{name} is {ban.kind}: {ban.reason}")
    state = team_store.get(tx, team_id).state
    if state is not TeamState.ACTIVE:
        raise NotNow(f"{name} takes no part yet: it is {state}")
    return team_id


def _read(folder: ContestContext, files: tuple[Path, ...]) -> dict[str, bytes]:
    """The files as a letter would bring them. Raises GiveUp."""
    settings = folder.settings
    limit = settings.programs.max_source_bytes
    if sum(path.stat().st_size for path in files) > limit:
        raise GiveUp(f"a program has at most {limit} bytes, and this has more")
    if game_of(settings.game, settings.programs).info.play != MACHINE:
        unsafe = [path.name for path in files if not is_safe(path.name)]
        if unsafe:
            raise GiveUp(f"{unsafe[0]!r}: a program's file cannot be called so")
        return {path.name: path.read_bytes() for path in files}
    if len(files) > 1:
        raise GiveUp("a program of this game is a single file")
    return {C_PROGRAM: files[0].read_bytes().replace(b"\r\n", b"\n")}


def _as_letter(name: str, sent: Mapping[str, bytes], reason: str, now: datetime) -> bytes:
    """What stands for it among the letters."""
    head = f"Date: {format_datetime(now)}\nSubject: a program of {name}, put in by {operator()}\n\n"
    parts = (f"--- {file}\n".encode() + data for file, data in sent.items())
    return head.encode() + f"{reason}\n\n".encode() + b"\n".join(parts)


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
    table(f"leaderboard, {len(rows)} {form(len(rows), 'strategy', 'strategies')}", columns, rows)
