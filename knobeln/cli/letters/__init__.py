"""`knobeln letters`: show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click

from contest.errors import NotFound
from contest.model import LetterState
from contest.store import letters as letter_store
from contest.store.letters import ListedLetter
from knobeln.cli.answers import answer, answers
from knobeln.cli.lazy import LazyNounGroup
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import count_option, moment, table, tell_of_more


@dataclass(frozen=True)
class LetterAnswer:
    """A letter as it came in; bytes that are no UTF-8 are replaced. `note`: its outcome."""

    id: int
    state: LetterState
    note: str
    text: str


@click.group(cls=LazyNounGroup)
@click.option("--state", type=click.Choice([str(s) for s in LetterState]), help="Only letters in this state.")
@count_option
@answers(list[ListedLetter])
def letters(state: str | None, count: int) -> None:
    """Show the letters that came in; retry those that were set aside."""
    with open_contest().store.read() as tx:
        wanted = LetterState(state) if state else None
        rows, total = letter_store.listing(tx, wanted, count), letter_store.count(tx, wanted)
    tell_of_more(rows, total)
    answer(rows, _show_letters)


def _show_letters(rows: Sequence[ListedLetter]) -> None:
    cells = [
        (
            row.id,
            moment(row.received_at),
            row.sender,
            row.channel,
            row.state,
            row.note.strip().split("\n")[-1],
        )
        for row in rows
    ]
    columns = ("#id", "received", "sender", "by", "state", "outcome")
    table("letters", columns, cells, drop=("by", "received", "state"))


@letters.command("show")
@click.argument("letter_id", type=int, metavar="ID")
@answers(LetterAnswer)
def show_letter(letter_id: int) -> None:
    """Show one letter as it came in, and its outcome."""
    with open_contest().store.read() as tx:
        letter = letter_store.get(tx, letter_id)
        if letter is None:
            raise NotFound(f"there is no letter {letter_id}")
        outcome = letter_store.note_of(tx, letter_id)
    text = letter.raw.decode("utf-8", "replace")
    answer(LetterAnswer(letter_id, letter.state, outcome, text), _show_letter)


def _show_letter(letter: LetterAnswer) -> None:
    click.secho(f"{letter.state}: {letter.note}", bold=True, err=True)
    click.echo(letter.text)


letters.add_lazy_commands(
    "knobeln.cli.letters.actions",
    {
        "retry": "Handle all letters and programs again that were set aside, or only the letter ID.",
        "organizer-string": "Make a new authentication string for your own commands by mail.",
    },
)
