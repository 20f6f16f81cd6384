"""Instructions as words, by the formats of the RISC-V manual; written without a look at the
decoder."""


def _r(opcode: int, funct3: int, funct7: int, rd: int, rs1: int, rs2: int) -> int:
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def _i(opcode: int, funct3: int, rd: int, rs1: int, imm: int) -> int:
    return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


# name -> (funct3, funct7)
REGISTER = {
    "add": (0, 0),
    "sub": (0, 32),
    "sll": (1, 0),
    "slt": (2, 0),
    "sltu": (3, 0),
    "xor": (4, 0),
    "srl": (5, 0),
    "sra": (5, 32),
    "or": (6, 0),
    "and": (7, 0),
    "mul": (0, 1),
    "mulh": (1, 1),
    "mulhsu": (2, 1),
    "mulhu": (3, 1),
    "div": (4, 1),
    "divu": (5, 1),
    "rem": (6, 1),
    "remu": (7, 1),
}
IMMEDIATE = {"addi": 0, "slti": 2, "sltiu": 3, "xori": 4, "ori": 6, "andi": 7}
SHIFT = {"slli": (1, 0), "srli": (5, 0), "srai": (5, 32)}
LOAD = {"lb": (0, 1), "lh": (1, 2), "lw": (2, 4), "lbu": (4, 1), "lhu": (5, 2)}  # with the size
STORE = {"sb": (0, 1), "sh": (1, 2), "sw": (2, 4)}
BRANCH = {"beq": 0, "bne": 1, "blt": 4, "bge": 5, "bltu": 6, "bgeu": 7}

ECALL = 0x00000073
EBREAK = 0x00100073
FENCE = 0x0FF0000F


def register(name: str, rd: int, rs1: int, rs2: int) -> int:
    funct3, funct7 = REGISTER[name]
    return _r(0x33, funct3, funct7, rd, rs1, rs2)


def immediate(name: str, rd: int, rs1: int, imm: int) -> int:
    return _i(0x13, IMMEDIATE[name], rd, rs1, imm)


def shift(name: str, rd: int, rs1: int, amount: int) -> int:
    funct3, funct7 = SHIFT[name]
    return _r(0x13, funct3, funct7, rd, rs1, amount)


def load(name: str, rd: int, base: int, offset: int) -> int:
    return _i(0x03, LOAD[name][0], rd, base, offset)


def store(name: str, value: int, base: int, offset: int) -> int:
    return _r(0x23, STORE[name][0], offset >> 5 & 0x7F, offset & 0x1F, base, value)


def branch(name: str, rs1: int, rs2: int, offset: int) -> int:
    high = (offset >> 12 & 1) << 6 | offset >> 5 & 0x3F
    return _r(0x63, BRANCH[name], high, offset & 0x1E | offset >> 11 & 1, rs1, rs2)


def jal(rd: int, offset: int) -> int:
    bits = (
        (offset >> 20 & 1) << 19
        | (offset >> 1 & 0x3FF) << 9
        | (offset >> 11 & 1) << 8
        | offset >> 12 & 0xFF
    )
    return bits << 12 | rd << 7 | 0x6F


def jalr(rd: int, base: int, offset: int) -> int:
    return _i(0x67, 0, rd, base, offset)


def lui(rd: int, upper: int) -> int:
    return (upper & 0xFFFFF) << 12 | rd << 7 | 0x37


def auipc(rd: int, upper: int) -> int:
    return (upper & 0xFFFFF) << 12 | rd << 7 | 0x17


def li(rd: int, value: int) -> list[int]:
    """Two instructions that put any 32-bit value into a register."""
    low = (value & 0xFFF) - (value & 0x800) * 2
    return [lui(rd, (value - low) >> 12), immediate("addi", rd, rd, low)]
