"""`knobeln results`: rankings, evolution, single games, the ladder."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path

import click

from contest.archive.contents import Seal
from contest.arena.ladder_ranking import has_ladder
from contest.errors import GiveUp, NotFound
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.model import (
    Certainty,
    EvolutionOutcome,
    Former,
    GroupOutcome,
    LadderLine,
    Match,
    Phase,
    RoundPlan,
    SeasonTable,
    Standing,
)
from contest.store import contest_state, submissions
from contest.store import ladder as ladder_store
from contest.store import results as result_store
from contest.store.results import Games
from contest.util.plurals import plural
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest, tournament_option
from knobeln.cli.output import busy, console, moment, print_whole, remark, table, width_of_output
from knobeln.cli.result_tables import (
    RoundTables,
    contest_ranking,
    rounds_for_tables,
    show_evolution,
    show_results,
)
from reports import terminal
from reports.certainty import certainty_facts
from reports.ladder_report import movements
from reports.prizes import PrizeList, grand_prize, prize_fields, prize_lists
from tournament.certainty import MAX_CONTESTS_BY_HAND, MIN_CONTESTS

_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Round:
    """A round and its groups. A group has no standings until it is finished, and no matches unless they are
    asked for, or its members play one game together."""

    number: int
    final: bool
    groups: tuple[GroupOutcome, ...]

    @classmethod
    def of(cls, plan: RoundPlan, outcomes: Iterable[GroupOutcome]) -> Round:
        done = {outcome.plan.number: outcome for outcome in outcomes}
        groups = (done.get(group.number) or GroupOutcome(group, (), ()) for group in plan.groups)
        return cls(plan.number, plan.final, tuple(groups))


@dataclass(frozen=True)
class Results:
    """All results. `secret`: in hex, null before the contest's end, as is `seal`."""

    phase: Phase
    seed_commitment: str
    secret: str | None
    seal: Seal | None
    rounds: tuple[Round, ...]
    ranking: tuple[Standing, ...]
    prizes: tuple[PrizeList, ...]
    grand_prize: tuple[Standing, ...]
    evolution: EvolutionOutcome | None


@click.group(cls=NounGroup)
@click.option("--games", is_flag=True, help="Also print all games of the groups.")
@tournament_option
@answers(Results)
def results(games: bool, tournament: int | None) -> None:
    """Show the rankings and the evolution. They are those of the last round; with --json of all rounds."""
    contest = open_contest(tournament)
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        is_over = state.phase is Phase.FINISHED
        rounds = result_store.all_rounds(tx, Games.ALL if games else Games.NONE)
        ranking = contest_ranking(tx, contest.settings)
        fields = prize_fields(submissions.participants(tx), contest.settings.teams)
        prizes = prize_lists(ranking, fields, contest.settings.teams)
        found = Results(
            phase=state.phase,
            seed_commitment=state.seed.commitment,
            secret=state.seed.secret.hex() if is_over else None,
            seal=Seal.of(state.seed, contest_state.number(tx)) if is_over else None,
            rounds=tuple(starmap(Round.of, rounds)),
            ranking=ranking,
            prizes=prizes,
            grand_prize=grand_prize(prizes),
            evolution=result_store.get_evolution(tx),
        )
    answer(found, lambda _: show_results(contest, games=games))


@results.command()
@click.argument("number", type=int, metavar="[ROUND]", required=False)
@click.option("--games", is_flag=True, help="Also print all games of the groups.")
@click.option(
    "--cross",
    is_flag=True,
    help="Also print the cross table (points won by each team against each other) as a heat map.",
)
@click.option(
    "--former", is_flag=True, help="Print the rankings from before `knobeln run rerun`, of all its rounds."
)
@answers(Round | tuple[Former, ...])
def standings(number: int | None, games: bool, cross: bool, former: bool) -> None:
    """Show the rankings of a round, also while the contest runs. For a knock-out, show its bracket too.

    Without ROUND it is the last one.
    """
    contest = open_contest()
    if former:
        with contest.store.read() as tx:
            found = tuple(
                replace(each, groups=tuple(g for g in each.groups if number in (None, g.plan.round)))
                for each in result_store.former_outcomes(tx)
            )
        info = game_of(contest.settings.game, contest.settings.programs).info
        answer(found, lambda _: _show_former(found, info, games=games))
        return
    with contest.store.read() as tx:
        rounds = rounds_for_tables(tx, contest.settings, games=games or cross)
    shown = RoundTables.of(contest.settings, rounds, number)
    answer(Round.of(shown.plan, shown.outcomes), lambda _: shown.print(games=games, cross=cross))


def _show_former(reruns: Sequence[Former], info: GameInfo, *, games: bool) -> None:
    if not reruns:
        raise NotFound("no round was played again, so there are no former results")
    for former in reruns:
        rerun = former.rerun
        why = f"{moment(rerun.at)}: {rerun.reason}"
        console.print(f"Before {rerun.what} was played again ({why}):", markup=False)
        for outcome in former.groups:
            title = f"Round {outcome.plan.round}, {outcome.plan.title or f'group {outcome.plan.number}'}"
            print_whole(terminal.ranking(outcome.standings, title, info, width_of_output()))
            if games and outcome.plan.pairings:
                print_whole(terminal.group_results(outcome, info, title))


