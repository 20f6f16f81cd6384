"""`knobeln practice`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes

import click

from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.model import PracticeGame
from contest.seeds import Seeds
from contest.util.plurals import plural
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.field_option import field_option, opponents_from
from knobeln.cli.game_option import game_option, settings_for, without_description
from knobeln.cli.output import remark, table
from knobeln.home.games import failure_text
from knobeln.home.home_game import distinct_names
from knobeln.home.practice import HomePractice, state_of, wait_for_change
from reports.practice_table import (
    COLUMNS,
    PLAYER_COLUMNS,
    Comparison,
    ComparisonRow,
    ComparisonVerdict,
    PracticeRow,
    compare_versions,
    comparison_cells,
    games_per_opponent,
    is_confirmed,
    is_together,
    its_faults,
    mean_points,
    mean_text,
    practice_table,
    row_cells,
)


@click.command(cls=ContestCommand)
@click.argument("program")
@game_option
@field_option(
    "Play against the programs in this folder, or of this published archive, a folder or .tar.gz,"
    " instead. Several are one field."
)
@click.option(
    "--against",
    metavar="OTHER",
    help="Compare PROGRAM with this other version: both play the same games with the same seeds.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=None,
    help=(
        "Games against each opponent. Default: 16, fewer for programs that think long, and 1 where"
        " programs talk with the referee, because such a game takes seconds."
    ),
)
@click.option(
    "--watch",
    is_flag=True,
    help=(
        "Play again whenever PROGRAM or OTHER is saved, until Ctrl-C. A difference that looks real"
        " is played once more with other seeds, because it may be chance."
    ),
)
def practice(
    program: str,
    game_name: str | None,
    fields: tuple[Path, ...],
    against: str | None,
    games: int | None,
    watch: bool,
) -> None:
    """Let PROGRAM play against all house strategies or sample programs, and show a table.

    The opponents against whom it wins most come first. `own` and `theirs` are mean points; `spread`
    is the standard deviation of its points from game to game. The seeds are always the same, so the
    same program gets the same table, also from `please test` by mail.

    PROGRAM and OTHER are files, folders with a program and the text files that it reads, or names
    of house strategies or sample programs.
    """
    settings = without_description(settings_for(game_name))
    programs = (program,) if against is None else (program, against)
    files = [path for path in map(Path, programs) if path.exists()]
    if watch and not files:
        raise click.UsageError(f"--watch needs a file: there is no file {program}")
    opponents = opponents_from(fields, settings, files) if fields else None
    home = HomePractice(settings, opponents)
    if not watch:
        _practise(home, programs, settings, games, is_watched=False)
        return
    with suppress(KeyboardInterrupt):
        seen = state_of(files)
        while True:
            try:
                _practise(home, programs, settings, games, is_watched=True)
            except KnobelnError as error:
                click.secho(str(error), fg="red", err=True)
            seen = wait_for_change(files, seen)
    click.echo()


def _practise(
    home: HomePractice,
    programs: Sequence[str],
    settings: Settings,
    games: int | None,
    *,
    is_watched: bool,
) -> None:
    info = game_of(settings.game, settings.programs).info
    names = distinct_names(programs)
    if not info.play.is_quick:
        text = (
            f"Programs of {info.title} talk with the referee, so games take seconds, some of them"
            " minutes."
        )
        remark(text, err=True)
    played = home.games(programs[0], games)
    if len(programs) == 1:
        _show_table(names[0], played, info)
        return
    number = games_per_opponent(played)
    others = home.games(programs[1], number)
    for name, its_games in zip(names, (played, others), strict=True):
        if failed := _failures(name, its_games, info):
            click.echo(failed)
    comparison = compare_versions(played, others, info)
    text = _verdict_text(names, comparison, info)
    if is_watched and comparison and comparison.verdict is ComparisonVerdict.REAL:
        seeds = Seeds(token_bytes(32))
        once_more, its = (home.games(program, number, seeds) for program in programs)
        again = compare_versions(once_more, its, info)
        text = _text_of_both(names, comparison, again, info)
    if comparison:
        table(
            f"{names[0]} and {names[1]}: {info.title}, both with the same seeds",
            ("#rank", "opponent", "#games", *(f"#{name}" for name in names), "#difference", "#+-"),
            [comparison_cells(row, info.point) for row in comparison.rows],
        )
    click.echo(text)


def _show_table(name: str, played: Sequence[PracticeGame], info: GameInfo) -> None:
    rows = practice_table(played, info)
    games, together = games_per_opponent(played), is_together(played)
    for line in filter(None, (_failures(name, played, info), *_its_failures(played, info))):
        click.echo(line)
    if rows and all(row.failed and not row.counted for row in rows):
        return
    with_whom = "together with all others" if together else "against each"
    table(
        f"{name}: {plural(games, 'game')} of {info.title} {with_whom}",
        PLAYER_COLUMNS if together else COLUMNS,
        [row_cells(row, info.point, together=together) for row in rows],
    )
    if not together and (sentence := _sum_text(name, rows, info)):
        click.echo(sentence)
    if not info.play.has_moves:
        remark(
            f"{info.title} is computed exactly: there is no chance in it, and one game says all."
        )
    elif games == 1:
        remark(
            "One game says little where there is chance: --games plays more, and shows the spread."
        )


def _sum_text(name: str, rows: Sequence[PracticeRow], info: GameInfo) -> str:
    """How all games together ended; "" if none counts."""
    mean = mean_points(rows)
    if not mean:
        return ""
    own, theirs = (mean_text(points, info.point) for points in mean)
    won = sum(row.won for row in rows)
    drawn = sum(row.drawn for row in rows)
    lost = sum(row.lost for row in rows)
    return (
        f"{name} won {won:,}, drew {drawn:,} and lost {lost:,} of"
        f" {plural(won + drawn + lost, 'game')}; on average it won {own} points, and they"
        f" {theirs}."
    )


def _failures(name: str, played: Sequence[PracticeGame], info: GameInfo) -> str:
    """How often the program failed, and against whom first; "" if it did not."""
    failures = [game for game in played if game.result.seats[0].verdict.is_charged]
    if not failures:
        return ""
    why, against = (
        failure_text(failures[0].result.seats[0], info),
        " and ".join(failures[0].opponents),
    )
    return f"{name} failed in {plural(len(failures), 'game')}, first against {against}{why}"


def _its_failures(played: Sequence[PracticeGame], info: GameInfo) -> Iterator[str]:
    """Say for each opponent that failed in how many games, which do not count, and why first."""
    faults = [fault for game in played for fault in its_faults(game, info)]
    for name, number in Counter(name for name, _ in faults).items():
        why = next(failure_text(seat, info) for other, seat in faults if other == name)
        yield f"{name} failed in {plural(number, 'game')}, so there are no points{why}"


_IS_REAL = "the difference is real against these opponents."


def _verdict_text(names: Sequence[str], compared: Comparison | None, info: GameInfo) -> str:
    if compared is None:
        return "No game counts for both programs, so they cannot be compared."
    wins, margin = _wins_text(names, compared.total, info)
    match compared.verdict:
        case ComparisonVerdict.SAME:
            return "Both win the same points in every game."
        case ComparisonVerdict.EXACT:
            return f"{wins}: exactly, because there is no chance in these games."
        case ComparisonVerdict.REAL:
            return f"{wins}{margin}: {_IS_REAL}"
        case ComparisonVerdict.UNCERTAIN:
            return f"{wins}{margin}: that cannot be told from chance. --games plays more."
        case ComparisonVerdict.TOO_FEW:
            return (
                f"{wins}, but one game against each cannot tell that from chance: --games plays"
                " more."
            )


def _text_of_both(
    names: Sequence[str], first: Comparison, again: Comparison | None, info: GameInfo
) -> str:
    """What two comparisons say, of which the second had chance of its own."""
    both = [table and "".join(_wins_text(names, table.total, info)) for table in (first, again)]
    verdict = (
        f"Both times {_IS_REAL}"
        if is_confirmed(first, again)
        else "That cannot be told from chance."
    )
    return f"{both[0]}, and again with other chance: {both[1] or 'no game counts'}. {verdict}"


def _wins_text(names: Sequence[str], total: ComparisonRow, info: GameInfo) -> tuple[str, str]:
    """Who wins more, and the margin."""
    one, other = names if total.difference >= 0 else reversed(names)
    difference = mean_text(abs(total.difference), info.point)
    margin = "" if total.margin is None else f" (+- {mean_text(total.margin, info.point)}, 95 %)"
    return f"{one} wins {difference} points a game more than {other}", margin
