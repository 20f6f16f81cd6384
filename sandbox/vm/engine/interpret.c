/*
 * interpret.c - the definition of the contest machine: what each instruction does.
 *
 * There is one label per operation, and each jumps straight to the next (gcc's computed goto). Fuel is paid per
 * block: entering a block pays for all of it, and a fault in its middle pays back the rest, so the counter is
 * exact at every stop. If the fuel ends inside a block, OUT_OF_FUEL replaces the operation at that place for
 * the rest of this run. A faulting instruction counts as executed.
 *
 * Promises: at every stop the machine's registers, pc, fuel and fault are as if instructions had been
 * executed one by one.
 */
#include <stddef.h>

#include "machine.h"
#include "operations_enum.h"

static inline uint32_t rotate_right (uint32_t value, int by)
{
  return value >> by | value << (32 - by);
}

static int32_t divide (int32_t a, int32_t b)
{
  return b == 0 ? -1 : a == INT32_MIN && b == -1 ? INT32_MIN : a / b;
}

static int32_t remainder_of (int32_t a, int32_t b)
{
  return b == 0 ? a : a == INT32_MIN && b == -1 ? 0 : a % b;
}

static bool branches (int funct3, uint32_t a, uint32_t b)
{
  bool less = funct3 & 2 ? a < b : (int32_t) a < (int32_t) b;
  bool holds = funct3 & 4 ? less : a == b;
  return holds != (funct3 & 1);
}

/* The service with the number in a7. */
static enum stop service (uint32_t number)
{
  return number <= STOP_SEED ? (enum stop) number : STOP_NO_SERVICE;
}

enum stop interpret (struct machine *machine)
{
  static const void *const labels[] = {
#define OPERATION(name) &&name,
#define JUMPS(name) &&name,
#include "operations.h"
#undef OPERATION
#undef JUMPS
  };
  const struct image *const image = machine->image;
  uint32_t *const x = machine->x;
  uint8_t *const memory = machine->memory;
  uint8_t *const dirty = machine->dirty;
  const uint32_t begin = machine->begin;
  const struct op *op = image->ops + machine->pc;
  int64_t fuel = machine->fuel;
  struct op *patched = NULL, saved;
  enum stop stop;
  uint32_t at, address;

#define RD x[op->rd]
#define A x[op->rs1]
#define B x[op->rs2]
#define SA ((int32_t) A)
#define SB_ ((int32_t) B) /* SB is an operation */
#define IMM op->imm
#define GO goto *labels[op->code]
/* NEXT: go on within a block. PAY: enter a block at any place, paying op->left instructions at once. */
#define NEXT do { op++; GO; } while (0)
#define PAY do { if (__builtin_expect ((fuel -= op->left) < 0, 0)) goto low_fuel; GO; } while (0)
#define RESULT(value) do { RD = (uint32_t) (value); NEXT; } while (0)
#define BRANCH(condition) do { op += (condition) ? IMM : 1; PAY; } while (0)
/* An access by its address. `at` becomes the index in units of the access, from the begin of memory on.
   Misaligned bits turn to the top: one compare sees all. */
#define LOCATE(unit, log, fault) \
  do { \
    address = A + (uint32_t) IMM; \
    at = log == 0 ? address - begin : rotate_right (address - begin, log); \
    if (__builtin_expect (at >= MEMORY_SIZE / sizeof (unit), 0)) \
      goto fault; \
  } while (0)
#define LOAD(unit, log) do { LOCATE (unit, log, bad_read); RESULT (((const unit *) memory)[at]); } while (0)
#define STORE(unit, log) \
  do { \
    LOCATE (unit, log, bad_write); \
    ((unit *) memory)[at] = (unit) B; \
    dirty[at >> (12 - log)] = 1; \
    NEXT; \
  } while (0)

