/*
 * hill_climber - changes one thing at a time and keeps what helps
 */
#if 0
Evolution within a single game. A series of mine is described by four
genes: the number of the first throw, the rise per throw in percent,
the throw before which I jump, and the factor of the jump, in percent
as well. The genes of the first ancestor are drawn by lot.
Each child differs from its parent in one gene only, by a small step
or, now and then, by a large one. The child lives for two series, and
its points are compared with those of the parent. If it is at least
as good it becomes the parent itself, otherwise it dies, and another
child is tried.
The world changes, because the other side learns as well. A parent
that had one lucky life must not sit on its throne for ever; therefore
the fame of the parent fades with every child, by about three percent,
until it is challenged successfully or has proved itself again: every
fourth child is an exact copy of the parent.
In 62 generations one cannot expect wonders. But the four genes are
enough for walls, towers, stairs, and give-and-take series, and it is
fun to see what it has found at the end of a game.
There is no intention in it, neither good nor bad. If the other side
rewards cooperation, the children become cooperative, and if it can
be exploited, they exploit it.
#endif

#define LIFE 2          /* series per child */
#define FADING 32       /* fame loses one part of 32 per child */
#define TWIN 4          /* every fourth child is a copy */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

enum { FIRST, RISE, WHEN, JUMP, GENES };

static int parent[GENES], child[GENES];
static int least[GENES] = { 1500, 0, 1, 100 };
static int most[GENES] = { HIGH, 20, SERIES, 220 };
static int small[GENES] = { 500, 2, 1, 20 };

static void mutate ()
{
  int gene = next_random (0, GENES - 1);
  if (next_random (0, 2) == 0)
    child[gene] = next_random (least[gene], most[gene]);
  else
    child[gene] += next_random (-small[gene], small[gene]);
  if (child[gene] < least[gene])
    child[gene] = least[gene];
  if (child[gene] > most[gene])
    child[gene] = most[gene];
}

static int live_one_series ()
{
  int i, me = 0, you = 0, number = child[FIRST];
  for (i = 0; i < SERIES; i++) {
    if (i > 0)
      number += number * child[RISE] / 100;
    if (i == child[WHEN])
      number = number * child[JUMP] / 100;
    if (number > HIGH)
      number = HIGH;
    count_points (number, make_throw (number), &me, &you);
  }
  return me;
}

static int live ()
{
  int i, points = 0;
  for (i = 0; i < LIFE; i++)
    points += live_one_series ();
  return points;
}

static void copy (from, to)
int *from, *to;
{
  int gene;
  for (gene = 0; gene < GENES; gene++)
    to[gene] = from[gene];
}

int main ()
{
  int gene, points, fame = 0, births = 0;
  init_random ();
  for (gene = 0; gene < GENES; gene++)
    parent[gene] = next_random (least[gene], most[gene]);
  for (;;) {
    copy (parent, child);
    if (++births % TWIN != 0)
      mutate ();
    points = 64 * live ();
    fame -= fame / FADING;
    if (points >= fame || births % TWIN == 0) {
      fame = points;
      copy (child, parent);
    }
  }
}
