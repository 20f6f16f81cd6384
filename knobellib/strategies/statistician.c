/*
 * statistician - a column of numbers for each throw of a series
 */
#if 0
Series have a shape. They start low, they rise, they end high, and at
the earliest after eight throws they begin anew. The statistician
makes a table of nine columns: the first, second, ... eighth throw of
your series, and all that come later. In each column stand the last
eight numbers that you have thrown there.
Before a throw I know in which column your next number falls, because
I count your series: as long as it is shorter than eight throws it
must go on, and from then on the last column tells how often you go
on and how often you start anew.
I then choose the number that would have won most points against the
sample of that column. The numbers that I try are the neighbours of
the sample: one more than each of it, and the highest number below
one half of it, and of course my own last number.
A sample that contradicts the rules is not counted: a locked series
cannot fall, so that a number below the last one is taken as the last
one itself.
To keep others from doing the same to me, one throw of twelve is
taken from the middle of the best and my last number, and the table
is filled with random numbers at the beginning.
The strategy makes no offers. It is meant for the many who play all
their series in about the same way, with or without chance.
#endif

#define SAMPLE 8        /* numbers per column */
#define DISGUISE 12     /* one throw of twelve is disguised */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), log2 ();

static int table[SERIES + 1][SAMPLE], entries[SERIES + 1];
static int expected[SAMPLE];
static int mine, my_length, yours, your_length;

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

static void expect (int column)
{
  int i;
  for (i = 0; i < SAMPLE; i++) {
    expected[i] = table[column][i];
    if (column > 0 && column < SERIES && expected[i] < yours)
      expected[i] = yours;
  }
}

static int value (int x)
{
  int i, y, wins = 0;
  if (x < 1 || x > HIGH || (x < mine && my_length < SERIES))
    return -1;
  for (i = 0; i < SAMPLE; i++) {
    y = expected[i];
    wins += x > y ? x - y <= y : y - x > x;
  }
  return wins * log2 (x);
}

static int best (void)
{
  int i, v, x = mine, most = value (mine);
  for (i = 0; i < SAMPLE; i++) {
    v = value (expected[i] + 1);
    if (v > most) {
      most = v;
      x = expected[i] + 1;
    }
    v = value ((expected[i] - 1) / 2);
    if (v > most) {
      most = v;
      x = (expected[i] - 1) / 2;
    }
  }
  return next_random (1, DISGUISE) == 1 ? (x + mine) / 2 : x;
}

static void note (int number)
{
  int column;
  your_length = number < yours || yours == 0 ? 1 : your_length + 1;
  column = your_length > SERIES ? SERIES : your_length - 1;
  if (your_length == 1 && yours != 0)   /* it could have gone on */
    table[SERIES][entries[SERIES]++ % SAMPLE] = number;
  table[column][entries[column]++ % SAMPLE] = number;
  yours = number;
}

int main ()
{
  int i, j;
  init_random ();
  for (i = 0; i <= SERIES; i++)
    for (j = 0; j < SAMPLE; j++)
      table[i][j] = next_random (1024 * (i + 1), HIGH);
  for (;;) {
    expect (your_length > SERIES ? SERIES : your_length);
    note (make_throw (legal (best ())));
  }
}
