/*
 * spoilsport - wants the lead, and then no game any more
 */
#if 0
The announcement warns that it is not important to have more points
than the opponent in any single game. There will be somebody who has
not read this, and here it is.
The spoilsport fights for the lead. It remembers the last six numbers
of the other side and throws the number that would have been best
against these in the difference of points, mine minus yours. In the
search it tries its own last number, the top, and for each remembered
number the neighbour above and the half below.
As soon as it leads by more than MARGIN points it closes down the
game: it throws 1 for a whole series. Against a 1 nearly nobody can win
anything, since every number above 2 is more than twice as high, and
the 1 wins as well, although its wins are worth 0 points. When the
lead is gone, which happens only if the other side plays very low
numbers, or when the series of ones is complete, it looks into the
books again. After each series of ones it plays at least one series
seriously, because otherwise it would be boring.
So it beats a lot of strategies in the direct comparison and still
will be found in the lower half of the ranking, as a warning to all
who count the wrong thing. It harms its partners a bit and itself most.
In the evolution it should die out soon.
#endif

#define MARGIN 60       /* points of lead that are enough */
#define MEMORY 6        /* numbers */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int heard[MEMORY], now;
static int mine, length;
static int lead;

static int legal (int wish)
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

static void toss (int wish)
{
  int me = 0, you = 0, answer = make_throw (legal (wish));
  count_points (mine, answer, &me, &you);
  lead += me - you;
  heard[now++ % MEMORY] = answer;
}

/* The difference that x would have made. */
static int difference (int x)
{
  int i, me = 0, you = 0;
  if (x < 1 || x > HIGH || (x < mine && length < SERIES))
    return -100;
  for (i = 0; i < MEMORY; i++)
    if (heard[i] != 0)
      count_points (x, heard[i], &me, &you);
  return me - you;
}

static int best, most;

static void consider (int x)
{
  int d = difference (x);
  if (d > most) {
    best = x;
    most = d;
  }
}

static int fight (void)
{
  int i;
  most = -1000;
  consider (mine);
  consider (HIGH);
  for (i = 0; i < MEMORY; i++) {
    consider (heard[i] + 1);
    consider ((heard[i] - 1) / 2);
  }
  return best;
}

int main ()
{
  int i;
  init_random ();
  toss (next_random (4000, 7000));
  for (;;) {
    for (i = 0; i < SERIES; i++)
      toss (fight ());
    if (lead > MARGIN)
      for (i = 0; i < SERIES; i++)
        toss (1);
  }
}
