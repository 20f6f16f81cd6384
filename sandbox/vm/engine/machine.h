/*
 * machine.h - the contest machine: RV32IM, 1024 kB of memory, an instruction counter, three services by ecall.
 *
 * An `image` is a program, decoded once. A `machine` is one player with its registers and its memory. Any
 * number of machines may run one image. docs/machine.md describes the machine for those who write programs.
 *
 * Promises: a machine touches only its own memory and registers, whatever its program does. The same image
 * in the same state does the same, to the last instruction counted.
 * Fails: never. An error of a program ends its run with a `stop`.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* The memory map; the same numbers are in sandbox/vm/image.py. */
#define CODE_BASE 0x00010000u
#define CODE_LIMIT 0x00400000u /* maximum bytes of code */
#define DATA_BASE 0x10000000u
#define MEMORY_SIZE 0x00100000u
#define MIN_STACK 4096u

#define PAGE_SIZE 4096u
#define PAGES (MEMORY_SIZE / PAGE_SIZE)

enum { REGISTER_A0 = 10, REGISTER_A7 = 17, REGISTER_SP = 2, NOWHERE = 32 /* where writes to x0 go */ };

/* Why a machine has stopped. The first three are services by ecall; the machine can go on after them. */
enum stop {
  STOP_LEAVE,
  STOP_THROW, /* a0 holds the throw; put the answer there */
  STOP_SEED,  /* a0 holds an address for 16 bytes */
  STOP_NO_SERVICE,
  STOP_FUEL,
  STOP_READ, /* outside the memory, or misaligned; likewise the two below */
  STOP_WRITE,
  STOP_JUMP,
  STOP_ILLEGAL, /* not an instruction of RV32IM */
  STOP_INTERPRET /* by a translation only: the interpreter must go on from here */
};

/* A decoded instruction. `left` counts the instructions from this one to the next one that may jump. */
struct op {
  uint8_t code, rd, rs1, rs2;
  int32_t imm;
  uint32_t left;
  uint32_t unused;
};

struct machine;

struct image {
  uint32_t entry, code_size, data_size, static_size; /* bytes; entry is an address */
  const uint8_t *code, *data;
  struct op *ops;                      /* code_size / 4 + 1 of them: one after the end */
  enum stop (*run) (struct machine *); /* runs this image: interpret, or its translation */
  enum stop (*translation) (struct machine *); /* see translation.h; NULL without one */
};

struct machine {
  uint32_t x[33]; /* x[0] is always 0 */
  uint32_t pc;    /* index into ops of the next instruction */
  int64_t fuel;   /* instructions that may still be executed */
  uint32_t begin; /* address of the first byte of memory */
  uint32_t fault_pc, fault_address; /* set by the stops from STOP_NO_SERVICE on; the word for STOP_ILLEGAL */
  const struct image *image;
  uint8_t dirty[PAGES]; /* 1: written since the last reset */
  uint8_t memory[MEMORY_SIZE] __attribute__ ((aligned (PAGE_SIZE))); /* 0 before the first reset */
};

/* Checks what decode and reset rely on. NULL, or what is wrong with the sizes. */
const char *image_fault (const struct image *image);

/* Fills image->ops from image->code, and sets image->run to the interpreter unless it has a translation. */
void decode (struct image *image);

/* Brings the machine to this image's start state. Restores only the pages that the last run wrote. */
void reset (struct machine *machine, const struct image *image, int64_t fuel);

/* Runs until the next stop. This is the definition of the machine. */
enum stop interpret (struct machine *machine);

/* Writes 16 bytes into the machine's memory like four stores. False: a fault, described in the machine. */
bool store_words (struct machine *machine, uint32_t address, const uint8_t bytes[16]);

/* Bytes of static data and of stack pages written so far. */
uint32_t memory_used (const struct machine *machine);

/* Whether the stack pointer has left the memory, because the stack grew too far. */
bool stack_is_outside (const struct machine *machine);

#endif
