"""`knobeln doctor`: is this computer fit, and how is it mended?"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from compiler.languages import usable, version
from compiler.toolchain import Toolchain
from knobeln import config
from knobeln.cli.folder import ContestCommand, ContestFolder, chosen_path, settings_or_defaults
from knobeln.config import Settings
from knobeln.errors import KnobelnError, ToolMissing
from sandbox.jail import Jail
from sandbox.machine.engine_binary import engine_binary
from sandbox.machine.translation import NotTranslated, translations

EX_UNFIT = 1
_ENOUGH_DISK = 500_000_000


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: well, or what to do about it."""

    what: str
    well: bool
    text: str


@click.command(cls=ContestCommand)
def doctor() -> None:
    """Look whether this computer can run a contest, and how to mend what it cannot. Exit code 0: it can."""
    findings = examine(chosen_path())
    for finding in findings:
        mark = click.style("ok  ", fg="green") if finding.well else click.style("MEND", fg="red", bold=True)
        click.echo(f"{mark} {finding.what}: {finding.text}")
    raise SystemExit(0 if all(f.well for f in findings) else EX_UNFIT)


def examine(path: Path) -> tuple[Finding, ...]:
    """All findings; the contest's own only where there is one."""
    try:
        settings = settings_or_defaults()
    except KnobelnError as error:
        return (Finding("settings", False, str(error)),)
    checks: list[tuple[str, Callable[[], str]]] = [
        ("Python", _python),
        ("the jail", lambda: _jail(settings)),
        ("the compiler", lambda: Toolchain(settings.jail).version()),
        ("the contest machine", lambda: f"built at {engine_binary()}"),
        ("native code", lambda: _native_code(settings)),
        ("languages", lambda: _languages(settings)),
        ("disk", lambda: _disk(path)),
    ]
    if (path / config.FILE_NAME).exists():
        checks.append(("the contest", lambda: _contest(path)))
    return tuple(_look(what, check) for what, check in checks)


def _look(what: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(what, True, check())
    except KnobelnError as error:
        return Finding(what, False, str(error))


def _python() -> str:
    return sys.version.split()[0]


def _jail(settings: Settings) -> str:
    result = Jail(settings.jail).run(["/usr/bin/true"])
    if not result.succeeded:
        raise ToolMissing(
            f"a box ends with {result.ending} {result.code}: {result.stderr.decode('utf-8', 'replace')}"
        )
    return "bubblewrap shuts programs in"


def _native_code(settings: Settings) -> str:
    kept = translations()
    try:
        kept.check(Jail(settings.jail))
    except NotTranslated as error:
        raise ToolMissing(
            f"programs are played by the interpreter, some four times as slow: {error}"
        ) from None
    return f"programs are translated, and kept in {kept.folder}"


def _languages(settings: Settings) -> str:
    jail = Jail(settings.jail)
    return "; ".join(f"{language.name} ({version(language, jail)})" for language in usable())


def _disk(path: Path) -> str:
    folder = path if path.exists() else Path(".")
    free = shutil.disk_usage(folder).free
    if free < _ENOUGH_DISK:
        raise KnobelnError(f"only {free:,} bytes are free at {folder.resolve()}")
    return f"{free / 1e9:.1f} GB free"


def _contest(path: Path) -> str:
    folder = ContestFolder.open(path)
    folder.store.check_integrity()
    return f"{folder.settings.contest.title} in {path}: settings and database are sound"
