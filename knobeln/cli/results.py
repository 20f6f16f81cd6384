"""`knobeln results`: rankings, evolution, the ladder."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from contest.errors import NotFound
from contest.ladder_ranking import has_ladder, movements
from contest.model import (
    AllTimeTable,
    Certainty,
    EvolutionOutcome,
    LadderLine,
    Phase,
    RoundOutcome,
    SeasonTable,
    Standing,
)
from contest.util.plurals import plural
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest, tournament_option
from knobeln.cli.output import busy, remark, table
from knobeln.cli.result_tables import contest_ranking, show_results
from knobeln.cli.terminal import console
from reports.certainty import certainty_facts
from reports.prizes import PrizeList, grand_prize, prize_fields, prize_lists
from store import contest_state, submissions
from store import ladder as ladder_store
from store import results as result_store
from store.results import Games
from trust.archive.contents import Seal


@dataclass(frozen=True)
class Results:
    """All results. `secret`: in hex, null before the contest's end, as is `seal`.

    A round has the groups that are finished, without their matches unless they are asked for, or
    the members play one game together.
    """

    phase: Phase
    seed_commitment: str
    secret: str | None
    seal: Seal | None
    rounds: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    prizes: tuple[PrizeList, ...]
    grand_prize: tuple[Standing, ...]
    evolution: EvolutionOutcome | None


@click.group(cls=NounGroup)
@click.option("--games", is_flag=True, help="Also print all games of the groups.")
@tournament_option
@answers(Results)
def results(games: bool, tournament: int | None) -> None:
    """Show the rankings and the evolution. They are those of the last round; with --json of all
    rounds."""
    contest = open_contest(tournament)
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        is_over = state.phase is Phase.FINISHED
        rounds = result_store.all_rounds(tx, Games.ALL if games else Games.NONE)
        ranking = contest_ranking(tx, contest.settings)
        fields = prize_fields(submissions.participants(tx), contest.settings.teams)
        prizes = prize_lists(ranking, fields, contest.settings.teams)
        answered = Results(
            phase=state.phase,
            seed_commitment=state.seed.commitment,
            secret=state.seed.secret.hex() if is_over else None,
            seal=Seal.of(state.seed, contest_state.number(tx)) if is_over else None,
            rounds=rounds,
            ranking=ranking,
            prizes=prizes,
            grand_prize=grand_prize(prizes),
            evolution=result_store.get_evolution(tx),
        )
    answer(answered, lambda _: show_results(contest, games=games))


@results.command()
@answers(SeasonTable)
def season() -> None:
    """Show the table of the season, or of its tournaments so far.

    In each tournament a team gets a point for each team behind it; between equals the last
    tournament decides. Every version of every program meets every other. The strength is the mean
    of the points of a team's first version, the gain how much more its last version has.
    """
    from knobeln.season import season_so_far

    contest = open_contest()
    with busy("playing every version against every other ..."):
        table = season_so_far(contest)
    answer(table, _show_season)


def _show_season(standings: SeasonTable) -> None:
    rows = []
    for line in standings.lines:
        is_known = line.strength is not None and line.gain is not None
        strength = (f"{line.strength:.1f}", f"{line.gain:+.1f}") if is_known else ("", "")
        rows.append(
            (line.rank, line.team, line.points, *(place or "-" for place in line.places), *strength)
        )
    numbers = [f"#{number}" for number in range(1, standings.tournaments + 1)]
    table(
        "",
        ("#rank", "team", "#points", *(f"#{heading}" for heading in numbers), "#strength", "#gain"),
        rows,
    )
    versions = plural(standings.versions, "version")
    games = f"{plural(standings.games, 'game')} of {versions}"
    remark(
        f"Strengths are by {games}." if standings.games else f"No strengths: {standings.unknown}."
    )


@results.command("all-time")
@click.argument(
    "archives",
    metavar="ARCHIVE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True),
)
@click.option("--csv", "as_table", is_flag=True, help="Print the table as CSV.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the table into this file, as a page for a browser.",
)
@answers(AllTimeTable)
def all_time(archives: tuple[Path, ...], as_table: bool, page: Path | None) -> None:
    """Rank the programs of several contests in one table: every one plays every other.

    ARCHIVE is a published archive or that of a season: a folder, or a .tar.gz of one. Each archive
    is compared with its digests first; `verify` checks its results. The games have the settings of
    the newest contest, and random numbers that follow from the two programs alone, so everybody
    gets the same table. This needs no contest of your own.
    """
    from contest.games.registry import game_of
    from knobeln.archive.former_contests import (
        builds_of,
        common_settings,
        former_contests,
        former_programs,
    )
    from knobeln.native_code import WORTHWHILE_GAMES, translate_builds
    from reports.site.alone import all_time_page, all_time_rows
    from reports.site.folder import write_at_once
    from reports.site.tables import as_csv
    from tournament.all_time import all_time_table
    from tournament.runners import open_runner

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # nothing unpacked is left behind
    with former_contests(archives) as contests:
        settings = common_settings(contests)
        builds, programs = builds_of(contests, settings), list(former_programs(contests))
    games = len(builds) - 1  # of each
    if game_of(settings.game, settings.programs).info.play.is_in_c and games >= WORTHWHILE_GAMES:
        with busy(f"making the native code of {plural(len(builds), 'program')} ..."):
            translate_builds(builds)
    with busy(f"playing {plural(len(programs), 'program')}, every one against every other ..."):
        table = all_time_table(programs, builds, settings, open_runner)
    if page:
        write_at_once(page, all_time_page(table, settings))
    if as_table:
        click.echo(as_csv(all_time_rows(table)), nl=False)
    else:
        answer(table, _show_all_time)
    if page:
        remark(f"The page is in {page}.", err=True)


def _show_all_time(all_time: AllTimeTable) -> None:
    rows = [
        (
            line.rank,
            line.team,
            line.contest,
            f"{line.points:,.1f}",
            line.won,
            line.drawn,
            line.lost,
            line.failures,
            line.in_contest,
            line.place or "-",
        )
        for line in all_time.lines
    ]
    table(
        f"{plural(len(all_time.contests), 'contest')}, {plural(all_time.builds, 'program')},"
        f" {plural(all_time.games, 'game')}",
        (
            "#rank",
            "team",
            "contest",
            "#points",
            "#won",
            "#drawn",
            "#lost",
            "#failures",
            "#in contest",
            "#place",
        ),
        rows,
        drop=("#failures", "#drawn", "#in contest"),
    )
    remark(
        "Points are the mean of a game. `in contest` is the rank among the programs of its own"
        " contest by these games, `place` the one that it had there."
    )


@results.command()
@answers(Certainty)
def certainty() -> None:
    """Show how sure the ranking is: how the contest ends with other random numbers.

    It was computed at the contest's end; the pages say the same.
    """
    with open_contest().store.read() as tx:
        likely = result_store.get_certainty(tx)
    if likely is None:
        raise NotFound(
            "nobody has computed how sure the ranking is: only a finished contest has that"
        )
    answer(likely, _show_certainty)


def _show_certainty(likely: Certainty) -> None:
    facts = certainty_facts(likely)
    console.print(facts.words, markup=False)
    if facts.lines:
        name, *numeric = facts.columns
        table("", (name, *(f"#{column}" for column in numeric)), facts.lines)
        console.print(facts.key, markup=False)


@results.command()
@answers(tuple[LadderLine, ...])
def ladder() -> None:
    """Show the ladder: how all accepted programs rank outside the contest, and who has moved."""
    contest = open_contest()
    if not has_ladder(contest.settings):
        raise NotFound(
            "this contest has no ladder",
            hint="set ladder.enabled = true in contest.toml, and restart `knobeln serve`",
        )
    with contest.store.read() as tx:
        lines = ladder_store.now(tx, contest.settings).lines
        newest = ladder_store.rankings(tx, 2)
    moves = movements(*newest) if newest else {}
    answer(lines, lambda _: _show_ladder(lines, moves))


def _show_ladder(lines: Sequence[LadderLine], moves: Mapping[str, str]) -> None:
    if not lines:
        raise NotFound("no game has been played on the ladder yet: it needs two accepted programs")
    columns = ("#rank", "moved", "team", "#version", "#points per game", "#games", "#failures")
    if any(line.strategy for line in lines):
        columns = ("#rank", "#match points", "#target", "#bytes", "team", "#version", "PLAYER_NAME")
    rows: list[tuple[object, ...]] = []
    for line in lines:
        if facts := line.strategy:
            computed = line.rank, round(line.points), facts.goal, facts.source_bytes
            rows.append((*computed, line.team, line.version, facts.player_name))
        else:
            played = line.rank, moves.get(line.team, ""), line.team, line.version
            rows.append((*played, f"{line.points:.1f}", line.games, line.failures))
    drop = ("#failures", "#bytes", "#version", "#games", "PLAYER_NAME")
    table(f"the ladder, {plural(len(lines), 'program')}", columns, rows, drop=drop)
