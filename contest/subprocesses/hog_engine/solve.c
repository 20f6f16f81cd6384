/*
 * solve.c - all states of a game of Hog between two strategies, from the end of the game backwards.
 *
 * A state is (own score, opponent's score, player to move, turn number mod 8, is this an extra turn). This is
 * fast, because:
 *
 * - The dice that a strategy rolls depend on the scores alone. So do the points, and all 8 turn numbers share one
 *   sum over the points, taken of vectors of 8 chances.
 * - An ordinary turn differs from an extra turn only if it earns an extra turn: for one turn number of the 8 at
 *   the most.
 * - Every turn is worth a point or more. A state with scores (own, opponent) leads to a higher own score; so with
 *   the first player's score falling in the outer loop and the second's in the inner loop, the successors of a
 *   state are always known already.
 * - Because of Hog Pile, no turn begins with equal scores but at 0:0. The cell of the scores (s, s) holds what
 *   they turn into, a copy of (2s, s); the cells beyond a goal hold a certain win. So the sums need no case
 *   distinction.
 *
 * The operations on numbers and their order are the same on every host, whatever its vectors are
 * (-ffp-contract=off): so are the results, to the last bit.
 */
#include "solve.h"

#include <string.h>

#define TURNS 8
#define SIDES 6
#define MAX_POINTS (SIDES * MAX_DICE)
#define WIDTH (SCORES + MAX_POINTS + 1)
#define INLINE static inline __attribute__ ((always_inline))

#ifndef FOR_EVERY_PROCESSOR
#if defined __x86_64__ && defined __GLIBC__
#define FOR_EVERY_PROCESSOR __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define FOR_EVERY_PROCESSOR
#endif
#endif

typedef double by_turn __attribute__ ((vector_size (TURNS * sizeof (double))));
typedef double four __attribute__ ((vector_size (4 * sizeof (double)), aligned (sizeof (double)), may_alias));

/* One player's chances, for a pair of goals. */
struct side {
  const struct strategy *strategy;
  uint32_t width, other_width; /* of the lines below: odd, so that they do not all share a part of the cache */
  by_turn *loses; /* [own score][opponent's score, other_width]: on an ordinary turn */
  double *wins;   /* [opponent's score][turn][own score, width]: on an extra turn */
};

static double chances[MAX_DICE + 1][MAX_POINTS + 1]; /* [dice][points], exact but for the one division */
static by_turn losing[2][SCORES * WIDTH];
static double winning[2][SCORES * TURNS * WIDTH];

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

static uint32_t picky_piggy (uint32_t opponent)
{
  static const uint8_t digits[] = { 1, 4, 2, 8, 5, 7 };
  return opponent == 0 ? 7 : digits[(opponent - 1) % 6];
}

/* The mean over the points of a roll. `at`: the state before it; its neighbours have higher scores. */
INLINE by_turn mean_by_turn (const by_turn *at, uint32_t dice)
{
  const double *chance = chances[dice] + 2 * dice;
  const by_turn *next = at + 2 * dice;
  by_turn a = at[1] * chances[dice][1], b = next[0] * chance[0], c = { 0 }, d = { 0 };
  for (uint32_t i = 1; i <= 4 * dice; i += 4) {
    a += next[i] * chance[i];
    b += next[i + 1] * chance[i + 1];
    c += next[i + 2] * chance[i + 2];
    d += next[i + 3] * chance[i + 3];
  }
  return (a + b) + (c + d);
}

/* The same for a single turn number. */
INLINE double mean (const double *at, uint32_t dice)
{
  const double *chance = chances[dice] + 2 * dice;
  const double *next = at + 2 * dice;
  four sum = { at[1] * chances[dice][1], next[0] * chance[0], 0, 0 };
  for (uint32_t i = 1; i <= 4 * dice; i += 4)
    sum += *(const four *) (next + i) * *(const four *) (chance + i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

INLINE double *extra_line (const struct side *side, uint32_t opponent, uint32_t turn)
{
  return side->wins + (opponent * TURNS + turn) * side->width;
}

INLINE by_turn *ordinary (const struct side *side, uint32_t own, uint32_t opponent)
{
  return side->loses + own * side->other_width + opponent;
}

/* Solves the states with the scores own : opponent in which `us` is to move. */
INLINE void solve_state (const struct side *us, const struct side *them, uint32_t own, uint32_t opponent)
{
  uint32_t dice = us->strategy->dice[own][opponent], points = picky_piggy (opponent);
  const by_turn *at = ordinary (them, opponent, own);
  by_turn next = dice == 0 ? at[points] : mean_by_turn (at, dice);
  by_turn wins = __builtin_shufflevector (next, next, 1, 2, 3, 4, 5, 6, 7, 0);
  for (uint32_t turn = 0; turn < TURNS; turn++)
    extra_line (us, opponent, turn)[own] = wins[turn];
  if (dice < TURNS) {
    const double *again = extra_line (us, opponent, (dice + 1) % TURNS) + own;
    wins[dice] = dice == 0 ? again[points] : mean (again, dice);
  }
  *ordinary (us, own, opponent) = 1 - wins;
}

/* Hog Pile: a player who reaches score : score gets 2 * score : score. */
INLINE void copy_hog_pile (const struct side *us, const struct side *them, uint32_t score)
{
  uint32_t doubled = 2 * score < us->width ? 2 * score : us->width - 1 /* a win, however high */;
  *ordinary (them, score, score) = *ordinary (them, score, doubled);
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    double *line = extra_line (us, score, turn);
    line[score] = line[doubled];
  }
}

/* Beyond its goal `us` has won, and `them`, as if it were to move, has lost. */
INLINE void fill_wins (const struct side *us, const struct side *them)
{
  by_turn certain = { 1, 1, 1, 1, 1, 1, 1, 1 };
  for (uint32_t opponent = 0; opponent < them->strategy->goal; opponent++)
    for (uint32_t own = us->strategy->goal; own < us->width; own++) {
      *ordinary (them, opponent, own) = certain;
      for (uint32_t turn = 0; turn < TURNS; turn++)
        extra_line (us, opponent, turn)[own] = 1;
    }
}

static uint32_t width_for (const struct strategy *strategy)
{
  return (strategy->goal + MAX_POINTS) | 1;
}

FOR_EVERY_PROCESSOR
double win_rate (const struct strategy *first, const struct strategy *second)
{
  uint32_t widths[2] = { width_for (first), width_for (second) };
  struct side p = { first, widths[0], widths[1], losing[0], winning[0] };
  struct side q = { second, widths[1], widths[0], losing[1], winning[1] };
  fill_wins (&p, &q);
  fill_wins (&q, &p);
  for (uint32_t a = first->goal; a-- > 0;)
    for (uint32_t b = second->goal; b-- > 0;)
      if (a == b && a > 0) {
        copy_hog_pile (&p, &q, a);
        copy_hog_pile (&q, &p, a);
      } else {
        solve_state (&p, &q, a, b);
        solve_state (&q, &p, b, a);
      }
  /* The mean of two cases: `first` begins, or `second` begins. */
  double rate = 0.5 + (q.loses[0][0] - p.loses[0][0]) / 2;
  return rate < 0 ? 0 : rate > 1 ? 1 : rate; /* rounding may have gone a little too far */
}
