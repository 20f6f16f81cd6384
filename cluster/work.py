"""What workers do. A piece of work is a pure function, so it does not matter who does it, or how
often.

What a worker gets is pickled by dask: it runs our code anyway. What comes back is plain text and
JSON, because we trust a worker less than it trusts us.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

from distributed import get_worker
from pydantic import ConfigDict, TypeAdapter

from contest import __version__
from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.games.registry import game_of
from contest.interfaces.protocols import Images
from contest.language import speaking
from contest.model import GameJob, GameResult
from contest.seeds import Seeds
from contest.util.log import log
from sandbox.images.oci_image import image_cache
from sandbox.sandbox import Sandbox
from sandbox.self_test import require_tight
from tournament.group_workers import limited
from tournament.runners import open_runner, runner_of

_PACKAGES = ("contest", "tournament", "sandbox", "cluster")  # what workers run of us
_RESULTS = TypeAdapter(
    tuple[GameResult, ...], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
)

T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """A piece of work: games, and their seconds for a move. The programs come besides.

    `same`: what must be the same here as on the organizer's host, by name: `facts`, and the sha256
    of files of the host that programs need.
    """

    same: Mapping[str, str]
    games: tuple[GameJob, ...]
    seconds: float

    @property
    def name(self) -> str:
        return f"a game of {' and '.join(self.games[0].names)}"


Contest = tuple[Settings, Seeds]
"""What a worker knows of the contest from the start. The settings are frozen, without secrets."""


class Answer(NamedTuple):
    """What comes back. `refusal`: why this worker cannot do the work; "" if it can.

    `lacking`: the digest of a container image whose archive must come with the order.
    """

    worker: str  # its address
    refusal: str = ""
    lacking: str = ""
    result: bytes = b""


class _Lacking(Exception):
    pass


def same(value: T) -> T:
    """Bring a value to a worker, which keeps it as the result of this piece of work."""
    return value


def do(
    order: Order, contest: Contest, images: Images, archives: Mapping[str, bytes]
) -> tuple[str | bytes, ...]:
    """Do the work; return an Answer as a plain tuple. `archives`: of container images, by their
    digests."""
    worker = get_worker().address

    def archive_of(digest: str) -> bytes:
        if digest not in archives:
            raise _Lacking(digest)
        return archives[digest]

    try:
        for name, there in order.same.items():
            here = facts().get(name) or digest_of(name)
            if here != there:
                raise KnobelnError(f"its {name} is {here or 'missing'}, here it is {there}")
        settings, _ = contest
        plugin = runner_of(settings)
        if not game_of(settings.game, settings.programs).info.play.is_computed:
            _check_sandbox()
        plugin.prepare(images, archive_of)
        new = {digest: raw for digest, raw in images.items() if digest not in _sped_up}
        for warning in plugin.speed_up(new, settings):
            log.warning(warning)
        _sped_up.update(new)
        results = tuple(map(_with_tuple, done(order, contest, images, 1)))
        return tuple(Answer(worker, result=_RESULTS.dump_json(results, by_alias=True)))
    except _Lacking as lacking:
        return tuple(Answer(worker, lacking=str(lacking)))
    except KnobelnError as error:
        return tuple(Answer(worker, f"it cannot play: {error}"))
    except Exception as error:  # as text, because dask would pickle it
        log.exception("a piece of work failed")
        return tuple(Answer(worker, f"it failed: {error!r}"))


def read_results(raw: bytes) -> tuple[GameResult, ...]:
    """The results in an Answer. Raises ValueError if they cannot be any."""
    return tuple(map(_with_tuple, _RESULTS.validate_json(raw)))


def _with_tuple(result: GameResult) -> GameResult:
    """With its moves as JSON can have them, and as games make them: pydantic reads any sequence as
    a list."""
    return replace(result, moves=None if result.moves is None else tuple(result.moves))


def done(
    order: Order, contest: Contest, images: Images, workers: int | None = None
) -> tuple[GameResult, ...]:
    """The results, played by this host with so many processes; None = as many as the settings
    say."""
    settings, seeds = contest
    settings = limited(settings, order.seconds)
    if workers is not None:
        settings = settings.changed(tournament={"workers": workers})
    with speaking(settings.contest.language), open_runner(images, settings, seeds) as runner:
        return tuple(runner(order.games))


@cache
def facts() -> Mapping[str, str]:
    """What must be the same on all hosts, by name: our files (their sha256), Python and the C
    library."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = find_spec(package)
        folder = Path(spec.origin or "").parent if spec else Path()
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(
                    f"{package}/{file.relative_to(folder)}\0".encode() + file.read_bytes()
                )
    return {
        "version of knobeln": __version__,
        "copy of knobeln": digest.hexdigest(),
        "Python": "{}.{}".format(*sys.version_info[:2]),
        "C library": os.confstr("CS_GNU_LIBC_VERSION") or "another",
    }


@cache
def digest_of(file: str) -> str:
    """The sha256 of a file of this host, in hex; "" if it is missing."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


_sped_up: set[str] = set()


@cache
def _check_sandbox() -> None:
    """Once in a process, before it starts foreign programs. Raises ToolMissing."""
    require_tight(Sandbox(), image_cache())
