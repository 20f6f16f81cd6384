"""`knobeln results`: rankings and evolution."""

from __future__ import annotations

import click

from knobeln.cli.answers import answer, answers
from knobeln.cli.lazy import LazyNounGroup
from knobeln.cli.open_contest import open_contest
from knobeln.cli.results.records import Results, all_results
from knobeln.cli.results.tables import show_results


@click.group(cls=LazyNounGroup)
@click.option("--games", is_flag=True, help="Also print all games of the groups.")
@answers(Results)
def results(games: bool) -> None:
    """Show the rankings and the evolution. They are those of the last round; with --json of all rounds."""
    contest = open_contest()
    found = all_results(contest, games=games)
    answer(found, lambda _: show_results(contest, games=games))


results.add_lazy_commands(
    "knobeln.cli.results.rounds",
    {
        "standings": "Show the rankings of a round, also while the contest runs.",
        "evolution": "Show the evolution: its ranking, and the shares over the generations.",
    },
)
for _name, _line in {
    "certainty": "Show how sure the ranking is: how the contest ends with other random numbers.",
    "replay": "Show a game of the past, throw by throw or move by move.",
    "protocol": "Write the games of a compact protocol out in full.",
    "ladder": "Show the ladder: how all accepted programs rank outside the contest, and who has moved.",
}.items():
    results.add_lazy_commands(f"knobeln.cli.results.{_name}", {_name: _line})
