"""`please compare NAME NAME`: how often one strategy beats the other, exactly (H12). `NAME` alone: one's own.

Only teams may ask, and the answer goes to the team. Comparisons tell much about the strategies of others, so
a team has only a few in an hour.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.games.hog import MATCH_POINT
from contest.language import gettext, ngettext
from contest.model import Team
from contest.store import leaderboard
from contest.store.leaderboard import Leaderboard
from mailserver.authentication import FROM_LINE, TeamCommand
from mailserver.command import Arguments, LetterContext, by_template
from mailserver.commands.leaderboard import has_leaderboard
from mailserver.limits import HOUR, Limit
from mailserver.problem import Problem, quote

_RIGHT_FORM = (
    "Subject: please compare NAME NAME\n"
    "\n"
    f"{FROM_LINE}\n"
    "\n"
    "or `please compare NAME` for your own strategy against that of NAME"
)


class Compare(TeamCommand):
    name = "compare"
    arguments = "NAME NAME"
    answers = by_template(comparison=Limit.NONE, comparison_refused=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("please compare",) if has_leaderboard(settings) else ()

    def handle_team(self, context: LetterContext, team: Team, arguments: Arguments) -> str:
        board = leaderboard.leaderboard(context.tx)
        pair = _pair((team.name, *arguments) if len(arguments) == 1 else arguments, board)
        if isinstance(pair, Problem):
            return _refuse(context, team, pair)
        return _answer(context, team, board, pair)


COMMAND = Compare()


def _pair(names: tuple[str, ...], board: Leaderboard) -> tuple[int, int] | Problem:
    """The places of both among the entrants; names that differ only in capitals are the same name."""
    if len(names) != 2:
        return Problem(gettext("The subject must name one or two teams."), expected=_RIGHT_FORM)
    places = {entrant.team.casefold(): number for number, entrant in enumerate(board.entrants)}
    unknown = [name for name in names if name.casefold() not in places]
    if unknown:
        return Problem(
            gettext("No team called `%(unknown)s` has a strategy that counts.", unknown=quote(unknown[0]))
        )
    first, second = (places[name.casefold()] for name in names)
    return (first, second) if first != second else Problem(gettext("A strategy is not compared with itself."))


def _answer(context: LetterContext, team: Team, board: Leaderboard, pair: tuple[int, int]) -> str:
    limit = context.settings.programs.max_comparisons_per_hour
    if context.count_answered("comparison", team.address, HOUR) >= limit:
        problem = Problem(
            ngettext(
                "A team has %(num)s comparison in an hour, and yours has had them. Try again later.",
                "A team has %(num)s comparisons in an hour, and yours has had them. Try again later.",
                limit,
            )
        )
        return _refuse(context, team, problem)
    rate = board.rate(*pair)
    first, second = (board.entrants[number] for number in pair)
    winner = first if rate > MATCH_POINT else second if 1 - rate > MATCH_POINT else None
    return context.answer(
        "comparison",
        team.address,
        note=f"{first.team} and {second.team} were compared for {team.name}",
        of_team=team,
        first=first,
        second=second,
        rate=rate,
        winner=winner,
    )


def _refuse(context: LetterContext, team: Team, problem: Problem) -> str:
    note = f"no comparison: {problem.text}"
    return context.answer("comparison_refused", team.address, note=note, of_team=team, problems=[problem])
