"""What an organizer posts before the contest: its announcement, and answers to frequent questions."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.context import contest_folder
from mailserver.attachments import announcement_texts


@click.command(cls=ContestCommand)
@click.option("--faq", is_flag=True, help="Frequent questions and their answers instead.")
def announce(faq: bool) -> None:
    """Print the announcement of the contest, made from its settings: dates, rules, form, limits, addresses.

    Teams get the same by mail, with the subjects `send announcement` and `send faq`.
    """
    folder = contest_folder()
    words = announcement_texts(folder.settings)
    text = folder.templates.render("faq" if faq else "call", form=words.form, rules=words.rules)
    click.echo(f"Subject: {text.subject}\n\n{text.body}", nl=False)
