/*
 * compare.c - runs one image by the interpreter and by its translation, and compares everything at every stop.
 *
 * In:  uint32 entry, code_size, data_size, static_size, path_size; code, data, path of the translation;
 *      uint32 cases, then for each: int64 fuel, uint32 first instruction, uint32 stops, uint32 x[32].
 * Each case is run to a fault, to door 0 or to so many stops; then again with less fuel, for many amounts of it.
 * Out: a line "all instructions, those in native code" about the first runs; or, exit 1, what differs.
 * With -DLINKED the translation is compiled into this program, and the path is ignored.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translation.h"

#ifdef LINKED
enum stop translation (struct machine *machine);
#endif

struct start {
  int64_t fuel;
  uint32_t first, stops, x[32];
};

static struct machine plain, native;
static struct image plain_image, native_image;
static uint64_t now_native, all, in_native; /* of the runs with all their fuel */

static void take (void *to, size_t size)
{
  if (fread (to, 1, size, stdin) != size)
    exit (2);
}

static void differ (const char *form, ...)
{
  va_list arguments;
  va_start (arguments, form);
  vprintf (form, arguments);
  va_end (arguments);
  exit (1);
}

static enum stop run_native (void)
{
  int64_t before = native.fuel;
  enum stop stop = native_image.translation (&native);
  now_native += (uint64_t) (before - native.fuel);
  return stop == STOP_INTERPRET ? interpret (&native) : stop;
}

static void compare_numbers (const char *what, uint64_t one, uint64_t other)
{
  if (one != other)
    differ ("%s: %" PRIx64 " by the interpreter, %" PRIx64 " by the translation\n", what, one, other);
}

static void compare (enum stop one, enum stop other)
{
  char name[8];
  compare_numbers ("stop", one, other);
  compare_numbers ("pc", plain.pc, native.pc);
  compare_numbers ("fuel", (uint64_t) plain.fuel, (uint64_t) native.fuel);
  for (int i = 0; i < 32; i++) {
    snprintf (name, sizeof name, "x%d", i);
    compare_numbers (name, plain.x[i], native.x[i]);
  }
  if (one != STOP_THROW && one != STOP_SEED) {
    compare_numbers ("fault_pc", plain.fault_pc, native.fault_pc);
    compare_numbers ("fault_address", plain.fault_address, native.fault_address);
  }
  if (memcmp (plain.dirty, native.dirty, sizeof plain.dirty) != 0)
    differ ("the marks of written pages\n");
  if (memcmp (plain.memory, native.memory, sizeof plain.memory) != 0)
    differ ("the memory\n");
}

static void start (struct machine *machine, const struct image *image, const struct start *from, int64_t fuel)
{
  reset (machine, image, fuel);
  memcpy (machine->x, from->x, sizeof from->x);
  machine->x[0] = 0;
  machine->pc = from->first;
}

/* The instructions that were executed. */
static int64_t run_both (const struct start *from, int64_t fuel)
{
  static const uint8_t seed[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
  start (&plain, &plain_image, from, fuel);
  start (&native, &native_image, from, fuel);
  for (uint32_t i = 0; i < from->stops; i++) {
    enum stop stop = interpret (&plain);
    compare (stop, run_native ());
    if (stop == STOP_THROW)
      plain.x[REGISTER_A0] = native.x[REGISTER_A0] = plain.x[REGISTER_A0] * 2654435761u + i;
    else if (stop != STOP_SEED || !store_words (&plain, plain.x[REGISTER_A0], seed))
      break;
    else
      store_words (&native, native.x[REGISTER_A0], seed);
  }
  return fuel - plain.fuel;
}

static void run_case (const struct start *from)
{
  now_native = 0;
  int64_t executed = run_both (from, from->fuel);
  all += (uint64_t) executed;
  in_native += now_native;
  uint32_t chance = 1;
  for (int64_t fuel = 1; fuel < executed && fuel <= 48; fuel++)
    run_both (from, fuel);
  for (int i = 0; i < 16 && executed > 48; i++) {
    chance = chance * 1664525 + 1013904223;
    run_both (from, 1 + chance % (executed - 1));
  }
  if (executed > 1)
    run_both (from, executed - 1);
  if (executed > 0)
    run_both (from, executed);
}

static void read_images (void)
{
  static uint8_t code[CODE_LIMIT], data[MEMORY_SIZE];
  static struct op ops[CODE_LIMIT / 4 + 1], more_ops[CODE_LIMIT / 4 + 1];
  static char path[4097];
  uint32_t path_size;
  take (&plain_image, 16);
  take (&path_size, sizeof path_size);
  if (image_fault (&plain_image) || path_size >= sizeof path)
    exit (4);
  take (code, plain_image.code_size);
  take (data, plain_image.data_size);
  take (path, path_size);
  plain_image.code = code;
  plain_image.data = data;
  native_image = plain_image;
  plain_image.ops = ops;
  native_image.ops = more_ops;
#ifdef LINKED
  native_image.translation = translation;
#else
  if (!load_translation (&native_image, path))
    exit (5);
#endif
  decode (&plain_image);
  decode (&native_image);
}

int main (void)
{
  struct start from;
  uint32_t cases;
  read_images ();
  take (&cases, sizeof cases);
  while (cases-- > 0) {
    take (&from, sizeof from);
    run_case (&from);
  }
  printf ("%" PRIu64 " %" PRIu64 "\n", all, in_native);
  return 0;
}
