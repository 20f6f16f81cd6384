/*
 * good_follower - lets others lead, within reason
 */
#if 0
There are many leaders in this contest and few who follow, although a
leader without a follower gets nothing. This strategy follows.
It reads the number of the other side as a wish:
- A number of 8192 or more means: I want to win. Then I throw about
  three quarters of it, or as near to that as the series allows, which
  is a number that loses against it.
- A smaller number means: please take it. Then I throw the smallest
  number that gives me as many points as possible, which is twice the
  number, or 8192.
The wish of the last throw is taken for the wish of the next one; so I
lag one throw behind every change, and this is the price of following.
A follower must not be a fool. I count what I have got and what the
leader has got, and forget slowly. When my share falls below a quarter
of the leader, he is no leader but a highwayman. Then I answer
demands with a number just below the half of his, which wins from
below, until my share is better. Kind leaders never see that side of
me.
Two followers have nobody to follow. Both would be modest and wait;
so each of us becomes the leader for one series when nothing has been
won in two successive throws, with a probability of one half, and the
first who does so has found a follower.
#endif

#define WANTS 8192      /* from here on it is a demand */
#define SHARE 4         /* one quarter of the points of the leader */
#define MEMORY 32       /* throws after which books are halved */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;
static int got, given;          /* points, slowly forgotten */
static int quiet;               /* throws without a winner */
static int leading;             /* throws that I still lead */

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

static int wish (void)
{
  if (leading > 0) {
    leading--;
    return HIGH - 1;
  }
  if (yours < WANTS)
    return yours < WANTS / 2 ? 2 * yours : WANTS;
  if (SHARE * got < given)
    return (yours - 1) / 2;
  return yours / 4 * 3;
}

static void remember (int throws)
{
  quiet = count_points (mine, yours, &got, &given) ? 0 : quiet + 1;
  if (quiet >= 2 && leading == 0 && next_random (0, 1))
    leading = SERIES;
  if (throws % MEMORY == 0) {
    got /= 2;
    given /= 2;
  }
}

int main ()
{
  int throws = 0;
  init_random ();
  yours = make_throw (legal (WANTS / 2 + next_random (0, WANTS / 2)));
  for (;;) {
    remember (++throws);
    yours = make_throw (legal (wish ()));
  }
}
