"""How large a letter may be: letters of teams may be large, because they may hold the archive of an image.

The sender of a team's letter may be forged, but a forger must know the team's address. Everybody else can
make us keep, parse and decode no more than an ordinary letter.
"""

from __future__ import annotations

from dataclasses import dataclass

from contest.config.settings import Settings
from contest.model import TeamState
from contest.store import Store, teams
from mailserver.intake import envelope


@dataclass(frozen=True)
class SizeLimits:
    """Limits for the letters of one contest, in bytes."""

    store: Store
    settings: Settings

    @property
    def usual(self) -> int:
        return self.settings.MAX_LETTER_BYTES

    @property
    def most(self) -> int:
        """The limit for a team's letters; we never fetch more."""
        return self.settings.max_team_letter_bytes

    def of_sender(self, address: str) -> int:
        """The limit for a letter with this envelope sender. Raises StoreBusy."""
        return self.most if self.most > self.usual and self._is_team(address) else self.usual

    def of_letter(self, raw: bytes, sender: str = "") -> int:
        """The limit for this letter, whose own From may also name a team. Raises StoreBusy."""
        if len(raw) <= self.usual:
            return self.usual
        return max(self.of_sender(sender), self.of_sender(envelope.writer(raw)))

    def _is_team(self, address: str) -> bool:
        with self.store.read() as tx:
            team = teams.by_address(tx, address)
        return team is not None and team.state is TeamState.ACTIVE
