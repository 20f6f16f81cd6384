/*
 * main.c - the engine: reads the images, locks itself up, then plays chunks of games as they arrive until its
 * input ends; or runs one program by itself.
 *
 * All memory is allocated and all translations are mapped before the lock; afterwards it only computes, reads
 * and writes. If the batch is malformed or the host does not let it work, it exits with 2 and a sentence on
 * standard error. That is never a player's fault: whatever programs do is in the results.
 */
#include <signal.h>
#include <string.h>
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

static void lock_or_fail (void)
{
  const char *wrong = lock_up ();
  if (wrong)
    fail (wrong);
}

static void play_batch (const struct game_hooks *game)
{
  struct batch_head head = { .magic = BATCH_MAGIC };
  struct chunk_head chunk;

  if (!game)
    fail ("this engine was built without a game");
  read_all (&head.images, sizeof head - sizeof head.magic);
  if (head.fuel < 1)
    fail ("the limits are impossible");
  if (head.images > MAX_IMAGES)
    fail ("the batch is too large");
  game->read_rules (head.fuel);
  struct image *images = allocate (head.images * sizeof *images);
  for (uint32_t i = 0; i < head.images; i++)
    read_translated_image (&images[i]);
  lock_or_fail ();

  for (uint32_t i = 0; i < head.images; i++)
    decode (&images[i]);
  while (read_all_or_end (&chunk, sizeof chunk)) {
    if (chunk.games > MAX_GAMES)
      fail ("the chunk is too large");
    for (uint32_t i = 0; i < chunk.games; i++)
      game->play_order (images, head.images);
    end_answer ();
  }
}

/* Runs to the first stop but services: that of throws returns the throw itself, that of seeds returns 0. */
static enum fault run (struct machine *machine)
{
  static const uint8_t no_seed[16];
  enum stop stop;
  do {
    stop = machine->image->run (machine);
    if (stop == STOP_SEED && !store_words (machine, machine->x[REGISTER_A0], no_seed))
      stop = STOP_WRITE;
  } while (stop == STOP_THROW || stop == STOP_SEED);
  return fault_of (stop, machine);
}

static void run_program (void)
{
  static struct machine machine;
  static struct image image;
  struct run_head head = { .magic = RUN_MAGIC };

  read_all (&head.unused, sizeof head - sizeof head.magic);
  if (head.fuel < 1)
    fail ("the limits are impossible");
  read_translated_image (&image);
  lock_or_fail ();

  decode (&image);
  reset (&machine, &image, head.fuel);
  struct run_record record = { .fault = run (&machine) };
  record.instructions = (uint64_t) (head.fuel - machine.fuel);
  record.pc = machine.fault_pc;
  record.address = machine.fault_address;
  record.memory = memory_used (&machine);
  memcpy (record.x, machine.x, sizeof record.x);
  answer (&record, sizeof record);
  end_answer ();
}

int engine_main (const struct game_hooks *game)
{
  uint32_t magic;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  read_all (&magic, sizeof magic);
  if (magic == BATCH_MAGIC)
    play_batch (game);
  else if (magic == RUN_MAGIC)
    run_program ();
  else
    fail ("this is no batch");
  _exit (0);
}

__attribute__ ((weak)) int main (void)
{
  return engine_main (NULL);
}
