"""Random images of long runs: most of their accesses and jumps are allowed, and some are not."""

import random
import struct
from collections.abc import Collection

from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image
from tests.support.machine_assembler import (
    BRANCH,
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
from tests.support.machine_sequences import A7, BEGIN, EDGES, POINTERS, STATIC, Wild

INSTRUCTIONS = 300
_PLACES = (BEGIN + MEMORY_SIZE // 2, BEGIN + STATIC, DATA_BASE)
_TARGETS = [number for number in range(32) if number not in POINTERS]
_RARE = (ECALL, 0, 0xFFFFFFFF, jal(0, 2), load("lw", 5, 5, 0))


def random_image(seed: int) -> Wild:
    """An image, and four starts in it."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable program, no secret
    code: list[int] = []
    while len(code) < INSTRUCTIONS:
        code += _instructions(chance)
    data = chance.randbytes(chance.choice((0, 64, STATIC)))
    packed = struct.pack(f"<{len(code)}I", *code)
    image = Image(CODE_BASE + 4 * chance.randrange(len(code)), packed, data, STATIC)
    return Wild(image, [_start(chance, len(code)) for _ in range(4)])


def _start(chance: random.Random, length: int) -> Case:
    x = [0] + [chance.choice((chance.choice(EDGES), chance.getrandbits(32))) for _ in range(31)]
    for number in POINTERS:
        x[number] = chance.choice(_PLACES)
    x[A7] = chance.randrange(4)
    return Case(x, fuel=chance.choice((4_000, 50)), first=chance.randrange(length), stops=6)


def _instructions(chance: random.Random) -> list[int]:
    """One instruction, or two that belong together."""
    target, one, other = chance.choice(_TARGETS), chance.randrange(32), chance.randrange(32)
    pointer, ahead = chance.choice(POINTERS), 4 * chance.randint(1, 12)

    def of(names: Collection[str]) -> str:
        return chance.choice(sorted(names))

    reading, writing = of(LOAD), of(STORE)
    number, place = chance.randint(-2048, 2047), chance.randrange(2**20)
    kinds: list[tuple[float, list[int]]] = [
        (30, [register(of(REGISTER), target, one, other)]),
        (15, [immediate(of(IMMEDIATE), target, one, number)]),
        (10, [shift(of(SHIFT), target, one, chance.randrange(32))]),
        (4, [lui(target, place)]),
        (4, [auipc(target, place)]),
        (15, [load(reading, target, pointer, _offset(chance, LOAD[reading][1]))]),
        (15, [store(writing, one, pointer, _offset(chance, STORE[writing][1]))]),
        (3, [immediate("addi", pointer, pointer, 4 * chance.randint(-64, 64))]),
        (12, [branch(of(BRANCH), one, other, ahead)]),
        (2, [branch(of(BRANCH), one, other, -ahead)]),
        (2, [jal(target, ahead)]),
        (2, [auipc(5, 0), jalr(1, 5, 8 + ahead)]),
        (1, [FENCE]),
        (0.4, [chance.choice(_RARE)]),
    ]
    ((_, code),) = chance.choices(kinds, [weight for weight, _ in kinds])
    return code


def _offset(chance: random.Random, size: int) -> int:
    return size * chance.randint(-2048 // size, 2047 // size)
