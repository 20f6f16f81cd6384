"""Finds out which team wrote a letter, by its `<<FROM>>` line (K33, K43, K44).

Before that, no answer tells whether the name or the string was wrong (S05). If somebody else used a
team's name, we tell the team, once a day (S01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from contest.config.settings import Settings
from contest.language import gettext
from contest.mail.sent_files import FROM_LINE, FROM_MARK
from contest.model import Team, TeamState
from mailserver.command import Arguments, Command, LetterContext, PartOfMail
from mailserver.decision import Answer, Decision
from mailserver.limits import DAY, Limit
from mailserver.problem import Problem
from mailserver.proof import AuthFailure, NameAndString, Proof
from mailserver.team_secret import FromLine, digest, matches
from store import Transaction, teams

_REFUSAL, _NOTICE = "command_refused", "wrong_authentification_notice"
ANSWERS = {_REFUSAL: Limit.DROP, _NOTICE: Limit.DROP}
"""The templates of what any command may have to answer."""


def team_of(tx: Transaction, from_line: FromLine | Problem, proof: Proof) -> Team | AuthFailure:
    """Return the active team whose name and string are in the `<<FROM>>` line.

    Where it uses the string that was offered to it last, this one is its only string from now on.
    `proof`: of the letter, which knows most lines already.
    """
    if isinstance(from_line, Problem):
        return AuthFailure(from_line)
    return proof.lines.get((from_line.team, from_line.string)) or _proved(tx, from_line)


def _proved(tx: Transaction, from_line: FromLine) -> Team | AuthFailure:
    named, (valid, offered) = teams.with_digests(tx, from_line.team) or (None, (None, None))
    is_right = matches(from_line.string, valid)
    if matches(from_line.string, offered) and named:
        teams.set_auth_digest(tx, named.id, digest(from_line.string))
        is_right = True
    if named and named.state is TeamState.ACTIVE:
        return named if is_right else AuthFailure(named=named, renamed=_renamed(tx, from_line))
    if named and named.state is TeamState.WITHDRAWN and is_right:
        return AuthFailure(withdrawn=named)
    return AuthFailure(renamed=_renamed(tx, from_line))


def proof_in(tx: Transaction, from_lines: Iterable[FromLine]) -> Proof:
    """Return what these lines of a letter show, up to the first with an active team and its
    string."""
    lines: dict[NameAndString, Team | AuthFailure] = {}
    for from_line in from_lines:
        found = _proved(tx, from_line)
        lines[from_line.team, from_line.string] = found
        if isinstance(found, Team):
            return Proof(found, lines)
    return Proof(lines=lines)


def _renamed(tx: Transaction, from_line: FromLine) -> Team | None:
    owner = teams.with_auth_digest(tx, digest(from_line.string))
    is_so = owner and owner.state is TeamState.ACTIVE and owner.requested_name == from_line.team
    return owner if is_so else None


def notices(context: LetterContext, team: Team | None) -> tuple[Answer, ...]:
    """Return what tells a team, once a day, that another address used its name for a command."""
    if team is None or team.address.casefold() == context.writer.casefold():
        return ()
    facts = {
        "received_at": context.stored.received_at,
        "subject": context.command.right_subject(context.settings),
    }
    notice = Answer(_NOTICE, team.address, facts, of_team=team, is_notice=True, once_in=DAY)
    return (notice,)


def claimed_by(context: LetterContext) -> Team | None:
    """Return the team from whose registered address the letter claims to come, which proves
    nothing."""
    addresses = dict.fromkeys(filter(None, (context.letter.sender, context.writer)))
    found = (teams.by_address(context.tx, address) for address in addresses)
    return next((team for team in found if team), None)


# --- commands that are a subject and a `<<FROM>>` line --------------------------------------------
def team_command(
    name: str,
    handle: Callable[[LetterContext, Team, Arguments], Decision],
    subjects: Callable[[Settings], tuple[str, ...]],
    **more: Any,
) -> Command:
    """Return a command that a team proves to be its own by the `<<FROM>>` line in the text of the
    letter.

    `handle` does what this team asks for; `more`: as for Command.
    """

    def handle_letter(context: LetterContext, arguments: Arguments) -> Decision:
        team = writer_of(context)
        return team if isinstance(team, Decision) else handle(context, team, arguments)

    return Command(name, handle_letter, subjects, sample_body=from_line_alone, **more)


def from_line_alone(_settings: Settings, _part: PartOfMail) -> str:
    """Return the text of a sample letter that has nothing but the `<<FROM>>` line."""
    return FROM_LINE


def has_from_line(context: LetterContext) -> bool:
    """Return whether the letter has a line that is, or was meant to be, a `<<FROM>>` line."""
    found = context.from_line
    return isinstance(found, FromLine) or found.line > 0


def writer_of(context: LetterContext) -> Team | Decision:
    """Return the team that sent the command, or the letter's refusal."""
    if context.letter.problems:
        text = gettext(
            "Your letter could not be read: %(problems)s.",
            problems="; ".join(context.letter.problems),
        )
        return refuse(context, context.writer, "problem", problem=Problem(text))
    found = team_of(context.tx, context.from_line, context.proof)
    if isinstance(found, Team):
        return found
    if problem := found.problem:
        if not problem.line:
            text = gettext(
                "There is no %(from_mark)s line in the letter, so I do not know which team it comes"
                " from.",
                from_mark=FROM_MARK,
            )
            problem = Problem(text)
        problem = replace(problem, expected=FROM_LINE)
        return refuse(context, context.writer, "problem", problem=problem)
    for reason, team in (("old name", found.renamed), ("withdrawn", found.withdrawn)):
        if team:
            return refuse(context, team.address, reason, team=team)
    refusal = refuse(context, context.writer, "wrong")
    return replace(refusal, after=notices(context, found.named))


def refuse(
    context: LetterContext,
    to: str,
    reason: str,
    *,
    problem: Problem | None = None,
    team: Team | None = None,
) -> Decision:
    """Answer that nothing was done, and why: the template has words for each reason."""
    return Decision(
        f"{context.command.name} refused: {problem.text if problem else reason}",
        Answer(
            _REFUSAL,
            to,
            {
                "command": context.command.name,
                "subject": context.command.right_subject(context.settings),
                "reason": reason,
                "problem": problem,
            },
            of_team=team,
        ),
    )
