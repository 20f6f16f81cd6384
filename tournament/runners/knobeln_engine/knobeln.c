/*
 * knobeln.c - the rules of the game, as they are applied to two machines.
 *
 * In each turn both seats run until they throw; only then are both throws looked at. So neither seat can know
 * more than the other, and the order of seats never shows: if both fail in one turn, both are charged. After L
 * throws the game is over and nobody runs any further.
 */
#include "knobeln.h"

#include <stddef.h>

#define DIGEST_START 0x6b6e6f62656c6e21u /* "knobeln!" */
#define DIGEST_FACTOR 0x9e3779b97f4a7c15u

/* digest = mix (digest xor both throws as one 64-bit number, seat 0 below); every step can be undone. */
static uint64_t mix (uint64_t digest, uint32_t first, uint32_t second)
{
  digest = (digest ^ (first | (uint64_t) second << 32)) * DIGEST_FACTOR;
  return digest ^ digest >> 32;
}

/* Runs one seat until it throws, or fails. */
static void await_throw (struct seat *seat)
{
  struct machine *machine = seat->machine;
  enum stop stop = machine->image->run (machine);
  while (stop == STOP_SEED)
    stop = store_words (machine, machine->x[REGISTER_A0], seat->stream) ? machine->image->run (machine)
                                                                        : STOP_WRITE;
  seat->throw_ = (int32_t) machine->x[REGISTER_A0];
  seat->fault = fault_of (stop, machine);
}

/* Is this throw within the range, and no drop from a series that is too short? */
static void judge (const struct rules *rules, struct seat *seat)
{
  if (seat->fault)
    return;
  if (seat->throw_ < rules->a || seat->throw_ > rules->b)
    seat->fault = FAULT_RANGE;
  else if (seat->throw_ >= seat->last)
    seat->series++;
  else if (seat->series >= rules->k)
    seat->series = 1;
  else
    seat->fault = FAULT_SERIES;
  if (!seat->fault)
    seat->last = seat->throw_;
}

static uint32_t log2_of (int32_t number)
{
  return 31u - (uint32_t) __builtin_clz ((uint32_t) number);
}

/* The higher throw wins, unless it is more than twice the lower; the winner gets log2 of its own throw. */
static void award (struct seat *one, struct seat *other)
{
  struct seat *high = one->throw_ > other->throw_ ? one : other;
  struct seat *low = high == one ? other : one;
  if (high->throw_ == low->throw_)
    return;
  struct seat *winner = high->throw_ - low->throw_ <= low->throw_ ? high : low;
  winner->points += log2_of (winner->throw_);
}

static void tell (struct seat *seat, const struct seat *opponent)
{
  seat->machine->x[REGISTER_A0] = (uint32_t) opponent->throw_;
}

static void sit_down (struct seat *seat, const struct rules *rules)
{
  seat->fault = FAULT_NONE;
  seat->throw_ = seat->last = rules->a;
  seat->series = seat->points = 0;
}

void play (struct game *game, int32_t *throws)
{
  struct seat *one = &game->seats[0], *other = &game->seats[1];
  game->digest = DIGEST_START;
  sit_down (one, game->rules);
  sit_down (other, game->rules);
  for (game->played = 0; game->played < game->rules->length; game->played++) {
    await_throw (one);
    await_throw (other);
    judge (game->rules, one);
    judge (game->rules, other);
    if (one->fault || other->fault)
      return;
    award (one, other);
    tell (one, other);
    tell (other, one);
    game->digest = mix (game->digest, (uint32_t) one->throw_, (uint32_t) other->throw_);
    if (throws) {
      throws[2 * game->played] = one->throw_;
      throws[2 * game->played + 1] = other->throw_;
    }
  }
}
