/*
 * jailer - a new series is a prison of eight throws
 */
#if 0
Who drops has begun a new series and cannot drop again for eight
throws. During this time his numbers are at least as high as the last
one: he is locked. Let his last number be y. Every number smaller than
one half of y wins for certain as long as he is locked, wherever he
goes, since he can only go upwards. If y is 8193 or more this is worth
12 points per throw, without any risk, and 13 is all that can be had
at best.
So the jailer counts the series of the other side, as the referee
does. When the prisoner is locked at a high number, I go just below
one half of it and stay there until he is free. When he is locked at a
low number the certainty is worth little; then I bet on a short climb
of his and throw a quarter more than his number.
The dangerous moment is the release. A free prisoner sees me sitting
below him and will drop onto me. How often he did that is counted too:
if he usually drops at once, I leave my post in the same moment and
jump to a number that beats a drop onto my old post; if he usually
stays, I stay as well.
It is an exploiter by profession. Those who climb from low to high and
those who spend whole series at the top are its customers. It does
not touch players who stay in the middle and move little; with them
it has nothing to do and just hops a bit higher than they are.
#endif

#define SECURE 8193     /* from here on a certain win is worth 12 */
#define CLIMB 4         /* a bet on one quarter more */
#define CAREFUL 8       /* the memory for drops, in releases */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int mine, length;        /* my series */
static int yours, sentence;     /* your number, throws still locked */
static int drops;               /* 0..256, how often you drop if free */

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

static void guard (number)
int number;
{
  if (sentence == 0)
    drops += ((number < yours ? 256 : 0) - drops) / CAREFUL;
  if (number < yours || yours == 0)
    sentence = SERIES - 1;
  else if (sentence > 0)
    sentence--;
  yours = number;
}

/* Beats somebody who drops on a post below him. */
static int ambush ()
{
  int post = 2 * mine < HIGH ? 2 * mine : HIGH;
  return next_random (mine + 1, post);
}

static int wish ()
{
  int cell = (yours - 1) / 2;
  if (sentence > 0 && yours >= SECURE)
    return cell;
  if (sentence > 0)
    return yours + yours / CLIMB;
  if (next_random (0, 255) < drops)
    return ambush ();
  return yours >= SECURE ? cell : yours + 1;
}

int main ()
{
  init_random ();
  drops = 64;
  guard (make_throw (legal (next_random (3000, 6143))));
  for (;;)
    guard (make_throw (legal (wish ())));
}
