"""`knobeln announce`."""

from __future__ import annotations

import click

from knobeln.cli.announcement import Announcement, show_announcement
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from mailserver.attachments import announcement_texts


@click.command(cls=ContestCommand)
@answers(Announcement)
@click.option("--faq", is_flag=True, help="Print frequent questions and their answers instead.")
def announce(faq: bool) -> None:
    """Print the announcement of the contest. It is made from the settings: dates, rules, form, limits.

    Teams get the same by mail, with the subjects `send announcement` and `send faq`.
    """
    contest = open_contest()
    with contest.store.read() as tx:
        texts = announcement_texts(tx, contest.settings)
    text = contest.templates.render("faq" if faq else "call", **texts)
    answer(Announcement(text.subject, text.body), show_announcement)
