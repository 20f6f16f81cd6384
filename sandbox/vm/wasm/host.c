/*
 * host.c - the engine as a WebAssembly module: a page puts bytes into its memory, calls, and takes bytes out.
 *
 * It stands for main.c, streams.c, lock.c and translation.c. The machine and the game are compiled from the very
 * files of the native engine; tools/check_page.py lists them. The bytes are those of batch.h and of the game's
 * orders, without chunks, frames and translations. The browser keeps the module in, so it needs no lock.
 *
 * Promises: the same batch and orders give the same answers as the native engine.
 * Fails: throws an error of the page, with a sentence. Then the module is of no use any more.
 */
#include <string.h>

#include "batch.h"
#include "game.h"
#include "read_image.h"

#define EXPORT(name) __attribute__ ((export_name (#name)))
#define PAGE_OF_WASM 65536u
#define ALIGNMENT 16u

/* Throws the sentence. */
__attribute__ ((import_module ("page"), import_name ("fail"), noreturn)) void page_fail (const char *why, size_t size);

extern uint8_t __heap_base;
static uintptr_t top; /* of the memory that is used */
static const uint8_t *input, *input_end;
static uint8_t *output, *output_end;
static struct image *images;
static uint32_t image_count;
static const struct game_hooks *game;

void fail (const char *why)
{
  page_fail (why, strlen (why));
}

/* Zeroed, as memory is when it is new: nothing is ever given back. */
EXPORT (allocate) void *allocate (size_t size)
{
  uintptr_t at = ((top ? top : (uintptr_t) &__heap_base) + ALIGNMENT - 1) & ~(uintptr_t) (ALIGNMENT - 1);
  size_t have = __builtin_wasm_memory_size (0) * PAGE_OF_WASM;
  if (size > UINT32_MAX - at - PAGE_OF_WASM)
    fail ("not enough memory");
  if (at + size > have) {
    size_t missing = (at + size - have + PAGE_OF_WASM - 1) / PAGE_OF_WASM;
    if (__builtin_wasm_memory_grow (0, missing) == (size_t) -1)
      fail ("not enough memory");
  }
  top = at + size;
  return (void *) at;
}

bool read_all_or_end (void *to, size_t size)
{
  if (input == input_end)
    return false;
  if ((size_t) (input_end - input) < size)
    fail ("the batch ends too early");
  memcpy (to, input, size);
  input += size;
  return true;
}

void read_all (void *to, size_t size)
{
  if (size > 0 && !read_all_or_end (to, size))
    fail ("the batch ends too early");
}

void answer (const void *from, size_t size)
{
  if ((size_t) (output_end - output) < size)
    fail ("there is no room for the answers");
  memcpy (output, from, size);
  output += size;
}

int engine_main (const struct game_hooks *of)
{
  game = of;
  return 0;
}

int main (void);

/* Reads the head of a batch, the rules and the images. Called once. */
EXPORT (open_batch) void open_batch (const uint8_t *bytes, size_t size)
{
  struct batch_head head;
  input = bytes;
  input_end = bytes + size;
  read_all (&head, sizeof head);
  if (head.magic != BATCH_MAGIC || head.fuel < 1 || head.images > MAX_IMAGES)
    fail ("this is no batch");
  main (); /* the game's, which names its functions */
  game->read_rules (head.fuel);
  image_count = head.images;
  images = allocate (image_count * sizeof *images);
  for (uint32_t i = 0; i < image_count; i++) {
    read_image (&images[i]);
    decode (&images[i]);
  }
}

/* Plays the games of these orders. Returns how many bytes were answered. */
EXPORT (play_orders) size_t play_orders (const uint8_t *orders, size_t size, uint8_t *answers, size_t room)
{
  input = orders;
  input_end = orders + size;
  output = answers;
  output_end = answers + room;
  while (input < input_end)
    game->play_order (images, image_count);
  return (size_t) (output - answers);
}
