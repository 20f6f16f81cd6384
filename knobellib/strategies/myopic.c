/*
 * myopic - the best answer to what was just thrown
 */
#if 0
The short-sighted one. It sees exactly one number, the last one of
the other side, supposes that it comes again, and throws the answer
that is worth most against it. If several answers are worth the same,
it takes the highest of them. It never thinks about what comes after
that, neither about its own series nor about the other side.
The best answer to a number y is 2 y as long as that stays in the
range: the highest number that still wins. If 2 y is too high the
answer is the top, 12288. To the top itself, and to numbers that I
cannot reach any more from above, the answer is the number just
below one half. If neither is allowed because my series is too short
to drop, I stay where I am and hope.
This is what economists call the best-response dynamics, and it is
known to run in circles. It does so here: two such players double
each other up to the top within a few throws, one of them falls to the
wall, the other one falls and is doubled again, and so on. Two of them
in step would tie for ever; so after a tie I stay where I am with
probability one half.
The strategy is a good partner for everybody who gives away turns, and
an exploiter of all who do not move. It has no memory, and so it can
neither be insulted nor be made a friend. Against players of chance it
is as good as any other rule of thumb.
#endif

#define OPENING 6144    /* supposed before the first throw */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, length;

static int legal (wish)
int wish;
{
  if (wish < 1)
    wish = 1;
  if (wish > HIGH)
    wish = HIGH;
  if (wish < mine && length < SERIES)
    wish = mine;
  length = wish < mine ? 1 : length + 1;
  mine = wish;
  return wish;
}

static int worth (x, y)
int x, y;
{
  int me = 0, you = 0;
  if (x < 1 || (x < mine && length < SERIES))
    return -1;                          /* not allowed */
  count_points (x, y, &me, &you);
  return me;
}

static int best_answer (y)
int y;
{
  int best = 2 * y > HIGH ? HIGH : 2 * y;
  if (worth (mine, y) > worth (best, y))
    best = mine;
  if (worth ((y - 1) / 2, y) > worth (best, y))
    best = (y - 1) / 2;
  return best;
}

int main ()
{
  int yours;
  init_random ();
  yours = OPENING + next_random (0, OPENING / 2);
  for (;;)
    if (yours == mine && next_random (0, 1))
      yours = make_throw (legal (mine));
    else
      yours = make_throw (legal (best_answer (yours)));
}
