"""Builds programs from files, samples and images."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from compiler.uploaded_files import DESCRIPTION
from contest.config.settings import Settings
from contest.errors import GiveUp, NotFound
from contest.games.registry import game_of
from contest.interfaces.protocols import BuildResult, Serializable
from contest.model import Severity
from contest.programs.archive import (
    IsImage,
    NotUnpacked,
    is_left_out,
    is_program_archive,
    unpacked,
)
from contest.schema.languages import further_languages, usual_languages
from contest.schema.sections import DEFAULT_GAME as KNOBELN
from contest.util.plurals import did_you_mean
from contest.util.program_files import MAX_FILES, is_archive
from contest.util.sanitize import sanitize
from knobellib.samples import house_strategies, samples
from tournament.runners import open_runner

_LANGUAGES = (*usual_languages(), *further_languages())
_OTHERS = {suffix for row in _LANGUAGES if row.name != "C" for suffix in row.suffixes}

Made = TypeVar("Made", bound=Serializable)


def home_builder(
    settings: Settings, opponents: Sequence[tuple[str, Any]] = (), seed: str = ""
) -> ProgramBuilder[Any]:
    """The builder for the game, whose images tell where they fault; the rest: see `at_home`."""
    builder = builder_of(settings, open_runner)
    builder.at_home(opponents, seed)
    return builder


def rebuilt(program: str, builder: ProgramBuilder[Made], settings: Settings) -> BuildResult[Made]:
    """Build a file, a folder or a program of ours. Raises NotFound, GiveUp for what can be no
    program."""
    files = files_of(program, settings.game.name)
    if game_of(settings.game, settings.programs).info.play.is_in_c:
        files = {name: source(name, data).data for name, data in files.items()}
    try:
        return builder.build(files, "", with_trial=False)
    except ValueError as error:
        raise GiveUp(f"{program} {error}") from None


def accepted(program: str, built: BuildResult[Made]) -> Made:
    """Return what was built. Raises GiveUp with the reasons if it was not accepted."""
    if built.image is not None:
        return built.image
    report = built.report
    errors = [finding.text for finding in report.findings if finding.severity is Severity.ERROR]
    more: list[str] = [sanitize(text) for text in (report.messages, report.stderr_tail) if text]
    raise GiveUp("\n".join((f"{program}: {'; '.join(errors)}", *more)))


_PLAIN = re.compile(rb"(?>(?:(?!>From )[\t\x20-\x7e]*+\n)*)")
"""A file in which a letter's reader finds nothing to repair."""


class Source(NamedTuple):
    """A C program as a letter would bring it. `repairs`: what was done to its file, in
    sentences."""

    data: bytes
    repairs: tuple[str, ...]


def source(name: str, data: bytes) -> Source:
    """The C program in this file. Raises GiveUp for what is no C source, where programs are
    that."""
    if Path(name).suffix[1:] in _OTHERS:
        raise GiveUp(
            f"{name}: programs for this game are C source; `knobeln games` lists the others"
        )
    if _PLAIN.fullmatch(data):
        return Source(data, ())
    # What reads letters takes a while to load, and most files do not need it.
    from mailserver.problem import Problem
    from mailserver.reading.find_program import c_file
    from mailserver.reading.part_text import SentFile

    program = c_file(SentFile(data, name=name))
    if isinstance(program, Problem) and b"\0" in data:
        raise GiveUp(
            f"{name} is not a text file, but a program is C source",
            hint="name the source, not what a compiler made of it",
        )
    if isinstance(program, Problem):
        raise GiveUp(f"{name}: {program.text}", hint=program.expected)
    return Source(("\n".join(program.lines) + "\n").encode(), program.repairs)


def files_of(program: str, game_name: str) -> dict[str, bytes]:
    """Return the files of a program: at a path, or of our own program of that name."""
    path = Path(program)
    if path.exists():
        return files_at(path)
    house = {f"{strategy.name}.c": strategy.source.encode() for strategy in house_strategies()}
    known = house if game_name == KNOBELN else samples(game_name)
    matching = [name for name in known if program in (name, Path(name).stem)]
    if len(matching) != 1:
        kind = "house strategy" if game_name == KNOBELN else "sample program"
        names = sorted({*known, *(Path(name).stem for name in known)})
        hint = did_you_mean(program, names) or "`knobeln games` lists them"
        raise NotFound(f"there is no file {program}, and no {kind} of that name", hint=hint)
    return {matching[0]: known[matching[0]]}


def files_at(path: Path) -> dict[str, bytes]:
    """Return the files of a program: one file, those of an archive, or all in a folder and in its
    folders.

    A folder may be one of `programs/` in a published archive. Raises GiveUp for an archive that is
    no program's.
    """
    if path.is_dir():
        published = path / "source"
        return _files_in(
            published if published.is_dir() and (path / DESCRIPTION).is_file() else path
        )
    data = path.read_bytes()
    if not is_program_archive(path.name):
        return {path.name: data}
    try:
        return dict(unpacked(path.name, data).files)
    except IsImage:
        return {path.name: data}
    except NotUnpacked as why:
        if is_archive(path.name):  # perhaps that of a large image
            return {path.name: data}
        raise GiveUp(f"{path}: {why}") from None


def _files_in(folder: Path) -> dict[str, bytes]:
    """Read no more than a program may have."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    own = {name: path for name, path in names.items() if not is_left_out(name)}
    if len(own) > MAX_FILES:
        raise GiveUp(f"{folder} has {len(own):,} files; a program has at most {MAX_FILES}")
    return {name: path.read_bytes() for name, path in own.items()}
