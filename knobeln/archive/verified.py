"""What `verify` has found."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verified:
    """Sentences about what was checked, and about what was not.

    `noticed`: what follows the rules, but a person should look at. `without_bans`: what would be if the
    organizer had taken nobody out; empty if that is so. `missed`: it can be checked, but not on this host;
    `unchecked`: nobody can check it.
    """

    checked: list[str] = field(default_factory=list)
    noticed: list[str] = field(default_factory=list)
    without_bans: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
