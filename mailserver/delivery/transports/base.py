"""What all ways out have in common."""

from __future__ import annotations

from typing import Protocol

from contest.errors import DeliveryDeferred


class RelayUnreachable(DeliveryDeferred):
    """Nobody is there, or it does not want us: no use in trying the next mail at once."""


class Transport(Protocol):
    """Takes one mail. Raises DeliveryDeferred (again later) or DeliveryRefused (never)."""

    def send(self, sender: str, to: str, raw: bytes) -> str:
        """What the other side said when it took the mail. `sender` is the envelope's: bounces go there."""

    def close(self) -> None:
        """Let go of connections; a later `send` opens them again."""
