"""How large a letter may be, by who wrote it: an image's archive makes it large, and only teams send one.

Whoever writes from a team's address may be a forger, but must know that address; everybody else can make us
keep, parse and decode no more than an ordinary letter.
"""

from __future__ import annotations

from dataclasses import dataclass

from contest.config.settings import Settings
from contest.model import TeamState
from contest.store import Store, teams
from mailserver.intake import envelope


@dataclass(frozen=True)
class Bounds:
    """Of the letters of one contest, in bytes."""

    store: Store
    settings: Settings

    @property
    def usual(self) -> int:
        return self.settings.mail.max_letter_bytes

    @property
    def most(self) -> int:
        """Of a team's letters; more is never fetched."""
        return self.settings.max_team_letter_bytes

    def of_sender(self, address: str) -> int:
        """Of a letter with this sender. Raises StoreBusy."""
        return self.most if self.most > self.usual and self._is_team(address) else self.usual

    def of_letter(self, raw: bytes, sender: str = "") -> int:
        """The same, where also the letter's own From may tell who wrote it."""
        if len(raw) <= self.usual:
            return self.usual
        return max(self.of_sender(sender), self.of_sender(envelope.writer(raw)))

    def _is_team(self, address: str) -> bool:
        with self.store.read() as tx:
            team = teams.by_address(tx, address)
        return team is not None and team.state is TeamState.ACTIVE
