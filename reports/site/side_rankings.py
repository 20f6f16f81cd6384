"""The pages beside the contest's ranking: evolution, how sure the ranking is, ladder, season.
Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from contest.ladder_ranking import movements
from contest.language import decimal, gettext, noted
from contest.model import Certainty, EvolutionOutcome, LadderRanking, SeasonLine, SeasonTable
from reports.certainty import certainty_facts
from reports.evolution_table import spread
from reports.site import charts, paths
from reports.site.tables import Cell, Column, Page, Table, cell, name_cell, word_cell
from reports.text import percent

_SHOWN_GENERATIONS = 24


def evolution(outcome: EvolutionOutcome) -> Page:
    """Make the page of the evolution: a chart of the shares, the ranking, and exemplars per
    generation."""
    ranking = Table(
        "ranking",
        gettext("Ranking of the evolution"),
        (
            Column("rank", noted("rank"), numeric=True),
            Column("team", noted("team")),
            Column("share", noted("share"), numeric=True),
            Column("extinct_in", noted("extinct in generation"), numeric=True),
        ),
        tuple(
            (
                Cell(str(line.rank or "-"), line.rank),
                name_cell(line.entry, paths.team(line.entry)),
                Cell(percent(line.fraction), line.share),
                cell(line.extinct_in),
            )
            for line in outcome.ranking
        ),
    )
    whole = generation_table(outcome, range(len(outcome.generations)), outcome.entries)
    chart = charts.stacked_areas(outcome)
    large = {band.entry for band in chart.bands}
    shown = generation_table(
        outcome, spread(len(outcome.generations) - 1, _SHOWN_GENERATIONS), large
    )
    return Page(
        paths.EVOLUTION,
        "evolution",
        gettext("Evolution"),
        {
            "outcome": outcome,
            "ending": gettext(outcome.ending),
            "chart": chart,
            "shares": [(band, _share_at_the_end(band, chart)) for band in chart.bands],
            "ranking": ranking,
            "generations": shown,
        },
        (ranking, whole),
    )


def _share_at_the_end(band: charts.Band, chart: charts.StackedAreas) -> str:
    left = band.counts[-1] if len(band.counts) == len(chart.shown) else 0
    return percent((left, chart.totals[-1] or 1))


def generation_table(
    outcome: EvolutionOutcome, generations: Sequence[int], entries: Container[str]
) -> Table:
    """Make the table of the exemplars of these entries in these generations, by rank."""
    columns = (
        Column("team", noted("team")),
        *(
            Column(str(g), str(g), numeric=True, spoken=gettext("generation %(number)s", number=g))
            for g in generations
        ),
    )
    rows = []
    for line in outcome.ranking:
        if line.entry in entries:
            index = outcome.entries.index(line.entry)
            counts = [cell(outcome.generations[g][index]) for g in generations]
            rows.append((name_cell(line.entry, paths.team(line.entry)), *counts))
    return Table("generations", gettext("Exemplars in the generations"), columns, tuple(rows))


def certainty(certainty: Certainty) -> Page:
    """Make the page about the contests played with other random numbers, with all teams."""
    facts = certainty_facts(certainty)
    columns = tuple(
        Column(word.replace(" ", "_"), word, numeric=number > 0)
        for number, word in enumerate(facts.columns)
    )
    rows = tuple(
        (name_cell(name, paths.team(name)), *map(cell, shares)) for name, *shares in facts.lines
    )
    caption = gettext("Of 100 contests played with other random numbers")
    table = Table("certainty", caption, columns, rows) if rows else None
    return Page(
        paths.CERTAINTY,
        "certainty",
        gettext("How sure is the ranking?"),
        {"words": facts.words, "table": table, "key": facts.key},
        (table,) if table else (),
    )


def ladder(rankings: Sequence[LadderRanking]) -> Page:
    """Make the page of the present ladder; `rankings` has the newest first, and at least one."""
    newest, before = rankings[0], rankings[1] if len(rankings) > 1 else None
    moves = movements(newest, before)
    is_exact = any(line.strategy for line in newest.lines)
    table = Table(
        "ladder",
        gettext("Ladder"),
        (
            Column("rank", noted("rank"), numeric=True),
            Column("moved", noted("moved")),
            Column("team", noted("team")),
            Column("version", noted("version"), numeric=True),
            Column(
                "points",
                noted("match points") if is_exact else noted("points per game"),
                numeric=True,
            ),
            Column("games", noted("games"), numeric=True),
            Column("failures", noted("failures"), numeric=True),
        ),
        tuple(
            (
                cell(line.rank),
                word_cell(moves[line.team]),
                cell(line.team),
                cell(line.version),
                Cell(decimal(f"{line.points:.{0 if is_exact else 1}f}"), line.points),
                cell(line.games),
                cell(line.failures),
            )
            for line in newest.lines
        ),
    )
    return Page(
        paths.LADDER, "ladder", gettext("Ladder"), {"ranking": newest, "table": table}, (table,)
    )


def season(table: SeasonTable) -> Page:
    """Make the page of a season: its table, and at its end a curve of each team's strengths."""
    top = max(
        (value for line in table.lines for value in line.strengths if value is not None),
        default=0.0,
    )
    numbers = range(1, table.tournaments + 1)
    ranking = Table(
        "season",
        gettext("The season"),
        (
            Column("rank", noted("rank"), numeric=True),
            Column("team", noted("team")),
            Column("points", noted("points"), numeric=True),
            Column("strength", noted("strength"), numeric=True, optional=True),
            Column("gain", noted("gain"), numeric=True, optional=True),
            *_of_each(numbers),
        ),
        tuple(_season_row(line, top) for line in table.lines),
    )
    strengths = Table(
        "strengths",
        gettext("The strength of each team's version in each tournament"),
        (Column("team", noted("team")), *_of_each(numbers)),
        tuple((name_cell(line.team), *map(_strength, line.strengths)) for line in table.lines),
    )
    tables = (ranking, strengths) if table.games else (ranking,)
    return Page(
        paths.SEASON,
        "season",
        gettext("The season"),
        {"season": table, "season_tables": tables},
        tables,
    )


def _of_each(numbers: Sequence[int]) -> Iterator[Column]:
    for tournament in numbers:
        spoken = gettext("tournament %(number)s", number=tournament)
        yield Column(f"tournament_{tournament}", str(tournament), numeric=True, spoken=spoken)


def _season_row(line: SeasonLine, top: float) -> tuple[Cell, ...]:
    """`top`: the largest strength in the table, to which the curve is drawn."""
    strengths = [strength for strength in line.strengths if strength is not None]
    return (
        cell(line.rank),
        name_cell(line.team),
        cell(line.points),
        _strength(line.strength, charts.spark_line(strengths, top)),
        _strength(line.gain),
        *map(cell, line.places),
    )


def _strength(value: float | None, curve: str = "") -> Cell:
    return Cell("" if value is None else decimal(f"{value:.1f}"), value, spark=curve)
