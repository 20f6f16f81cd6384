"""Hypothesis strategies for code that does everything: jumps anywhere, accesses every edge, is no
code."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image
from tests.support.machine_assembler import (
    BRANCH,
    EBREAK,
    ECALL,
    FENCE,
    IMMEDIATE,
    LOAD,
    REGISTER,
    SHIFT,
    STORE,
    auipc,
    branch,
    immediate,
    jal,
    jalr,
    load,
    lui,
    register,
    shift,
    store,
)
from tests.support.machine_compare import Case

STATIC = 4096
BEGIN = DATA_BASE + STATIC - MEMORY_SIZE
END = BEGIN + MEMORY_SIZE
A7 = 17
POINTERS = (2, 8, 9, 10)  # registers that begin as addresses of memory
EDGES = (
    0,
    1,
    2,
    31,
    32,
    0x7FF,
    0x7FFFFFFF,
    0x80000000,
    0x80000001,
    0xFFFFF800,
    0xFFFFFFFE,
    0xFFFFFFFF,
)

words = st.one_of(st.sampled_from(EDGES), st.integers(0, 2**32 - 1))
_register = st.one_of(st.sampled_from(POINTERS), st.integers(0, 31))
_pointer = st.sampled_from(POINTERS)
_imm = st.integers(-2048, 2047)
_offset = st.one_of(st.integers(-16, 16).map(lambda n: 4 * n), st.integers(-2048, 2047))
_distance = st.one_of(
    st.integers(-12, 24).map(lambda n: 4 * n), st.integers(-40, 80).map(lambda n: 2 * n)
)

_computing = st.one_of(
    st.builds(register, st.sampled_from(sorted(REGISTER)), _register, _register, _register),
    st.builds(immediate, st.sampled_from(sorted(IMMEDIATE)), _register, _register, _imm),
    st.builds(shift, st.sampled_from(sorted(SHIFT)), _register, _register, st.integers(0, 31)),
    st.builds(
        lui, _register, st.one_of(st.just(0x10), st.just(0x10000), st.integers(0, 2**20 - 1))
    ),
    st.builds(auipc, _register, st.sampled_from((0, 1, 0xFFFFF))),
    st.just(FENCE),
)
_moving = st.one_of(
    st.builds(load, st.sampled_from(sorted(LOAD)), _register, _pointer, _offset),
    st.builds(store, st.sampled_from(sorted(STORE)), _register, _pointer, _offset),
    st.builds(immediate, st.just("addi"), _pointer, _pointer, _offset),
)
_jumping = st.one_of(
    st.builds(branch, st.sampled_from(sorted(BRANCH)), _register, _register, _distance),
    st.builds(jal, st.sampled_from((0, 1, 5)), _distance),
    st.builds(jalr, st.sampled_from((0, 1, 5)), st.sampled_from((1, 5)), st.integers(-8, 8)),
    st.builds(immediate, st.just("addi"), st.just(A7), st.just(0), st.integers(0, 3)),
    st.just(ECALL),
    st.one_of(st.just(EBREAK), words),
)
code = st.lists(st.one_of(_computing, _moving, _moving, _jumping), min_size=1, max_size=120)


@dataclass(frozen=True)
class Wild:
    """An image and starts in it."""

    image: Image
    cases: Sequence[Case]


@st.composite
def wild(draw: st.DrawFn) -> Wild:
    """Code whose data mention some of it, with pointers to everywhere in the memory and its
    edges."""
    found = draw(code)
    places = st.integers(0, len(found) - 1)
    addresses = [CODE_BASE + 4 * at for at in draw(st.lists(places, max_size=20))]
    data = struct.pack(f"<{len(addresses)}I", *addresses)
    near = st.sampled_from((BEGIN, DATA_BASE, END - 64, END, BEGIN + MEMORY_SIZE // 2))
    somewhere = st.builds(
        lambda base, more: base + more, near, st.integers(-9, 80).map(lambda n: 4 * n)
    )
    cases = []
    for _ in range(draw(st.integers(1, 4))):
        x = [0, *draw(st.lists(words, min_size=31, max_size=31))]
        for number in POINTERS:
            x[number] = draw(st.one_of(somewhere, somewhere, somewhere, words)) % 2**32
        x[1], x[5] = (CODE_BASE + 4 * draw(places) for _ in range(2))
        x[A7] = draw(st.integers(0, 3))
        cases.append(
            Case(x, fuel=draw(st.sampled_from((3_000, 100, 7))), first=draw(places), stops=6)
        )
    image = Image(
        CODE_BASE + 4 * draw(places), struct.pack(f"<{len(found)}I", *found), data, STATIC
    )
    return Wild(image, cases)
