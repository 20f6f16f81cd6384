"""What workers do. A piece of work is a pure function, so it does not matter who does it, or how often.

What a worker gets is pickled by dask: it runs our code anyway. What comes back is plain text and JSON,
because we trust a worker less than it trusts us.
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
from typing import Any, NamedTuple, TypeVar

from distributed import get_worker
from pydantic import ConfigDict, TypeAdapter

from contest import __version__
from contest.errors import KnobelnError
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, no_progress
from contest.language import speaking
from contest.model import GameJob, GameResult
from contest.util.log import log
from sandbox.images.oci_image import image_cache
from sandbox.sandbox import Sandbox
from sandbox.self_test import require_tight
from tournament.group_workers import GroupJob, GroupResult, GroupWorker, WorkerContext, with_limits
from tournament.runners import open_runner, runner_of

_PACKAGES = ("contest", "tournament", "reports", "sandbox", "cluster")  # what workers run of us
_BYTES = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_GROUP = TypeAdapter(tuple[GroupResult], config=_BYTES)
_GAMES = TypeAdapter(tuple[tuple[GameResult, ...]], config=_BYTES)

T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """A piece of work: a group, or games with their seconds for a move. The programs come besides.

    `same`: what must be the same here as on the organizer's host, by name: `facts`, and the sha256 of files
    of the host that programs need.
    """

    same: Mapping[str, str]
    work: GroupJob | tuple[GameJob, ...]
    seconds: float = 0.0


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
    order: Order, context: WorkerContext, images: Images, archives: Mapping[str, bytes]
) -> tuple[str | bytes, ...]:
    """Do the work; return an Answer as a plain tuple. `archives`: of container images, by their digests."""
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
        plugin = runner_of(context.settings)
        if not game_of(context.settings.game, context.settings.programs).info.play.is_computed:
            _check_sandbox()
        plugin.prepare(images, archive_of)
        for digest, raw in images.items():
            _speed_up(digest, raw, context)
        return tuple(Answer(worker, result=written_result(order, done(order, context, images, 1))))
    except _Lacking as lacking:
        return tuple(Answer(worker, lacking=str(lacking)))
    except KnobelnError as error:
        return tuple(Answer(worker, f"it cannot play: {error}"))
    except Exception as error:  # as text, because dask would pickle it
        log.exception("a piece of work failed")
        return tuple(Answer(worker, f"it failed: {error!r}"))


def written_result(order: Order, result: Any) -> bytes:
    """The result as JSON."""
    return _adapter(order).dump_json((result,), by_alias=True)


def read_result(order: Order, raw: bytes) -> Any:
    """The result in an Answer to this order. Raises ValueError if it cannot be one."""
    (result,) = _adapter(order).validate_json(raw)
    if isinstance(result, GroupResult):
        return result
    # As the games make them: pydantic reads any sequence as a list.
    return tuple(replace(each, moves=None if each.moves is None else tuple(each.moves)) for each in result)


def _adapter(order: Order) -> TypeAdapter[Any]:
    return _GROUP if isinstance(order.work, GroupJob) else _GAMES


def done(order: Order, context: WorkerContext, images: Images, workers: int | None = None) -> Any:
    """The result of the work, done by this process: a GroupResult, or the GameResults.

    `workers`: processes for the games; None = as many as the settings say.
    """
    if isinstance(order.work, GroupJob):
        return GroupWorker(context, no_progress)(replace(order.work, images=images, workers=workers))
    settings = with_limits(context.settings, order.seconds, workers)
    with speaking(settings.contest.language), open_runner(images, settings, context.seeds) as runner:
        return tuple(runner.play(order.work))


@cache
def facts() -> Mapping[str, str]:
    """What must be the same on all hosts, by name: our files (their sha256), Python and the C library."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = find_spec(package)
        folder = Path(spec.origin or "").parent if spec else Path()
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{package}/{file.relative_to(folder)}\0".encode() + file.read_bytes())
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


def _speed_up(digest: str, raw: bytes, context: WorkerContext) -> None:
    if digest not in _sped_up:
        for warning in runner_of(context.settings).speed_up({digest: raw}, context.settings):
            log.warning(warning)
        _sped_up.add(digest)
