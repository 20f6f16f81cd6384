"""`knobeln letters`: show them, retry those that were set aside, and make a string for the
organizer's."""

from __future__ import annotations

from collections.abc import Sequence

import click

from contest.errors import NotFound
from contest.model import LetterState
from contest.util.plurals import form
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest
from knobeln.cli.dry_run import operator
from knobeln.cli.output import count_option, moment, remark, table, tell_of_more
from store import contest_state, decisions, engine_failures, practices, submissions
from store import letters as letter_store
from store.letters import ListedLetter


@click.group(cls=NounGroup)
@click.option(
    "--state", type=click.Choice([str(s) for s in LetterState]), help="Only letters in this state."
)
@click.option("--ignored", is_flag=True, help="Only letters that got no answer, with the reason.")
@count_option
@answers(list[ListedLetter])
def letters(state: str | None, ignored: bool, count: int) -> None:
    """Show the letters that came in; retry those set aside; let in ignored ones."""
    with open_contest().store.read() as tx:
        of_state = LetterState(state) if state else None
        wanted = LetterState.IGNORED if ignored else of_state
        rows, total = letter_store.listing(tx, wanted, count), letter_store.count(tx, wanted)
    tell_of_more(rows, total)
    answer(rows, _show)


def _show(rows: Sequence[ListedLetter]) -> None:
    columns = ("#id", "received", "sender", "by", "state", "outcome")
    cells = []
    for row in rows:
        outcome = row.note.strip().split("\n")[-1]
        cells.append((row.id, moment(row.received_at), row.sender, row.channel, row.state, outcome))
    table("letters", columns, cells, drop=("by", "received", "state"), is_list=True)


@letters.command("show")
@click.argument("letter_id", type=int, metavar="ID")
def show_letter(letter_id: int) -> None:
    """Show one letter as it came in, and its outcome."""
    with open_contest().store.read() as tx:
        letter = letter_store.get(tx, letter_id)
        if letter is None:
            raise NotFound(f"there is no letter {letter_id}", hint="`knobeln letters` lists them")
        outcome = letter_store.note_of(tx, letter_id)
    click.secho(f"{letter.state}: {outcome}", bold=True, err=True)
    click.echo(letter.raw.decode("utf-8", "replace"))


@letters.command()
@click.argument("letter_id", type=int, metavar="[ID]", required=False)
def retry(letter_id: int | None) -> None:
    """Handle all letters and programs again that were set aside, or only the letter ID."""
    from knobeln.services import Services

    contest = open_contest()
    with contest.store.write() as tx:
        count = letter_store.retry(tx, letter_id)
        if letter_id is None:
            count += submissions.retry(tx) + practices.retry(tx)
            engine_failures.forgive_waiting(tx)
    if letter_id is not None and not count:
        raise NotFound(
            f"letter {letter_id} was not set aside",
            hint="`knobeln letters --state failed` lists those that were",
        )
    services = Services(contest)
    services.handle_letters()
    services.compile_programs()
    services.practise()
    remark(f"{count} {form(count, 'item was', 'items were')} retried.")


@letters.command("let-in")
@click.argument("letter_id", type=int, metavar="ID")
def let_in(letter_id: int) -> None:
    """Handle the ignored letter ID, whatever its headers say: a person has written it.

    A letter from the contest's own address stays ignored, and so does a copy.
    """
    from knobeln.services import Services

    contest = open_contest()
    with contest.store.write() as tx:
        if not letter_store.let_in(tx, letter_id):
            raise NotFound(
                f"letter {letter_id} was not ignored",
                hint="`knobeln letters --ignored` lists those that were",
            )
        contest_state.note(
            tx,
            "organizer",
            f"letter {letter_id}, which was ignored, is let in",
            contest.clock.now(),
            actor=operator(),
        )
    Services(contest).handle_letters()
    with contest.store.read() as tx:
        letter = letter_store.get(tx, letter_id)
        outcome = letter_store.note_of(tx, letter_id)
    remark(f"{letter.state if letter else ''}: {outcome}")


@letters.command("organizer-string")
@click.option(
    "--off", is_flag=True, help="Delete the string, so that nobody can give commands by mail."
)
def organizer_string(off: bool) -> None:
    """Make a new authentification string for your own commands by mail. The old one is invalid from
    now on.

    Only its sha256 is kept.
    """
    from mailserver.team_secret import digest, new_string

    contest, string = open_contest(), new_string()
    with contest.store.write() as tx:
        decisions.set_organizer_digest(tx, None if off else digest(string))
        text = "the organizer has no string any more" if off else "the organizer has a new string"
        contest_state.note(tx, "organizer", text, contest.clock.now(), actor=operator())
    if off:
        remark("Commands by mail are off.")
        return
    click.echo(f"<<FROM>> organizer {string}")
    remark(
        "Put this line into your letters. The robot asks for confirmation at "
        f"{contest.settings.contest.organizer_address}. The line is not shown again.",
        err=True,
    )
