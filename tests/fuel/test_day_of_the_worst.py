"""A whole day of programs that do their worst lasts about as long as docs/clock.md says that a day
can last, and no longer."""

from pathlib import Path

import pytest

from sandbox.players import fuel
from sandbox.players.fuel import FuelPlayer, seconds_until_aside
from tests.support.archives import played
from tests.support.counted_programs import needs_engine, settings_of, whole_day
from tournament import certainty
from tournament.longest_day import longest_first_round

pytestmark = [needs_engine, pytest.mark.night]

TEAMS = ("first", "second", "third", "fourth")
FUEL = 300_000_000
ROUNDS = 20
DAYS = 8
NEARLY_TOO_LONG = 0.92  # of the longest; who needs more than that could be set aside
WORST = Path(__file__).parents[1].joinpath("support/programs_in_c/worst.c").read_text()


def worst(computed: int) -> bytes:
    """Takes nearly all units of an answer. The fewer of them compute, the longer each takes. No
    cache has a part in it, so that a neighbour on the host changes little."""
    sizes = {"COMPUTED": computed, "UNITS": int(0.99 * FUEL)}
    return "".join(f"#define {name} {n}\n" for name, n in sizes.items()).encode() + WORST.encode()


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor time of each worker that has ended."""
    ended, close = list[float](), FuelPlayer.close

    def noted(player: FuelPlayer) -> None:
        used = player._process and player._process.usage().cpu_seconds
        ended.append(used or 0.0)
        close(player)

    monkeypatch.setattr(FuelPlayer, "close", noted)
    return ended


def test_the_worst_programs_reach_the_longest_day_and_do_not_pass_it(
    tmp_path: Path, seconds: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certainty, "_SLOW_BUDGET_INSTRUCTIONS", 0)  # nobody asks how sure it is
    monkeypatch.setattr(fuel, "GRACE_SECONDS", 1.0)  # 20 s are as long as such a day
    # A melee in which nobody shoots has all of its rounds.
    settings = settings_of("standoff", FUEL).changed(game={"max_rounds": ROUNDS})
    longest = longest_first_round(settings, dict.fromkeys(TEAMS, True))
    computed, shares = 60_000, list[float]()  # half of what a day may take, and then more
    while not shares or shares[-1] < 0.8:
        assert len(shares) < DAYS, shares
        source = worst(computed)
        seconds.clear()
        field = {team: {f"{team}.c": source} for team in TEAMS}
        played(tmp_path / f"contest{len(shares)}", settings, field, whole_day)
        assert sum(seconds) < longest + len(TEAMS) * seconds_until_aside(FUEL)
        shares.append(sum(seconds) / longest)
        computed = int(computed * shares[-1] / NEARLY_TOO_LONG)
    print(f"a day as a part of the longest: {', '.join(f'{share:.2f}' for share in shares)}")