@results.command()
@answers(SeasonTable)
def season() -> None:
    """Show the table of the season, or of its tournaments so far.

    In each tournament a team gets a point for each team behind it; between equals the last tournament
    decides. Every version of every program meets every other. The strength is the mean of the points of a
    team's first version, the gain how much more its last version has.
    """
    from knobeln.season import season_so_far

    contest = open_contest()
    with busy("playing every version against every other ..."):
        found = season_so_far(contest)
    answer(found, _show_season)


def _show_season(found: SeasonTable) -> None:
    rows = []
    for line in found.lines:
        is_known = line.strength is not None and line.gain is not None
        strength = (f"{line.strength:.1f}", f"{line.gain:+.1f}") if is_known else ("", "")
        rows.append((line.rank, line.team, line.points, *(each or "-" for each in line.places), *strength))
    numbers = [f"#{number}" for number in range(1, found.tournaments + 1)]
    table("", ("#rank", "team", "#points", *(f"#{each}" for each in numbers), "#strength", "#gain"), rows)
    versions = plural(found.versions, "version")
    games = f"{plural(found.games, 'game')} of {versions}"
    remark(f"Strengths are by {games}." if found.games else f"No strengths: {found.unknown}.")


@results.command()
def evolution() -> None:
    """Show the evolution: its ranking, and the shares over the generations."""
    with open_contest().store.read() as tx:
        outcome = result_store.get_evolution(tx)
    if outcome is None:
        raise NotFound("there is no evolution: it is computed at the end of a contest that has one")
    show_evolution(outcome)


@results.command()
@click.argument(
    "number", type=click.IntRange(MIN_CONTESTS, MAX_CONTESTS_BY_HAND), metavar="[N]", required=False
)
@answers(Certainty)
def certainty(number: int | None) -> None:
    """Show how sure the ranking is: how the contest ends with other random numbers.

    The whole contest is drawn and played again N times; nothing is mailed or stored. Without N you see what
    the pages of the contest say. The same N gives the same numbers on any host. With more contests the
    margin shrinks, and it takes longer.
    """
    from knobeln.day.run import certainty_of

    contest = open_contest()
    with busy("drawing and playing the contest again ..."):
        found = certainty_of(contest, number)
    answer(found, _show_certainty)


def _show_certainty(found: Certainty) -> None:
    facts = certainty_facts(found)
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
    moves = movements(newest[0], newest[1] if len(newest) > 1 else None) if newest else {}
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


@dataclass(frozen=True)
class ReplayedGame:
    """A game of the past, with all its moves. `text`: the game in words."""

    round: int
    group: int
    match: Match
    text: str


@results.command()
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
    from knobeln.archive.replay import find_game, round_of_archive, round_of_contest, shown_game

    if former and archive:
        raise click.UsageError("an archive has no former results: --former is for the contest's own folder")
    if archive:
        played = round_of_archive(archive, number)
    else:
        played = round_of_contest(open_contest(), number, former=former)
    group, match = find_game(played, number, teams, game, attempt)
    text, match = shown_game(played, group, match)
    moves = tuple(match.result.moves or ())  # they may be kept packed
    whole = replace(match, result=replace(match.result, moves=moves))
    found = ReplayedGame(number, group.plan.number, whole, text)
    lines = [text, f"The digest is the one that was stored: {match.result.digest}"]
    tried = [m for m in group.matches if m.pairing == match.pairing]
    games, attempts = max(m.game for m in tried), sum(m.game == match.game for m in tried)
    if games > 1:
        lines.append(f"This was game {match.game} of {games}; --game shows another.")
    if attempts > 1:
        lines.append(f"This was attempt {match.attempt} of {attempts}; --attempt shows another.")
    answer(found, lambda _: click.echo_via_pager("\n".join(lines) + "\n"))


@results.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.option("--against", default=None, help="Only the games against this opponent.")
def protocol(file: Path, against: str | None) -> None:
    """Write the games of a compact protocol out in full. FILE is as mailed, gzipped or not."""
    from knobellib.software import protocolfmt
    from reports import text_protocol
    from reports.text import clean

    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw[:2] == _GZIP_MAGIC else raw).decode()
        if text.startswith(text_protocol.TITLE):
            games = [(game.match.players, text_protocol.full(game)) for game in text_protocol.read(text)]
        else:
            read = protocolfmt.games_of(protocolfmt.Lines(clean(text)))
            games = [(game.players, protocolfmt.in_full(game)) for game in read]
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise GiveUp(f"{file} is not a protocol of knobeln: {error}") from None
    found = [game for players, game in games if against is None or against in players]
    if not found:
        raise NotFound(f"there is no game in {file}" + (f" against {against}" if against else ""))
    click.echo_via_pager("\n".join(found))
