/*
 * lanes.h - solves the states of a pair of strategies with vectors of LANES chances.
 *
 * solve.c includes it once for each width of vectors, and compiles it for processors that have them. It defines
 * LANES, and FROM_SECOND, the numbers from 1 to LANES.
 */
#include "states.h"

#define PASTE(name, lanes) name##_##lanes
#define NAMED(name, lanes) PASTE (name, lanes)
#define part NAMED (part, LANES)
#define places NAMED (places, LANES)
#define part_of NAMED (part_of, LANES)
#define mean NAMED (mean, LANES)
#define next_turn NAMED (next_turn, LANES)
#define replaced NAMED (replaced, LANES)
#define solve_state NAMED (solve_state, LANES)
#define solve NAMED (solve, LANES)
#define EACH_PART _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURNS; i += LANES)

typedef double part __attribute__ ((vector_size (LANES * sizeof (double)), may_alias));
typedef int64_t places __attribute__ ((vector_size (LANES * sizeof (int64_t))));

/* The chances for the turn numbers from `first` on, a multiple of LANES. */
INLINE part *part_of (struct by_turn *chances, uint32_t first)
{
  return (part *) (chances->turns + first);
}

/* The mean over the points of a turn. `at`: a part before it; STEP chances on, the own score is higher by 1. */
INLINE part mean (const part *at, uint32_t dice, uint32_t opponent)
{
  enum { STEP = sizeof (struct reached) / sizeof (part) };
  if (dice == 0)
    return at[picky_piggy (opponent) * STEP];
  const double *chance = chances[dice] + 2 * dice;
  const part *next = at + 2 * dice * STEP;
  part a = at[STEP] * chances[dice][1], b = next[0] * chance[0], c = { 0 }, d = { 0 };
  for (uint32_t i = 1; i <= 4 * dice; i += 4) {
    a += next[i * STEP] * chance[i];
    b += next[(i + 1) * STEP] * chance[i + 1];
    c += next[(i + 2) * STEP] * chance[i + 2];
    d += next[(i + 3) * STEP] * chance[i + 3];
  }
  return (a + b) + (c + d);
}

/* These chances without the first, and the first of `following`. */
INLINE part next_turn (part these, part following)
{
  return __builtin_shufflevector (these, following, FROM_SECOND);
}

/* These chances, but the one of `others` at this place. An index would go through memory, and wait for it. */
INLINE part replaced (part these, int64_t place, part others)
{
  places here;
  for (int lane = 0; lane < LANES; lane++)
    here[lane] = lane;
  here = here == place;
  return (part) ((here & (places) others) | (~here & (places) these));
}

/* Solves the states with the scores own : opponent in which `us` is to move. */
INLINE void solve_state (const struct side *us, const struct side *them, uint32_t own, uint32_t opponent)
{
  uint32_t dice = us->strategy->dice[own][opponent];
  struct reached *at = reached_at (us, own, opponent);
  struct by_turn *loses = &reached_at (them, opponent, own)->passed;
  part means[TURNS], wins[TURNS]; /* only each LANES-th is used */
  EACH_PART means[i] = mean (part_of (&at->passed, i), dice, opponent);
  EACH_PART wins[i] = next_turn (means[i], means[(i + LANES) % TURNS]);
  EACH_PART *part_of (&at->again, i) = wins[i];
  if (dice < TURNS) {
    uint32_t turn = (dice + 1) % TURNS; /* of the extra turn */
    part again = mean (part_of (&at->again, turn / LANES * LANES), dice, opponent);
    EACH_PART wins[i] = replaced (wins[i], (int64_t) dice - i, next_turn (again, again));
  }
  EACH_PART *part_of (loses, i) = 1 - wins[i];
}

static void solve (const struct side *p, const struct side *q)
{
  fill_wins (p, q);
  fill_wins (q, p);
  for (uint32_t end = q->strategy->goal, begin; end > 0; end = begin) {
    begin = end > STRIP ? end - STRIP : 0;
    for (uint32_t a = p->strategy->goal; a-- > 0;)
      for (uint32_t b = end; b-- > begin;)
        if (a == b && a > 0) {
          copy_hog_pile (p, a);
          copy_hog_pile (q, a);
        } else {
          solve_state (p, q, a, b);
          solve_state (q, p, b, a);
        }
  }
}

#undef part
#undef places
#undef part_of
#undef mean
#undef next_turn
#undef replaced
#undef solve_state
#undef solve
#undef LANES
#undef FROM_SECOND
