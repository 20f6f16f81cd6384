"""`please compare NAME NAME`: how often one strategy beats the other, exactly (H12). `NAME` alone: one's own.

Only teams may ask, by their `<<FROM>>` line, and the answer goes to the team. A strategy is worth what nobody
has tried out against it, so a team can do this only so often in an hour.
"""

from __future__ import annotations

from knobeln.config import Settings
from knobeln.games.hog import MATCH_POINT
from knobeln.model import Team, TeamState
from knobeln.store import leaderboard, teams
from knobeln.store.leaderboard import Board
from mailserver.answering import HOUR, Command, Desk
from mailserver.authentification import FromLine, find_from_line, matches
from mailserver.commands.leaderboard import has_leaderboard
from mailserver.problem import Problem, quote
from mailserver.program_text import FROM_MARK

_START = "please compare"
_WRONG = (
    f"The team name and the authentification string behind {FROM_MARK} do not belong together; both stand in "
    "the answer to your registration."
)
_RIGHT_FORM = (
    "Subject: please compare NAME NAME\n"
    "\n"
    f"{FROM_MARK} team_name authentification_string\n"
    "\n"
    "or `please compare NAME` for your own strategy against that of NAME"
)


def recognises(subject: str, settings: Settings) -> bool:
    return (subject == _START or subject.startswith(f"{_START} ")) and has_leaderboard(settings)


def handle(desk: Desk) -> str:
    from_line = find_from_line(desk.letter.body.lines)
    if isinstance(from_line, Problem):
        text = from_line.text if from_line.line else f"There is no {FROM_MARK} line in the letter."
        return _refuse(desk, desk.writer, Problem(text, from_line.line, expected=_RIGHT_FORM))
    team = _proved(desk, from_line)
    if team is None:
        return _refuse(desk, desk.writer, Problem(_WRONG))
    board = leaderboard.board(desk.tx)
    pair = _pair(_names(desk.letter.subject, team), board)
    if isinstance(pair, Problem):
        return _refuse(desk, team.address, pair, team)
    return _answer(desk, team, board, pair)


def _proved(desk: Desk, from_line: FromLine) -> Team | None:
    team = teams.by_name(desk.tx, from_line.team)
    known = teams.auth_digest(desk.tx, team.id) if team and team.state is TeamState.ACTIVE else None
    return team if matches(from_line.string, known) else None


def _names(subject: str, team: Team) -> tuple[str, ...]:
    """Both names as they were written; the team's own where there is only one."""
    words = [word.strip(" .,;:!?'\"<>()`*") for word in subject.split()]
    place = next((n for n, word in enumerate(words) if word.casefold() == "compare"), len(words))
    named = tuple(words[place + 1 :])
    return (team.name, *named) if len(named) == 1 else named


def _pair(names: tuple[str, ...], board: Board) -> tuple[int, int] | Problem:
    """Their places among the entrants; names that differ only in capitals are the same name."""
    if len(names) != 2:
        return Problem("The subject must name one or two teams.", expected=_RIGHT_FORM)
    places = {entrant.team.casefold(): number for number, entrant in enumerate(board.entrants)}
    unknown = [name for name in names if name.casefold() not in places]
    if unknown:
        return Problem(f"There is no strategy that counts of a team called `{quote(unknown[0])}`.")
    first, second = (places[name.casefold()] for name in names)
    return (first, second) if first != second else Problem("A strategy is not compared with itself.")


def _answer(desk: Desk, team: Team, board: Board, pair: tuple[int, int]) -> str:
    limit = desk.settings.programs.max_comparisons_per_hour
    if desk.count_answered("comparison", team.address, HOUR) >= limit:
        problem = Problem(f"Your team has had its {limit} comparisons of this hour; please try again later.")
        return _refuse(desk, team.address, problem, team)
    rate = board.rate(*pair)
    first, second = (board.entrants[number] for number in pair)
    winner = first if rate > MATCH_POINT else second if 1 - rate > MATCH_POINT else None
    desk.answer(
        "comparison", team.address, team_id=team.id, first=first, second=second, rate=rate, winner=winner
    )
    return f"{first.team} and {second.team} were compared for {team.name}"


def _refuse(desk: Desk, to: str, problem: Problem, team: Team | None = None) -> str:
    sent = desk.answer("comparison_refused", to, team_id=team.id if team else None, problems=[problem])
    return f"no comparison: {problem.text}" + ("" if sent else " (too many answers to this address)")


COMMAND = Command("compare", recognises, handle)
