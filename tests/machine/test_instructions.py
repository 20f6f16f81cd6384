"""Every instruction of RV32IM against an independent RISC-V (unicorn), and the corners of our
own."""

import struct

import pytest
import unicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unicorn import riscv_const

from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE
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
    li,
    load,
    lui,
    register,
    shift,
    store,
)
from tests.support.machine_probe import Probe
from tests.support.machine_sequences import BEGIN, EDGES, END, STATIC
from tests.support.machine_sequences import words as word

# registers that hold addresses and are never written: code's end, low and high memory
BASES = (1, 2, 3)

any_register = st.integers(0, 31)
target = st.integers(0, 31).filter(lambda number: number not in BASES)
imm12 = st.integers(-2048, 2047)
upper = st.integers(0, 2**20 - 1)


def _aligned(size: int) -> st.SearchStrategy[int]:
    return st.integers(-2048 // size, 2047 // size).map(lambda n: n * size)


def _load(name: str) -> st.SearchStrategy[int]:
    return st.builds(load, st.just(name), target, st.sampled_from((2, 3)), _aligned(LOAD[name][1]))


def _store(name: str) -> st.SearchStrategy[int]:
    return st.builds(
        store, st.just(name), any_register, st.sampled_from((2, 3)), _aligned(STORE[name][1])
    )


straight = st.one_of(
    st.builds(register, st.sampled_from(sorted(REGISTER)), target, any_register, any_register),
    st.builds(immediate, st.sampled_from(sorted(IMMEDIATE)), target, any_register, imm12),
    st.builds(shift, st.sampled_from(sorted(SHIFT)), target, any_register, st.integers(0, 31)),
    st.sampled_from(sorted(LOAD)).flatmap(_load),
    st.sampled_from(sorted(STORE)).flatmap(_store),
    st.builds(lui, target, upper),
    st.builds(auipc, target, upper),
    st.just(FENCE),
)
ahead = st.integers(1, 6).map(lambda n: 4 * n)
jumping = st.one_of(
    st.builds(branch, st.sampled_from(sorted(BRANCH)), any_register, any_register, ahead),
    st.builds(jal, target, ahead),
    st.builds(jalr, target, st.just(1), st.integers(0, 5).map(lambda n: 4 * n + n % 2)),
)
sequences = st.lists(st.one_of(straight, straight, straight, jumping), min_size=1, max_size=60)


def _start(values: list[int], count: int) -> list[int]:
    x = [0, *values]
    x[1] = CODE_BASE + 4 * count  # behind the last instruction
    x[2], x[3] = BEGIN + 2048, DATA_BASE + STATIC - 2048
    return x


def _unicorn(words: list[int], x: list[int], memory: bytes) -> tuple[list[int], int, bytes]:
    """Registers, instructions executed and memory, when the end of the words is reached."""
    cpu = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    cpu.mem_map(CODE_BASE, 0x2000)
    cpu.mem_map(BEGIN, MEMORY_SIZE)
    cpu.mem_write(CODE_BASE, struct.pack(f"<{len(words)}I", *words))
    cpu.mem_write(DATA_BASE, memory)
    numbers = range(riscv_const.UC_RISCV_REG_X0, riscv_const.UC_RISCV_REG_X0 + 32)
    for number, value in zip(numbers, x, strict=True):
        cpu.reg_write(number, value)
    executed = []
    cpu.hook_add(unicorn.UC_HOOK_CODE, lambda *_: executed.append(1))
    cpu.emu_start(CODE_BASE, CODE_BASE + 4 * len(words), count=1000)
    return (
        [cpu.reg_read(number) for number in numbers],
        len(executed),
        cpu.mem_read(BEGIN, MEMORY_SIZE),
    )


@pytest.mark.slow
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    print_blob=True,
)
@given(sequences, st.lists(word, min_size=31, max_size=31), st.binary(min_size=64, max_size=STATIC))
def test_random_instructions_do_what_an_independent_machine_does(
    probe: Probe, words, values, data
) -> None:
    x = _start(values, len(words))
    # Jumps ahead may pass the end by a few instructions: nothing happens there, here as well as
    # there.
    padded = [*words, *[FENCE] * 6]
    x[1] = CODE_BASE + 4 * len(words)
    registers, executed, memory = _unicorn(padded, x, data)
    seen = probe([*padded, ECALL], x, data, STATIC)
    assert seen.stop in {"leave", "throw", "seed", "no door"}
    assert list(seen.x) == registers
    assert seen.executed == executed + 1
    assert seen.memory == memory


BINARY = [
    *[(name, a, b) for name in ("div", "divu", "rem", "remu") for a in EDGES for b in EDGES],
    *[(name, a, b) for name in ("mul", "mulh", "mulhsu", "mulhu") for a in EDGES for b in EDGES],
    *[(name, a, b) for name in ("sll", "srl", "sra", "slt", "sltu") for a in EDGES for b in EDGES],
]