  PAY;

SET: RESULT (IMM);
ADDI: RESULT (A + (uint32_t) IMM);
SLTI: RESULT (SA < IMM);
SLTIU: RESULT (A < (uint32_t) IMM);
XORI: RESULT (A ^ (uint32_t) IMM);
ORI: RESULT (A | (uint32_t) IMM);
ANDI: RESULT (A & (uint32_t) IMM);
SLLI: RESULT (A << IMM);
SRLI: RESULT (A >> IMM);
SRAI: RESULT (SA >> IMM);
ADD: RESULT (A + B);
SUB: RESULT (A - B);
SLL: RESULT (A << (B & 31));
SLT: RESULT (SA < SB_);
SLTU: RESULT (A < B);
XOR: RESULT (A ^ B);
SRL: RESULT (A >> (B & 31));
SRA: RESULT (SA >> (B & 31));
OR: RESULT (A | B);
AND: RESULT (A & B);
MUL: RESULT (A * B);
MULH: RESULT ((int64_t) SA * SB_ >> 32);
MULHSU: RESULT ((int64_t) SA * (int64_t) B >> 32);
MULHU: RESULT ((uint64_t) A * B >> 32);
DIV: RESULT (divide (SA, SB_));
DIVU: RESULT (B == 0 ? UINT32_MAX : A / B);
REM: RESULT (remainder_of (SA, SB_));
REMU: RESULT (B == 0 ? A : A % B);
LB: LOAD (int8_t, 0);
LH: LOAD (int16_t, 1);
LW: LOAD (uint32_t, 2);
LBU: LOAD (uint8_t, 0);
LHU: LOAD (uint16_t, 1);
SB: STORE (uint8_t, 0);
SH: STORE (uint16_t, 1);
SW: STORE (uint32_t, 2);
NOTHING: NEXT;
BEQ: BRANCH (A == B);
BNE: BRANCH (A != B);
BLT: BRANCH (SA < SB_);
BGE: BRANCH (SA >= SB_);
BLTU: BRANCH (A < B);
BGEU: BRANCH (A >= B);
JAL:
  RD = CODE_BASE + 4 * (uint32_t) (op - image->ops) + 4;
  op += IMM;
  PAY;
JALR:
  address = (A + (uint32_t) IMM) & ~1u;
  at = rotate_right (address - CODE_BASE, 2);
  if (__builtin_expect (at >= image->code_size / 4, 0))
    goto bad_jump;
  RD = CODE_BASE + 4 * (uint32_t) (op - image->ops) + 4;
  op = image->ops + at;
  PAY;
BRANCH_OUT:
  if (!branches (op->rd, A, B)) {
    op++;
    PAY;
  }
  /* fall through */
JAL_OUT:
  address = (uint32_t) IMM;
  goto bad_jump;
ECALL:
  stop = service (x[REGISTER_A7]);
  address = x[REGISTER_A7];
  goto rest;
ILLEGAL:
  stop = STOP_ILLEGAL;
  address = (uint32_t) IMM;
  goto rest;
END_OF_CODE:
  stop = STOP_JUMP;
  address = CODE_BASE + image->code_size;
  fuel++; /* nothing was executed here */
  goto rest;
OUT_OF_FUEL:
  stop = STOP_FUEL;
  address = 0;
  fuel++;
  goto rest;

low_fuel:
  /* There is fuel for fuel + op->left instructions of this block; the next one after them becomes OUT_OF_FUEL.
     (Found from image->ops, as `op` is only read.) Fuel stays negative up to `rest`, which pays back. */
  patched = image->ops + (op - image->ops) + (fuel + op->left);
  saved = *patched;
  patched->code = OP_OUT_OF_FUEL;
  GO;

bad_read:
  stop = STOP_READ;
  goto rest;
bad_write:
  stop = STOP_WRITE;
  goto rest;
bad_jump:
  stop = STOP_JUMP;

rest: /* after this instruction; pays back those of its block that come later and are not executed */
  machine->fuel = fuel + (int64_t) op->left - 1;
  machine->pc = (uint32_t) (op - image->ops) + 1;
  machine->fault_pc = CODE_BASE + 4 * (machine->pc - 1);
  machine->fault_address = address;
  if (patched)
    *patched = saved;
  return stop;
}
