/*
 * planner - looks for the best eight throws, and makes four of them
 */
#if 0
The rule about series makes the game difficult, because a good throw
now can make all later throws bad: who jumps to the top has to stay
there. So one should not choose throws but whole sequences of throws,
and this is what the planner does.
First it needs an idea of the future. For several distances, 1, 8, 9,
10, 12, 16 and 24 throws, it adds up how much the last sixteen numbers
of the other side differ from those thrown so long before. The
distance with the smallest sum is taken as the period of the other
side, and its last period is expected to be repeated.
Then it looks for the best answer to the next eight expected numbers
under the condition that my own numbers must not fall. The candidates
are one more than each expected number and the highest number below
one half of it, at most eighteen. Dynamic programming from the last
throw to the first finds the sequence with most points, among all
sequences that do not fall; if my series is long enough its first
number may be lower than my last one.
Of the eight planned throws four are made; then the plan is made anew,
since the other side seldom does exactly what I have expected.
The planner is an exploiter with good manners: a regular partner who
gives me half of the throws gets the other half, because my best
sequence usually lets him win while I wait in a low place.
#endif

#define AHEAD 8         /* throws in a plan */
#define STEPS 4         /* throws of it that are made */
#define COMPARED 16     /* numbers compared for each distance */

#define HIGH 12288      /* the rules */
#define SERIES 8
#define MEMORY 64       /* a power of two, at least 16 + 24 */
#define LEVELS (2 * AHEAD + 2)
#define DISTANCES 7

int init_random (), next_random (), make_throw (), log2 ();

static int distance[DISTANCES] = { 1, 8, 9, 10, 12, 16, 24 };
static int heard[MEMORY], now;
static int expected[AHEAD], todo[AHEAD];
static int level[LEVELS], levels;
static int best[AHEAD + 1][LEVELS + 1], pick[AHEAD][LEVELS + 1];
static int mine, length;

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

static int ago (int throws)
{
  return heard[(now - throws) & (MEMORY - 1)];
}

static int error (int lag)
{
  int i, off, sum = 0;
  for (i = 1; i <= COMPARED; i++) {
    off = ago (i) - ago (i + lag);
    sum += off < 0 ? -off : off;
  }
  return sum;
}

static void foresee (void)
{
  int i, e, period = 1, least = error (1);
  for (i = 1; i < DISTANCES; i++) {
    e = error (distance[i]);
    if (e < least) {
      least = e;
      period = distance[i];
    }
  }
  for (i = 0; i < AHEAD; i++)
    expected[i] = ago (period - i % period);
}

/* Keeps the levels sorted. */
static void add_level (int number)
{
  int i;
  if (number < 1 || number > HIGH)
    return;
  if (number < mine && length < SERIES)
    return;
  for (i = levels++; i > 0 && level[i - 1] > number; i--)
    level[i] = level[i - 1];
  level[i] = number;
}

static int worth (int x, int y)
{
  int wins = x > y ? x - y <= y : y - x > x;
  return wins ? log2 (x) : 0;
}

/* best[t][l]: most points from throw t on with no level below l. */
static void plan (void)
{
  int t, l, value;
  levels = 0;
  add_level (mine);
  add_level (4096);
  for (t = 0; t < AHEAD; t++) {
    add_level (expected[t] + 1);
    add_level ((expected[t] - 1) / 2);
  }
  for (t = AHEAD - 1; t >= 0; t--) {
    best[t][levels] = -1;
    for (l = levels - 1; l >= 0; l--) {
      value = worth (level[l], expected[t]);
      if (t + 1 < AHEAD)
        value += best[t + 1][l];
      best[t][l] = best[t][l + 1];
      pick[t][l] = pick[t][l + 1];
      if (value >= best[t][l]) {
        best[t][l] = value;
        pick[t][l] = l;
      }
    }
  }
  for (t = l = 0; t < AHEAD; t++)
    todo[t] = level[l = pick[t][l]];
}

int main ()
{
  int i;
  init_random ();
  for (i = 0; i < MEMORY; i++)
    heard[i] = next_random (6144, HIGH);
  mine = 1;
  for (;;) {
    foresee ();
    plan ();
    for (i = 0; i < STEPS; i++)
      heard[now++ & (MEMORY - 1)] = make_throw (legal (todo[i]));
  }
}
