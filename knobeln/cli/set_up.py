"""`knobeln init` and `knobeln doctor`: make a contest, check its host."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from pydantic import ValidationError

from compiler.images import without_images_unless_possible
from compiler.languages import system_package, usable
from compiler.trial import with_counted_time, with_languages_here
from contest.config.load import FILE_NAME, faults, load_settings
from contest.config.passwords import write_passwords
from contest.config.remains import remains
from contest.config.settings import Settings
from contest.errors import EX_FAILED, EX_OK, ConfigError, KnobelnError
from contest.games.game import TEXT
from contest.games.registry import game_of
from contest.language import SOURCE, available, listed, speaking, translated
from contest.public_number.beacon import Beacon, BeaconKind
from contest.schema.sections import DEFAULT_GAME, Contest, Programs
from contest.util.clock import TIME_FORMAT, SystemClock
from contest.util.folders import make_folder
from knobeln import presets
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, contest_path, open_contest
from knobeln.cli.game_option import (
    default_settings,
    lacking_packages,
    settings_or_defaults,
    without_packages,
)
from knobeln.cli.output import remark
from knobeln.context import create_contest

if TYPE_CHECKING:
    from contest.config.settings import Settings
    from knobeln.doctor.host_checks import CheckResult


def _beacon(_context: click.Context, _option: click.Parameter, text: str) -> str:
    try:
        Beacon.of(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return text


@click.command(cls=ContestCommand)
@click.argument(
    "folder", type=click.Path(path_type=Path, file_okay=False), metavar="[DIR]", required=False
)
@click.option(
    "--game",
    metavar="NAME",
    help=(
        "The game to be played; `knobeln games` lists them. `knobeln-1993` is the contest of 1993."
        f" Default: {DEFAULT_GAME}."
    ),
)
@click.option(
    "--beacon",
    metavar="BEACON",
    default=BeaconKind.DRAND.value,
    callback=_beacon,
    help=(
        "Where the public number of the draw comes from: `drand`, `lottery: 6 numbers of ` and"
        " which draw, `file`, or `none`. Default: drand."
    ),
)
@click.option(
    "--class",
    "is_class",
    is_flag=True,
    help=(
        "For a course: the form asks for address, reports, team name and names, and LAP, which"
        " mails them to all, is off."
    ),
)
@click.option(
    "--language",
    type=click.Choice(available()),
    help=f"The language of mails and pages. Default: {SOURCE}.",
)
@click.option(
    "--mailbox",
    metavar="ADDRESS",
    help=(
        "Connect this ordinary mailbox: finds its servers, asks for the password, and tries it"
        " with a letter to itself."
    ),
)
@click.option(
    "--organizer",
    metavar="ADDRESS",
    default="",
    help="With --mailbox: where you read mail yourself. Default: that mailbox.",
)
@click.option(
    "--mail-folder",
    metavar="NAME",
    default="",
    help="With --mailbox: the folder in it into which a filter of yours moves the letters.",
)
@click.option(
    "--client",
    metavar="ID",
    default="",
    help="With --mailbox at Microsoft 365: the public client that your administrator registered.",
)
def init(
    folder: Path | None,
    game: str | None,
    beacon: str,
    is_class: bool,
    language: str | None,
    mailbox: str | None,
    organizer: str,
    mail_folder: str,
    client: str,
) -> None:
    """Create a contest in DIR (default: here). It gets a commented contest.toml and the
    database.

    With --mailbox nothing is left to edit. The password is kept in passwords.toml beside it, for
    your eyes alone.
    """
    path = (folder or contest_path()).absolute()
    file = path / FILE_NAME
    if file.exists():  # it is kept
        settings = load_settings(path)
        if is_class or language or mailbox is not None:
            raise ConfigError(f"{file} is there already", hint="change the settings in it instead")
        if game and settings.game.name != presets.settings(game, SystemClock().now()).game.name:
            raise ConfigError(
                f"{file} is for another game", hint="remove it, or leave --game out to keep it"
            )
    else:
        settings = _as_possible_here(_wanted(game, beacon, language, is_class=is_class))
    if mailbox is not None:
        settings = _with_mailbox(
            settings, path, mailbox=mailbox, organizer=organizer, folder=mail_folder, client=client
        )
    create_contest(path, settings).store.close()
    edit = "" if mailbox is not None else f" Now edit {file} (the dates, the addresses), then"
    remark(f"The contest is in {path}.{edit}")
    by_date = ", and plays the contest day by its date" if settings.plays_by_date else ""
    remark(f"    knobeln serve -C {path}     takes registrations and programs by mail{by_date}")
    if not by_date:
        remark(f"    knobeln run -C {path}       plays the contest day")
    if game_of(settings.game, settings.programs).info.play is TEXT:
        _tell_of_languages(settings.programs)


def _wanted(game: str | None, beacon: str, language: str | None, *, is_class: bool) -> Settings:
    """The settings of a new contest, as far as the command line says what they are to be."""
    settings = presets.settings(game or DEFAULT_GAME, SystemClock().now())
    settings = settings.changed(tournament={"beacon": beacon})
    if is_class:
        settings = presets.for_class(settings)
    if language:
        with speaking(language):
            title = translated(settings.contest.title)
        settings = settings.changed(contest={"language": language, "title": title})
    return settings


def _as_possible_here(preset: Settings) -> Settings:
    """The settings without what this host lacks, which is told."""
    lacking = lacking_packages(preset)
    settings = without_packages(preset, lacking)
    settings = with_languages_here(with_counted_time(settings))
    settings = without_images_unless_possible(settings)
    if lacking:
        remark(
            f"Programs cannot import {', '.join(lacking)} here until `apt install"
            f" {' '.join(map(system_package, lacking))}`, and then programs.python_packages ="
            f" {json.dumps(preset.programs.python_packages)}."
        )
    if preset.programs.takes_images and not settings.programs.takes_images:
        remark(
            "Container images cannot play here until `apt install skopeo umoci`, and then "
            f"programs.max_image_bytes = {preset.programs.max_image_bytes}."
        )
    return settings


def _tell_of_languages(programs: Programs) -> None:
    """Tell which languages' time is counted in units, and which is measured."""
    counted = programs.counted_languages
    others = [row.name for row in usable(programs.all_languages) if row.name not in counted]
    if counted:
        text = "Counted in units (programs.counted_languages): the time of programs in"
        remark(f"{text} {listed(counted)}.")
    remark(f"Processor time: programs in {listed(others)}.")


