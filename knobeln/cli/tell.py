"""`knobeln tell`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.organizer import Message
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome
from knobeln.cli.open_contest import open_contest
from knobeln.cli.own_words import own_words


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True), required=False)
@click.option("--subject", required=True, help="The subject of the mail, after the contest's title.")
@click.option("--round", "number", type=int, metavar="ROUND", help="Tell only the teams of this round.")
@click.option("--without-program", is_flag=True, help="Tell only teams that have no accepted program.")
@dry_run_option
def tell(file: Path | None, subject: str, number: int | None, without_program: bool, dry_run: bool) -> None:
    """Send your own words to all registered teams, or to some of them.

    The words come from FILE, from standard input (-), or from your editor. A team gets the same words once,
    even if you give the command again.
    """
    if number is not None and without_program:
        raise click.UsageError("--round and --without-program exclude each other: only programs play a round")
    contest = open_contest()
    text = own_words(file, "Your words to the teams.")
    with organizer_actions(contest, dry_run=dry_run) as organizer:
        done = organizer.tell(Message(subject, text, number, without_program))
    print_outcome(done, dry_run=dry_run)
