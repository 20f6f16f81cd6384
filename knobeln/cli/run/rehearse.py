"""`knobeln run rehearse`."""

from __future__ import annotations

import click

from contest.util.plurals import plural
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.ordinary_user import open_as_ordinary_user
from knobeln.cli.output import remark, table
from knobeln.cli.progress_bars import round_bars
from knobeln.day.rehearsal import MailVolume, Rehearsal, rehearsal_of, size_text


@click.command(cls=ContestCommand)
@answers(Rehearsal)
def rehearse() -> None:
    """Play the contest day with the programs submitted so far, and send nothing. Then show what would happen.

    It is played in a copy with another contest seed, so it does not give away the winner.
    """
    answer(rehearsal_of(open_as_ordinary_user(), round_bars), _show)


def _show(rehearsal: Rehearsal) -> None:
    rows = [
        (
            "final" if each.final else each.number,
            sum(each.groups),
            len(each.groups),
            _sizes(each.groups),
            each.games,
            f"{each.seconds:.1f}",
        )
        for each in rehearsal.rounds
    ]
    table(
        f"rehearsal: {plural(rehearsal.programs, 'program')}, {plural(round(rehearsal.seconds), 'second')}",
        ("#round", "#programs", "#groups", "of", "#games", "#seconds"),
        rows,
    )
    mails = rehearsal.mails
    total = MailVolume("all", sum(m.count for m in mails), sum(m.size for m in mails))
    table(
        "mails", ("kind", "#mails", "#size"), [(m.kind, m.count, size_text(m.size)) for m in (*mails, total)]
    )
    for warning in rehearsal.warnings:
        click.echo(f"! {warning}")
    remark("Nothing was sent, nothing was changed.")


def _sizes(groups: tuple[int, ...]) -> str:
    smallest, largest = min(groups), max(groups)
    return str(smallest) if smallest == largest else f"{smallest} to {largest}"
