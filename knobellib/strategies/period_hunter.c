/*
 * period_hunter - finds the rhythm of the other side
 */
#if 0
Programs like loops, and loops have periods. The hunter listens to the
numbers of the other side and asks for every period from 1 to 40: how
well would the number that was thrown so many throws ago have foretold
the number that has come now? A good forecast, one that is off by at
most one sixteenth, gives the period a point; all points decay slowly.
The period with the most points is the rhythm of the other side, as
long as it has been right in at least three of four throws lately.
If there is a rhythm, the hunter knows the next numbers and not only
the next one. It takes the answer that wins against the next number;
if the answer is to be high and the number after the next one is to
be answered from below, it checks whether its series will permit the
drop, and if not, it rather stays low now when the low number wins
later for longer.
If there is no rhythm, the hunter becomes a rhythm itself: it plays
six throws at 6144 and six at 12000 plus a little, alternately, so
that other hunters find something. Two hunters thus come to terms: one
of them finds the other one first and answers its low half with high
numbers, and its high half from below.
By nature this is an exploiter, of clockworks above all. Fair treaties
with a fixed rhythm are not broken by it on purpose, but it takes
all that the rhythm leaves open.
#endif

#define LONGEST 40      /* the longest period */
#define DECAY 16        /* points lose one sixteenth per throw */
#define SURE 12         /* of 16: right in three of four throws */
#define OFFER 6         /* throws of my own rhythm, each half */

#define HIGH 12288      /* the rules */
#define SERIES 8
#define MEMORY 64       /* a power of two, larger than LONGEST */

int init_random (), next_random (), make_throw ();

static int heard[MEMORY], now;  /* heard[now % MEMORY] is next */
static int score[LONGEST + 1];  /* 256 * points */
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

static int ago (throws)
int throws;
{
  return heard[(now - throws) & (MEMORY - 1)];
}

static void listen (number)
int number;
{
  int period, off;
  for (period = 1; period <= LONGEST && period <= now; period++) {
    off = number - ago (period);
    if (off < 0)
      off = -off;
    score[period] -= score[period] / DECAY;
    if (off <= number / 16)
      score[period] += 256;
  }
  heard[now++ & (MEMORY - 1)] = number;
}

/* The best period, or 0 if there is none. */
static int rhythm ()
{
  int period, best = 1;
  for (period = 2; period <= LONGEST; period++)
    if (score[period] > score[best])
      best = period;
  return score[best] >= SURE * 256 ? best : 0;
}

static int may_fall_to (number)
int number;
{
  return number >= mine || length >= SERIES;
}

static int answer (next, after)
int next, after;
{
  int over = next < 4096 ? 2 * next : next < 8192 ? 8192 : next + 1;
  int under = (next - 1) / 2;
  if (over > HIGH || over < mine)
    return may_fall_to (under) ? under : over < mine ? mine : under;
  if (2 * over > after && after > HIGH - 64 && under > 4096)
    return may_fall_to (under) ? under : over;
  return over;
}

int main ()
{
  int period, wish;
  init_random ();
  for (;;) {
    period = rhythm ();
    if (period > 1)
      wish = answer (ago (period), ago (period - 1));
    else if (period == 1)
      wish = answer (ago (1), ago (1));
    else if (now / OFFER % 2)
      wish = 12000 + next_random (0, 100);
    else
      wish = HIGH / 2;
    listen (make_throw (legal (wish)));
  }
}
