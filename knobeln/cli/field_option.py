"""The option --field: other opponents than the house's programs."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.interfaces.protocols import SparringOpponents
from contest.language import listed
from knobeln.cli.output import remark
from knobeln.home.practice import opponents_in
from knobeln.home.programs import home_builder

Command = TypeVar("Command", bound=Callable[..., object])


def field_option(help_text: str) -> Callable[[Command], Command]:
    """Let a command take folders of programs and archives, as `fields`."""
    return click.option(
        "--field",
        "fields",
        type=click.Path(path_type=Path, exists=True),
        multiple=True,
        metavar="DIR|ARCHIVE",
        help=help_text,
    )


def opponents_from(
    fields: Sequence[Path], settings: Settings, not_among: Sequence[Path] = ()
) -> SparringOpponents:
    """The programs of all these folders and archives.

    Those of archives have their contest's name before them, the best of each contest first.

    Raises NotFound, GiveUp, Differs with what is wrong.
    """
    # most games are played without archives, and do not wait for what reads them
    from knobeln.archive.former_contests import (
        former_contests,
        is_former_contest,
        opponents_of,
        under_other_rules,
    )

    opponents: dict[str, tuple[str, bytes]] = {}
    archives = [path for path in fields if is_former_contest(path)]
    for folder in fields:
        if folder in archives:
            continue
        if not folder.is_dir():
            raise click.UsageError(
                f"--field {folder} is a file: a field is a folder of programs, or an archive"
            )
        for name, opponent in opponents_in(folder, settings, not_among).items():
            opponents[f"{folder.name}/{name}" if name in opponents else name] = opponent
    if archives:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # nothing unpacked is left behind
        with former_contests(archives) as contests:
            former, left_out = opponents_of(contests, settings, home_builder(settings))
        opponents |= former
        for name, theirs, ours in under_other_rules(contests, settings):
            remark(f"{name} was a contest of {theirs}; here its programs play {ours}.", err=True)
        if left_out:
            remark(f"Left out, because they cannot be built here: {listed(left_out)}.", err=True)
    return opponents


def with_former_names(
    names: Sequence[str], former: SparringOpponents, seats: int
) -> tuple[str, ...]:
    """The programs of a game: a team's name becomes that of its program in the field; the first of
    the field, the best of an archive, plays if one is missing.

    A file goes before a team of the same name. Raises GiveUp where a name means several programs.
    """
    whole = [name if Path(name).exists() else _former_name(name, former) for name in names]
    if former and len(whole) == seats - 1:
        whole.append(next(name for name in former if name not in whole))
    return tuple(whole)


def _former_name(name: str, former: SparringOpponents) -> str:
    if name in former:
        return name
    matching = [full for full in former if full.rpartition("/")[2] == name]
    if len(matching) > 1:
        raise GiveUp(f"{name} is the name of several programs: {listed(matching)}")
    return matching[0] if matching else name
