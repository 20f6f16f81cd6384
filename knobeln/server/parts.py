"""The parts of `knobeln serve`. One process does them all, or several processes share them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum

from contest.errors import NotNow
from knobeln.context import ContestContext

SERVE = "serve"  # the lock that every process of the server shares, and that `restore` must have alone


class Part(StrEnum):
    """INTAKE, DELIVER: once in each folder. DESK: once in each contest. COMPILE: any number of times."""

    INTAKE = "intake"
    DESK = "desk"
    COMPILE = "compile"
    DELIVER = "deliver"

    @property
    def lock(self) -> str:
        return f"{SERVE}-{self}"


@contextmanager
def at_work(contest: ContestContext, parts: Collection[Part]) -> Iterator[None]:
    """Hold the locks of these parts. Raises NotNow if another process has one of them."""
    with ExitStack() as stack:
        if not stack.enter_context(contest.only_one(SERVE, shared=True)):
            raise NotNow(f"`knobeln restore` is at work for {contest.path}, or another `knobeln serve`")
        for part in parts:
            many, many_elsewhere = part is Part.COMPILE, part is not Part.DESK
            lock = contest.only_one(part.lock, shared=many, shared_elsewhere=many_elsewhere)
            if not stack.enter_context(lock):
                raise NotNow(f"`knobeln serve` already runs for {contest.path}, with its part `{part}`")
        yield


def missing(contest: ContestContext) -> tuple[Part, ...]:
    """The parts that no process does."""
    return tuple(part for part in Part if not contest.who_holds(part.lock))
