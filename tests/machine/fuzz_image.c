/*
 * fuzz_image.c - any bytes as an image: decoded and run, for a while, by the interpreter under the sanitizers.
 *
 * libFuzzer calls LLVMFuzzerTestOneInput (clang -fsanitize=fuzzer). With -DDRIVER there is a main of our own,
 * for computers without clang: fuzz_image SECONDS SEED FILE... changes the files by chance for so long, and runs
 * each as it is first.
 * Input: uint32 entry, static size, size of the data; the data; the rest is code. What the image cannot be is made
 * to fit, so that nearly every input runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define FUEL 20000
#define STOPS 50
#define LONGEST 65536u

static void must (bool holds, const char *what)
{
  if (holds)
    return;
  fprintf (stderr, "broken promise: %s\n", what);
  abort ();
}

static void run (const struct image *image)
{
  static struct machine machine;
  static const uint8_t seed[16] = { 255, 1 };
  reset (&machine, image, FUEL);
  for (int i = 0; i < STOPS; i++) {
    int64_t before = machine.fuel;
    enum stop stop = image->run (&machine);
    must (machine.x[0] == 0, "x0 is 0");
    must (machine.fuel >= 0 && machine.fuel <= before, "the fuel only falls, down to 0");
    must (machine.pc <= image->code_size / 4 + 1, "the program counter stays with the code");
    must (memory_used (&machine) <= MEMORY_SIZE, "no more memory is used than there is");
    if (stop == STOP_SEED && store_words (&machine, machine.x[REGISTER_A0], seed))
      continue;
    if (stop != STOP_THROW)
      break;
    machine.x[REGISTER_A0] += 7;
  }
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static struct op ops[LONGEST / 4 + 1];
  static struct image images[2]; /* a machine remembers the image that it ran last */
  static int turn;
  uint32_t head[3];
  if (size < sizeof head + 4 || size > LONGEST)
    return 0;
  memcpy (head, bytes, sizeof head);
  bytes += sizeof head;
  size -= sizeof head;
  uint32_t data_size = head[2] % (uint32_t) (size - 3);
  uint32_t code_size = (uint32_t) (size - data_size) & ~3u;
  uint32_t static_size = head[1] % (MEMORY_SIZE - MIN_STACK) & ~15u;
  if (static_size < data_size)
    static_size = (data_size + 15) & ~15u;
  struct image *image = &images[turn ^= 1];
  *image = (struct image) { .entry = CODE_BASE + head[0] % code_size / 4 * 4, .code_size = code_size,
                            .data_size = data_size, .static_size = static_size, .ops = ops };
  /* Exactly as large as it is: the sanitizer sees the first byte behind. */
  uint8_t *copy = malloc (data_size + code_size);
  memcpy (copy, bytes, data_size + code_size);
  image->data = copy;
  image->code = copy + data_size;
  must (image_fault (image) == NULL, "the image is possible");
  decode (image);
  run (image);
  free (copy);
  return 0;
}

#ifdef DRIVER
#include <time.h>

static uint64_t chance;

static uint32_t below (uint32_t bound)
{
  chance = chance * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t) (chance >> 33) % bound;
}

/* Some bits, some words of instructions, some pieces moved. */
static void change (uint8_t *bytes, size_t size)
{
  static const uint8_t opcodes[] = { 0x13, 0x33, 0x03, 0x23, 0x63, 0x6f, 0x67, 0x37, 0x17, 0x73 };
  for (uint32_t count = 1 + below (12); count > 0; count--) {
    uint32_t at = below ((uint32_t) size - 4);
    switch (below (4)) {
      case 0: bytes[at] ^= (uint8_t) (1u << below (8)); break;
      case 1: bytes[at] = (uint8_t) below (256); break;
      case 2: bytes[at & ~3u] = (uint8_t) (opcodes[below (sizeof opcodes)] | (bytes[at & ~3u] & 0x80)); break;
      default: memmove (bytes + at, bytes + below ((uint32_t) size - 4), 4); break;
    }
  }
}

static size_t contents (const char *path, uint8_t *to)
{
  FILE *file = fopen (path, "rb");
  if (!file)
    exit (2);
  size_t size = fread (to, 1, LONGEST, file);
  fclose (file);
  return size;
}

int main (int count, char **arguments)
{
  static uint8_t original[LONGEST], changed[LONGEST];
  unsigned long runs = 0;
  if (count < 4)
    return 2;
  time_t end = time (NULL) + atoi (arguments[1]);
  chance = (uint64_t) atoll (arguments[2]);
  do
    for (int i = 3; i < count; i++) {
      size_t size = contents (arguments[i], original);
      LLVMFuzzerTestOneInput (original, size);
      for (int tries = 0; tries < 50 && size > 16; tries++, runs++) {
        memcpy (changed, original, size);
        change (changed, size);
        LLVMFuzzerTestOneInput (changed, size);
      }
    }
  while (time (NULL) < end);
  printf ("%lu images\n", runs);
  return 0;
}
#endif
