"""The translation does what the interpreter does: in every register, byte, count and fault, at
every stop."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from knobellib.samples import house_strategies
from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image
from sandbox.vm.translate import MAX_INSTRUCTIONS
from tests.support.machine_assembler import (
    EBREAK,
    ECALL,
    FENCE,
    LOAD,
    REGISTER,
    STORE,
    auipc,
    branch,
    immediate,
    jal,
    jalr,
    li,
    load,
    lui,
    register,
    store,
)
from tests.support.machine_compare import START, Case, Compare, compare_sanitized
from tests.support.machine_programs import EXAMPLE, FAULTS, assembled, compiled
from tests.support.machine_sequences import BEGIN, EDGES, END, STATIC, Wild, wild


def _agree(compare: Compare, image: Image, *cases: Case) -> int:
    """Asserts it; how much of a thousand instructions ran in native code."""
    compared = compare(image, cases or [Case()])
    assert compared.difference == ""
    return 1000 * compared.native // max(1, compared.instructions)


def _with(**registers: int) -> tuple[int, ...]:
    """The start's registers but for these: x5=7."""
    return tuple(registers.get(f"x{number}", value) for number, value in enumerate(START))


# --- random code ----------------------------------------------------------------------------------
WILD = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)


@settings(WILD, max_examples=12)
@given(wild())
def test_random_code_does_the_same(compare: Compare, found: Wild) -> None:
    assert compare(found.image, found.cases).difference == ""


@pytest.mark.slow
@pytest.mark.night
@settings(WILD, max_examples=250)
@given(wild())
def test_much_random_code_does_the_same(compare: Compare, found: Wild) -> None:
    assert compare(found.image, found.cases).difference == ""


# --- whole programs -------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("name", [strategy.name for strategy in house_strategies()[::6]])
def test_house_strategies_do_the_same_and_run_in_native_code(compare: Compare, name: str) -> None:
    (source,) = (strategy.source for strategy in house_strategies() if strategy.name == name)
    assert _agree(compare, compiled(source), Case(fuel=2_000_000, stops=400)) > 980


def test_the_example_does_the_same_and_runs_in_native_code(compare: Compare) -> None:
    assert _agree(compare, compiled(EXAMPLE.read_text()), Case(fuel=1_000_000, stops=2_000)) > 980


@pytest.mark.parametrize("name", list(FAULTS)[::3])
def test_programs_that_fail_do_the_same(compare: Compare, name: str) -> None:
    _agree(compare, compiled(FAULTS[name][0]), Case(fuel=1_000_000))


# --- corners --------------------------------------------------------------------------------------
def test_edge_values_in_every_instruction_on_registers(compare: Compare) -> None:
    pairs = [(a, b) for a in EDGES for b in EDGES]
    code = [word for name in REGISTER for word in (register(name, 7, 5, 6), store("sw", 7, 10, 0))]
    code += [immediate("addi", 10, 10, 4), ECALL]
    for name in ("slli", "srli", "srai"):
        funct3 = {"slli": 1, "srli": 5, "srai": 5}[name]
        word = (
            (32 if name == "srai" else 0) << 25 | 31 << 20 | 5 << 15 | funct3 << 12 | 11 << 7 | 0x13
        )
        code.insert(0, word)
    cases = [Case(_with(x5=a, x6=b, x10=DATA_BASE)) for a, b in pairs]
    assert _agree(compare, replace(assembled(code), static_size=STATIC), *cases) > 900


BASES = (BEGIN, END, 0, CODE_BASE, DATA_BASE, 2**31, 2**32 - 4)
NEAR_EDGES = [base + more for base in BASES for more in range(-5, 6)]


@pytest.mark.parametrize("distance", [-2048, 2047])
@pytest.mark.parametrize("name", sorted({*LOAD, *STORE}))
def test_accesses_at_every_edge(compare: Compare, name: str, distance: int) -> None:
    word = load(name, 5, 10, distance) if name in LOAD else store(name, 6, 10, distance)
    image = replace(assembled([FENCE, word, FENCE, ECALL]), static_size=STATIC)
    pointers = {(edge - back) % 2**32 for edge in NEAR_EDGES for back in (0, distance)}
    _agree(compare, image, *(Case(_with(x10=pointer, x6=0xDEADBEEF)) for pointer in pointers))


@pytest.mark.parametrize("steps", [1, 8000])
@pytest.mark.parametrize("step", [-2048, 2047])
def test_accesses_far_from_their_pointer_at_every_edge(
    compare: Compare, step: int, steps: int
) -> None:
    code = [immediate("addi", 10, 10, step)] * steps
    code += [store("sb", 6, 10, 0), load("lbu", 5, 10, -7), store("sb", 5, 10, 7), ECALL]
    image = replace(assembled(code), static_size=STATIC)
    pointers = {(edge - back) % 2**32 for edge in NEAR_EDGES for back in (0, step * steps)}
    _agree(compare, image, *(Case(_with(x10=pointer, x6=0xDEADBEEF)) for pointer in pointers))


def test_no_distance_leads_around_the_address_space_into_the_memory() -> None:
    # native.h adds pointers and distances in 64 bits; its proof needs this.
    farthest = MAX_INSTRUCTIONS * 2048
    assert farthest < DATA_BASE - MEMORY_SIZE
    assert 2**32 - farthest > DATA_BASE + MEMORY_SIZE


