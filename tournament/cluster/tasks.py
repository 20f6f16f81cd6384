"""What workers do. A worker is one process, and does one thing at a time.

The organizer's computer engages a worker: it gives it a token, the contest, and then the programs that it
needs. A worker process that was started anew, or works for somebody else meanwhile, does not know the token.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from contest import __version__
from contest.config.settings import Settings
from contest.errors import NotFound, TryAgain
from contest.games.registry import game_of
from contest.language import speaking
from contest.model import GameJob, GameResult
from contest.protocols import Images, no_progress
from contest.seeds import Seeds
from sandbox.oci.image import image_cache
from sandbox.sandbox import Sandbox
from sandbox.self_test import require_tight
from tournament.group_workers import GroupJob, GroupResult, GroupWorker, WorkerContext, with_limits
from tournament.runners import open_runner, runner_of

_PACKAGES = ("contest", "tournament", "reports", "sandbox")  # what workers run of us


class NotEngaged(TryAgain):
    """This worker process is new, or works for another contest now."""


class Facts(NamedTuple):
    """What must be the same on all computers."""

    version: str
    sources: str  # sha256 of our own files, in hex
    python: str
    libc: str


class ProofTest(NamedTuple):
    """`jobs`: games to play, if games of this kind can be computed. `host_files`: as in RunnerPlugin."""

    jobs: Sequence[GameJob]
    host_files: Sequence[str]


class Proof(NamedTuple):
    """`games`: sha256 of the results, in hex. `host_files`: the sha256 of each, "" if it is missing."""

    games: str
    host_files: Mapping[str, str]


class Kept(NamedTuple):
    """`lacking`: digests of the programs whose archives this computer does not have yet."""

    lacking: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass
class _Engagement:
    token: str
    context: WorkerContext
    images: dict[str, bytes] = field(default_factory=dict)


_engaged: _Engagement | None = None


def facts() -> tuple[str, ...]:
    """The Facts of this computer, in a form that every version can read."""
    return tuple(_facts())


@cache
def _facts() -> Facts:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = find_spec(package)
        folder = Path(spec.origin or "").parent if spec else Path()
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{package}/{file.relative_to(folder)}\0".encode() + file.read_bytes())
    python = "{}.{}".format(*sys.version_info[:2])
    return Facts(__version__, digest.hexdigest(), python, os.confstr("CS_GNU_LIBC_VERSION") or "another")


def engage(token: str, context: WorkerContext) -> None:
    """Work for this contest from now on."""
    global _engaged  # noqa: PLW0603 - the scheduler calls functions of modules only
    _engaged = _Engagement(token, context)


def keep(token: str, images: Images, archives: Mapping[str, bytes]) -> Kept:
    """Keep these programs, and put on this computer what they need.

    `archives`: files that teams mailed, by the digest of their image.
    """
    engaged = _engagement(token)
    lacking: list[str] = []

    def archive_of(digest: str) -> bytes:
        if digest not in archives:
            lacking.append(digest)
            raise NotFound(f"the archive of {digest} has not come")
        return archives[digest]

    settings = engaged.context.settings
    plugin = runner_of(settings)
    warnings: list[str] = []
    for digest, raw in images.items():
        try:
            plugin.prepare({digest: raw}, archive_of)
        except NotFound:
            continue
        warnings += plugin.speed_up({digest: raw}, settings)
        engaged.images[digest] = raw
    return Kept(tuple(lacking), tuple(warnings))


def prove(token: str, test: ProofTest, digests: Sequence[str]) -> Proof:
    """Show that this computer can play the contest's games. Raises ToolMissing, EngineFailed."""
    engaged = _engagement(token)
    context = engaged.context
    return proof(_images(engaged, digests), context.settings, context.seeds, test)


def proof(images: Images, settings: Settings, seeds: Seeds, test: ProofTest) -> Proof:
    """What `prove` returns, on any computer. Raises ToolMissing, EngineFailed."""
    files = {name: _digest_of(Path(name)) for name in test.host_files}
    if game_of(settings.game, settings.programs).info.play.is_computed:
        games = repr(game_results(images, settings, seeds, test.jobs))
        return Proof(hashlib.sha256(games.encode()).hexdigest(), files)
    require_tight(Sandbox(settings.jail), image_cache())
    return Proof("", files)


def _digest_of(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def play_group(token: str, job: GroupJob, digests: Sequence[str]) -> GroupResult:
    """Play the group of programs that were kept before."""
    engaged = _engagement(token)
    return group_result(engaged.context, replace(job, images=_images(engaged, digests), workers=1))


def group_result(context: WorkerContext, job: GroupJob) -> GroupResult:
    """The group, played on this computer."""
    return GroupWorker(context, no_progress)(job)


def play_games(
    token: str, jobs: Sequence[GameJob], seconds: float, digests: Sequence[str]
) -> tuple[GameResult, ...]:
    """Play these games. `seconds`: for a move."""
    engaged = _engagement(token)
    settings = with_limits(engaged.context.settings, seconds, 1)
    return game_results(_images(engaged, digests), settings, engaged.context.seeds, jobs)


def game_results(
    images: Images, settings: Settings, seeds: Seeds, jobs: Sequence[GameJob]
) -> tuple[GameResult, ...]:
    """The games, played on this computer."""
    with speaking(settings.contest.language), open_runner(images, settings, seeds) as runner:
        return tuple(runner.play(jobs))


def _images(engaged: _Engagement, digests: Sequence[str]) -> Images:
    return {digest: engaged.images[digest] for digest in digests}


def _engagement(token: str) -> _Engagement:
    if _engaged is None or _engaged.token != token:
        raise NotEngaged("it was started anew, or works for another contest now")
    return _engaged
