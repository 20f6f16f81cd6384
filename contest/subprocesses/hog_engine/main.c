/*
 * main.c - reads requests on standard input: strategies and pairs of them; answers how often the first of each
 * pair wins.
 *
 * Numbers are little endian. In: head; for each strategy its goal (uint32) and the dice of all scores below it
 * (goal rows of SCORES bytes); the pairs (two uint32, numbers of strategies). Out: a double for each pair, in
 * frames: their length in bytes (uint32), and this many bytes; an empty frame ends the answer.
 * contest/subprocesses/hog_solver.py writes the input and reads the output. No foreign program runs here: a
 * strategy is a table.
 *
 * Fails: exit 2 with a sentence on standard error if the request is malformed or there is not enough memory.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "solve.h"

#define MAGIC 0x31474f48u /* "HOG1" */
#define MAX_STRATEGIES 65536u
#define MAX_PAIRS 1000000u
#define FRAME 8192u /* doubles */

struct head {
  uint32_t magic, strategies, pairs;
};

struct pair {
  uint32_t first, second;
};

static void refuse (const char *why)
{
  fprintf (stderr, "hog-engine: %s\n", why);
  exit (2);
}

static void read_exactly (void *to, size_t size)
{
  if (fread (to, 1, size, stdin) != size)
    refuse ("the request ends too early");
}

static void *zeroed (size_t count, size_t size)
{
  void *memory = calloc (count + 1 /* 0 may be refused */, size);
  if (memory == NULL)
    refuse ("not enough memory");
  return memory;
}

static void read_strategy (struct strategy *strategy)
{
  read_exactly (&strategy->goal, sizeof strategy->goal);
  if (strategy->goal < 1 || strategy->goal > SCORES)
    refuse ("a goal is impossible");
  read_exactly (strategy->dice, strategy->goal * sizeof strategy->dice[0]);
  for (uint32_t own = 0; own < strategy->goal; own++)
    for (uint32_t opponent = 0; opponent < SCORES; opponent++)
      if (strategy->dice[own][opponent] > MAX_DICE)
        refuse ("a strategy rolls too many dice");
}

static void read_pairs (struct pair *pairs, const struct head *head)
{
  read_exactly (pairs, head->pairs * sizeof *pairs);
  for (uint32_t i = 0; i < head->pairs; i++)
    if (pairs[i].first >= head->strategies || pairs[i].second >= head->strategies)
      refuse ("a pair names a strategy that is not there");
}

static void write_exactly (const void *from, size_t size)
{
  if (fwrite (from, 1, size, stdout) != size)
    refuse ("nobody reads the results");
}

static void answer (const struct head *head)
{
  if (head->magic != MAGIC)
    refuse ("this is not a request");
  if (head->strategies > MAX_STRATEGIES || head->pairs > MAX_PAIRS)
    refuse ("the request is too large");
  struct strategy *strategies = zeroed (head->strategies, sizeof *strategies);
  for (uint32_t i = 0; i < head->strategies; i++)
    read_strategy (&strategies[i]);
  struct pair *pairs = zeroed (head->pairs, sizeof *pairs);
  read_pairs (pairs, head);

  for (uint32_t i = 0; i < head->pairs; i++) {
    if (i % FRAME == 0) {
      uint32_t left = head->pairs - i, size = (left < FRAME ? left : FRAME) * sizeof (double);
      write_exactly (&size, sizeof size);
    }
    double rate = win_rate (&strategies[pairs[i].first], &strategies[pairs[i].second]);
    write_exactly (&rate, sizeof rate);
  }
  uint32_t end = 0;
  write_exactly (&end, sizeof end);
  if (fflush (stdout) != 0)
    refuse ("nobody reads the results");
  free (pairs);
  free (strategies);
}

int main (void)
{
  struct head head;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  prepare ();
  for (int first; (first = getchar ()) != EOF; answer (&head)) {
    ungetc (first, stdin);
    read_exactly (&head, sizeof head);
  }
  return 0;
}
