/*
 * knobeln.h - the referee: one game of KNOBELN between two machines.
 *
 * contest/games/knobeln.py has the same rules for people and for tests. Tests check both against each other by
 * playing the same games.
 */
#ifndef KNOBELN_H
#define KNOBELN_H

#include "faults.h"

struct rules {
  int32_t a, b;     /* throws lie in a..b, 1 <= a <= b <= 2^30 */
  uint32_t k;       /* a series has at least this many throws */
  uint32_t length;  /* L, throws per game */
  int64_t fuel;     /* instructions per seat and game */
};

/* What a throw did that is forbidden; numbers that enum fault leaves to games. */
enum forbidden { FAULT_RANGE = 1, FAULT_SERIES = 2 };

struct seat {
  struct machine *machine;
  uint8_t stream[16]; /* what the seed door hands out */
  uint32_t fault;       /* enum fault, or enum forbidden */
  int32_t throw_, last; /* of this turn; of the turn before */
  uint32_t series;      /* throws in the running series */
  uint32_t points;
};

struct game {
  const struct rules *rules;
  struct seat seats[2];
  uint32_t played; /* throws that both made and that were legal */
  uint64_t digest; /* over those throws */
};

/*
 * Plays `game` to its end: L throws, or the first throw in which a seat fails. The seats bring their machine,
 * reset, and their stream; all else is set here. `throws` has room for 2 * L numbers, or is NULL.
 */
void play (struct game *game, int32_t *throws);

#endif
