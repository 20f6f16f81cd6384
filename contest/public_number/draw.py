"""The draw of the public number: when it is, and what is read from the number that is handed in.
Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from contest.errors import GiveUp
from contest.model import ContestState, Phase
from contest.public_number import drand
from contest.public_number.beacon import Beacon, BeaconKind, PublicNumber, canonical_draw
from contest.public_number.drand import Chain
from contest.util.clock import TIME_FORMAT

MAX_NUMBER_CHARS = 2_000
STEP = timedelta(minutes=10)  # between the contest's start and the draw
# of the final list before the draw, so that the mails with it go out
MIN_AHEAD = timedelta(minutes=1)


@dataclass(frozen=True)
class Draw:
    """When a contest's public number is drawn, and by whom. `round`: drand's, 0 for another
    beacon."""

    beacon: Beacon
    at: datetime
    chain: Chain
    round: int

    @property
    def sentence(self) -> str:
        """Where the public number comes from, and when, as a sentence for the organizer."""
        match self.beacon.kind:
            case BeaconKind.DRAND:
                return (
                    f"The public number is round {self.round} of drand, due at"
                    f" {self.at:{TIME_FORMAT}}."
                )
            case BeaconKind.LOTTERY:
                return (
                    f"The public number is {self.beacon.draw}: `knobeln run number '4 9 18'` hands"
                    f" it in, not before {self.at:{TIME_FORMAT}}."
                )
            case _:
                return "The contest waits for its public number: `knobeln run number VALUE`."

    def read(self, text: str) -> PublicNumber:
        """Return the public number in a text, such as the JSON of a drand server. Raises GiveUp."""
        if len(text) > MAX_NUMBER_CHARS:
            raise GiveUp(f"a public number has at most {MAX_NUMBER_CHARS:,} characters")
        match self.beacon.kind:
            case BeaconKind.DRAND:
                return PublicNumber(drand.randomness_in(text, self.chain, self.round), text)
            case BeaconKind.LOTTERY:
                return PublicNumber(canonical_draw(text, self.beacon.counts).encode(), text)
            case _:
                if not text.strip():
                    raise GiveUp("the public number is empty")
                return PublicNumber(text.strip().encode(), text)


def draw_of(beacon_setting: str, starts: datetime, final_at: datetime) -> Draw | None:
    """Return the draw for a list of entries that becomes final then; None in a contest without a
    public number.

    `starts`: when the contest is to start, by its settings.
    """
    beacon = Beacon.of(beacon_setting)
    if beacon.kind is BeaconKind.NONE:
        return None
    chain = drand.QUICKNET
    drawn_at = final_at
    if beacon.kind is not BeaconKind.FILE:  # that is not published at a certain time
        drawn_at = _draw_time(starts, final_at)
    if beacon.kind is not BeaconKind.DRAND:
        return Draw(beacon, drawn_at, chain, 0)
    number = chain.round_after(drawn_at)
    return Draw(beacon, chain.time_of(number), chain, number)


def draw_awaited(beacon_setting: str, starts: datetime, state: ContestState) -> Draw | None:
    """Return the draw that the contest waits for; None if it does not wait."""
    if state.phase is not Phase.RUNNING or not state.seed.is_open or state.started_at is None:
        return None
    return draw_of(beacon_setting, starts, state.started_at)


def _draw_time(starts: datetime, final_at: datetime) -> datetime:
    """Ten minutes after the contest's start.

    If the list is final later, or the contest starts early, it is the next moment that is a
    multiple of ten minutes away from that, so that nobody can choose it freely. At least a minute
    lies between the list and the draw.
    """
    return starts + -((starts - final_at - MIN_AHEAD) // STEP) * STEP
