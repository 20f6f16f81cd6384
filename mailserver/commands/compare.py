"""`please compare NAME NAME`: how often one strategy beats the other, exactly (H12). `NAME` alone: one's own.

Only teams may ask, by their `<<FROM>>` line, and the answer goes to the team. A strategy is worth what nobody
has tried out against it, so a team can do this only so often in an hour.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.games.hog import MATCH_POINT
from contest.model import Team
from contest.plurals import plural
from contest.store import leaderboard
from contest.store.leaderboard import Board
from mailserver import authentication
from mailserver.commands.leaderboard import has_leaderboard
from mailserver.problem import Problem, quote
from mailserver.reading.subject import words_behind
from mailserver.replies import HOUR, Command, LetterContext

_START = "please compare"
_RIGHT_FORM = (
    "Subject: please compare NAME NAME\n"
    "\n"
    f"{authentication.FROM_LINE}\n"
    "\n"
    "or `please compare NAME` for your own strategy against that of NAME"
)


def recognises(subject: str, settings: Settings) -> bool:
    return (subject == _START or subject.startswith(f"{_START} ")) and has_leaderboard(settings)


def handle(context: LetterContext) -> str:
    team = authentication.writer_of(context, COMMAND)
    if isinstance(team, str):
        return team
    board = leaderboard.board(context.tx)
    pair = _pair(_names(context.letter.subject, team), board)
    if isinstance(pair, Problem):
        return _refuse(context, team, pair)
    return _answer(context, team, board, pair)


def _names(subject: str, team: Team) -> tuple[str, ...]:
    """Both names as they were written; the team's own where there is only one."""
    named = words_behind(subject, _START)
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


def _answer(context: LetterContext, team: Team, board: Board, pair: tuple[int, int]) -> str:
    limit = context.settings.programs.max_comparisons_per_hour
    if context.count_answered("comparison", team.address, HOUR) >= limit:
        problem = Problem(
            f"Your team has had its {plural(limit, 'comparison')} of this hour; please try again later."
        )
        return _refuse(context, team, problem)
    rate = board.rate(*pair)
    first, second = (board.entrants[number] for number in pair)
    winner = first if rate > MATCH_POINT else second if 1 - rate > MATCH_POINT else None
    context.answer(
        "comparison", team.address, team_id=team.id, first=first, second=second, rate=rate, winner=winner
    )
    return f"{first.team} and {second.team} were compared for {team.name}"


def _refuse(context: LetterContext, team: Team, problem: Problem) -> str:
    sent = context.answer("comparison_refused", team.address, team_id=team.id, problems=[problem])
    return f"no comparison: {problem.text}" + ("" if sent else " (too many answers to this address)")


def _forms(settings: Settings) -> tuple[str, ...]:
    return (_START,) if has_leaderboard(settings) else ()


COMMAND = Command("compare", recognises, handle, _forms, "NAME NAME")
