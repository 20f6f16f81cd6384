"""`knobeln letters`: retry those that were set aside, and make a string for letters of the organizer."""

from __future__ import annotations

import click

from contest.errors import NotFound
from contest.store import contest_state, decisions, engine_failures, practices, submissions
from contest.store import letters as letter_store
from contest.util.plurals import form
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import operator
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from knobeln.services import Services
from mailserver.team_secret import digest, new_string


@click.command(cls=ContestCommand)
@click.argument("letter_id", type=int, metavar="[ID]", required=False)
def retry(letter_id: int | None) -> None:
    """Handle all letters and programs again that were set aside, or only the letter ID."""
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


@click.command("organizer-string", cls=ContestCommand)
@click.option("--off", is_flag=True, help="Delete the string, so that nobody can give commands by mail.")
def organizer_string(off: bool) -> None:
    """Make a new authentication string for your own commands by mail. The old one is invalid from now on.

    Only its sha256 is kept.
    """
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
