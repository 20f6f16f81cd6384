"""What modules cost that want to take long: the worst that `search_dear_modules.py` has found."""

import pytest

from sandbox.fuel.counting.prices import CURRENT, prices
from tests.support.counting import by_counter, wasm
from tests.support.dear_modules import made

TIMES = 10
DEAR: dict[tuple[str, tuple[int | str, ...]], int] = {  # units for so many times
    ("chain", (1_000, 0, 16)): 60_271,
    ("chain", (100, 32, 16)): 38_593,
    ("chase", (16,)): 365_700,
    ("frames", (1_000, 30)): 23_591,
    ("hoisted", (100, 3)): 2_471,
    ("hoisted", (1_000, 1)): 7_661,
    ("hoisted_chain", ("f64.convert_i64_u", 5_000)): 59_541,
    ("hoisted_chain", ("f64.min", 5_000)): 9_541,
    ("hoisted_chain", ("i64.trunc_sat_f64_s", 5_000)): 18_921,
    ("hoisted_chain", ("i64.trunc_sat_f64_u", 5_000)): 100_171,
    ("jumps", (10,)): 915,
    ("left_at_once", (1_000, 1)): 7_681,
    ("merged", (300, 20)): 5_671,
    ("pointers", (8, 1)): 312,
    ("snippets", ("ref.func",)): 8_302,
}


@pytest.mark.parametrize(("name", "sizes"), DEAR)
def test_what_takes_long_costs_so_many_units(name: str, sizes: tuple[int | str, ...]) -> None:
    module = wasm(made(name, sizes))
    outcome = by_counter(module, ("f", TIMES), prices=prices(CURRENT))
    assert (outcome.ending, outcome.units) == ("returned", DEAR[name, sizes])
