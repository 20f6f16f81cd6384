"""`knobeln demo`."""

from __future__ import annotations

import secrets
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from compiler.images import without_images_unless_possible
from compiler.trial import with_counted_time
from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.schema.sections import DEFAULT_GAME
from contest.seeds import seed_from
from knobeln import presets
from knobeln.cli.contest_option import ContestCommand, says_little
from knobeln.cli.dry_run import act_in
from knobeln.cli.output import remark
from knobeln.cli.progress_bars import progress_bars, round_bars, say_where_no_bar_moves
from knobeln.cli.result_tables import show_results
from knobeln.cli.run import tell
from knobeln.cli.terminal import console
from knobeln.context import ContestContext, create_contest
from knobeln.day.demo_teams import demo_teams
from knobeln.day.demonstration import LOG, Demonstration, ShowCount, demo_settings, what_is_shorter
from knobeln.day.run import play_contest
from knobeln.day.wait_for_number import awaited
from knobeln.doctor.host_checks import check_host
from mailserver.delivery.transports import MAILDIRS
from tournament.certainty import WORTHWHILE_CONTESTS


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option(
    "--game",
    "game_name",
    default=DEFAULT_GAME,
    show_default=True,
    help="Which game; `knobeln games` lists them.",
)
@click.option(
    "--teams",
    "count",
    default=None,
    type=click.IntRange(5, 500),
    help="How many teams; default: 41 for KNOBELN, 9 or 12 for other games.",
)
@click.option(
    "--seed",
    default=None,
    help="Any text; the same seed gives the same contest. Default: a new one.",
)
def demo(folder: Path | None, game_name: str, count: int | None, seed: str | None) -> None:
    """Run a complete contest by mail, with made-up teams. They register and mail programs, and get
    reports.

    It takes less than half a minute on two cores: where programs think for long, they get less time
    or play fewer games than usual, and the command says so. How sure the ranking is, is told from
    100 contests with other draws, where it usually is up to 1,000. Everything stays in FOLDER
    (default: a new temporary folder), so you can look at it.
    """
    chosen = seed or secrets.token_hex(8)
    remark("Looking whether this host can run a contest, and can count the time of programs ...")
    settings = without_images_unless_possible(with_counted_time(demo_settings(game_name)))
    place = folder or Path(tempfile.gettempdir())
    failed = [result for result in check_host(place, settings) if not result.passed]
    if any(check.is_needed for check in failed):
        lacking = [f"\n  {check.name}: {check.text}" for check in failed]
        raise GiveUp("this host cannot run a contest yet:" + "".join(lacking))
    for check in failed:
        remark(f"{check.name}: {check.text}")
    with _folder_for(folder) as path:
        _demonstrate(path, settings, game_name, count, chosen)


@contextmanager
def _folder_for(wanted: Path | None) -> Iterator[Path]:
    """The folder that is wanted, or a new temporary one, which an interruption removes."""
    path = wanted or Path(tempfile.mkdtemp(prefix="knobeln-demo-"))
    try:
        yield path
    except (KeyboardInterrupt, SystemExit):
        if wanted is None:
            shutil.rmtree(path, ignore_errors=True)
        elif path.exists():
            remark(f"Interrupted. What was played so far is in {path}.", err=True)
        raise


def _demonstrate(
    path: Path, settings: Settings, game_name: str, count: int | None, chosen: str
) -> None:
    teams = demo_teams(settings, count or presets.demo(game_name).teams)
    contest = create_contest(path, settings, seed=seed_from(f"demo/{chosen}"))
    if says_little():
        click.echo(path)
    remark(f"The contest lives in {path}; its server writes to {path / LOG}.")
    more = "" if count else "; --teams N takes another number"
    remark(f"{len(teams)} made-up teams take part{more}. {what_is_shorter(game_name)}".rstrip())
    # So the server ends with us even if the kernel has not yet been told to end it.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    number = seed_from(f"demo/{chosen}/number").hex()
    Demonstration(contest, teams, _count_bar, partial(_play, number=number)).run()
    if not says_little():
        show_results(contest)
        _print_next_steps(contest, game_name, count, chosen)


def _play(contest: ContestContext, number: str) -> None:
    """Play the contest day, and hand in its public number when it waits for that."""

    def tell_and_hand_in(text: str) -> None:
        tell(text)
        if awaited(contest):
            source = "drawn by the demonstration"
            with contest.store.write() as tx:
                act_in(contest, tx, lambda organizer: organizer.hand_in_number(number, source))
            tell(f"The demonstration has drawn {number}.")

    play_contest(
        contest,
        early=False,
        patient=True,
        spectator=round_bars,
        tell=tell_and_hand_in,
        redraws=WORTHWHILE_CONTESTS,
    )


@contextmanager
def _count_bar(text: str, total: int) -> Iterator[ShowCount]:
    say_where_no_bar_moves(text)
    with progress_bars() as progress:
        task = progress.add_task(text, total=total)
        yield lambda count: progress.update(task, completed=count)


def _print_next_steps(
    contest: ContestContext, game_name: str, count: int | None, seed: str
) -> None:
    root = contest.path / MAILDIRS
    boxes = sorted(path.name for path in root.iterdir())
    where = f"\nEach team's mails are in a Maildir below [bold]{root}[/]. Read them:"
    console.print(where, soft_wrap=True)
    for box in boxes[:1] + boxes[-1:]:
        _print_command(f"more {shlex.quote(str(root / box))}/new/*")
    console.print("\nLook around:")
    knobeln, folder = shlex.quote(sys.argv[0]), shlex.quote(str(contest.path))
    for command in ("status", "teams", "announce --results", "mail"):
        _print_command(f"{knobeln} {command} -C {folder}")
    pages = f"{contest.path}-site"
    console.print(
        f"\nMake its web pages, and open {pages}/index.html in a browser:", soft_wrap=True
    )
    _print_command(f"{knobeln} site -C {folder} {shlex.quote(pages)}")
    console.print("\nPublish it, and compute it again:")
    archive = shlex.quote(f"{contest.path}-archive")
    _print_command(f"{knobeln} publish -C {folder} {archive}")
    _print_command(f"{knobeln} verify {archive}")
    console.print("\nPlay it again, with the same draws:")
    options = "" if game_name == DEFAULT_GAME else f" --game {game_name}"
    options += f" --teams {count}" if count else ""
    _print_command(f"{knobeln} demo{options} --seed {shlex.quote(seed)}")


def _print_command(command: str) -> None:
    """Print on one line, whatever the terminal's width, so that it can be copied."""
    console.print(f"    {command}", soft_wrap=True, markup=False, highlight=False)
