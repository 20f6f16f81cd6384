/*
 * probe.c - runs one machine to its first stop and shows all of it; takes the place of the engine's main.c.
 *
 * In:  int64 fuel, uint32 x[32], uint32 entry, code_size, data_size, static_size, then code, then data.
 * Out: uint32 stop, pc, fault_pc, fault_address, x[32], int64 fuel, then the memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static void take (void *to, size_t size)
{
  if (fread (to, 1, size, stdin) != size)
    exit (2);
}

static void show (const void *from, size_t size)
{
  if (fwrite (from, 1, size, stdout) != size)
    exit (3);
}

int main (void)
{
  static struct machine machine;
  static uint8_t code[CODE_LIMIT], data[MEMORY_SIZE];
  static struct op ops[CODE_LIMIT / 4 + 1];
  struct image image = { .code = code, .data = data, .ops = ops };
  uint32_t x[32];
  int64_t fuel;

  take (&fuel, sizeof fuel);
  take (x, sizeof x);
  take (&image.entry, 16);
  if (image_fault (&image))
    exit (4);
  take (code, image.code_size);
  take (data, image.data_size);
  decode (&image);
  reset (&machine, &image, fuel);
  memcpy (machine.x, x, sizeof x);
  uint32_t stop = image.run (&machine);
  show (&stop, sizeof stop);
  show (&machine.pc, 4);
  show (&machine.fault_pc, 4);
  show (&machine.fault_address, 4);
  show (machine.x, sizeof x);
  show (&machine.fuel, sizeof machine.fuel);
  show (machine.memory, sizeof machine.memory);
  return 0;
}
