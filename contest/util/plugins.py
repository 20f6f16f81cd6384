"""Find what other packages add by entry points: games, and where they are played."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeVar

from contest.errors import ConfigError


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


def by_name(group: str, built_in: Iterable[T]) -> dict[str, T]:
    """Return the built-in objects and those that the entry points of this group name, by their
    `name`.

    Raises ConfigError where two have the same name.
    """
    plugins: dict[str, T] = {}
    for plugin in (*built_in, *_added_by_others(group, tuple(sys.path))):
        if plugin.name in plugins:
            raise ConfigError(
                f"two plug-ins of {group} are called {plugin.name!r}",
                hint="uninstall one of the packages",
            )
        plugins[plugin.name] = plugin
    return plugins


@lru_cache(maxsize=16)
def _added_by_others(group: str, path: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(point.load() for point in _of_all_groups(path).select(group=group))


@lru_cache(maxsize=2)  # looking through all installed packages takes as long as hundreds of games
# EntryPoints, in Python 3.11 something with its methods
def _of_all_groups(_path: tuple[str, ...]) -> Any:
    return entry_points()
