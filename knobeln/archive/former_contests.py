"""Published contests as fields: their programs, checked against the digests of their archives.

An archive is a folder, a .tar.gz of one, or the folder of a season. It is foreign input, and its
programs run in the sandbox as all others; its organizer's own commands are never started.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from contest.config.settings import Settings
from contest.errors import Differs, GiveUp, NotFound, ToolMissing
from contest.games.registry import game_of
from contest.interfaces.protocols import SparringOpponents
from contest.util.folders import scratch_folder
from contest.util.tar_files import BadTar, Bounds, files_in, unpack
from knobeln.archive.season import SEASON, folder_of, read_season
from tournament.all_time import FormerProgram
from tournament.certainty import places
from tournament.derived_settings import format_of
from tournament.runners import open_runner
from trust.archive import contents, files
from trust.archive.contents import Archive, Program, settings_of, without_commands
from trust.derived import check_builds
from trust.verify_limits import MAX_BUILD_BYTES

_PACKED = (".tar.gz", ".tgz")


@dataclass(frozen=True)
class FormerContest:
    """A contest that was published. `name`: that of its folder or file, in one word."""

    name: str
    settings: Settings
    archive: Archive

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each team; those who got equally far share the best of their places."""
        return places(format_of(self.settings), self.archive.history)

    @property
    def teams(self) -> tuple[str, ...]:
        """The teams, the best first."""
        last = len(self.archive.entries) + 1
        names = (entry.name for entry in self.archive.entries)
        return tuple(sorted(names, key=lambda team: (self.places.get(team, last), team.casefold())))

    def name_of(self, team: str) -> str:
        """The name of a program among those of several contests, in one word."""
        return f"{self.name}/{team}"


def is_former_contest(path: Path) -> bool:
    """Whether it is an archive or a season's, or at least a packed one by its name."""
    if path.is_dir():
        return (path / files.MANIFEST).is_file() or (path / SEASON).is_file()
    return path.name.endswith(_PACKED)


@contextmanager
def former_contests(paths: Sequence[Path]) -> Iterator[tuple[FormerContest, ...]]:
    """Open these archives, whose files stay there as long as this lasts.

    Raises NotFound, GiveUp for what is no archive, Differs with the first difference from its
    digests.
    """
    with ExitStack() as stack:
        contests: list[FormerContest] = []
        for path in paths:
            name, folder = _short_name(path), path
            if not path.is_dir():
                folder = stack.enter_context(_unpacked(path))
            for part in _parts(folder):
                contest = _read(f"{name}{part.suffix}", part, path)
                contests.append(_with_own_name(contest, contests))
        yield tuple(contests)


def common_settings(contests: Sequence[FormerContest]) -> Settings:
    """The settings of the newest contest, with our own languages.

    Raises GiveUp unless all are contests of one game with the same rules.
    """
    newest = max(contests, key=lambda contest: contest.archive.contest.started_at)
    for contest in contests:
        if contest.settings.game != newest.settings.game:
            ours, theirs = (_game_of(one.settings) for one in (newest, contest))
            raise GiveUp(
                f"{newest.name} is a contest of {ours}, and {contest.name} of {theirs}: programs"
                " meet in one game, with the same rules"
            )
    return without_commands(newest.settings)


