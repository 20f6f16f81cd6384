"""`why TEAM`: what decided the worst game of a team, after the contest. `why` alone: of one's own.

A team always hears of its own games, at its registered address only; from there, or with its
`<<FROM>>` line, it asks. Anybody may ask for another team where the contest tells everybody all
games. Nothing is told before the results are out.
"""

from __future__ import annotations

from dataclasses import replace

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import gettext
from contest.model import Phase, Team, WorstGame
from contest.util.sanitize import quote
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision
from mailserver.limits import Limit
from mailserver.problem import Problem
from store import contest_state, outbox, results

_OWN_GAMES = frozenset({"DGP", "GRP", "WHY"})
_OWN_MOVES = frozenset({"DGP", "WHY"})


def tells_all(settings: Settings) -> bool:
    """Whether the contest's reports tell everybody all games, as its pages then do."""
    offered = frozenset(settings.reports.offered)
    has_moves = game_of(settings.game, settings.programs).info.play.has_moves
    tells_games = "GRG" in offered or offered >= {"GRP", "BRK"}
    return tells_games and ("DGP" in offered or not has_moves)


def _why(context: LetterContext, arguments: Arguments) -> Decision:
    team = _asking(context)
    if isinstance(team, Decision):
        return team
    asked_for = team.name if team else ""
    if arguments:
        asked_for = arguments[0]
    worst = _worst_game(context, asked_for, team)
    to = team.address if team else context.writer
    if isinstance(worst, Problem):
        return authentication.refuse(context, to, "problem", problem=worst, team=team)
    return Decision(
        f"the worst game of {worst.entry} is asked for",
        Answer(
            "why",
            to,
            {
                "worst": worst,
                "is_own": _is_own(worst, team),
                "seed": contest_state.state(context.tx).seed.value.hex(),
                "games": [line.games for line in results.progress_of_rounds(context.tx)],
            },
            of_team=team,
        ),
    )


def _asking(context: LetterContext) -> Team | Decision | None:
    """The team that asks, if one does; or the letter's refusal."""
    if authentication.has_from_line(context):
        return authentication.writer_of(context)
    return authentication.claimed_by(context)


def _is_own(worst: WorstGame, team: Team | None) -> bool:
    return team is not None and team.name == worst.entry


def _worst_game(context: LetterContext, asked_for: str, team: Team | None) -> WorstGame | Problem:
    """What may be told of the worst game of the team of this name."""
    if not asked_for:
        return Problem(gettext("The subject must name a team: `why TEAM`."))
    if not _is_out(context):
        return Problem(gettext("The results are not out yet. Please ask after the contest."))
    named = {name.casefold(): game for name, game in results.get_worst_games(context.tx).items()}
    worst = named.get(asked_for.casefold())
    if worst is None:
        return _no_game(asked_for, is_for_all=not named)
    if not (_is_own(worst, team) or tells_all(context.settings)):
        return Problem(gettext("This contest tells the games of a team to this team alone."))
    if _OWN_MOVES.isdisjoint(context.settings.reports.offered):
        return replace(worst, turns=(), alike=0)
    return worst


def _no_game(team: str, *, is_for_all: bool) -> Problem:
    """Why there is no worst game of this team; `is_for_all`: of nobody."""
    if is_for_all:
        return Problem(gettext("What decided the games of this contest was not computed."))
    return Problem(gettext("No game of a team called `%(team)s` counted.", team=quote(team)))


def _is_out(context: LetterContext) -> bool:
    """Whether all summaries have gone out."""
    released, played = outbox.released_rounds(context.tx), results.round_log(context.tx)
    return context.phase is Phase.FINISHED and len(released) == len(played)


def _subjects(settings: Settings) -> tuple[str, ...]:
    return () if _OWN_GAMES.isdisjoint(settings.reports.offered) else ("why",)


def _asks_why(subject: str, settings: Settings) -> Arguments | None:
    """Also as people ask it. Other questions that begin so are none about games."""
    if not _subjects(settings):
        return None
    words = [word.strip("?!.,:;\"'`") for word in subject.split()]
    match [word.casefold() for word in words]:
        case ["why" | "warum"]:
            return ()
        case ["why" | "warum", _]:
            return (words[1],)
        case (
            ["why", "did", "i" | "we", "lose"]
            | ["warum", "habe", "ich", "verloren"]
            | ["warum", "haben", "wir", "verloren"]
        ):
            return ()
        case ["why", "did", _, "lose"] | ["warum", "hat", _, "verloren"]:
            return (words[2],)
    return None


COMMAND = Command(
    "why",
    _why,
    _subjects,
    arguments="TEAM",
    reads=_asks_why,
    answers={"why": Limit.DROP},
)
