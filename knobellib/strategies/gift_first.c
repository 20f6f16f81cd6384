/*
 * gift_first - a present, then the bill
 */
#if 0
The idea comes from village life: bring a present first, and see
whether something comes back.
The game is divided into exchanges of two series each. In the first
series I throw 5000 and thus sacrifice my points: every number from
5001 to 10000 wins up to 13 points against me, and whoever throws more
than 10000 may learn from the 12 points that I then win that less
would have been more. In the second series I present the bill, that
is, I throw 8192 and rise a little with each throw, so that everybody
who stays where he was or does not go up much lets me win 13 points
per throw.
After each exchange I compare. If I have got at least a third of what
the other side got, everything is fine, and my presents become a
little larger: I stay low for longer. If not, the next presents are
cancelled. Instead of them I play a series of trade: low start, and
always one more than the last number of the other side.
I am resentful for just as many exchanges as there were unpaid bills
in a row, at most five, and then I bring a present again.
Against a copy a lot decides who brings his present first: the other
one begins with the bill. An exchange in which nobody got anything is
followed by a new lot. So the strategy mainly cooperates, by
leading; it exploits nobody, and it is cheated a few times only.
#endif

#define PRESENT 5000
#define BILL 8192
#define RISE 40         /* per throw of the bill */
#define GENEROUS 24     /* longest present, in throws */
#define RESENTFUL 5     /* exchanges without presents at most */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, run;
static int got, lost;           /* points in this exchange */

static int decent (wish)
int wish;
{
  if (wish > HIGH)
    wish = HIGH;
  if (wish < mine && run < SERIES)
    wish = mine;
  run = wish < mine ? 1 : run + 1;
  mine = wish;
  return wish;
}

static void throw_it (wish)
int wish;
{
  yours = make_throw (decent (wish));
  count_points (mine, yours, &got, &lost);
}

static void present (throws)
int throws;
{
  while (throws-- > 0)
    throw_it (PRESENT);
}

static void bill (throws)
int throws;
{
  int i;
  for (i = 0; i < throws; i++)
    throw_it (BILL + i * RISE);
}

static void trade ()
{
  int i;
  throw_it (PRESENT + next_random (0, PRESENT / 2));
  for (i = 1; i < 2 * SERIES; i++)
    throw_it (yours + 1);
}

int main ()
{
  int size = SERIES, unpaid = 0, i;
  init_random ();
  if (next_random (0, 1))
    bill (SERIES);
  for (;;) {
    got = lost = 0;
    present (size);
    bill (size);
    if (got + lost < 2 * size && next_random (0, 1))
      bill (size);
    if (3 * got >= lost) {
      unpaid = 0;
      size = size < GENEROUS ? size + 1 : size;
      continue;
    }
    size = SERIES;
    unpaid = unpaid < RESENTFUL ? unpaid + 1 : RESENTFUL;
    for (i = 0; i < unpaid; i++)
      trade ();
  }
}
