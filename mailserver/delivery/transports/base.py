"""What all transports have in common."""

from __future__ import annotations

from typing import Protocol

from contest.errors import DeliveryDeferred


class RelayUnreachable(DeliveryDeferred):
    """The relay is away, or does not want us: it is no use to try the next mail at once."""


class Transport(Protocol):
    """Takes mails. `connections`: how many threads may send at once; the caller lowers it for good if the
    relay does not want as many."""

    connections: int

    def send(self, sender: str, to: str, raw: bytes) -> str:
        """Returns the reply to the mail. `sender` is the envelope's: bounces go there.

        Raises DeliveryDeferred (again later) or DeliveryRefused (never).
        """

    def close(self) -> None:
        """Close connections; a later `send` opens them again."""
