/*
 * main.c - the engine: reads the images, locks itself up, then plays chunks of games as they arrive until its
 * input ends; or runs one program by itself.
 *
 * It allocates all memory and maps all translations before the lock; afterwards it only computes, reads and
 * writes.
 * Fails: exit 2 with a sentence on standard error if the batch is malformed or the host does not let it work.
 * That is never a player's fault: errors of programs are in the results.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "batch.h"
#include "knobeln.h"
#include "lock.h"
#include "protocol.h"
#include "streams.h"
#include "translation.h"

static void *allocate (size_t size)
{
  int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *memory = mmap (NULL, size + 1 /* 0 would be refused */, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory == MAP_FAILED)
    fail ("not enough memory");
  return memory;
}

static void check_head (const struct batch_head *head)
{
  if (head->a < 1 || head->b < head->a || head->b > 1 << 30 || head->k < 1)
    fail ("the rules are impossible");
  if (head->length < 1 || head->length > MAX_LENGTH || head->fuel < 1)
    fail ("the limits are impossible");
  if (head->images > MAX_IMAGES)
    fail ("the batch is too large");
}

static void read_translation (struct image *image, uint32_t path_size)
{
  static char path[MAX_PATH + 1];
  if (path_size > MAX_PATH)
    fail ("the path of a translation is too long");
  read_all (path, path_size);
  path[path_size] = '\0';
  if (path_size > 0)
    load_translation (image, path);
}

static void read_image (struct image *image)
{
  struct image_head head;
  read_all (&head, sizeof head);
  *image = (struct image) { .entry = head.entry, .code_size = head.code_size, .data_size = head.data_size,
                            .static_size = head.static_size };
  const char *wrong = image_fault (image);
  if (wrong)
    fail (wrong);
  uint8_t *bytes = allocate (head.code_size + head.data_size);
  read_all (bytes, head.code_size + head.data_size);
  image->code = bytes;
  image->data = bytes + head.code_size;
  image->ops = allocate ((head.code_size / 4 + 1) * sizeof (struct op));
  read_translation (image, head.path_size);
}

static struct seat_record record_of (const struct game *game, const struct seat *seat)
{
  const struct machine *machine = seat->machine;
  bool has_place = seat->fault >= FAULT_FUEL;
  return (struct seat_record) {
    .instructions = (uint64_t) (game->rules->fuel - machine->fuel),
    .points = game->played == game->rules->length ? seat->points : 0,
    .fault = seat->fault, .throw_ = seat->throw_, .last = seat->last, .series = seat->series,
    .pc = has_place ? machine->fault_pc : 0, .address = has_place ? machine->fault_address : 0,
    .memory = memory_used (machine),
  };
}

/* Room for the throws of a game, and for them as lines. */
struct room {
  int32_t *throws;
  char *lines;
};

static void play_order (const struct game_order *order, const struct rules *rules, const struct image *images,
                        struct room room)
{
  static struct machine machines[2];
  struct game game = { .rules = rules };
  for (int i = 0; i < 2; i++) {
    game.seats[i].machine = &machines[i];
    memcpy (game.seats[i].stream, order->streams[i], sizeof order->streams[i]);
    reset (&machines[i], &images[order->images[i]], rules->fuel);
  }
  play (&game, order->with_throws ? room.throws : NULL);
  size_t lines = order->with_throws ? write_throws (room.lines, room.throws, game.played) : 0;
  struct game_record record = {
    .digest = game.digest, .played = game.played, .lines = (uint32_t) lines,
    .seats = { record_of (&game, &game.seats[0]), record_of (&game, &game.seats[1]) },
  };
  answer (&record, sizeof record);
  answer (room.lines, lines);
}

/* Games are read and played one by one, so any number of them needs no more memory. */
static void play_chunk (uint32_t games, const struct batch_head *head, const struct rules *rules,
                          const struct image *images, struct room room)
{
  struct game_order order;
  if (games > MAX_GAMES)
    fail ("the chunk is too large");
  for (uint32_t i = 0; i < games; i++) {
    read_all (&order, sizeof order);
    if (order.images[0] >= head->images || order.images[1] >= head->images)
      fail ("a game names an image that is not there");
    play_order (&order, rules, images, room);
  }
  end_answer ();
}

static void lock_or_fail (void)
{
  const char *wrong = lock_up ();
  if (wrong)
    fail (wrong);
}

static void play_batch (void)
{
  struct batch_head head = { .magic = BATCH_MAGIC };
  struct chunk_head chunk;

  read_all (&head.a, sizeof head - sizeof head.magic);
  check_head (&head);
  struct image *images = allocate (head.images * sizeof *images);
  for (uint32_t i = 0; i < head.images; i++)
    read_image (&images[i]);
  struct room room = { allocate (head.length * 2 * sizeof *room.throws), allocate (head.length * THROWS_SIZE) };
  lock_or_fail ();

  struct rules rules = { .a = head.a, .b = head.b, .k = head.k, .length = head.length, .fuel = head.fuel };
  for (uint32_t i = 0; i < head.images; i++)
    decode (&images[i]);
  while (read_all_or_end (&chunk, sizeof chunk))
    play_chunk (chunk.games, &head, &rules, images, room);
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
  read_image (&image);
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

int main (void)
{
  uint32_t magic;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  read_all (&magic, sizeof magic);
  if (magic == BATCH_MAGIC)
    play_batch ();
  else if (magic == RUN_MAGIC)
    run_program ();
  else
    fail ("this is no batch");
  _exit (0);
}
