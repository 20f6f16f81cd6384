"""`knobeln organizer-string`."""

from __future__ import annotations

import click

from contest.store import contest_state, decisions
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import operator
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from mailserver.team_secret import digest, new_string


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