def _with_mailbox(
    settings: Settings, path: Path, mailbox: str, organizer: str, folder: str, client: str
) -> Settings:
    """The settings, with this mailbox, which was tried. Its password is in the folder now."""
    from knobeln.doctor.mailbox_setup import Wishes, connect

    if left := remains(path):
        raise ConfigError(f"there is a contest in {path} already, or was ({', '.join(left)})")
    with_addresses = {"address": mailbox}
    if organizer:
        with_addresses["organizer_address"] = organizer
    try:
        checked = Contest(**with_addresses)
    except ValidationError as error:
        raise ConfigError(faults(error)) from None
    wishes = Wishes(
        checked.address, path.name, client, checked.organizer_address if organizer else "", folder
    )
    is_new = not path.exists()
    make_folder(path)  # a provider may change a token meanwhile, which is kept there
    try:
        connected = connect(settings, path, wishes, remark, _secret)
    except BaseException:
        if is_new:
            with suppress(OSError):  # there is something in it
                path.rmdir()
        raise
    if connected.secrets:
        write_passwords(path, connected.secrets)
    contest, dates = connected.settings.contest, connected.settings.dates
    remark(f"Teams write to {contest.address}, people to {contest.organizer_address}.")
    remark(
        f"Programs are taken until {dates.compilation_closes:{TIME_FORMAT}}; the contest starts on"
        f" {dates.contest_starts:{TIME_FORMAT}}. `knobeln dates` moves that."
    )
    return connected.settings


def _secret(what: str) -> str:
    """A secret from the terminal, which shows nothing of it, or from standard input."""
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    return sys.stdin.readline()


@click.command(cls=ContestCommand)
@click.option(
    "--letter", is_flag=True, help="Also send a letter to the robot, and check that it comes in."
)
@click.option(
    "--patience", default=60.0, show_default=True, help="Seconds to wait for that letter."
)
@answers("knobeln.doctor.host_checks:CheckResults")
def doctor(letter: bool, patience: float) -> None:
    """Check that this host can run a contest. Each failed check says how to fix it.

    `note` marks what works, but deserves a look.

    Exit code 0: no check failed; 1: a check failed.
    """
    from knobeln.doctor.host_checks import (
        CheckResult,
        Level,
        check_host,
        check_languages,
        run_check,
    )
    from knobeln.doctor.mail_checks import check_loop

    results: tuple[CheckResult, ...] = ()
    try:
        settings = settings_or_defaults()
    except KnobelnError as error:
        settings = default_settings()
        text = f"{error}; the other checks have the default settings"
        results = (CheckResult("settings", Level.FAIL, text),)
    if not (contest_path() / FILE_NAME).exists():
        text = f"there is none in {contest_path()}: this host alone is looked at"
        results += (CheckResult("the contest", Level.NOTE, text),)
    host = check_host(contest_path(), settings)
    results += host
    # languages only repeat what is lacking
    if all(result.passed for result in host if result.is_needed):
        results += tuple(check_languages(settings))
    if letter:
        results += (run_check("a letter to itself", lambda: check_loop(open_contest(), patience)),)
    answer(results, _show_checks)
    raise SystemExit(EX_OK if all(result.passed for result in results) else EX_FAILED)


def _show_checks(results: Sequence[CheckResult]) -> None:
    for result in results:
        colour = {"ok": "green", "note": "yellow", "FAIL": "red"}[result.level]
        mark = click.style(f"{result.level:4}", fg=colour, bold=not result.passed)
        click.echo(f"{mark} {result.name}: {result.text}")
