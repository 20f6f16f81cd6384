/* solve.h - the exact win rate of two Hog strategies against each other. */
#ifndef SOLVE_H
#define SOLVE_H

#include <stdint.h>

#define SCORES 300 /* the highest goal; strategies are asked about lower scores only */
#define MAX_DICE 10

struct strategy {
  uint32_t goal;                  /* 1..SCORES */
  uint8_t dice[SCORES][SCORES];   /* [own score][opponent's score], 0..MAX_DICE; own score below goal */
};

/* Call it once, before the first win_rate. */
void prepare (void);

/* How often `first` wins if a fair coin decides who begins. */
double win_rate (const struct strategy *first, const struct strategy *second);

#endif
