"""`knobeln install-service`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from contest.errors import GiveUp
from knobeln.cli.contest_option import ContestCommand

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def _names(_context: click.Context, _argument: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not _NAME.fullmatch(name):
            raise click.BadParameter(f"{name!r}: use letters, digits, `-`, `_` and `.`")
    return names


@click.command("install-service", cls=ContestCommand)
@click.argument("contests", nargs=-1, callback=_names, metavar="[CONTEST]...")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/"),
    help="The system to install into, if it is not the running one.",
)
@click.option("--remove", is_flag=True, help="Stop all contests and remove the units; keep all contests.")
@click.option("--dry-run", is_flag=True, help="Print what would be done, and do nothing.")
def install_service(contests: tuple[str, ...], root: Path, remove: bool, dry_run: bool) -> None:
    """Install systemd's units, so that each CONTEST runs as a service.

    For root. It prints what it does. Repeat it after you have installed a new version of knobeln: it
    restarts the contests that run, and each upgrades its database. The contest `spring` is in
    /var/lib/knobeln/spring, its passwords are in /etc/knobeln/spring.env, its unit is knobeln@spring.
    """
    from knobeln.systemd import install as systemd

    if os.geteuid() != 0 and not dry_run:
        raise GiveUp("only root can do this: use sudo, or look at --dry-run")
    for step in systemd.remove(root) if remove else systemd.install(root, contests):
        click.echo(f"(dry run) {step.text}" if dry_run else step.text)
        if not dry_run:
            step.do()
    if remove:
        kept = ", ".join(str(folder) for folder in systemd.contests_in(root)) or "none"
        click.echo(f"Contests that are kept: {kept}. Kept, too: {systemd.PASSWORDS}, and their user.")
        return
    for name in contests:
        if commands := systemd.next_commands(root, name):
            click.echo(f"Now make the contest {name}, and start it:")
            click.echo("\n".join(f"    {command}" for command in commands))
