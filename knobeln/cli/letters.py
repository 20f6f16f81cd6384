"""Letters that came in: show them, and put back those that were set aside."""

from __future__ import annotations

import click

from contest.errors import NotFound
from contest.model import LetterState
from contest.store import letters as letter_store
from contest.store import practices, submissions
from knobeln.cli.contest_option import ContestGroup
from knobeln.cli.output import json_option, moment, print_json, table
from knobeln.context import contest_folder
from knobeln.server.services import Services


@click.group(cls=ContestGroup, invoke_without_command=True)
@click.option("--state", type=click.Choice([str(s) for s in LetterState]), help="Only letters in this state.")
@click.option("--count", default=50, show_default=True, help="How many, the newest.")
@json_option
@click.pass_context
def letters(context: click.Context, state: str | None, count: int, as_json: bool) -> None:
    """Show the letters that came in; put back those that were set aside."""
    if context.invoked_subcommand is not None:
        return
    with contest_folder().store.read() as tx:
        rows = letter_store.listing(tx, LetterState(state) if state else None, count)
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    cells = [
        (
            r.id,
            moment(r.received_at),
            r.sender,
            r.channel,
            r.state,
            r.note.strip().split("\n")[-1],
        )
        for r in rows
    ]
    table("letters", ("#id", "received", "sender", "by", "state", "what became of it"), cells)


@letters.command("show")
@click.argument("letter_id", type=int, metavar="ID")
def show_letter(letter_id: int) -> None:
    """Show one letter as it came, and what became of it."""
    with contest_folder().store.read() as tx:
        letter = letter_store.get(tx, letter_id)
        if letter is None:
            raise NotFound(f"there is no letter {letter_id}")
        note = letter_store.note_of(tx, letter_id)
    click.secho(f"{letter.state}: {note}", bold=True, err=True)
    click.echo(letter.raw.decode("utf-8", "replace"))


@letters.command()
@click.argument("letter_id", type=int, metavar="[ID]", required=False)
def retry(letter_id: int | None) -> None:
    """Put back the letters (and programs) that were set aside, or the one letter ID, and handle them."""
    folder = contest_folder()
    with folder.store.write() as tx:
        count = letter_store.retry(tx, letter_id)
        count += submissions.retry(tx) + practices.retry(tx) if letter_id is None else 0
    if letter_id is not None and not count:
        raise NotFound(
            f"no letter {letter_id} was set aside; `knobeln letters --state failed` shows which were"
        )
    services = Services(folder)
    services.handle_letters()
    services.compile_programs()
    services.practise()
    click.echo(f"{count} put back.")
