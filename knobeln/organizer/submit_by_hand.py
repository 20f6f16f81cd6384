"""Submissions that the organizer makes for a team."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import format_datetime

from contest.errors import GiveUp, NotNow
from contest.games.registry import game_of
from contest.interfaces.protocols import to_team
from contest.model import LetterState, Participation, Phase, Team
from contest.util.program_files import is_safe_path
from knobeln.context import ContestContext
from knobeln.services import Services
from mailserver.commands.compile import C_PROGRAM, strings_in, told_secret
from mailserver.problem import Problem
from mailserver.reading.find_program import c_file
from mailserver.reading.part_text import SentFile
from store import (
    Transaction,
    contest_state,
    decisions,
    letters,
    outbox,
    participation,
    submissions,
    teams,
)
from store.submissions import Version


def submit_by_hand(
    contest: ContestContext, name: str, files: Mapping[str, bytes], reason: str, actor: str
) -> Version:
    """Store a submission of the team `name` as if it came by letter, and build it at once.

    Raises GiveUp, NotFound or NotNow if that is impossible.
    """
    files = _checked(contest, files)
    strings = strings_in(files)
    now = contest.clock.now()
    with contest.store.write() as tx:
        if contest_state.state(tx).phase is not Phase.OPEN:
            raise NotNow("the contest has started: the programs are frozen")
        team = _active_team(tx, name)
        if problem := told_secret(tx, strings):
            raise GiveUp(f"line {problem.line}: {problem.text}")
        # The letters have an entry for it, with what would have come by mail.
        head = (
            f"Date: {format_datetime(now)}\nSubject: a program of {name}, submitted by {actor}\n\n"
        )
        parts = (f"--- {file}\n".encode() + data for file, data in files.items())
        raw = f"{head}{reason}\n\n".encode() + b"\n".join(parts)
        letter_id = letters.add(tx, raw=raw, sender="", recipients=(), channel="submit", now=now)
        program = C_PROGRAM if C_PROGRAM in files else ""
        submission = submissions.add(tx, team.id, letter_id, files, now, program=program)
        words = contest.templates.render(
            "put_in", team=name, number=submission.number, reason=reason
        )
        mail = to_team(team, f"submit/{team.id}/{submission.number}", "put_in", words)
        outbox.put(tx, mail, contest.settings, now)
        text = f"version {submission.number} of {name} was submitted by hand"
        letters.finish(tx, letter_id, LetterState.HANDLED, text, None)
        contest_state.note(tx, "submit", text, now, actor=actor, whom=name, reason=reason)
    Services(contest).compile_programs(at_once=True)
    with contest.store.read() as tx:
        return submissions.versions(tx, team.id)[submission.number - 1]


def _checked(contest: ContestContext, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the files as a letter would bring them. Raises GiveUp."""
    settings = contest.settings
    limit = settings.programs.MAX_SOURCE_BYTES
    if sum(map(len, files.values())) > limit:
        raise GiveUp(f"a program has at most {limit} bytes, and this one has more")
    if not game_of(settings.game, settings.programs).info.play.is_in_c:
        unsafe = [name for name in files if not is_safe_path(name)]
        if unsafe:
            raise GiveUp(f"{unsafe[0]!r}: a program's file cannot have this name")
        return files
    if len(files) > 1:
        raise GiveUp("a program for this game is a single file")
    ((name, data),) = files.items()
    program = c_file(SentFile(data, name=name))
    if isinstance(program, Problem):
        raise GiveUp(program.text)
    return {C_PROGRAM: ("\n".join(program.lines) + "\n").encode()}


def _active_team(tx: Transaction, name: str) -> Team:
    team = teams.named(tx, name)
    ban = decisions.ban_of(tx, team.id)
    if ban is not None:
        raise NotNow(f"{name} is {ban.kind}: {ban.reason}")
    status = participation.of_team(tx, team.id)
    if status is not Participation.ACTIVE:
        raise NotNow(
            f"{name} does not take part yet: it is {status}", hint=f"`knobeln teams accept {name}`"
        )
    return team
