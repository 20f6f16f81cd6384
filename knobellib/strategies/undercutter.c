/*
 * undercutter - just below one half, where the lower number wins
 */
#if 0
Everybody climbs in this game, because series must not fall. So the
place to be is below: a number that is smaller than one half of the
other number wins, and 6143 still brings 12 points against 12288.
The undercutter estimates where the other side will be and throws the
highest number that is just below one half of that. The estimate is
the last number plus a part of the last rise, because climbers climb
on. If the other side has just started a new series it is low and the
half of it would be worth little. In that case I go along with it: I
throw somewhat less than twice its number and win from above.
The whole art is in the timing of the drops. I drop only when my
series has its eight throws and when a drop pays: the other side must
be so high that its half is worth at least MINIMUM points to me. Until
then I stay where I am, and let the other side climb past the double
of my number, if it likes.
The strategy exploits and does not cooperate. It is strong against
all who love the top, it is helpless against those who sit between
one half and the whole of my own number, and two undercutters chase
each other down the stairs until the numbers are worth little, when
one of them goes up again.
#endif

#define MINIMUM 10      /* points for which I go down */
#define TREND 2         /* half of the last rise is expected again */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), log2 ();

static int mine, length;
static int now, before;         /* the throws of the other side */

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

static int expected (void)
{
  int number = now;
  if (now > before && before > 0)
    number += (now - before) / TREND;
  return number > HIGH ? HIGH : number;
}

static int wish (void)
{
  int half = (expected () - 1) / 2;
  if (log2 (half) >= MINIMUM && (half >= mine || length >= SERIES))
    return half;
  if (log2 (half) < MINIMUM)
    return 2 * now - now / 8;
  return mine;
}

int main ()
{
  int answer;
  init_random ();
  now = next_random (8192, HIGH);
  for (;;) {
    answer = make_throw (legal (wish ()));
    before = answer < now ? 0 : now;
    now = answer;
  }
}
