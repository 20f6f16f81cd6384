/*
 * decode.c - decodes RV32IM words to `struct op`.
 *
 * It computes all that is known before a program runs: registers, immediate values, targets of jumps, and
 * which words are not instructions. For any 32 bits the result is an operation that the interpreter knows.
 */
#include <stddef.h>

#include "machine.h"
#include "operations_enum.h"

const char *image_fault (const struct image *image)
{
  uint32_t offset = image->entry - CODE_BASE;
  if (image->code_size == 0 || image->code_size % 4 != 0 || image->code_size > CODE_LIMIT)
    return "its code has an impossible size";
  if (offset % 4 != 0 || offset >= image->code_size)
    return "its entry is not in its code";
  if (image->static_size % 16 != 0 || image->static_size > MEMORY_SIZE - MIN_STACK)
    return "its static data has an impossible size";
  if (image->data_size > image->static_size)
    return "its data is larger than its static data";
  return NULL;
}

static uint32_t bits (uint32_t word, int high, int low)
{
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}

static int32_t extend (uint32_t value, int width)
{
  uint32_t sign = 1u << (width - 1);
  return (int32_t) ((value ^ sign) - sign);
}

static int32_t imm_store (uint32_t word)
{
  return extend (bits (word, 31, 25) << 5 | bits (word, 11, 7), 12);
}

static int32_t imm_branch (uint32_t word)
{
  return extend (bits (word, 31, 31) << 12 | bits (word, 7, 7) << 11 | bits (word, 30, 25) << 5
                     | bits (word, 11, 8) << 1, 13);
}

static int32_t imm_jal (uint32_t word)
{
  return extend (bits (word, 31, 31) << 20 | bits (word, 19, 12) << 12 | bits (word, 20, 20) << 11
                     | bits (word, 30, 21) << 1, 21);
}

static enum operation shift_right (uint32_t funct7, enum operation logical, enum operation arithmetic)
{
  return funct7 == 0 ? logical : funct7 == 0x20 ? arithmetic : OP_ILLEGAL;
}

static enum operation op_imm (uint32_t funct3, uint32_t funct7)
{
  static const uint8_t plain[8] = { OP_ADDI, OP_SLLI, OP_SLTI, OP_SLTIU, OP_XORI, OP_SRLI, OP_ORI, OP_ANDI };
  if (funct3 == 1 && funct7 != 0)
    return OP_ILLEGAL;
  return funct3 == 5 ? shift_right (funct7, OP_SRLI, OP_SRAI) : plain[funct3];
}

static enum operation op_register (uint32_t funct3, uint32_t funct7)
{
  static const uint8_t plain[8] = { OP_ADD, OP_SLL, OP_SLT, OP_SLTU, OP_XOR, OP_SRL, OP_OR, OP_AND };
  static const uint8_t times[8] = { OP_MUL, OP_MULH, OP_MULHSU, OP_MULHU, OP_DIV, OP_DIVU, OP_REM, OP_REMU };
  switch (funct7) {
    case 0: return plain[funct3];
    case 1: return times[funct3];
    case 0x20: return funct3 == 0 ? OP_SUB : funct3 == 5 ? OP_SRA : OP_ILLEGAL;
    default: return OP_ILLEGAL;
  }
}

static enum operation load (uint32_t funct3)
{
  static const uint8_t loads[8] = { OP_LB, OP_LH, OP_LW, OP_ILLEGAL, OP_LBU, OP_LHU, OP_ILLEGAL, OP_ILLEGAL };
  return loads[funct3];
}

static enum operation branch (uint32_t funct3)
{
  static const uint8_t all[8] = { OP_BEQ, OP_BNE, OP_ILLEGAL, OP_ILLEGAL, OP_BLT, OP_BGE, OP_BLTU, OP_BGEU };
  return all[funct3];
}

static struct op make (enum operation code, uint32_t word, int32_t imm)
{
  uint8_t rd = (uint8_t) bits (word, 11, 7);
  return (struct op) { .code = (uint8_t) code, .rd = rd == 0 ? NOWHERE : rd,
                       .rs1 = (uint8_t) bits (word, 19, 15), .rs2 = (uint8_t) bits (word, 24, 20),
                       .imm = imm };
}

/* A jump by `distance` bytes: imm becomes a distance in instructions, or the target if it is not code. */
static struct op jump (const struct image *image, uint32_t index, enum operation inside,
                       enum operation outside, uint32_t word, int32_t distance)
{
  uint32_t target = index * 4 + (uint32_t) distance;
  struct op op = make (inside, word, distance / 4);
  if (inside == OP_ILLEGAL || (target % 4 == 0 && target < image->code_size))
    return op;
  op.code = (uint8_t) outside;
  op.imm = (int32_t) (CODE_BASE + target);
  if (outside == OP_BRANCH_OUT)
    op.rd = (uint8_t) bits (word, 14, 12);
  return op;
}

static struct op decode_word (const struct image *image, uint32_t index, uint32_t word)
{
  uint32_t funct3 = bits (word, 14, 12), funct7 = bits (word, 31, 25);
  int32_t imm = (int32_t) word >> 20;
  int32_t upper = (int32_t) (word & 0xfffff000u);
  switch (word & 0x7f) {
    case 0x37: return make (OP_SET, word, upper);
    case 0x17: return make (OP_SET, word, (int32_t) (CODE_BASE + index * 4 + (uint32_t) upper));
    case 0x13: return make (op_imm (funct3, funct7), word, funct3 % 4 == 1 ? imm & 31 : imm);
    case 0x33: return make (op_register (funct3, funct7), word, 0);
    case 0x03: return make (load (funct3), word, imm);
    case 0x23: return make (funct3 <= 2 ? OP_SB + funct3 : OP_ILLEGAL, word, imm_store (word));
    case 0x63: return jump (image, index, branch (funct3), OP_BRANCH_OUT, word, imm_branch (word));
    case 0x6f: return jump (image, index, OP_JAL, OP_JAL_OUT, word, imm_jal (word));
    case 0x67: return make (funct3 == 0 ? OP_JALR : OP_ILLEGAL, word, imm);
    case 0x0f: return make (funct3 == 0 ? OP_NOTHING : OP_ILLEGAL, word, 0);
    case 0x73: return make (word == 0x73 ? OP_ECALL : OP_ILLEGAL, word, 0);
    default: return make (OP_ILLEGAL, word, 0);
  }
}

static uint32_t word_at (const uint8_t *bytes)
{
  return bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 | (uint32_t) bytes[3] << 24;
}

void decode (struct image *image)
{
  uint32_t count = image->code_size / 4;
  image->ops[count] = (struct op) { .code = OP_END_OF_CODE, .left = 0 };
  for (uint32_t i = count; i-- > 0;) {
    uint32_t word = word_at (image->code + 4 * i);
    struct op op = decode_word (image, i, word);
    if (op.code == OP_ILLEGAL)
      op.imm = (int32_t) word;
    op.left = op.code >= FIRST_JUMP ? 1 : image->ops[i + 1].left + 1;
    image->ops[i] = op;
  }
  if (!image->run)
    image->run = interpret;
}
