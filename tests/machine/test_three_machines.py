"""Random images in the interpreter, in their native translation, and in unicorn, a RISC-V that
others have written.

`make fuzz` runs some hundreds, in a few minutes; the slow tests run a few.
"""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.vm.image import CODE_BASE, Image
from tests.support.machine_compare import Case, Compare
from tests.support.machine_probe import Probe, Seen
from tests.support.machine_unicorn import after
from tests.support.random_images import random_image

DOORS = ("leave", "throw", "seed", "no door")


def run(probe: Probe, image: Image, case: Case) -> Seen:
    """The interpreter, to its first stop."""
    words = struct.unpack(f"<{len(image.code) // 4}I", image.code)
    return probe(words, case.x, image.data, image.static_size, case.fuel, case.first)


def effects(image: Image, seen: Seen) -> int:
    """How many instructions had an effect: a fault and a door count as one that had none."""
    has_run_past_the_end = seen.fault_pc == CODE_BASE + len(image.code)
    return seen.executed - (seen.stop != "fuel" and not has_run_past_the_end)


@pytest.mark.slow
@pytest.mark.fuzz
@settings(max_examples=max(4, settings().max_examples // 20), print_blob=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_images_do_the_same_in_three_machines(
    seed: int, compare: Compare, probe: Probe
) -> None:
    made = random_image(seed)
    assert compare(made.image, made.cases).difference == ""
    for case in made.cases:
        seen = run(probe, made.image, case)
        done = effects(made.image, seen)
        if done > 0:
            state = after(made.image, case.first or 0, case.x, done)
            assert state.x == seen.x
            assert state.pc == (seen.next_pc - 4 if seen.stop in DOORS else seen.fault_pc)
            assert state.memory == seen.memory


def test_most_random_images_run_for_long(probe: Probe) -> None:
    made = [random_image(seed) for seed in range(6)]
    executed = [run(probe, each.image, case).executed for each in made for case in each.cases]
    assert sum(count >= 50 for count in executed) > len(executed) // 2
