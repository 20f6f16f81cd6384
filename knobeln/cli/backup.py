"""`knobeln backup`, `restore`, `upgrade` and `install-service`: the contest's files, and systemd's
units."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import click

from contest.config.load import load_settings
from contest.errors import GiveUp
from knobeln.cli.contest_option import ContestCommand, contest_path, open_contest
from knobeln.cli.output import remark
from knobeln.organizer import backup as backups

_SUFFIXES = (".tar.gz", ".tgz")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
def backup(file: Path, overwrite: bool) -> None:
    """Copy the contest into FILE while everything runs.

    FILE is a .tar.gz with the database, contest.toml and the templates. The mails in mail/ are not
    in it. Keep FILE private: it holds the contest's seed and its secrets.
    """
    if not file.name.endswith(_SUFFIXES):
        raise GiveUp(
            f"{file}: a backup is a tar archive, so its name must end in {' or '.join(_SUFFIXES)}"
        )
    if file.exists() and not overwrite:
        raise GiveUp(f"{file} exists", hint="choose another name, or add --overwrite to replace it")
    backups.back_up(open_contest().path, file)
    remark(f"Backup written to {file} ({file.stat().st_size:,} bytes).")


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--trust", is_flag=True, help="Take settings and templates from FILE, too.")
def restore(file: Path, trust: bool) -> None:
    """Restore the contest from the backup in FILE.

    It goes into the contest's folder or a new one; stop `serve` and `run` before. An existing
    contest.toml and existing templates are kept. Those that are missing come from FILE. They can
    name programs that run as you: so the command first shows them and restores nothing. Repeat it
    with --trust.

    If the program cannot know which mails have gone out since the backup, no mail goes out before
    `knobeln mail release --all`.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # nothing unpacked is left behind
    path = contest_path()
    restored = backups.restore(file, path, trust=trust)
    remark(f"The contest in {path} is as it was when {file} was made.")
    if restored.kept_in:
        remark(f"The files that were there before are in {restored.kept_in}.")
    if restored.letters is not None:
        remark(f"Letters that came in since then, and are read again: {restored.letters}.")
    if restored.sent is None:
        click.secho(
            "Nobody knows which mails have gone out since then, so all mails stop. Look at `knobeln"
            " mail --state ready`; `knobeln mail release --all` lets them go.",
            fg="yellow",
        )
    else:
        remark(f"Mails that went out since then, and are not sent again: {restored.sent}.")


@click.command(cls=ContestCommand)
def upgrade() -> None:
    """Bring the database to this version of knobeln. It also closes the folder to other users.

    An old database is first copied into the contest's folder, as a backup
    `before-upgrade-from-...tar.gz`.
    """
    load_settings(contest_path())
    file = backups.upgrade(contest_path())
    if file:
        remark(f"The contest as it was before is in {file}; the old version can restore it.")
    remark("The database is up to date.")


def _names(
    _context: click.Context, _argument: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
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
@click.option("--dry-run", is_flag=True, help="Print what would be done, and do nothing.")
def install_service(contests: tuple[str, ...], root: Path, dry_run: bool) -> None:
    """Install systemd's units, so that each CONTEST runs as a service.

    For root. It prints what it does. Repeat it after you have installed a new version of knobeln:
    it restarts the contests that run, and each upgrades its database. The contest `spring` is in
    /var/lib/knobeln/spring, its passwords are in /etc/knobeln/spring.env, its unit is
    knobeln@spring.
    """
    from knobeln.systemd import install as systemd

    if os.geteuid() != 0 and not dry_run:
        raise GiveUp("only root can do this: use sudo, or look at --dry-run")
    for text, do in systemd.install(root, contests):
        click.echo(f"(dry run) {text}" if dry_run else text)
        if not dry_run:
            do()
    for name in contests:
        if commands := systemd.next_commands(root, name):
            click.echo(f"Now make the contest {name}, and start it:")
            click.echo("\n".join(f"    {command}" for command in commands))
