"""`please compare NAME NAME`: how often one strategy beats the other, exactly (H12). `NAME` alone:
one's own.

Only teams may ask, and the answer goes to the team. Comparisons tell much about the strategies of
others, so a team has only a few in an hour.
"""

from __future__ import annotations

from contest.games.game import MATCH_POINT
from contest.ladder_ranking import Ladder, is_exact
from contest.language import gettext, ngettext
from contest.mail.sent_files import FROM_LINE
from contest.model import LadderEntry, Team
from contest.util.sanitize import quote
from mailserver.authentication import team_command
from mailserver.command import Arguments, LetterContext
from mailserver.decision import Answer, Decision
from mailserver.limits import HOUR, Limit
from mailserver.problem import Problem
from store import ladder

MAX_PER_HOUR = 20
_RIGHT_FORM = (
    "Subject: please compare NAME NAME\n"
    "\n"
    f"{FROM_LINE}\n"
    "\n"
    "or `please compare NAME` for your own strategy against that of NAME"
)


def _compare(context: LetterContext, team: Team, arguments: Arguments) -> Decision:
    present = ladder.now(context.tx, context.settings)
    pair = _pair((team.name, *arguments) if len(arguments) == 1 else arguments, present)
    if isinstance(pair, Problem):
        return _refuse(context, team, pair)
    if context.count_answered("comparison", team.address, HOUR) >= MAX_PER_HOUR:
        text = ngettext(
            "A team has %(num)s comparison in an hour, and yours has had them. Try again later.",
            "A team has %(num)s comparisons in an hour, and yours has had them. Try again later.",
            MAX_PER_HOUR,
        )
        return _refuse(context, team, Problem(text))
    first, second = pair
    rate = present.share(first, second)
    winner = None
    if rate > MATCH_POINT:
        winner = first
    elif 1 - rate > MATCH_POINT:
        winner = second
    return Decision(
        f"{first.team} and {second.team} were compared for {team.name}",
        Answer(
            "comparison",
            team.address,
            {
                "first": first,
                "second": second,
                "rate": float(rate),
                "winner": winner,
                "most": MAX_PER_HOUR,
            },
            of_team=team,
        ),
    )


COMMAND = team_command(
    "compare",
    _compare,
    lambda settings: ("please compare",) if is_exact(settings) else (),
    arguments="NAME NAME",
    answers={"comparison": Limit.NONE, "comparison_refused": Limit.DROP},
)


def _pair(names: tuple[str, ...], present: Ladder) -> tuple[LadderEntry, LadderEntry] | Problem:
    """Return both entries; names that differ only in capitals are the same name."""
    if len(names) != 2:
        return Problem(gettext("The subject must name one or two teams."), expected=_RIGHT_FORM)
    entries = {entry.team.casefold(): entry for entry in present.entries}
    unknown = [name for name in names if name.casefold() not in entries]
    if unknown:
        return Problem(
            gettext(
                "No team called `%(unknown)s` has a strategy that counts.",
                unknown=quote(unknown[0]),
            )
        )
    first, second = (entries[name.casefold()] for name in names)
    return (
        (first, second)
        if first != second
        else Problem(gettext("A strategy is not compared with itself."))
    )


def _refuse(context: LetterContext, team: Team, problem: Problem) -> Decision:
    note = f"no comparison: {problem.text}"
    return Decision(
        note,
        Answer("comparison_refused", team.address, {"problems": [problem]}, of_team=team),
    )
