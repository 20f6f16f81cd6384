"""Changes that the organizer makes at the command line: reasons and own words."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contest.errors import GiveUp, NotNow
from knobeln.cli.contest_option import open_contest
from knobeln.cli.output import remark
from knobeln.context import ContestContext

if TYPE_CHECKING:
    from contest.actions.organizer_actions import OrganizerActions


def _not_blank(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if not text.strip():
        raise click.BadParameter("it is empty; others will want to know why")
    return text


reason_option = click.option(
    "--reason", required=True, callback=_not_blank, help="Why; for the log, and for the teams that are told."
)


def operator() -> str:
    """Return who gives commands at this host, for the journal."""
    try:
        return f"command line: {getpass.getuser()}"
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "command line"


@contextmanager
def organizer_actions(contest: ContestContext) -> Iterator[OrganizerActions]:
    """Open a transaction for actions of the organizer who types the command."""
    from contest.actions.organizer_actions import OrganizerActions

    with contest.store.write() as tx:
        yield OrganizerActions(tx, contest.settings, contest.templates, contest.clock.now(), operator())


def carry_out(action: Callable[[OrganizerActions], str], contest: ContestContext | None = None) -> None:
    """Do what the organizer asks for in the contest of -C, and print what was done."""
    with organizer_actions(contest or open_contest()) as organizer:
        done = action(organizer)
    remark(done)


def own_words(file: Path) -> str:
    """Return the text of the file, `-` for standard input.

    Raises NotNow for an empty text, and GiveUp for a file that is not in UTF-8.
    """
    try:
        with click.open_file(str(file), encoding="utf-8") as stream:
            text: str = stream.read()
    except UnicodeDecodeError as error:
        raise GiveUp(f"{file} is not in UTF-8: {error}") from None
    if not text.strip():
        raise NotNow("the text is empty, so nothing is sent")
    return text.strip()
