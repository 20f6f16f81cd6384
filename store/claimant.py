"""A process, by the name under which it claims and begins work."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Claimant:
    """A process that works.

    `name`: no other process has it, and this one has another after its next start. `is_gone`:
    whether the process of this name is known to have ended; False if that cannot be known.
    """

    name: str = field(default_factory=lambda: secrets.token_hex(16))
    is_gone: Callable[[str], bool] = lambda _name: False
