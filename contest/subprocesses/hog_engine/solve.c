/*
 * solve.c - all states of a game of Hog between two strategies, from the end of the game backwards.
 *
 * A state is (own score, opponent's score, player to move, turn number mod 8, is this an extra turn). This is
 * fast, because:
 *
 * - The dice that a strategy rolls depend on the scores alone. So do the points, and all 8 turn numbers share one
 *   sum over the points, taken of vectors.
 * - An ordinary turn differs from an extra turn only if it earns an extra turn: for one turn number of the 8 at
 *   the most.
 * - Every turn is worth a point or more. A state with scores (own, opponent) leads to a higher own score; so if
 *   both scores fall, the successors of a state are always known already.
 * - A sum reads up to 61 neighbours. The states are solved in strips of a few scores of the second player, whose
 *   neighbours stay in the cache while the first player's score falls.
 * - Because of Hog Pile, no turn begins with equal scores but at 0:0. The cell of the scores (s, s) holds what
 *   they turn into, a copy of (2s, s); the cells beyond a goal hold a certain win. So the sums need no case
 *   distinction.
 *
 * The operations on numbers and their order are the same on every host, whatever its vectors are
 * (-ffp-contract=off): so are the results, to the last bit. lanes.h is compiled for each width of vectors, because
 * the compiler puts vectors that are wider than the processor's into memory, which takes four times as long.
 */
#include "solve.h"

#include "states.h"

#ifndef MAX_LANES
#define MAX_LANES 8 /* tests choose fewer */
#endif

/* `ways`: in how many ways dice without a 1 make each number of points; adds another die. */
static void add_die (uint32_t ways[MAX_POINTS + 1])
{
  for (int points = MAX_POINTS; points >= 0; points--) {
    ways[points] = 0;
    for (int face = 2; face <= SIDES && face <= points; face++)
      ways[points] += ways[points - face];
  }
}

void prepare (void)
{
  uint32_t ways[MAX_POINTS + 1] = { 1 }, all = 1, without_ones = 1;
  for (int dice = 1; dice <= MAX_DICE; dice++) {
    all *= SIDES;
    without_ones *= SIDES - 1;
    add_die (ways);
    for (int points = 0; points <= MAX_POINTS; points++)
      chances[dice][points] = (double) ways[points] / all;
    chances[dice][1] = (double) (all - without_ones) / all;
  }
}

#define LANES 2
#define FROM_SECOND 1, 2
#include "lanes.h"

#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target ("avx2")
#define LANES 4
#define FROM_SECOND 1, 2, 3, 4
#include "lanes.h"
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target ("avx512f")
#define LANES 8
#define FROM_SECOND 1, 2, 3, 4, 5, 6, 7, 8
#include "lanes.h"
#pragma GCC pop_options
#endif

static void solve (const struct side *p, const struct side *q)
{
#ifdef __x86_64__
  if (MAX_LANES >= 8 && __builtin_cpu_supports ("avx512f"))
    return solve_8 (p, q);
  if (MAX_LANES >= 4 && __builtin_cpu_supports ("avx2"))
    return solve_4 (p, q);
#endif
  solve_2 (p, q);
}

static uint32_t width_for (const struct strategy *strategy)
{
  return (strategy->goal + MAX_POINTS) | 1;
}

double win_rate (const struct strategy *first, const struct strategy *second)
{
  struct side p = { first, width_for (first), reached[0] };
  struct side q = { second, width_for (second), reached[1] };
  solve (&p, &q);
  /* The mean of two cases: `first` begins, or `second` begins. */
  double rate = 0.5 + (p.reached->passed.turns[0] - q.reached->passed.turns[0]) / 2;
  return rate < 0 ? 0 : rate > 1 ? 1 : rate; /* rounding may have gone a little too far */
}
