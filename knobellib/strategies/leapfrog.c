/*
 * leapfrog - the loser hops over the winner, the winner waits
 */
#if 0
The strategy cooperates. It starts a little above 8192, where every
win is worth 13 points, and from there it never needs to drop as long
as the other side understands the game of the two frogs:
- If I lost the last throw, it is my turn: I hop just over the number
  of the other side and win by one.
- If I won the last throw, I sit still and wait to be hopped over.
Two frogs climb by one number with each throw, so that the 4096
numbers between 8192 and 12288 last for longer than a whole game, and
both get 13 points in every second throw. That is 6500 points for
each of us, and no game can give both of us more.
After a tie each frog hops with probability one half; that separates
two frogs very soon.
There is no revenge. Three accidents are repaired: if the other side
wins from below, I go down to where I can hop over it as soon as my
series is long enough; if it sits on the very top, where nobody can
hop over it, I crouch just below the half; and if I have got too high
myself, I go back to the ground and start climbing again.
Who only waits for my hops and never hops himself gets nothing: a
frog that has won waits for as long as it takes.
#endif

#define HOP 1           /* how far behind the other side I land */
#define GROUND 8192     /* the lowest number that is worth 13 */
#define SPREAD 64       /* of the first throws above the ground */
#define CEILING 12000   /* above this I go back to the ground */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours; /* the last throws, 0 at the start */
static int length;      /* throws in my running series */

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

static int ground ()
{
  return GROUND + next_random (0, SPREAD);
}

static int hop_over (number)
int number;
{
  if (number + HOP > HIGH)
    return (number - 1) / 2;
  return number + HOP;
}

static int wish ()
{
  int me = 0, you = 0;
  if (yours == 0 || (mine > CEILING && length >= SERIES))
    return ground ();
  switch (count_points (mine, yours, &me, &you)) {
    case 1:
      return mine;
    case 2:
      if (yours > mine)
        return hop_over (yours);
      return 2 * yours < GROUND ? 2 * yours : GROUND;
    default:
      return next_random (0, 1) ? hop_over (mine) : mine;
  }
}

int main ()
{
  init_random ();
  for (;;)
    yours = make_throw (legal (wish ()));
}
