/*
 * markov_reader - learns what follows what
 */
#if 0
A reader of habits. For each situation in which the other side can be
it remembers the last four numbers that followed, and it throws
whatever would have won most points against these four.
A situation consists of three things: the size of the last number of
the other side, in steps of half a power of two; whether the other
side is locked in a young series, or free to drop; and whether I have
won the last throw. In mathematical terms this is a Markov chain with
some hundred states, and the four remembered successors are a rough
estimate of the row of its transition matrix. Four is few, but it is
quick to learn, and old habits are forgotten when they change.
The possible answers that I compare are for each remembered number:
one more, and just below one half. In addition I look at staying where
I am. Numbers that my series does not allow are left out. If several
answers are equally good the lowest one is chosen, because it leaves
more room for the next throws.
In a situation that I have never seen I suppose that the last number
comes again.
This is exploitation by understanding. It does not offer anything. But
a player who does take turns in a regular way is quickly understood,
and since I can win only in his low turns and in the throws in which
he waits, the result of it often looks like a cooperation.
#endif

#define DEPTH 4         /* successors that are remembered */
#define SIZES 28        /* half powers of two up to 12288 */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();
int log2 ();

static int followed[SIZES][2][2][DEPTH];
static int age[SIZES][2][2];
static int mine, my_length, yours, your_length, i_won;

static int legal (int wish)
{
  if (wish < 1)
    wish = 1;
  if (wish > HIGH)
    wish = HIGH;
  if (wish < mine && my_length < SERIES)
    wish = mine;
  my_length = wish < mine ? 1 : my_length + 1;
  mine = wish;
  return wish;
}

static int size (int number)
{
  int power = log2 (number);
  return 2 * power + (power > 0 && (number >> (power - 1)) % 2);
}

static int beats (int x, int y)
{
  return x > y ? x - y <= y : y - x > x;
}

/* What x would have won against the remembered numbers. */
static int value (int x, int *numbers)
{
  int i, wins = 0;
  if (x < 1 || x > HIGH || (x < mine && my_length < SERIES))
    return -1;
  for (i = 0; i < DEPTH; i++)
    if (numbers[i] != 0 && numbers[i] != x)
      wins += beats (x, numbers[i]);
  return wins * log2 (x);
}

static int best_against (int *numbers)
{
  int i, side, x, v, best = mine, most = value (mine, numbers);
  for (i = 0; i < DEPTH && numbers[i] != 0; i++)
    for (side = 0; side < 2; side++) {
      x = side ? numbers[i] + 1 : (numbers[i] - 1) / 2;
      v = value (x, numbers);
      if (v > most || (v == most && x < best)) {
        most = v;
        best = x;
      }
    }
  return best;
}

int main ()
{
  int *numbers, *when, locked, me, you, last;
  init_random ();
  yours = make_throw (legal (next_random (4096, 9000)));
  your_length = 1;
  for (;;) {
    locked = your_length < SERIES;
    numbers = followed[size (yours)][locked][i_won];
    when = &age[size (yours)][locked][i_won];
    if (numbers[0] == 0)
      numbers[0] = yours;
    last = yours;
    yours = make_throw (legal (best_against (numbers)));
    numbers[(*when)++ % DEPTH] = yours;
    your_length = yours < last ? 1 : your_length + 1;
    me = you = 0;
    i_won = count_points (mine, yours, &me, &you) == 1;
  }
}
