/*
 * knobellib.c - the five routines that a KNOBELN strategy may call.
 *
 * Link your strategy with this file and run it alone, to play against it by hand:
 *     gcc -std=gnu89 -fno-builtin -o mystrategy mystrategy.c knobellib.c
 * Do NOT include this file into the program that you send: it would be rejected. In the contest the same
 * source is linked; only the two doors at its end, where throws and seeds come from, are other ones.
 */
typedef unsigned int word;              /* 32 bits, here and in the contest */

int knobeln_throw_door (int my_throw);  /* the two doors to the outside */
void knobeln_seed_door (word state[4]);

static word random_state[4];            /* the generator's memory, all 0 = not yet seeded */

/*
 * Seeds the random number generator. The seed comes from the referee and is different for every game and for
 * each of its two sides. To call it is good manners, but not necessary: the first next_random does it
 * otherwise. To call it again starts the same sequence anew. Returns 0.
 */
int init_random (void)
{
  knobeln_seed_door (random_state);
  if ((random_state[0] | random_state[1] | random_state[2] | random_state[3]) == 0)
    random_state[0] = 1;                /* the one state that never moves */
  return 0;
}

/* The next 32 random bits: George Marsaglia's xorshift with 128 bits of state (2003). */
static word random_word (void)
{
  word t, s;
  if ((random_state[0] | random_state[1] | random_state[2] | random_state[3]) == 0)
    init_random ();
  t = random_state[3];
  s = random_state[0];
  random_state[3] = random_state[2];
  random_state[2] = random_state[1];
  random_state[1] = s;
  t ^= t << 11;
  t ^= t >> 8;
  random_state[0] = t ^ s ^ (s >> 19);
  return random_state[0];
}

/* A random number in low..high, both included, each equally likely. If low > high, the two are swapped. */
int next_random (int low, int high)
{
  word range, number, rest;
  if (low > high) {
    int swap = low;
    low = high;
    high = swap;
  }
  range = (word) high - (word) low + 1; /* 0 stands for all 2^32 numbers */
  number = random_word ();
  if (range == 0)
    return (int) number;
  rest = number % range;
  while (number - rest > 0 - range) {   /* the incomplete last stretch would favour small numbers */
    number = random_word ();
    rest = number % range;
  }
  return (int) ((word) low + rest);
}

/* The logarithm to base 2, rounded down: log2 (1) is 0, log2 (12288) is 13. For number <= 0 it is 0. */
int log2 (int number)
{
  int result = 0;
  if (number <= 0)
    return 0;
  if (number >= 1 << 16) { number >>= 16; result += 16; }
  if (number >= 1 << 8) { number >>= 8; result += 8; }
  if (number >= 1 << 4) { number >>= 4; result += 4; }
  if (number >= 1 << 2) { number >>= 2; result += 2; }
  return number >= 2 ? result + 1 : result;
}

/*
 * ADDS the points of this one throw to *points1 and *points2 (set both to 0 once, before the game). Returns 1
 * or 2 for the side that won, or 0 for a tie. It checks neither the range of the throws nor the series.
 */
int count_points (int throw1, int throw2, int *points1, int *points2)
{
  int first_wins;
  if (throw1 == throw2)
    return 0;
  if (throw1 > throw2)                  /* the higher wins, unless it is more than twice the lower */
    first_wins = throw1 - throw2 <= throw2;
  else
    first_wins = throw2 - throw1 > throw1;
  if (first_wins)
    *points1 += log2 (throw1);
  else
    *points2 += log2 (throw2);
  return first_wins ? 1 : 2;
}

/*
 * Makes your next throw. Returns your opponent's throw, which was made at the same time. After the last throw
 * of the game it does not return: the game is over.
 */
int make_throw (int my_throw)
{
  return knobeln_throw_door (my_throw);
}

#ifndef KNOBELN_MACHINE                 /* the doors at home: the referee's pipes, or you at the keyboard */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int knobeln_throw_door (int my_throw)
{
  static int throws = 0, mine = 0, yours = 0;
  int by_hand = getenv ("KNOBELN_REFEREE") == 0, your_throw;
  throws++;
  if (by_hand)
    printf ("throw %d, your number: ", throws);
  else
    printf ("%d\n", my_throw);
  fflush (stdout);
  if (scanf ("%d", &your_throw) != 1) {
    if (by_hand)
      puts ("the end");
    exit (0);
  }
  if (by_hand) {
    count_points (my_throw, your_throw, &mine, &yours);
    printf ("  it has %d; points so far: %d for you, %d for it\n", my_throw, yours, mine);
  }
  return your_throw;
}

void knobeln_seed_door (word state[4])
{
  static word now = 0;
  char *seed = getenv ("KNOBELN_SEED"); /* four numbers, to play the same again; otherwise the clock */
  if (seed && sscanf (seed, "%u,%u,%u,%u", &state[0], &state[1], &state[2], &state[3]) == 4)
    return;
  if (now == 0)
    now = (word) time (0);
  state[0] = now;
  state[1] = state[2] = state[3] = 1;
}
#endif
