/*
 * diplomat - speaks four languages and asks which one you speak
 */
#if 0
The announcement says it: the two players have to guess which protocol
might suit both. The diplomat does not guess, it tries. It knows four
treaties and proposes one after the other, each for some time:
 0 the treaty of the frogs: the loser of a throw hops over the winner,
   by one, and the winner sits still;
 1 the treaty of turns: eight throws of 6144 for you, eight throws of
   12288 for me, and so on; after a tie the phase is drawn anew;
 2 the treaty of halves: in each series four throws at the bottom of
   the house and four at the top of it;
 3 the treaty of reason: everybody throws the cheapest number that
   beats the last one, and sits below the half of who is too high.
After the first round of proposals the treaty under which I have won
most points comes into force. It stays in force as long as it yields
nearly as much as at the time when it was chosen; its yield is checked
after each term of 48 throws. If it has dropped by more than a fifth,
or if nothing was good in the first place, there is a new round of
proposals, starting with the treaty after the last one.
The diplomat cooperates in the first three languages and defends
itself in the fourth; it does not mind who gets more, it only looks at
its own yield. Two diplomats propose the same things at the same time,
which is the fastest way to an agreement there is.
#endif

#define TREATIES 4
#define PROPOSAL 24     /* throws per proposal */
#define TERM 48         /* throws between two checks */
#define LOSS 5          /* a fifth less is too little */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;
static int result;              /* of the last throw: 1, 2 or 0 */
static int clock;               /* position in the turns */

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

static int cheapest (void)
{
  if (yours + 1 > HIGH || (yours < mine / 2 && length >= SERIES))
    return yours >= 8192 ? HIGH / 2 - 1 : 2 * yours;
  return yours < 4096 ? 2 * yours : yours < 8192 ? 8192 : yours + 1;
}

static int frog (void)
{
  if (result == 1)
    return mine;
  if (result == 0)
    return mine < 8192 ? 8192 : mine + next_random (0, 1);
  return cheapest ();
}

static int turns (void)
{
  if (result == 0)
    clock = next_random (0, 1) * SERIES;
  return clock++ / SERIES % 2 ? HIGH : HIGH / 2;
}

static int halves (void)
{
  if (result == 0)
    clock += next_random (0, SERIES / 2);
  return clock++ % SERIES < SERIES / 2 ? HIGH / 2 - 1 : HIGH - 2;
}

static int wish (int treaty)
{
  switch (treaty) {
    case 0:
      return frog ();
    case 1:
      return turns ();
    case 2:
      return halves ();
    default:
      return cheapest ();
  }
}

/* Lives under a treaty; returns my points for 48 throws of it. */
static int live (int treaty, int throws)
{
  int i, me = 0, you = 0;
  for (i = 0; i < throws; i++) {
    yours = make_throw (legal (wish (treaty)));
    result = count_points (mine, yours, &me, &you);
  }
  return me * 48 / throws;
}

static int propose_all (int first, int *yield)
{
  int i, treaty, points, best = first;
  *yield = -1;
  for (i = 0; i < TREATIES; i++) {
    treaty = (first + i) % TREATIES;
    points = live (treaty, PROPOSAL);
    if (points > *yield) {
      *yield = points;
      best = treaty;
    }
  }
  return best;
}

int main ()
{
  int treaty = 0, yield;
  init_random ();
  yours = next_random (8192, 8300);
  for (;;) {
    treaty = propose_all (treaty, &yield);
    while (live (treaty, TERM) >= yield - yield / LOSS)
      ;
    treaty = (treaty + 1) % TREATIES;
  }
}
