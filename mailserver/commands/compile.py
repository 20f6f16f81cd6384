"""`please compile`: whose program is it, may it come now; then it is queued for the compiler (K43-K49).

A program for the contest machine is a single C text; of the other games the attached files are taken as they
are, in any language (B14, U7, H1). The report follows when it is compiled. Until the writer has proved to be
the team, nothing that we answer tells whether the name or the string was wrong (K44, S05).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from knobeln.config import Settings
from knobeln.games import Dialogue, game_of, hog
from knobeln.model import Team, TeamState
from knobeln.store import contest, submissions, teams
from mailserver import windows
from mailserver.answering import DAY, Command, Desk
from mailserver.authentification import FromLine, digest, find_from_line, matches
from mailserver.letter import Letter, find_files, find_program
from mailserver.problem import Problem
from mailserver.program_text import FROM_MARK
from mailserver.windows import Window

C_PROGRAM = "program.c"  # what a program for the contest machine is called


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == "please compile"


@dataclass(frozen=True)
class _Sent:
    """What a letter brings, and the lines among which the `<<FROM>>` line is to be found."""

    files: Mapping[str, bytes]
    marked: Sequence[str]
    repairs: tuple[str, ...]
    program: str = ""  # where it is known which of the files that is
    marked_in: str = ""  # the name of the file that the marked lines stand in, "" = the letter's text
    description: str = ""


def handle(desk: Desk) -> str:
    program = _sent(desk)
    if isinstance(program, Problem):
        return _refuse(desk, desk.writer, "problem", problem=program)
    from_line = find_from_line(program.marked)
    if isinstance(from_line, Problem):
        return _refuse(desk, desk.writer, "problem", problem=_in_its_place(from_line, program))
    team = teams.by_name(desk.tx, from_line.team)
    owner = teams.with_auth_digest(desk.tx, digest(from_line.string))
    if _is_proved(desk, team, from_line):
        assert team is not None, "a team without a digest proves nothing"  # noqa: S101
        return _take(desk, team, program)
    if owner and owner.state is TeamState.ACTIVE and owner.requested_name == from_line.team:
        return _refuse(desk, owner.address, "old name", team=owner)
    return _unknown(desk, team)


def _sent(desk: Desk) -> _Sent | Problem:
    dialogues = game_of(desk.settings.game, desk.settings.programs).info.dialogues
    return _c_text(desk.letter) if Dialogue.MACHINE in dialogues else _files(desk.letter, dialogues)


def _c_text(letter: Letter) -> _Sent | Problem:
    program = find_program(letter)
    if isinstance(program, Problem):
        return program
    source = "\n".join(program.lines) + "\n"
    return _Sent({C_PROGRAM: source.encode()}, program.lines, program.repairs, C_PROGRAM)


def _files(letter: Letter, dialogues: Sequence[Dialogue]) -> _Sent | Problem:
    found = find_files(letter, hog.PROGRAM if Dialogue.TABLE in dialogues else "")
    if isinstance(found, Problem):
        return found
    words = "\n".join(found.text)
    return _Sent(found.files, found.marked, found.repairs, marked_in=found.marked_in, description=words)


def _in_its_place(problem: Problem, program: _Sent) -> Problem:
    """The right form of the `<<FROM>>` line: in a game of any language a comment of C is not the only one."""
    if program.program:
        return problem
    place = f" (This is about the file {program.marked_in}.)" if program.marked_in and problem.line else ""
    return replace(problem, text=problem.text + place, expected=_ANY_FROM_LINE)


_ANY_FROM_LINE = (
    f"{FROM_MARK} team_name authentification_string\n"
    "\n"
    "as a line of the letter's text, or in a comment of one of the files"
)


def _is_proved(desk: Desk, team: Team | None, from_line: FromLine) -> bool:
    known = teams.auth_digest(desk.tx, team.id) if team and team.state is TeamState.ACTIVE else None
    return matches(from_line.string, known)


def _take(desk: Desk, team: Team, program: _Sent) -> str:
    limit = desk.settings.programs.max_source_bytes
    phase = contest.state(desk.tx).phase
    window = windows.compilation(desk.settings.dates, phase, desk.stored.received_at)
    if window is not Window.OPEN:
        return _refuse(desk, team.address, window, team=team)
    if sum(map(len, program.files.values())) > limit:
        return _refuse(desk, team.address, "too long", team=team)
    submission = submissions.add(
        desk.tx,
        team.id,
        desk.stored.id,
        program.files,
        desk.stored.received_at,
        program=program.program,
        description=program.description,
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