def under_other_rules(
    contests: Sequence[FormerContest], settings: Settings
) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each contest of this game that had other rules, what it played, and what is
    played here."""
    for contest in contests:
        if contest.settings.game != settings.game:
            yield contest.name, _game_of(contest.settings), _game_of(settings)


def builds_of(contests: Sequence[FormerContest], settings: Settings) -> Mapping[str, bytes]:
    """The builds by their digests, as far as the archives have them. Raises Differs, GiveUp."""
    builder, builds, size = builder_of(settings, open_runner), dict[str, bytes](), 0
    for contest in contests:
        try:
            check_builds(contest.archive, builder)
        except Differs as error:
            raise Differs(f"{contest.name}: {error}") from None
        for digest, build in contest.archive.builds.items():
            size += 0 if digest in builds else len(build)
            builds[digest] = build
            if size > MAX_BUILD_BYTES:
                raise GiveUp(f"their programs have more than {MAX_BUILD_BYTES:,} bytes together")
    return builds


def opponents_of(
    contests: Sequence[FormerContest], settings: Settings, builder: ProgramBuilder[Any]
) -> tuple[SparringOpponents, tuple[str, ...]]:
    """The programs of all contests as opponents, under their contests' names; and who is left out.

    `builder`: of programs at home, for this game. A program whose build is not in its archive is
    built here; one that is not accepted here, or whose language is missing, is left out. Raises
    Differs, GiveUp as the others do, and GiveUp if nobody is left, or an archive is of another
    game.
    """
    _must_be_of(contests, settings)
    builds = builds_of(contests, settings)
    opponents: dict[str, tuple[str, bytes]] = {}
    left_out: list[str] = []
    for contest in contests:
        entries = {entry.name: entry for entry in contest.archive.entries}
        for team in contest.teams:
            name, raw = contest.name_of(team), builds.get(entries[team].build)
            if raw is None:
                raw = _built_here(contest.archive.programs[team], builder)
            if raw is None:
                left_out.append(name)
            else:
                opponents[name] = hashlib.sha256(raw).hexdigest(), raw
    if not opponents:
        raise GiveUp("no program of these archives can play here: their languages are missing")
    return opponents, tuple(left_out)


def _built_here(program: Program, builder: ProgramBuilder[Any]) -> bytes | None:
    try:
        image = builder.build(program.files, program.description, with_trial=False).image
    except (ToolMissing, ValueError):
        return None
    return None if image is None else image.to_bytes()


def _must_be_of(contests: Sequence[FormerContest], settings: Settings) -> None:
    for contest in contests:
        if contest.settings.game.name != settings.game.name:
            theirs, ours = (_game_of(one) for one in (contest.settings, settings))
            raise GiveUp(
                f"{contest.name} is a contest of {theirs}, and this is {ours}",
                hint=f"--game {contest.settings.game.name} plays that game",
            )


def former_programs(contests: Sequence[FormerContest]) -> Iterator[FormerProgram]:
    """All programs of the contests, by contest."""
    for contest in contests:
        for entry in contest.archive.entries:
            place = contest.places.get(entry.name)
            yield FormerProgram(contest.name, entry.name, entry.build, place)


def _read(name: str, part: _Part, path: Path) -> FormerContest:
    try:
        archive = contents.from_files(files.read(part.folder, part.digest))
        return FormerContest(name, settings_of(archive.contest), archive)
    except Differs as error:
        raise Differs(f"{path}: {error}") from None


class _Part(NamedTuple):
    """An archive: all that was given, or a tournament of a season. `suffix`: what its name adds to
    that of the whole; `digest`: the one that the season gives it, None without one."""

    suffix: str
    folder: Path
    digest: str | None


def _parts(folder: Path) -> Iterator[_Part]:
    if not (folder / SEASON).is_file():
        yield _Part("", folder, None)
        return
    facts, _ = read_season(folder, None)
    for number, digest in enumerate(facts.archives, start=1):
        yield _Part(f"-{number}", folder_of(folder, number), digest)


def _short_name(path: Path) -> str:
    name = path.resolve().name
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return files.shown("_".join(name.split())) or "archive"


def _with_own_name(contest: FormerContest, others: Sequence[FormerContest]) -> FormerContest:
    taken = {other.name for other in others}
    name, number = contest.name, 1
    while name in taken:
        number += 1
        name = f"{contest.name}_{number}"
    return replace(contest, name=name)


def _game_of(settings: Settings) -> str:
    title = game_of(settings.game, settings.programs).info.title
    own = settings.game.model_dump(exclude_defaults=True, exclude={"name"})
    rules = ", ".join(f"{key} = {value}" for key, value in sorted(own.items()))
    return f"{title} ({rules})" if rules else title


# --- packed archives ------------------------------------------------------------------------------
@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """Unpack a .tar.gz of an archive or a season, or of a folder with one, as long as this
    lasts."""
    if not path.is_file():
        raise NotFound(f"there is no archive {path}")
    with scratch_folder() as scratch:
        try:
            _unpack(path, scratch)
        except BadTar as bad:
            raise GiveUp(f"{path} is not a .tar.gz, or is incomplete: {files.shown(bad)}") from None
        yield _top(scratch)


def _unpack(path: Path, folder: Path) -> None:
    """Unpack files with the names that archives have, within the bounds of archives."""
    bounds = Bounds(files.MAX_FILES, min(files.MAX_BYTES, shutil.disk_usage(folder).free))
    with path.open("rb") as packed:
        for member in files_in(packed, bounds):
            name = str(PurePosixPath(member.path))
            if not files.is_path(name):
                raise GiveUp(f"{path}: an archive has no place for {files.shown(name)}")
            unpack(member, folder / name)


def _top(scratch: Path) -> Path:
    """The folder with the archive: this one, or the only one in it."""
    entries = list(scratch.iterdir())
    is_wrapped = len(entries) == 1 and entries[0].is_dir()
    return entries[0] if is_wrapped else scratch