@pytest.mark.parametrize("shift", [-4, -1, 0, 4, 12])
@pytest.mark.parametrize("place", [BEGIN, END])
def test_accesses_through_one_pointer_are_as_good_as_each_by_itself(
    compare: Compare, place: int, shift: int
) -> None:
    code = [
        store("sw", 6, 10, 4),
        store("sb", 6, 10, -1),
        load("lhu", 7, 10, 2),
        immediate("addi", 11, 10, 8),
        store("sw", 7, 11, -4),
        load("lb", 5, 11, -16),
        register("add", 10, 10, 6),
        store("sw", 7, 10, 0),
        load("lw", 9, 10, -4),
        ECALL,
    ]
    image = replace(assembled(code), static_size=STATIC)
    _agree(
        compare,
        image,
        *(Case(_with(x10=place + shift, x6=more)) for more in (0, 1, 4, 2**32 - 8, 2**31)),
    )


def test_stores_that_lie_pages_apart_are_marked_as_they_happen(compare: Compare) -> None:
    code = [
        store("sw", 6, 10, -2048),
        store("sw", 6, 10, 2044),
        immediate("addi", 11, 10, 2040),
        store("sw", 6, 11, 2040),
        load("lw", 5, 12, 0),
        store("sw", 6, 10, 1000),
        ECALL,
    ]
    image = replace(assembled(code), static_size=STATIC)
    middle = BEGIN + MEMORY_SIZE // 2
    _agree(
        compare, image, *(Case(_with(x10=middle, x12=bad, x6=7)) for bad in (0, middle, middle + 1))
    )


JUMPS = {
    "odd": [jal(1, 6), ECALL, ECALL],
    "before the code": [jal(1, -4), ECALL],
    "behind the code": [jal(1, 12), ECALL],
    "branch to an odd place": [branch("beq", 5, 6, 6), ECALL, ECALL],
    "to itself": [jal(0, 0)],
    "off the end behind a branch": [FENCE, branch("bne", 0, 0, -4)],
    "door at the end": [immediate("addi", 17, 0, 1), ECALL],
    "same register twice": [auipc(5, 0), jalr(5, 5, 12), ECALL, FENCE, ECALL],
    "to an address that nobody mentions": [
        auipc(5, 0),
        register("add", 5, 5, 6),
        jalr(1, 5, 8),
        *[FENCE] * 9,
        ECALL,
    ],
    "to the middle of a block": [auipc(5, 0), jalr(1, 5, 12), FENCE, FENCE, FENCE, ECALL],
    "to data": [lui(5, DATA_BASE >> 12), jalr(1, 5, 0), ECALL],
    "wraps": [jalr(1, 0, -4), ECALL],
    "no instruction": [FENCE, EBREAK, ECALL],
    "no door": [immediate("addi", 17, 0, 9), ECALL],
    "doors one after the other": [
        immediate("addi", 17, 0, 1),
        ECALL,
        ECALL,
        ECALL,
        branch("bne", 10, 0, -12),
    ],
}


@pytest.mark.parametrize("name", JUMPS)
def test_jumps_and_doors(compare: Compare, name: str) -> None:
    _agree(
        compare,
        assembled(JUMPS[name]),
        *(Case(_with(x6=more)) for more in (0, 4, 20, 2, 2**32 - 8)),
    )


def test_code_that_stands_in_the_data_is_found(compare: Compare) -> None:
    code = [load("lw", 5, 10, 0), jalr(1, 5, 0), ECALL, *li(6, 77), ECALL]
    data = struct.pack("<I", CODE_BASE + 12)
    image = replace(assembled(code), data=data, static_size=STATIC)
    assert _agree(compare, image, Case(_with(x10=DATA_BASE))) > 500


def test_the_stack_meets_the_begin_of_memory(compare: Compare) -> None:
    code = [immediate("addi", 2, 2, -2048), store("sw", 5, 2, 0), store("sw", 5, 2, 4), jal(0, -12)]
    _agree(compare, replace(assembled(code), static_size=1020 * 1024), Case())
    _agree(compare, assembled(code), Case())


@pytest.mark.slow
def test_a_block_with_thousands_of_pointers_is_translated_as_any_other(compare: Compare) -> None:
    # Each addition makes a pointer whose two accesses are checked together; the load in between is
    # not.
    piece = [
        immediate("addi", 10, 10, 4),
        register("add", 10, 10, 6),
        store("sw", 5, 10, 0),
        load("lw", 5, 11, 0),
        store("sh", 5, 10, 6),
    ]
    image = replace(assembled([*piece * 500, ECALL]), static_size=STATIC)
    places = (BEGIN, END - 2004, END - 2000)
    _agree(compare, image, *(Case(_with(x10=place, x11=place)) for place in places))


# --- under the sanitizers -------------------------------------------------------------------------
@pytest.mark.slow
@settings(WILD, max_examples=5)
@given(wild())
def test_random_code_does_the_same_without_undefined_behaviour(tmp_path: Path, found: Wild) -> None:
    assert compare_sanitized(found.image, found.cases, tmp_path).difference == ""
