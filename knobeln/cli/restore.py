"""`knobeln restore`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.store.backup import Restored
from knobeln import backup
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.output import remark


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--trust", is_flag=True, help="Take settings and templates from FILE, too.")
@answers(Restored)
def restore(file: Path, trust: bool) -> None:
    """Restore the contest from the backup in FILE.

    It goes into the contest's folder or a new one; stop `serve` and `run` before. An existing contest.toml
    and existing templates are kept. Those that are missing come from FILE. They name the programs that run as
    you, so the command shows that first, restores nothing, and wants to be repeated with --trust.

    If the program cannot know which mails have gone out since the backup, no mail goes out before `knobeln
    outbox release --all`.
    """
    path = contest_path()
    restored = backup.restore(file, path, trust=trust)
    answer(restored, lambda restored: _show(restored, file, path))


def _show(restored: Restored, file: Path, path: Path) -> None:
    remark(f"The contest in {path} is as it was when {file} was made.")
    if restored.kept_in:
        remark(f"The files that were there before are in {restored.kept_in}.")
    if restored.sent is None:
        click.secho(
            "Nobody knows which mails have gone out since then, so all mails stop. Look at `knobeln outbox "
            "list --state ready`; `knobeln outbox release --all` lets them go.",
            fg="yellow",
        )
    else:
        remark(f"Letters that came in since then, and are read again: {restored.letters}.")
        remark(f"Mails that went out since then, and are not sent again: {restored.sent}.")
