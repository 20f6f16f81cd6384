"""`knobeln announce`: the texts for public postings."""

from __future__ import annotations

import click

from contest.errors import NotNow
from contest.interfaces.protocols import Rendered
from contest.model import Phase
from contest.store import contest_state, results, submissions
from contest.store.results import Games
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.results.tables import contest_ranking
from knobeln.context import ContestContext
from mailserver.attachments import announcement_texts
from reports.announcement import announcement


@click.command(cls=ContestCommand)
@click.option("--faq", "kind", flag_value="faq", help="Print frequent questions and their answers instead.")
@click.option("--results", "kind", flag_value="results", help="Print the results instead, after the contest.")
def announce(kind: str | None) -> None:
    """Print the announcement of the contest. It is made from the settings: dates, rules, form, limits.

    Teams get it by mail with the subject `send announcement`, the questions with `send faq`.
    """
    contest = open_contest()
    if kind == "results":
        text = _results(contest)
    else:
        with contest.store.read() as tx:
            texts = announcement_texts(tx, contest.settings)
        text = contest.templates.render(kind or "call", **texts)
    click.echo(f"Subject: {text.subject}\n\n{text.body}", nl=False)


def _results(contest: ContestContext) -> Rendered:
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        if state.phase is not Phase.FINISHED:
            raise NotNow("the contest is not finished, so there is nothing to announce yet")
        rounds = results.finished_rounds(tx, Games.ALL)
        evolution = results.get_evolution(tx)
        ranking = contest_ranking(tx, contest.settings)
        playing = submissions.participants(tx)
    return announcement(rounds, ranking, evolution, state.seed, playing, contest.settings, contest.templates)
