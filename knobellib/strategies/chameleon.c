/*
 * chameleon - looks who you are and changes its colour
 */
#if 0
Many strategies can be told apart by what they do in relation to my
last number. The chameleon sorts every throw of the other side into
one of six drawers:
- TOP: 12000 or more,
- STILL: the same number as before,
- FOLLOW: a little above my last number,
- BELOW: less than one half of my last number,
- DOUBLE: about twice my last number,
- OTHER: everything else.
The drawers are emptied slowly, so that old impressions fade. After
every ten throws the fullest drawer decides on my colour:
- against TOP I sit on 6143 and win from below;
- against STILL I throw the cheapest number that beats it;
- against FOLLOW I climb in steps that are a little longer than those
  of the follower, so that he always lands behind me;
- against BELOW I go to three quarters of my number whenever I may
  fall, that is above the place where he waits for me;
- against DOUBLE I go to the place from which twice my last number is
  just beaten, or under it when there is no room;
- for OTHER I have no answer, so I hop like a frog: after a loss to a
  number that would have won, while I rest after a win, which is an
  offer to cooperate.
So the chameleon exploits those who are easy to see through, and takes
turns with those who are not. The first colour is the frog as well.
#endif

#define FADE 24         /* drawers lose one part of 24 per throw */
#define LOOK 10         /* throws between two changes */
#define STEP 24         /* longer than the steps of a follower */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

enum { TOP, STILL, FOLLOW, BELOW, DOUBLE, OTHER, DRAWERS };

static int drawer[DRAWERS], colour = OTHER;
static int mine, yours, length, lost;

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

/* The drawer for a new number, after my number before it. */
static int sort (int number, int my_last)
{
  if (number >= 12000)
    return TOP;
  if (number == yours)
    return STILL;
  if (number > my_last && number < my_last + STEP)
    return FOLLOW;
  if (2 * number < my_last)
    return BELOW;
  if (number >= 2 * my_last - STEP && number <= 2 * my_last)
    return DOUBLE;
  return OTHER;
}

static int fullest (void)
{
  int i, best = OTHER;
  for (i = 0; i < DRAWERS; i++)
    if (drawer[i] > drawer[best])
      best = i;
  return best;
}

static int cheapest (void)
{
  if (yours >= HIGH || yours < mine / 2)
    return (yours - 1) / 2;
  return yours < 4096 ? 2 * yours : yours < 8192 ? 8192 : yours + 1;
}

static int wish (void)
{
  switch (colour) {
    case TOP:
      return HIGH / 2 - 1;
    case STILL:
      return cheapest ();
    case FOLLOW:
      return mine + STEP > HIGH ? HIGH / 2 : mine + STEP;
    case BELOW:
      return length >= SERIES ? mine - mine / 4 : mine;
    case DOUBLE:
      return 2 * mine < HIGH ? 2 * mine + 1 : mine / 2;
    default:
      return lost ? cheapest () + next_random (0, 2) : mine;
  }
}

int main ()
{
  int throws, i, my_last, number, me, you;
  init_random ();
  yours = make_throw (legal (next_random (6144, 8192)));
  for (throws = 1;; throws++) {
    my_last = mine;
    number = make_throw (legal (wish ()));
    for (i = 0; i < DRAWERS; i++)
      drawer[i] -= drawer[i] / FADE;
    drawer[sort (number, my_last)] += 1000;
    yours = number;
    me = you = 0;
    lost = count_points (mine, yours, &me, &you) != 1;
    if (throws % LOOK == 0)
      colour = fullest ();
  }
}
