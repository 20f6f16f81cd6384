"""Write the mails about practice: programs that were only tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.interfaces.protocols import Renderer, to_team
from contest.language import translated
from contest.model import BuildReport, Outgoing, Practice, PracticeGame, SeatResult, Team
from reports.practice_table import (
    COLUMNS,
    PLAYER_COLUMNS,
    YOU,
    PracticeRow,
    games_per_opponent,
    is_together,
    its_faults,
    mean_points,
    mean_text,
    practice_table,
    row_cells,
)
from reports.results import Failure, alike
from reports.used import used
from reports.words import VERDICTS


def practice_report(
    practice: Practice,
    team: Team,
    report: BuildReport,
    games: Sequence[PracticeGame],
    settings: Settings,
    templates: Renderer,
) -> Outgoing:
    """The mail about a program that was only tried. `games` is empty where the program was
    rejected."""
    info = game_of(settings.game, settings.programs).info
    rows = practice_table(games, info)
    rendered = templates.render(
        "practice",
        team=team.name,
        report=report,
        repairs=practice.repairs,
        games=len(games),
        per_opponent=games_per_opponent(games),
        together=is_together(games),
        rows=rows,
        table=_table(rows, info, together=is_together(games)),
        mean=_mean(rows, info),
        failures=alike([failure for game in games for failure in _failures(game)]),
        its_failures=alike([failure for game in games for failure in _its_failures(game, info)]),
        most_instructions=max((game.result.seats[0].instructions for game in games), default=0),
        most_memory=max((game.result.seats[0].memory for game in games), default=0),
        used=used(game.result.seats[0] for game in games),
        unasked=sum(game.result.seats[0].unasked for game in games),
        said=_said(games),
        max_instructions=settings.programs.max_instructions,
    )
    mail = to_team(team, f"practice/{practice.id}/{team.name}", "practice", rendered)
    return replace(mail, in_reply_to=practice.reply_to, letter_id=practice.letter_id)


def _table(
    rows: Sequence[PracticeRow], info: GameInfo, *, together: bool
) -> Sequence[Sequence[str]]:
    """The lines of the table, with its heading."""
    columns = PLAYER_COLUMNS if together else COLUMNS
    heading = tuple(translated(name.removeprefix("#")) for name in columns)
    return (heading, *(row_cells(row, info.point, together=together) for row in rows))


def _mean(rows: Sequence[PracticeRow], info: GameInfo) -> tuple[str, str] | None:
    """The points of the team's program and of its opponents, over all games that count."""
    mean = mean_points(rows)
    return (
        None if mean is None else (mean_text(mean[0], info.point), mean_text(mean[1], info.point))
    )


def _failures(game: PracticeGame) -> Iterator[Failure]:
    """Yield the failure of the team's own program in the game, if there is one."""
    own = game.result.seats[0]
    if own.verdict.is_charged:
        yield _failure(YOU, " and ".join(game.opponents), own, _reason(own))


def _its_failures(game: PracticeGame, info: GameInfo) -> Iterator[Failure]:
    """Yield the opponent's failure because of which the game does not count."""
    for name, seat in its_faults(game, info):
        yield _failure(name, YOU, seat, f"{name}: {_reason(seat)}")


def _failure(name: str, opponent: str, seat: SeatResult, reason: str) -> Failure:
    return Failure(
        entry=name,
        opponent=opponent,
        game=0,
        attempt=1,
        verdict=seat.verdict,
        turn=seat.fault.turn if seat.fault else 0,
        reason=reason,
    )


def _reason(seat: SeatResult) -> str:
    return seat.fault.reason if seat.fault else VERDICTS[seat.verdict]


def _said(games: Sequence[PracticeGame]) -> str:
    """Return the end of what the program wrote to its standard error in the first failed game with
    any."""
    faults = [game.result.seats[0].fault for game in games]
    return next((fault.stderr_tail for fault in faults if fault and fault.stderr_tail), "")
