"""Whatever module comes to the door: it is refused, or it runs and its replies are read.

`make fuzz` tries 100,000 of each kind, in some minutes; of the third where `wasm-tools` is
installed, in an hour.
"""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.counting import wasm
from tests.support.foreign_modules import Smith, Tries, calls_of_wasi, damaged, started
from tests.support.made_modules import modules

pytest.importorskip("wasmtime")

_IS_FUZZING = settings().max_examples == settings.get_profile("fuzz").max_examples
TRIES = 100_000 if _IS_FUZZING else 100


def tried(folder: Path, module: Callable[[random.Random], bytes]) -> set[str]:
    """What became of them. Raises whatever is a failure of ours."""
    whole = Tries(folder)
    whole.all_of(damaged(draw, module(draw)) for draw in map(random.Random, range(TRIES)))
    return set(whole.outcomes)


@pytest.mark.fuzz
def test_a_module_that_calls_the_host_with_anything_is_no_failure_of_ours(tmp_path: Path) -> None:
    def module(draw: random.Random) -> bytes:
        return wasm(calls_of_wasi(draw))

    assert {"not counted", "not linked", "ran: exit 0"} <= tried(tmp_path, module)


@pytest.mark.slow
@pytest.mark.fuzz
def test_a_module_with_any_operators_is_no_failure_of_ours(tmp_path: Path) -> None:
    tries = Tries(tmp_path)

    @settings(max_examples=TRIES // 10, suppress_health_check=list(HealthCheck))
    @given(modules(), st.integers(0, 2**32))
    def each(text: str, seed: int) -> None:
        module = wasm(started(text))
        draw = random.Random(seed)  # noqa: S311 - no secret
        tries.all_of(iter([module, *(damaged(draw, module) for _ in range(9))]))

    each()
    assert {"not counted", "ran: trap unreachable"} <= set(tries.outcomes)


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.skipif(not shutil.which("wasm-tools"), reason="wasm-tools is not installed")
def test_a_module_of_another_generator_is_no_failure_of_ours(tmp_path: Path) -> None:
    smith = Smith("wasm-tools", tmp_path)
    assert {"not counted", "ran: trap unreachable"} <= tried(tmp_path, smith.module)
