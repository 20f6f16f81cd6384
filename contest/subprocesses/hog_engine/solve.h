/* solve.h - the exact win rate of two Hog strategies against each other. */
#ifndef SOLVE_H
#define SOLVE_H

#include <stdint.h>

#define SCORES 300 /* no goal is higher, so no score that a strategy is asked about is 300 or more */
#define MAX_DICE 10

struct strategy {
  uint32_t goal;                  /* 1..SCORES */
  uint8_t dice[SCORES][SCORES];   /* [own score][opponent's score], 0..MAX_DICE; own score below goal */
};

/* Once, before the first win_rate. */
void prepare (void);

/* How often `first` wins when a fair coin says who begins. */
double win_rate (const struct strategy *first, const struct strategy *second);

#endif
