/*
 * main.c - the engine: reads a batch of games, locks itself up, plays them, writes the results.
 *
 * All memory is allocated before the lock; afterwards there is nothing but computing, reading and writing.
 * Fails: exit 2 with a sentence on standard error when the batch is malformed or the computer does not let it
 * work. That is never a player's fault: whatever programs do is in the results.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "batch.h"
#include "knobeln.h"
#include "lock.h"

static void fail (const char *why)
{
  static const char name[] = "knobeln-engine: ";
  if (write (2, name, sizeof name - 1) < 0 || write (2, why, strlen (why)) < 0 || write (2, "\n", 1) < 0)
    _exit (3);
  _exit (2);
}

static void *allocate (size_t size)
{
  int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *memory = mmap (NULL, size + 1 /* 0 would be refused */, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory == MAP_FAILED)
    fail ("not enough memory");
  return memory;
}

static void read_all (void *to, size_t size)
{
  char *at = to;
  while (size > 0) {
    ssize_t count = read (0, at, size);
    if (count <= 0)
      fail ("the batch ends too early");
    at += count;
    size -= (size_t) count;
  }
}

static void write_all (const void *from, size_t size)
{
  const char *at = from;
  while (size > 0) {
    ssize_t count = write (1, at, size);
    if (count <= 0)
      fail ("nobody reads the results");
    at += count;
    size -= (size_t) count;
  }
}

static void check_head (const struct batch_head *head)
{
  if (head->magic != BATCH_MAGIC)
    fail ("this is no batch");
  if (head->a < 1 || head->b < head->a || head->b > 1 << 30 || head->k < 1)
    fail ("the rules are impossible");
  if (head->length < 1 || head->length > MAX_LENGTH || head->fuel < 1)
    fail ("the limits are impossible");
  if (head->images > MAX_IMAGES || head->games > MAX_GAMES)
    fail ("the batch is too large");
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
}

static void check_orders (const struct game_order *orders, const struct batch_head *head)
{
  for (uint32_t i = 0; i < head->games; i++)
    if (orders[i].images[0] >= head->images || orders[i].images[1] >= head->images)
      fail ("a game names an image that is not there");
}

static struct seat_record record_of (const struct game *game, const struct seat *seat)
{
  const struct machine *machine = seat->machine;
  return (struct seat_record) {
    .instructions = (uint64_t) (game->rules->fuel - machine->fuel),
    .points = game->played == game->rules->length ? seat->points : 0,
    .fault = seat->fault, .throw_ = seat->throw_, .last = seat->last, .series = seat->series,
    .pc = machine->fault_pc, .address = machine->fault_address, .memory = memory_used (machine),
  };
}

static void play_order (const struct game_order *order, const struct rules *rules, const struct image *images,
                        struct machine machines[2], int32_t *throws)
{
  struct game game = { .rules = rules };
  for (int i = 0; i < 2; i++) {
    game.seats[i].machine = &machines[i];
    memcpy (game.seats[i].stream, order->streams[i], sizeof order->streams[i]);
    reset (&machines[i], &images[order->images[i]], rules->fuel);
  }
  play (&game, order->with_throws ? throws : NULL);
  struct game_record record = {
    .digest = game.digest, .played = game.played, .throws = order->with_throws ? game.played : 0,
    .seats = { record_of (&game, &game.seats[0]), record_of (&game, &game.seats[1]) },
  };
  write_all (&record, sizeof record);
  write_all (throws, record.throws * 2 * sizeof *throws);
}

int main (void)
{
  static struct machine machines[2];
  struct batch_head head;
  prctl (PR_SET_PDEATHSIG, SIGKILL);

  read_all (&head, sizeof head);
  check_head (&head);
  struct image *images = allocate (head.images * sizeof *images);
  for (uint32_t i = 0; i < head.images; i++)
    read_image (&images[i]);
  struct game_order *orders = allocate (head.games * sizeof *orders);
  read_all (orders, head.games * sizeof *orders);
  check_orders (orders, &head);
  machines[0].memory = allocate (MEMORY_SIZE);
  machines[1].memory = allocate (MEMORY_SIZE);
  int32_t *throws = allocate (head.length * 2 * sizeof *throws);

  const char *wrong = lock_up ();
  if (wrong)
    fail (wrong);

  struct rules rules = { .a = head.a, .b = head.b, .k = head.k, .length = head.length, .fuel = head.fuel };
  for (uint32_t i = 0; i < head.images; i++)
    decode (&images[i]);
  for (uint32_t i = 0; i < head.games; i++)
    play_order (&orders[i], &rules, images, machines, throws);
  _exit (0);
}
