"""The parts of `knobeln serve`. One process does them all, or several processes share them."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from enum import StrEnum

from contest.errors import NotNow
from knobeln.context import ContestContext
from store.session import Held

# the lock that every process of the server shares, and that `restore` must have alone
SERVE = "serve"
# the listener's process; it may outlive a server that was killed by a second
LISTENER = f"{SERVE}-listener"


class Part(StrEnum):
    """INTAKE, DELIVER: once in each folder. DESK: once in each contest. COMPILE: any number of
    times."""

    INTAKE = "intake"
    DESK = "desk"
    COMPILE = "compile"
    DELIVER = "deliver"

    @property
    def lock(self) -> str:
        return f"{SERVE}-{self}"


class PartsAtWork:
    """Holds the locks of these parts, as a context manager."""

    def __init__(self, contest: ContestContext, parts: Collection[Part]) -> None:
        self._contest = contest
        self._parts = parts
        self._stack = ExitStack()
        self._locks: list[Held] = []

    def __enter__(self) -> PartsAtWork:
        with ExitStack() as stack:
            lock = stack.enter_context(self._contest.only_one(SERVE, shared=True))
            if not lock:
                path = self._contest.path
                raise NotNow(f"`knobeln restore` is at work for {path}, or another `knobeln serve`")
            self._locks = [lock, *(self._enter(stack, part) for part in self._parts)]
            self._stack = stack.pop_all()
        return self

    def _enter(self, stack: ExitStack, part: Part) -> Held:
        many, many_elsewhere = part is Part.COMPILE, part is not Part.DESK
        lock = self._contest.only_one(part.lock, shared=many, shared_elsewhere=many_elsewhere)
        held = stack.enter_context(lock)
        if not held:
            path = self._contest.path
            raise NotNow(f"`knobeln serve` already runs for {path}, with its part `{part}`")
        return held

    def __exit__(self, *_: object) -> None:
        self._locks = []
        self._stack.close()

    def keep(self) -> None:
        """Take the locks again if the database has lost them.

        Raises StoreBusy while it does not answer, NotNow if another process has taken one of them
        meanwhile.
        """
        if not self._locks or any(lock.is_lost() for lock in self._locks):
            self.__exit__()
            self.__enter__()


def missing(contest: ContestContext) -> tuple[Part, ...]:
    """The parts that no process does."""
    return tuple(part for part in Part if not contest.who_holds(part.lock))
