/*
 * native.h - the macros of the C code that translate.py writes.
 *
 * The program's registers are local variables x1 ... x31, and its memory is in `machine`; `at` is the number of
 * an instruction. Fuel is paid in advance at checkpoints, of which every loop has one: for the longest path to
 * the next checkpoint (flow.py). A shorter path gets the difference back. Whatever is not plain execution -
 * too little fuel, an access that would fault, a jump to a place without a label, an illegal instruction - is
 * GIVE_UP: it leaves the state before that instruction, and the interpreter goes on from there. So this code
 * need not know about faults.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include "translation.h"

#define RARELY(condition) __builtin_expect ((condition), 0)
#define SIGNED(value) ((int32_t) (value))

/* flat.ld places these. */
#define HEAD(entry, code_size, static_size) \
  const struct translation_head head __attribute__ ((section (".head"), used)) \
    = { TRANSLATION_MAGIC, entry, code_size, static_size }
#define TRANSLATION \
  enum stop translation (struct machine *machine) __attribute__ ((section (".text.start"))); \
  enum stop translation (struct machine *machine)

/* Before instruction `number`; `owed` instructions were paid for and are not executed here. */
#define GIVE_UP(number, owed) \
  do { \
    at = (number) | (uint64_t) (owed) << 32; \
    goto give_up; \
  } while (0)

/* At checkpoint `number`: pays for the longest path, `count` instructions, to the next checkpoint. */
#define PAY(number, count) \
  do { \
    fuel -= (count); \
    if (RARELY (fuel < 0)) \
      GIVE_UP (number, count); \
  } while (0)

/* To block `number`, whose longest path is `shorter` instructions shorter than what was paid for. */
#define GO_ON(number, shorter) \
  do { \
    fuel += (shorter); \
    goto L##number; \
  } while (0)

/* ecall. Only the service of throws is called from here. */
#define THROW(number, owed) \
  do { \
    if (x17 != STOP_THROW) \
      GIVE_UP (number, owed); \
    at = (number) + 1; \
    goto thrown; \
  } while (0)

#define LEAVE(stop) \
  do { \
    machine->fuel = fuel + (int64_t) (at >> 32); \
    machine->pc = (uint32_t) at; \
    return stop; \
  } while (0)

/* To the label of instruction `at`, which is at most COUNT; without one, to `elsewhere`, with nothing owed. */
#define GO goto *(&&elsewhere + labels[at])

static inline uint32_t rotate_right (uint32_t value, int by)
{
  return by == 0 ? value : value >> by | value << (32 - by);
}

/* The number of the instruction at an address; COUNT or more if there is none, or the address is odd. */
#define INSTRUCTION_AT(address) rotate_right ((address) - CODE_BASE, 2)

/* `offset`: from the start of memory. One test for both: outside, or misaligned. */
#define IS_BAD(offset, size) RARELY (((offset) & ~(MEMORY_SIZE - (size))) != 0)

/* Likewise for all accesses within `span` bytes from `offset` on; the widest has 1 << log bytes. */
#define IS_BAD_SPAN(offset, span, log) RARELY (rotate_right ((offset), (log)) > (MEMORY_SIZE - (span)) >> (log))

/*
 * The value at a pointer of the program's plus `distance`, which counts from the start of memory: the sum of some
 * immediate values minus `machine->begin`. The sum is of 64 bits, so it is one instruction of the processor, and
 * does not wrap like the program's own of 32 bits. After IS_BAD or IS_BAD_SPAN of the latter that makes no
 * difference. Let p be the pointer and d the sum of the immediate values. A program has up to 65,536
 * instructions, and an immediate value is from -2048 to 2047, so |d| <= 2^27. The check says that
 * v = (p + d) modulo 2^32 lies in the memory, so 2^28 - 2^20 <= v < 2^28 + 2^20. From 0 <= p < 2^32 follows
 * -2^27 <= p + d < 2^32 + 2^27. The only number there that is v modulo 2^32 is v: so p + d = v, and the place
 * is v - machine->begin bytes from the start of memory.
 */
#define AT(type, pointer, distance) \
  (*(type *) ((uintptr_t) machine->memory + (uint64_t) (pointer) + (uint64_t) (int64_t) (distance)))
#define WRITTEN(offset) (machine->dirty[(offset) / PAGE_SIZE] = 1)

static inline uint32_t divide (int32_t a, int32_t b)
{
  return (uint32_t) (b == 0 ? -1 : a == INT32_MIN && b == -1 ? INT32_MIN : a / b);
}

static inline uint32_t remainder_of (int32_t a, int32_t b)
{
  return (uint32_t) (b == 0 ? a : a == INT32_MIN && b == -1 ? 0 : a % b);
}

#endif
