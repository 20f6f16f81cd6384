/*
 * main.c - the engine: reads the images, locks itself up, then plays chunks of games as they arrive until its
 * input ends.
 *
 * All memory is allocated and all translations are mapped before the lock; afterwards it only computes, reads
 * and writes. If the batch is malformed or the host does not let it work, it exits with 2 and a sentence on
 * standard error. That is never a player's fault: whatever programs do is in the results.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "batch.h"
#include "faults.h"
#include "game.h"
#include "lock.h"
#include "read_image.h"
#include "streams.h"
#include "translation.h"

void *allocate (size_t size)
{
  int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *memory = mmap (NULL, size + 1 /* 0 would be refused */, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory == MAP_FAILED)
    fail ("not enough memory");
  return memory;
}

static void read_translated_image (struct image *image)
{
  static char path[MAX_PATH + 1];
  uint32_t path_size = read_image (image);
  if (path_size > MAX_PATH)
    fail ("the path of a translation is too long");
  read_all (path, path_size);
  path[path_size] = '\0';
  if (path_size > 0)
    load_translation (image, path);
}

int engine_main (const struct game_hooks *game)
{
  struct batch_head head;
  struct chunk_head chunk;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  read_all (&head, sizeof head);
  if (head.magic != BATCH_MAGIC)
    fail ("this is no batch");
  if (head.fuel < 1)
    fail ("the limits are impossible");
  if (head.images > MAX_IMAGES)
    fail ("the batch is too large");
  game->read_rules (head.fuel);
  struct image *images = allocate (head.images * sizeof *images);
  for (uint32_t i = 0; i < head.images; i++)
    read_translated_image (&images[i]);
  const char *wrong = lock_up ();
  if (wrong)
    fail (wrong);

  for (uint32_t i = 0; i < head.images; i++)
    decode (&images[i]);
  while (read_all_or_end (&chunk, sizeof chunk)) {
    if (chunk.games > MAX_GAMES)
      fail ("the chunk is too large");
    for (uint32_t i = 0; i < chunk.games; i++)
      game->play_order (images, head.images);
    end_answer ();
  }
  _exit (0);
}
