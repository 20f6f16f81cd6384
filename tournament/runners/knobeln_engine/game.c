/*
 * game.c - games of KNOBELN as the engine orders them: read one by one, played, answered. However many there
 * are, they need no memory.
 */
#include "game.h"

#include <string.h>

#include "knobeln.h"
#include "orders.h"
#include "protocol.h"
#include "streams.h"

static struct rules rules;
static int32_t *throws; /* of a game */
static char *lines;     /* the same as lines of a protocol */

static void read_rules (int64_t fuel)
{
  struct game_rules head;
  read_all (&head, sizeof head);
  if (head.a < 1 || head.b < head.a || head.b > 1 << 30 || head.k < 1)
    fail ("the rules are impossible");
  if (head.length < 1 || head.length > MAX_LENGTH)
    fail ("the limits are impossible");
  rules = (struct rules) { .a = head.a, .b = head.b, .k = head.k, .length = head.length, .fuel = fuel };
  throws = allocate (head.length * 2 * sizeof *throws);
  lines = allocate (head.length * THROWS_SIZE);
}

static struct seat_record record_of (const struct game *game, const struct seat *seat)
{
  const struct machine *machine = seat->machine;
  bool has_place = seat->fault >= FAULT_FUEL;
  return (struct seat_record) {
    .instructions = (uint64_t) (rules.fuel - machine->fuel),
    .points = game->played == rules.length ? seat->points : 0,
    .fault = seat->fault, .throw_ = seat->throw_, .last = seat->last, .series = seat->series,
    .pc = has_place ? machine->fault_pc : 0, .address = has_place ? machine->fault_address : 0,
    .memory = memory_used (machine),
  };
}

static void play_order (const struct image *images, uint32_t count)
{
  static struct machine machines[2];
  struct game_order order;
  read_all (&order, sizeof order);
  if (order.images[0] >= count || order.images[1] >= count)
    fail ("a game names an image that is not there");
  struct game game = { .rules = &rules };
  for (int i = 0; i < 2; i++) {
    game.seats[i].machine = &machines[i];
    memcpy (game.seats[i].stream, order.streams[i], sizeof order.streams[i]);
    reset (&machines[i], &images[order.images[i]], rules.fuel);
  }
  play (&game, order.with_throws ? throws : NULL);
  size_t size = order.with_throws ? write_throws (lines, throws, game.played) : 0;
  struct game_record record = {
    .digest = game.digest, .played = game.played, .lines = (uint32_t) size,
    .seats = { record_of (&game, &game.seats[0]), record_of (&game, &game.seats[1]) },
  };
  answer (&record, sizeof record);
  answer (lines, size);
}

int main (void)
{
  static const struct game_hooks knobeln = { read_rules, play_order };
  return engine_main (&knobeln);
}
