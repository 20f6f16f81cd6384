"""Where letters wait for the next commit: those that come while others are committed share one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from contest.errors import TryAgain
from contest.model import IncomingLetter

Accept = Callable[[Sequence[IncomingLetter]], object]
"""Keeps all of the letters, or raises."""


class CommitQueue:
    """Hands letters to one thread, which commits those together that came together."""

    def __init__(self, accept: Accept, loop: asyncio.AbstractEventLoop) -> None:
        self._accept = accept
        self._loop = loop
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="smtp-accept")
        self._waiting: list[tuple[IncomingLetter, asyncio.Future[None]]] = []
        self._work: asyncio.Task[None] | None = None

    async def keep(self, letter: IncomingLetter) -> None:
        """Return when the letter is kept; raises what `accept` raises."""
        done = self._loop.create_future()
        self._waiting.append((letter, done))
        if self._work is None or self._work.done():
            self._work = self._loop.create_task(self._work_off())
        await done

    def close(self) -> None:
        self._worker.shutdown()

    async def _work_off(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await self._keep(batch)
            except TryAgain as error:
                _finish(batch, error)
            except Exception as error:
                if len(batch) == 1:
                    _finish(batch, error)
                else:  # one of them is to blame: keep each alone, so that the others do not suffer
                    for one in batch:
                        await self._keep_alone(one)

    async def _keep_alone(self, one: tuple[IncomingLetter, asyncio.Future[None]]) -> None:
        try:
            await self._keep([one])
        except Exception as error:
            _finish([one], error)

    async def _keep(self, batch: Sequence[tuple[IncomingLetter, asyncio.Future[None]]]) -> None:
        letters = [letter for letter, _ in batch]
        await self._loop.run_in_executor(self._worker, self._accept, letters)
        _finish(batch, None)


def _finish(
    batch: Sequence[tuple[IncomingLetter, asyncio.Future[None]]], error: Exception | None
) -> None:
    for _, done in batch:
        if done.done():  # the client has gone meanwhile
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)