def _signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _expected(name: str, a: int, b: int) -> int:
    """By the words of the RISC-V manual, in Python's unlimited integers."""
    sa, sb = _signed(a), _signed(b)
    results = {
        "div": lambda: _truncated(sa, sb) if b else -1,
        "divu": lambda: a // b if b else -1,
        "rem": lambda: sa - _truncated(sa, sb) * sb if b else a,
        "remu": lambda: a % b if b else a,
        "mul": lambda: a * b,
        "mulh": lambda: sa * sb >> 32,
        "mulhsu": lambda: sa * b >> 32,
        "mulhu": lambda: a * b >> 32,
        "sll": lambda: a << b % 32,
        "srl": lambda: a >> b % 32,
        "sra": lambda: sa >> b % 32,
        "slt": lambda: sa < sb,
        "sltu": lambda: a < b,
    }
    return int(results[name]()) & 0xFFFFFFFF


@pytest.mark.parametrize("name", sorted({name for name, _a, _b in BINARY}))
def test_edge_values_give_what_the_manual_says(probe: Probe, name: str) -> None:
    cases = [(a, b) for other, a, b in BINARY if other == name]
    words = [
        step
        for index, (a, b) in enumerate(cases)
        for step in (*li(5, a), *li(6, b), register(name, 7, 5, 6), store("sw", 7, 10, 4 * index))
    ]
    x = [0] * 32
    x[10] = DATA_BASE
    memory = probe([*words, ECALL], x).memory
    stored = struct.unpack_from(f"<{len(cases)}I", memory, DATA_BASE - BEGIN)
    assert list(stored) == [_expected(name, a, b) for a, b in cases]


def test_neither_a_result_nor_a_load_nor_a_jump_writes_to_x0(probe: Probe) -> None:
    seen = probe([*li(5, 7), register("add", 0, 5, 5), lui(0, 5), register("add", 6, 0, 0), ECALL])
    assert (seen.x[0], seen.x[6]) == (0, 0)
    code = [load("lw", 0, 2, 0), jal(0, 8), EBREAK, auipc(5, 0), jalr(0, 5, 8), ECALL]
    seen = probe(code, data=b"\xff" * 16)
    assert (seen.stop, seen.x[0], seen.executed) == ("leave", 0, 5)


@pytest.mark.parametrize(("offset", "landed"), [(8, 2), (9, 2), (12, 3), (13, 3)])
def test_a_jump_through_the_register_that_it_writes_goes_where_that_pointed(
    probe: Probe, offset: int, landed: int
) -> None:
    seen = probe([auipc(5, 0), jalr(5, 5, offset), ECALL, ECALL])
    assert (seen.stop, seen.x[5], seen.next_pc) == (
        "leave",
        CODE_BASE + 8,
        CODE_BASE + 4 * landed + 4,
    )


def test_a_jump_that_fails_leaves_its_register_as_it_was(probe: Probe) -> None:
    seen = probe([auipc(5, 0), jalr(5, 5, 11), ECALL, ECALL])  # only the lowest bit is dropped
    assert (seen.stop, seen.fault_address, seen.x[5]) == ("jump", CODE_BASE + 10, CODE_BASE)


def test_a_program_starts_with_nothing_but_its_stack_pointer(probe: Probe) -> None:
    assert probe([ECALL]).x == (0, 0, DATA_BASE, *[0] * 29)


NO_INSTRUCTIONS = {
    "all zeros": 0,
    "all ones": 0xFFFFFFFF,
    "ebreak": EBREAK,
    "uret": 0x00200073,
    "mret": 0x30200073,
    "wfi": 0x10500073,
    "ecall with a register": 0x000000F3,
    "csrrw": 0x30529073,
    "rdcycle": 0xC0002573,
    "fence.i": 0x0000100F,
    "fadd.s": 0x00B50553,
    "flw": 0x00052507,
    "amoadd.w": 0x00B5252F,
    "lwu": 0x00056503,
    "ld": 0x00053503,
    "sd": 0x00B53023,
    "addiw": 0x0015051B,
    "addw": 0x00B5053B,
    "slli by 32": 0x02051513,
    "srai with wrong bits": 0x60055513,
    "andn": 0x40B57533,
    "branch funct3 2": 0x00002063,
    "jalr funct3 1": 0x00001067,
    "compressed": 0x00010001,
}


@pytest.mark.parametrize("name", NO_INSTRUCTIONS)
def test_whatever_is_not_rv32im_is_no_instruction(probe: Probe, name: str) -> None:
    seen = probe([FENCE, NO_INSTRUCTIONS[name], ECALL])
    assert (seen.stop, seen.fault_pc, seen.fault_address) == (
        "illegal",
        CODE_BASE + 4,
        NO_INSTRUCTIONS[name],
    )
    assert seen.executed == 2


ACCESSES = [
    *[(load(name, 5, 10, 0), size, "read") for name, (_funct3, size) in LOAD.items()],
    *[(store(name, 5, 10, 0), size, "write") for name, (_funct3, size) in STORE.items()],
]


