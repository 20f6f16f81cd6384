/*
 * main.c - the engine: reads the images, locks itself up, then plays portions of games as they come in, until
 * its input ends.
 *
 * All memory is allocated and all translations are mapped before the lock; afterwards there is nothing but
 * computing, reading and writing.
 * Fails: exit 2 with a sentence on standard error when the batch is malformed or the computer does not let it
 * work. That is never a player's fault: whatever programs do is in the results.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "batch.h"
#include "knobeln.h"
#include "lock.h"
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
  if (head->magic != BATCH_MAGIC)
    fail ("this is no batch");
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

static void play_order (const struct game_order *order, const struct rules *rules, const struct image *images,
                        int32_t *throws)
{
  static struct machine machines[2];
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
  answer (&record, sizeof record);
  answer (throws, record.throws * 2 * sizeof *throws);
}

/* The games are read and played one by one: however many there are, they need no memory. */
static void play_portion (uint32_t games, const struct batch_head *head, const struct rules *rules,
                          const struct image *images, int32_t *throws)
{
  struct game_order order;
  if (games > MAX_GAMES)
    fail ("the portion is too large");
  for (uint32_t i = 0; i < games; i++) {
    read_all (&order, sizeof order);
    if (order.images[0] >= head->images || order.images[1] >= head->images)
      fail ("a game names an image that is not there");
    play_order (&order, rules, images, throws);
  }
  end_answer ();
}

int main (void)
{
  struct batch_head head;
  struct portion_head portion;
  prctl (PR_SET_PDEATHSIG, SIGKILL);

  read_all (&head, sizeof head);
  check_head (&head);
  struct image *images = allocate (head.images * sizeof *images);
  for (uint32_t i = 0; i < head.images; i++)
    read_image (&images[i]);
  int32_t *throws = allocate (head.length * 2 * sizeof *throws);

  const char *wrong = lock_up ();
  if (wrong)
    fail (wrong);

  for (uint32_t i = 0; i < head.images; i++)
    decode (&images[i]);
  struct rules rules = { .a = head.a, .b = head.b, .k = head.k, .length = head.length, .fuel = head.fuel };
  while (read_all_or_end (&portion, sizeof portion))
    play_portion (portion.games, &head, &rules, images, throws);
  _exit (0);
}
