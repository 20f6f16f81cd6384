"""`knobeln results replay`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from contest.model import Match
from knobeln.archive.replay import find_game, round_of_archive, round_of_contest, shown_game
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest


@dataclass(frozen=True)
class ReplayedGame:
    """A game of the past, with all its moves. `text`: the game in words."""

    round: int
    group: int
    match: Match
    text: str


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("teams", metavar="TEAM TEAM", nargs=-1, required=True)
@click.option("--game", type=int, default=1, show_default=True, help="Which of the games that they played.")
@click.option(
    "--attempt",
    type=int,
    default=None,
    help="Which attempt, if the game was played again; default: the last.",
)
@click.option("--former", is_flag=True, help="Show the game as it was before the last `knobeln run rerun`.")
@click.option(
    "--archive",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Read the game from an archive; this needs no contest.",
)
@answers(ReplayedGame)
def replay(
    number: int, teams: tuple[str, ...], game: int, attempt: int | None, former: bool, archive: Path | None
) -> None:
    """Show a game of the past, throw by throw or move by move.

    The game is played again, or shown as it was recorded if its programs talk with the referee. Its digest is
    compared with the one that was stored. The same TEAM twice means its game against itself.
    """
    if former and archive:
        raise click.UsageError("an archive has no former results: --former is for the contest's own folder")
    played = (
        round_of_archive(archive, number)
        if archive
        else round_of_contest(open_contest(), number, former=former)
    )
    group, match = find_game(played, number, teams, game, attempt)
    text, match = shown_game(played, group, match)
    moves = tuple(match.result.moves or ())  # they may be kept packed
    whole = replace(match, result=replace(match.result, moves=moves))
    found = ReplayedGame(number, group.plan.number, whole, text)
    attempts = [m for m in group.matches if m.pairing == match.pairing]
    answer(found, lambda found: click.echo_via_pager(f"{found.text}\n{_ending(match, attempts)}"))


def _ending(match: Match, tried: Sequence[Match]) -> str:
    lines = [f"The digest is the one that was stored: {match.result.digest}"]
    games = max(m.game for m in tried)
    attempts = sum(m.game == match.game for m in tried)
    if games > 1:
        lines.append(f"This was game {match.game} of {games}; --game shows another.")
    if attempts > 1:
        lines.append(f"This was attempt {match.attempt} of {attempts}; --attempt shows another.")
    return "\n".join(lines) + "\n"
