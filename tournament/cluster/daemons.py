"""The scheduler and the workers: processes that run for days, and wait for one another."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import distributed
from distributed.utils import get_ip

from contest.errors import ConfigError
from tournament.cluster.options import QUIET, scheduler_url, security, set_up

_RETRY_SECONDS = 5.0
_CONNECT_SECONDS = 10.0


def run_scheduler(keys: Path, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `tell` gets a sentence when it listens. Raises ConfigError."""
    set_up()
    _run(_schedule(security(keys), host, port, tell))


async def _schedule(keys: distributed.Security, host: str, port: int, tell: Callable[[str], None]) -> None:
    try:
        scheduler = await distributed.Scheduler(
            host=host or None, port=port, protocol="tls", security=keys, **QUIET
        )
    except OSError as error:
        raise ConfigError(f"the scheduler cannot listen at port {port}: {error}") from error
    tell(f"the scheduler listens at {scheduler.address}")
    async with scheduler:
        await scheduler.finished()


def run_workers(url: str, keys: Path, processes: int, tell: Callable[[str], None]) -> None:
    """Work for the scheduler until SIGTERM or SIGINT; wait for it where it is not there. Raises ConfigError.

    `tell` gets sentences about what goes on.
    """
    set_up()
    os.environ["PYTHONSAFEPATH"] = "1"  # of the workers: a file in the current folder takes no module's place
    _run(_work(scheduler_url(url), security(keys), processes, tell))


async def _work(url: str, keys: distributed.Security, processes: int, tell: Callable[[str], None]) -> None:
    is_alone = False
    while True:
        try:
            async with distributed.rpc(
                url, timeout=_CONNECT_SECONDS, connection_args=keys.get_connection_args("client")
            ) as scheduler:
                await asyncio.wait_for(scheduler.identity(n_workers=0), _CONNECT_SECONDS)
        except (OSError, TimeoutError) as error:
            if not is_alone:
                tell(f"waiting for the scheduler {url}: {error}")
            is_alone = True
        else:
            is_alone = False
            await _work_together(url, keys, processes, tell)
            tell(f"the scheduler {url} has gone")
        await asyncio.sleep(_RETRY_SECONDS)


async def _work_together(
    url: str, keys: distributed.Security, processes: int, tell: Callable[[str], None]
) -> None:
    """Run the worker processes until the scheduler goes."""
    name = f"{socket.gethostname()}-{os.getpid()}"
    # Listen only where the scheduler comes from.
    host = get_ip(urlsplit(url).hostname)
    async with AsyncExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory(prefix="knobeln-worker-"))
        nannies = [
            await held.enter_async_context(
                distributed.Nanny(
                    url,
                    nthreads=1,
                    name=f"{name}-{number}",
                    memory_limit=0,
                    security=keys,
                    protocol="tls",
                    host=host,
                    local_directory=folder,
                    death_timeout=_CONNECT_SECONDS,
                    **QUIET,
                )
            )
            for number in range(1, processes + 1)
        ]
        tell(f"working for {url} with {processes} processes as {name}")
        await asyncio.wait(
            [asyncio.ensure_future(nanny.finished()) for nanny in nannies],
            return_when=asyncio.FIRST_COMPLETED,
        )


def _run(work: Coroutine[Any, Any, None]) -> None:
    async def until_stopped() -> None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, task.cancel)
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(until_stopped())
