/*
 * coroutines.c - plays games between the two programs with the engine's own referee, and prints their digests.
 *
 * To the referee (tournament/runners/knobeln_engine/knobeln.c) a coroutine is a machine whose image is run by
 * `resume`. Standard input: 32 bytes per game, both seats' random streams. Standard output: a line per game,
 * "digest throws points points".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coroutines.h"
#include "knobeln.h"

#define STACK_SIZE (256 * 1024)

struct coroutine {
  struct machine machine; /* only its a0 and its image are used */
  const uint8_t *stream;
  int (*program) ();
  enum stop stop;
};

static struct coroutine coroutines[2] = { { .program = first_main }, { .program = second_main } };

static void leave_for_referee (struct coroutine *coroutine);
static void prepare (struct coroutine *coroutine);

static void begin (int seat)
{
  struct coroutine *self = &coroutines[seat];
  self->program ();
  self->stop = STOP_LEAVE;
  leave_for_referee (self);
  abort (); /* nobody resumes a program that has left */
}

#ifdef __x86_64__
void switch_stack (void **save, void *to);

static void *places[2], *referee;
static uint64_t stacks[2][STACK_SIZE / 8];

static void begin_first (void) { begin (0); }
static void begin_second (void) { begin (1); }

static void prepare (struct coroutine *coroutine)
{
  int seat = coroutine == &coroutines[1];
  uint64_t *top = &stacks[seat][STACK_SIZE / 8 - 3]; /* aligned as behind a call */
  *top = (uint64_t) (seat ? begin_second : begin_first);
  places[seat] = top - 6; /* the registers that switch_stack takes off */
}

static void leave_for_referee (struct coroutine *coroutine)
{
  switch_stack (&places[coroutine == &coroutines[1]], referee);
}

static void enter (struct coroutine *coroutine)
{
  switch_stack (&referee, places[coroutine == &coroutines[1]]);
}
#else
#include <ucontext.h>

static ucontext_t places[2], referee;
static uint64_t stacks[2][STACK_SIZE / 8];

static void prepare (struct coroutine *coroutine)
{
  int seat = coroutine == &coroutines[1];
  getcontext (&places[seat]);
  places[seat].uc_stack.ss_sp = stacks[seat];
  places[seat].uc_stack.ss_size = STACK_SIZE;
  makecontext (&places[seat], (void (*) (void)) begin, 1, seat);
}

static void leave_for_referee (struct coroutine *coroutine)
{
  swapcontext (&places[coroutine == &coroutines[1]], &referee);
}

static void enter (struct coroutine *coroutine)
{
  swapcontext (&referee, &places[coroutine == &coroutines[1]]);
}
#endif

int throw_from (int seat, int my_throw)
{
  struct coroutine *self = &coroutines[seat];
  self->machine.x[REGISTER_A0] = (uint32_t) my_throw;
  self->stop = STOP_THROW;
  leave_for_referee (self);
  return (int) self->machine.x[REGISTER_A0];
}

void seed_for (int seat, unsigned state[4])
{
  memcpy (state, coroutines[seat].stream, 16);
}

static enum stop resume (struct machine *machine)
{
  struct coroutine *coroutine = (struct coroutine *) machine;
  enter (coroutine);
  return coroutine->stop;
}

static void play_one (const uint8_t streams[2][16])
{
  static const struct rules rules = { .a = 1, .b = 12288, .k = 8, .length = 1000, .fuel = 1 };
  static struct image image = { .run = resume };
  struct game game = { .rules = &rules };
  for (int i = 0; i < 2; i++) {
    coroutines[i].machine.image = &image;
    coroutines[i].stream = streams[i];
    prepare (&coroutines[i]);
    game.seats[i].machine = &coroutines[i].machine;
  }
  play (&game, NULL);
  printf ("%016" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", game.digest, game.played,
          game.seats[0].points, game.seats[1].points);
}

int main (void)
{
  static uint8_t streams[2][16];
  while (fread (streams, sizeof streams, 1, stdin) == 1)
    play_one ((const uint8_t (*)[16]) streams);
  return 0;
}