@pytest.mark.parametrize(("instruction", "size", "kind"), ACCESSES)
def test_accesses_end_where_the_memory_ends(
    probe: Probe, instruction: int, size: int, kind: str
) -> None:
    good = (BEGIN, END - size, BEGIN + 4 * size)
    outside = (BEGIN - size, BEGIN - 1, END, 0, CODE_BASE, 0xFFFFFFFF - size + 1)
    misaligned = [BEGIN + 64 + odd for odd in range(1, size)] + [
        END - odd for odd in range(1, size)
    ]
    x = [0] * 32
    for address in (*good, *outside, *misaligned):
        x[10] = address
        seen = probe([FENCE, instruction, ECALL], x)
        if address in good:
            assert seen.stop == "leave"
        else:
            assert (seen.stop, seen.fault_address, seen.fault_pc) == (kind, address, CODE_BASE + 4)
            assert seen.executed == 2
            assert seen.memory == bytes(MEMORY_SIZE)


JUMPS = {
    "jal misaligned": ([jal(1, 6)], CODE_BASE + 6),
    "jal before the code": ([jal(1, -4)], CODE_BASE - 4),
    "jal behind the code": ([jal(1, 12)], CODE_BASE + 12),
    "jal far away": ([jal(1, -(2**20))], (CODE_BASE - 2**20) % 2**32),
    "beq behind the code": ([branch("beq", 0, 0, 4094)], CODE_BASE + 4094),
    "beq before the code": ([branch("beq", 0, 0, -4)], CODE_BASE - 4),
    "beq misaligned": ([branch("beq", 0, 0, 6)], CODE_BASE + 6),
    "jalr to data": ([jalr(1, 2, 0)], DATA_BASE),
    "jalr to nowhere": ([jalr(1, 0, 0)], 0),
    "jalr misaligned": ([jalr(1, 10, 2)], 2),
    "jalr wraps": ([jalr(1, 0, -4)], 0xFFFFFFFC),
}


@pytest.mark.parametrize("name", JUMPS)
def test_a_jump_out_of_the_code_is_a_fault_of_the_jump(probe: Probe, name: str) -> None:
    words, address = JUMPS[name]
    seen = probe([*words, ECALL, ECALL])
    assert (seen.stop, seen.fault_pc, seen.fault_address) == ("jump", CODE_BASE, address)
    assert (seen.executed, seen.x[1]) == (1, 0)


@pytest.mark.parametrize("name", sorted(BRANCH))
@pytest.mark.parametrize("pair", [(0, 0), (1, 2), (2, 1), (0xFFFFFFFF, 1), (1, 0xFFFFFFFF)])
def test_a_branch_with_an_impossible_target_is_harmless_until_taken(
    probe: Probe, name: str, pair: tuple[int, ...]
) -> None:
    setup = [*li(5, pair[0]), *li(6, pair[1])]
    outside = probe([*setup, branch(name, 5, 6, 2046), ECALL])
    inside = probe([*setup, branch(name, 5, 6, 8), ECALL, FENCE, ECALL])
    assert (outside.stop == "jump") == (inside.next_pc == CODE_BASE + 4 * 8)


def test_running_past_the_end_of_the_code_is_a_fault_there(probe: Probe) -> None:
    seen = probe([FENCE, FENCE])
    assert (seen.stop, seen.fault_pc, seen.executed) == ("jump", CODE_BASE + 8, 2)


def test_fuel_is_exact_at_every_instruction(probe: Probe) -> None:
    # Three blocks: a loop of four instructions, run five times; a load; a fault in the middle of a
    # block.
    loop = [
        immediate("addi", 6, 6, 1),
        FENCE,
        immediate("addi", 5, 5, -1),
        branch("bne", 5, 0, -12),
    ]
    words = [immediate("addi", 5, 0, 5), *loop, FENCE, load("lw", 7, 0, 0), FENCE, ECALL]
    whole = probe(words)
    assert (whole.stop, whole.executed) == ("read", 1 + 5 * 4 + 2)
    for fuel in range(1, whole.executed):
        seen = probe(words, fuel=fuel)
        assert (seen.stop, seen.executed) == ("fuel", fuel)
        assert seen.x[6] == min(5, (fuel + 2) // 4)  # as many additions as there was fuel for
    assert probe(words, fuel=whole.executed) == whole


@pytest.mark.parametrize(
    ("number", "stop"), [(0, "leave"), (1, "throw"), (2, "seed"), (3, "no door")]
)
def test_the_doors(probe: Probe, number: int, stop: str) -> None:
    seen = probe([immediate("addi", 17, 0, number), ECALL])
    assert (seen.stop, seen.executed, seen.next_pc) == (stop, 2, CODE_BASE + 8)


def test_a_door_with_a_huge_number_does_not_exist(probe: Probe) -> None:
    seen = probe([*li(17, 0xFFFFFFFF), ECALL])
    assert (seen.stop, seen.fault_address) == ("no door", 0xFFFFFFFF)
