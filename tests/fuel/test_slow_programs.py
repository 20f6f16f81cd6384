"""A program whose units take longer than units may: how long it is borne, and when it is set
aside."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from contest.errors import EngineFailed
from contest.games.game import TextProtocol
from sandbox.players import fuel
from sandbox.players.fuel import SECONDS_A_UNIT, FuelPlayer, Turns
from sandbox.sandbox import Sandbox
from tests.support.counted_programs import CHASING, LIMPING, built, needs_engine

pytestmark = [needs_engine, pytest.mark.slow]

GRACE = 4.0
UNITS = 500_000_000


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuel, "GRACE_SECONDS", GRACE)


class Measured(FuelPlayer):
    """Notes the processor time of each worker when it ends."""

    seconds = 0.0

    def close(self) -> None:
        if self._process:
            self.seconds += self._process.usage().cpu_seconds or 0.0
        super().close()


@pytest.fixture
def player(request: pytest.FixtureRequest) -> Iterator[Measured]:
    made = Measured(built(request.param), Sandbox(), TextProtocol.ARGV, UNITS, 50 * UNITS)
    with closing(made):
        made.begin()
        yield made


def moves(player: FuelPlayer) -> EngineFailed:
    """Ask until the engine fails."""
    for _ in range(50):
        try:
            player.move(("C",))
        except EngineFailed as error:
            return error
    raise AssertionError("it is borne for a whole game")


UNSEEN = 2 * 6.0
"""What may pass before we look at both its workers, on a busy host."""
LONGEST = 2 * (GRACE + SECONDS_A_UNIT * UNITS) + UNSEEN
"""What both its workers may take."""


@pytest.mark.parametrize("player", [CHASING], indirect=True)
def test_one_that_is_as_slow_when_it_is_alone_is_set_aside_at_once(player: Measured) -> None:
    player.fuel = 10 * UNITS  # more than it could use in the time
    error = moves(player)
    assert "also alone: more than" in str(error)
    assert error.pace > 1e9 * SECONDS_A_UNIT
    assert player.seconds < 2 * (GRACE + 10 * SECONDS_A_UNIT * UNITS) + UNSEEN


@pytest.mark.parametrize("player", [LIMPING], indirect=True)
def test_one_that_has_to_be_asked_alone_a_second_time_is_set_aside(player: Measured) -> None:
    error = moves(player)
    assert "was too slow a second time" in str(error)
    assert error.pace > 1
    assert player.seconds < LONGEST


# --- turns ----------------------------------------------------------------------------------------
def test_who_wants_to_be_alone_lets_others_ask_while_somebody_stays_in_the_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fuel, "MAX_SHUT_SECONDS", 0.5)
    monkeypatch.setattr(fuel, "MAX_TIMES_SHUT", 3)
    given_up = threading.Event()

    def alone() -> None:
        with pytest.raises(TimeoutError), closing(Turns()) as turns, turns.alone():
            raise AssertionError("somebody was in the room")
        given_up.set()

    with closing(Turns()) as staying, staying.among_others():
        waiting = threading.Thread(target=alone)
        waiting.start()
        longest = 0.0
        while not given_up.is_set():
            before = time.monotonic()
            with closing(Turns()) as other, other.among_others():
                longest = max(longest, time.monotonic() - before)
            time.sleep(0.05)
        waiting.join()
    assert longest < 10  # it would be for ever
