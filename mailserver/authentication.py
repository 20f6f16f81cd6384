"""Which team wrote: the `<<FROM>>` line of a letter against what we know of the teams (K33, K43, K44).

Until the writer has proved to be the team, nothing that we answer tells whether the name or the string was
wrong (S05). A team whose name was used is told, once a day (S01).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.model import Team, TeamState
from contest.store import Transaction, teams
from mailserver.problem import Problem
from mailserver.reading.c_source_repair import FROM_MARK
from mailserver.replies import DAY, Command, LetterContext
from mailserver.team_secret import FromLine, digest, find_from_line, matches

FROM_LINE = f"{FROM_MARK} team_name authentification_string"
NOTICE = "wrong_authentification_notice"


@dataclass(frozen=True)
class AuthFailure:
    """Why a letter is nobody's: the line is missing or wrong in itself (`problem`), or names a team with a
    string that is not its own."""

    problem: Problem | None = None
    named: Team | None = None  # an active team of that name
    renamed: Team | None = None  # the string is that of a team that asked for the name and got another (K33)
    withdrawn: Team | None = None  # both are right, but the team has withdrawn


def team_of(tx: Transaction, lines: Sequence[str]) -> Team | AuthFailure:
    """The active team that these lines prove to come from."""
    from_line = find_from_line(lines)
    if isinstance(from_line, Problem):
        return AuthFailure(from_line)
    named = teams.by_name(tx, from_line.team)
    is_right = matches(from_line.string, teams.auth_digest(tx, named.id) if named else None)
    if named and named.state is TeamState.ACTIVE:
        return named if is_right else AuthFailure(named=named, renamed=_renamed(tx, from_line))
    if named and named.state is TeamState.WITHDRAWN and is_right:
        return AuthFailure(withdrawn=named)
    return AuthFailure(renamed=_renamed(tx, from_line))


def _renamed(tx: Transaction, from_line: FromLine) -> Team | None:
    owner = teams.with_auth_digest(tx, digest(from_line.string))
    is_so = owner and owner.state is TeamState.ACTIVE and owner.requested_name == from_line.team
    return owner if is_so else None


def notify(context: LetterContext, team: Team | None, command: Command) -> None:
    """Tell a team that somebody used its name for this command, unless it was itself or knows of today."""
    if team is None or team.address.casefold() == context.writer.casefold():
        return
    if not context.has_answered(NOTICE, team.address, DAY):
        at = context.stored.received_at
        subject = subject_of(command, context)
        context.answer(
            NOTICE, team.address, team_id=team.id, is_notice=True, team=team, received_at=at, subject=subject
        )


def subject_of(command: Command, context: LetterContext) -> str:
    """The command as teams know it."""
    return next(iter(command.forms(context.settings)), command.name)


def claimed_by(context: LetterContext) -> Team | None:
    """The team whose registered address the letter names as its writer, which proves nothing."""
    found = (
        teams.by_address(context.tx, address)
        for address in (context.letter.sender, context.writer)
        if address
    )
    return next((team for team in found if team), None)


# --- commands that are a subject and a `<<FROM>>` line -----------------------------------------------------
def has_from_line(context: LetterContext) -> bool:
    """Whether the letter has a line that is, or was meant to be, a `<<FROM>>` line."""
    found = find_from_line(context.letter.body.lines)
    return isinstance(found, FromLine) or found.line > 0


def writer_of(context: LetterContext, command: Command) -> Team | str:
    """The team that sent this command, or, when that was refused, a note for the journal."""
    if context.letter.problems:
        text = f"Your letter could not be read: {'; '.join(context.letter.problems)}."
        return refuse(context, context.writer, command, "problem", problem=Problem(text))
    found = team_of(context.tx, context.letter.body.lines)
    if isinstance(found, Team):
        return found
    if found.problem:
        return refuse(context, context.writer, command, "problem", problem=_of_a_command(found.problem))
    for reason, team in (("old name", found.renamed), ("withdrawn", found.withdrawn)):
        if team:
            return refuse(context, team.address, command, reason, team=team)
    note = refuse(context, context.writer, command, "wrong")
    notify(context, found.named, command)
    return note


def _of_a_command(problem: Problem) -> Problem:
    if problem.line:
        return Problem(problem.text, problem.line, expected=FROM_LINE)
    text = f"There is no {FROM_MARK} line in the letter, so I do not know which team it comes from."
    return Problem(text, expected=FROM_LINE)


def refuse(
    context: LetterContext,
    to: str,
    command: Command,
    reason: str,
    *,
    problem: Problem | None = None,
    team: Team | None = None,
) -> str:
    """Answer that nothing was done, and why: the template has words for each reason."""
    sent = context.answer(
        "command_refused",
        to,
        team_id=team.id if team else None,
        command=command.name,
        subject=subject_of(command, context),
        reason=reason,
        problem=problem,
        team=team,
    )
    note = f"{command.name} refused: {problem.text if problem else reason}"
    return note if sent else f"{note} (too many answers to this address)"
