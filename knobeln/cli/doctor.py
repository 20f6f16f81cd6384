"""`knobeln doctor`: is this computer fit, and how is it mended?"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from compiler.language_table import Language, languages_of
from compiler.languages import Problem, build, usable, version
from compiler.toolchain import Toolchain
from contest.config.load import FILE_NAME
from contest.config.settings import Settings
from contest.errors import KnobelnError, ToolMissing
from contest.sanitize import sanitize
from knobeln.cli import intake_checks
from knobeln.cli.contest_option import ContestCommand, chosen_path
from knobeln.cli.delivery_checks import check_loop, check_way_out
from knobeln.cli.game_option import settings_or_defaults
from knobeln.context import ContestContext, contest_folder
from sandbox.oci.engine import find_engine
from sandbox.oci.image import check_boxes, image_cache
from sandbox.sandbox import Sandbox
from sandbox.vm.translation import NotTranslated, translations
from tournament.runners.machine import knobeln_engine

EX_UNFIT = 1
_ENOUGH_DISK = 500_000_000
_WORD = "fit"
_TRY_SECONDS = 20


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: well, or what to do about it."""

    what: str
    well: bool
    text: str


@click.command(cls=ContestCommand)
@click.option("--letter", is_flag=True, help="Also send a letter to the robot, and see whether it comes in.")
@click.option("--patience", default=60.0, show_default=True, help="Seconds to wait for that letter.")
def doctor(letter: bool, patience: float) -> None:
    """Look whether this computer can run a contest, and how to mend what it cannot. Exit code 0: it can."""
    findings = examine(chosen_path())
    if letter:
        findings += (_look("a letter to itself", lambda: check_loop(contest_folder(), patience)),)
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
        ("the jail", lambda: _sandbox(settings)),
        ("the compiler", lambda: Toolchain(settings.jail).version()),
        ("the contest machine", lambda: f"built at {knobeln_engine()}"),
        ("native code", lambda: _native_code(settings)),
        ("images", lambda: _images(settings)),
        ("disk", lambda: _disk(path)),
    ]
    if (path / FILE_NAME).exists():
        checks.append(("the contest", lambda: _contest(path)))
        checks += intake_checks.checks(settings, path)
        checks.append(("mails out", lambda: check_way_out(ContestContext.open(path))))
    findings = tuple(_look(what, check) for what, check in checks)
    return findings + tuple(language_findings(settings))


def language_findings(settings: Settings) -> Iterator[Finding]:
    """Each language of programs: tried in the jail; or what to install, which a contest may do without.

    A contest whose programs run on the contest machine alone needs none of them.
    """
    for language in languages_of(settings.programs):
        what = f"programs in {language.name}"
        if usable([language]):
            yield _look(what, partial(_tried, language, settings))
        else:
            text = f"not taken: there is no {language.tool}; install it to take them"
            yield Finding(what, True, text)


def _tried(language: Language, settings: Settings) -> str:
    """What the tool says of its version, when a small program works."""
    sandbox = Sandbox(settings.jail)
    said = version(language, sandbox)
    if not language.sample:
        return f"{said}; not tried, because programs.languages has no sample for it"
    name = f"sample.{language.suffixes[0]}"
    built = build({name: language.sample.encode()}, sandbox, settings.programs, [language])
    if isinstance(built, Problem):
        raise ToolMissing(f"{said}; a small program is not built: {built.text} {built.messages}".strip())
    with built.open(sandbox, [_WORD], cpu_seconds=_TRY_SECONDS, answer_bytes=1_000) as process:
        answer = process.finish(_TRY_SECONDS)
        status = process.close()
    if answer.text != _WORD:
        stderr = sanitize(status.stderr.decode(errors="replace")).strip()
        result = f"{status.description} and printed {answer.text!r}: {stderr}"
        raise ToolMissing(f"{said}; a small program {result}")
    return f"{said}; a small program works"


def _look(what: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(what, True, check())
    except KnobelnError as error:
        return Finding(what, False, str(error))


def _python() -> str:
    return sys.version.split()[0]


def _sandbox(settings: Settings) -> str:
    result = Sandbox(settings.jail).run(["/usr/bin/true"])
    if not result.succeeded:
        raise ToolMissing(
            f"a box ends with {result.ending} {result.code}: {result.stderr.decode('utf-8', 'replace')}"
        )
    return "bubblewrap shuts programs in"


def _native_code(settings: Settings) -> str:
    kept = translations()
    try:
        kept.check(Sandbox(settings.jail))
    except NotTranslated as error:
        raise ToolMissing(
            f"programs are played by the interpreter, some four times as slow: {error}"
        ) from None
    return f"programs are translated, and kept in {kept.folder}"


def _images(settings: Settings) -> str:
    """Only what boxes cannot do has to be mended: few contests have images by name."""
    check_boxes(Sandbox(settings.jail), image_cache())
    try:
        by_name = f"images by name are run by {' '.join(find_engine().command)}"
    except ToolMissing as missing:
        by_name = str(missing)
    return f"archives run in the jail; {by_name}"


def _disk(path: Path) -> str:
    folder = path if path.exists() else Path(".")
    free = shutil.disk_usage(folder).free
    if free < _ENOUGH_DISK:
        raise KnobelnError(f"only {free:,} bytes are free at {folder.resolve()}")
    return f"{free / 1e9:.1f} GB free"


def _contest(path: Path) -> str:
    folder = ContestContext.open(path)
    folder.store.check_integrity()
    return f"{folder.settings.contest.title} in {path}: settings and database are sound"
