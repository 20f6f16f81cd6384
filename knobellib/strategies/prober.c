/*
 * prober - polite until it is sure that rudeness pays
 */
#if 0
The prober wants to know with whom it has to do. It begins as a decent
partner: one series of gifts, at 6144, one series for itself, at the
top, and so on, for a couple of exchanges. From these it knows what
decency brings: the normal income.
Then comes the probe. I leave out the gift and behave like a robber
for four series: I always throw the cheapest number that beats the
last one of the other side, or I sit below its half. Then I compare.
- If robbery has brought clearly more than decency the other side does
  not defend itself. I remain a robber and check my income after every
  four series. When it falls back below the normal income the victim
  has woken up, and I become decent again.
- If robbery has not brought more, I apologise: I give two series of
  gifts running, and go on as a decent partner. The next probe comes
  later than the last one, because who has defended himself once will
  do so again.
With a partner who punishes firmly the strategy is nearly the same as
an honest player who takes turns, apart from a few probes per game.
With one who tolerates everything it is an exploiter. So it needs the
firm ones to be honest, and it is proud of that. In technical terms it
compares two averages and uses waiting times that double.
#endif

#define EXCHANGES 3     /* decent ones before the first probe */
#define ROBBERY 4       /* series per probe */
#define MARGIN 30       /* points by which robbery must be better */
#define APOLOGY 2       /* series of gifts */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length, income;

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

static void toss (wish)
int wish;
{
  int you = 0;
  yours = make_throw (legal (wish));
  count_points (mine, yours, &income, &you);
}

/* Two players who give at once have to separate. */
static void gifts (series)
int series;
{
  int i;
  for (i = 0; i < series * SERIES; i++) {
    toss (HIGH / 2);
    if (yours == mine && next_random (0, 1))
      return;
  }
}

static void claim ()
{
  int i;
  for (i = 0; i < SERIES; i++)
    toss (yours < HIGH / 2 ? 2 * yours : HIGH);
}

/* Returns the income per series, times 4. */
static int decent (exchanges)
int exchanges;
{
  int i;
  income = 0;
  for (i = 0; i < exchanges; i++) {
    gifts (1);
    claim ();
  }
  return 2 * income / exchanges;
}

static int robbery ()
{
  int i;
  income = 0;
  for (i = 0; i < ROBBERY * SERIES; i++) {
    if (yours > 12000 || yours < mine / 2)
      toss ((yours - 1) / 2);
    else
      toss (yours < 4096 ? 2 * yours : yours < 8192 ? 8192 : yours + 1);
  }
  return 4 * income / ROBBERY;
}

int main ()
{
  int normal, exchanges = EXCHANGES;
  init_random ();
  if (next_random (0, 1))
    claim ();
  for (;;) {
    normal = decent (exchanges);
    if (robbery () > normal + 4 * MARGIN)
      while (robbery () > normal)
        ;
    gifts (APOLOGY);
    exchanges *= 2;
  }
}
