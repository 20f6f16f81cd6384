/*
 * staircase - doubles and doubles and doubles
 */
#if 0
Twice the number is the largest step that does not break the neck:
exactly twice as high still wins. The staircase is built of such
steps. Each series has four of them, 1536, 3072, 6144, 12288, and I
stand on each of them for some throws before I go up.
Against somebody who stands still the staircase wins on the step above
him, loses on the step that is two above, and wins again from the
step below his half, so nobody has a place where he is always right.
Against somebody who follows me slowly each new step is a win.
The times are not equal. On the upper steps a win is worth more, so I
stay there for longer: one throw on the first, one on the second, two
on the third, and four on the last step. After a series which was
worse than the one before it, the times are exchanged: four throws on
the first of the upper two steps and two on the last one. That is
all the learning there is.
If we tie on a step, the other side is probably a staircase as well.
Then I stay on this step for one throw more with probability one half.
The next series begins later by that, and from then on we do not walk
in step any more.
The strategy is simple, it has no friends, no enemies and hardly any
brain. It is here because the experts in the contest need something
that is regular but not constant, to prove that they are experts.
#endif

#define STEPS 4
#define BOTTOM 1536     /* the first step */

#define SERIES 8        /* the rule; the times below add up to it */

int init_random (), next_random (), make_throw (), count_points ();

static int times[2][STEPS] = { { 1, 1, 2, 4 }, { 1, 1, 4, 2 } };

/* One series; returns my points. */
static int walk (way)
int *way;
{
  int step, i, yours, number = BOTTOM, me = 0, you = 0;
  for (step = 0; step < STEPS; step++) {
    for (i = 0; i < way[step]; i++) {
      yours = make_throw (number);
      count_points (number, yours, &me, &you);
      if (yours == number && next_random (0, 1))
        i--;
    }
    number *= 2;
  }
  return me;
}

int main ()
{
  int way = 0, points, before = 0;
  init_random ();
  for (;;) {
    points = walk (times[way]);
    if (points < before)
      way = !way;
    before = points;
  }
}
