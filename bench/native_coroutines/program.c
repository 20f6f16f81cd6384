/*
 * program.c - a strategy and its library as one of the two programs; compiled once for each seat.
 *
 * -DSEAT=0 -DNAME(x)=first_##x, and the same for seat 1: each seat has its own copy of everything.
 */
#include "coroutines.h"

#define main NAME (main)
#define init_random NAME (init_random)
#define log2 NAME (log2)
#define next_random NAME (next_random)
#define make_throw NAME (make_throw)
#define count_points NAME (count_points)
#define knobeln_throw_door NAME (throw_door)
#define knobeln_seed_door NAME (seed_door)

#define KNOBELN_MACHINE
#include "../../knobellib/knobellib.c"
#include STRATEGY


int knobeln_throw_door (my_throw)
int my_throw;
{
  return throw_from (SEAT, my_throw);
}

void knobeln_seed_door (state)
word state[4];
{
  seed_for (SEAT, state);
}
