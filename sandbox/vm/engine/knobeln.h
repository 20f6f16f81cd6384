/*
 * knobeln.h - the referee: one game of KNOBELN between two machines.
 *
 * The same rules stand, for people and for tests, in contest/games/knobeln.py; both are checked against each
 * other by playing the same games.
 */
#ifndef KNOBELN_H
#define KNOBELN_H

#include "machine.h"

struct rules {
  int32_t a, b;     /* throws lie in a..b, 1 <= a <= b <= 2^30 */
  uint32_t k;       /* a series has at least this many throws */
  uint32_t length;  /* L, throws per game */
  int64_t fuel;     /* instructions per seat and game */
};

/* What a seat did that is forbidden. The numbers are part of the format of results. */
enum fault {
  FAULT_NONE,
  FAULT_RANGE,
  FAULT_SERIES,
  FAULT_FUEL,
  FAULT_LEFT,
  FAULT_DOOR,
  FAULT_STACK, /* a bad access while the stack pointer is outside the memory */
  FAULT_READ,
  FAULT_WRITE,
  FAULT_JUMP,
  FAULT_ILLEGAL
};

/* What a stop says about the program; FAULT_NONE for the doors of throws and seeds. */
enum fault fault_of (enum stop stop, const struct machine *machine);

struct seat {
  struct machine *machine;
  uint8_t stream[16]; /* what the seed door hands out */
  enum fault fault;
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
