"""`knobeln programs twins`."""

from __future__ import annotations

import click

from compiler.likeness import ALIKE
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import busy, console, table
from knobeln.organizer.twins import SHORT_WORDS, BehaviourTwins, Twins, twins_of
from tournament.behaviour import PROBES


@click.command(cls=ContestCommand)
@answers(Twins)
def twins() -> None:
    """Show programs that play alike, and those whose texts are alike.

    It is for you alone: nothing is mailed, stored or published. Every line is a hint to read the programs,
    and proves nothing.
    """
    contest = open_contest()
    with busy("comparing the programs ..."):
        found = twins_of(contest)
    answer(found, _show)


def _show(found: Twins) -> None:
    _show_behaviour(found)
    _show_texts(found)


def _say(text: str) -> None:
    console.print(text, markup=False)


def _show_behaviour(found: Twins) -> None:
    if found.behaviour is None:
        _say("Behaviour: the games of these programs cannot be computed, so nobody can tell.\n")
        return
    _say(
        f"Behaviour: of {found.programs} programs, those that do the same in every game: in up to "
        f"{PROBES} games against fixed probes, or in their whole table. One idea can come to two teams, the "
        "more so if it is well known."
    )
    if not found.behaviour:
        _say("None.\n")
        return
    rows = [(", ".join(each.programs), each.words, _known(each)) for each in found.behaviour]
    table("", ("programs", "#words", "well known?"), rows)


def _known(group: BehaviourTwins) -> str:
    if group.ours:
        return f"plays like our {', '.join(group.ours)}"
    return f"short: less than {SHORT_WORDS} words" if group.is_well_known else ""


def _show_texts(found: Twins) -> None:
    _say(
        f"Texts: pairs with a likeness of {ALIKE:.0%} or more, whatever their names and comments are. What "
        "both have from our kit does not count; what both have from a third source does."
    )
    if not found.texts:
        _say("None.\n")
        return
    table("", ("one", "other", "#likeness"), [(a.one, a.other, f"{a.share:.0%}") for a in found.texts])
