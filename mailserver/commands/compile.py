"""`please compile`: whose program is it, may it come now; then it is queued for the compiler (K43-K49).

The report follows when it is compiled. Until the writer has proved to be the team, nothing that we answer
tells whether the name or the string was wrong (K44, S05).
"""

from __future__ import annotations

from knobeln.config import Settings
from knobeln.model import Team, TeamState
from knobeln.store import contest, submissions, teams
from mailserver import windows
from mailserver.answering import DAY, Command, Desk
from mailserver.authentification import FromLine, digest, find_from_line, matches
from mailserver.letter import find_program
from mailserver.problem import Problem
from mailserver.text import Text
from mailserver.windows import Window


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == "please compile"


def handle(desk: Desk) -> str:
    program = find_program(desk.letter)
    if isinstance(program, Problem):
        return _refuse(desk, desk.writer, "problem", problem=program)
    from_line = find_from_line(program.lines)
    if isinstance(from_line, Problem):
        return _refuse(desk, desk.writer, "problem", problem=from_line)
    team = teams.by_name(desk.tx, from_line.team)
    owner = teams.with_auth_digest(desk.tx, digest(from_line.string))
    if _is_proved(desk, team, from_line):
        assert team is not None, "a team without a digest proves nothing"  # noqa: S101
        return _take(desk, team, program)
    if owner and owner.state is TeamState.ACTIVE and owner.requested_name == from_line.team:
        return _refuse(desk, owner.address, "old name", team=owner)
    return _unknown(desk, team)


def _is_proved(desk: Desk, team: Team | None, from_line: FromLine) -> bool:
    known = teams.auth_digest(desk.tx, team.id) if team and team.state is TeamState.ACTIVE else None
    return matches(from_line.string, known)


def _take(desk: Desk, team: Team, program: Text) -> str:
    source = "\n".join(program.lines) + "\n"
    limit = desk.settings.programs.max_source_bytes
    phase = contest.state(desk.tx).phase
    window = windows.compilation(desk.settings.dates, phase, desk.stored.received_at)
    if window is not Window.OPEN:
        return _refuse(desk, team.address, window, team=team)
    if len(source.encode()) > limit:
        return _refuse(desk, team.address, "too long", team=team)
    submission = submissions.add(
        desk.tx,
        team.id,
        desk.stored.id,
        source,
        desk.stored.received_at,
        repairs=program.repairs,
        reply_to=desk.letter.message_id,
    )
    return f"version {submission.number} of {team.name} queued for the compiler"


def _refuse(
    desk: Desk, to: str, reason: str, *, problem: Problem | None = None, team: Team | None = None
) -> str:
    counts = submissions.latest_good(desk.tx, team.id) if team else None
    sent = desk.answer(
        "compile_refused",
        to,
        team_id=team.id if team else None,
        reason=reason,
        problem=problem,
        team=team,
        version=counts.number if counts else None,
    )
    return f"program refused: {reason}" + ("" if sent else "; too many answers to this address")


def _unknown(desk: Desk, named: Team | None) -> str:
    """One text to the writer whatever was wrong, and a notice to a team that was really named (S01)."""
    sent = desk.answer("wrong_authentification", desk.writer)
    if named and named.state is TeamState.ACTIVE and named.address.casefold() != desk.writer.casefold():
        _notify(desk, named)
    return "program refused: wrong authentification" + ("" if sent else "; too many answers to this address")


def _notify(desk: Desk, team: Team) -> None:
    template = "wrong_authentification_notice"
    if not desk.has_answered(template, team.address, DAY):
        at = desk.stored.received_at
        desk.answer(template, team.address, team_id=team.id, is_notice=True, team=team, received_at=at)


COMMAND = Command("compile", recognises, handle)
