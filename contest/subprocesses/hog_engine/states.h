/* states.h - the states of a pair of strategies, and what of the rules does not depend on the width of vectors. */
#ifndef STATES_H
#define STATES_H

#include "solve.h"

#define TURNS 8
#define SIDES 6
#define MAX_POINTS (SIDES * MAX_DICE)
#define WIDTH (SCORES + MAX_POINTS + 1)
#define STRIP 8
#define INLINE static inline __attribute__ ((always_inline))

struct by_turn {
  double turns[TURNS];
} __attribute__ ((aligned (TURNS * sizeof (double))));

/* The chances of a player to win who has just reached a score. */
struct reached {
  struct by_turn passed; /* if the opponent has the next turn, by the number of that turn */
  struct by_turn again;  /* if the player has an extra turn */
};

/* One player's chances, for a pair of goals. */
struct side {
  const struct strategy *strategy;
  uint32_t width;          /* of the lines: odd, so that they do not all share a part of the cache */
  struct reached *reached; /* [opponent's score][own score, width] */
};

static double chances[MAX_DICE + 1][MAX_POINTS + 1]; /* [dice][points], exact but for the one division */
static struct reached reached[2][SCORES * WIDTH];

static uint32_t picky_piggy (uint32_t opponent)
{
  static const uint8_t digits[] = { 1, 4, 2, 8, 5, 7 };
  return opponent == 0 ? 7 : digits[(opponent - 1) % 6];
}

INLINE struct reached *reached_at (const struct side *side, uint32_t own, uint32_t opponent)
{
  return side->reached + opponent * side->width + own;
}

/* Hog Pile: a player who reaches score : score gets 2 * score : score. */
INLINE void copy_hog_pile (const struct side *us, uint32_t score)
{
  uint32_t doubled = 2 * score < us->width ? 2 * score : us->width - 1 /* a win, however high */;
  *reached_at (us, score, score) = *reached_at (us, doubled, score);
}

/* Beyond its goal `us` has won. */
INLINE void fill_wins (const struct side *us, const struct side *them)
{
  static const struct by_turn certain = { { 1, 1, 1, 1, 1, 1, 1, 1 } };
  for (uint32_t opponent = 0; opponent < them->strategy->goal; opponent++)
    for (uint32_t own = us->strategy->goal; own < us->width; own++)
      *reached_at (us, own, opponent) = (struct reached) { certain, certain };
}

#endif
