/*
 * secret_handshake - among brothers all is shared, with strangers not
 */
#if 0
The strategy recognises its own kind. Its first eight throws are a
secret sign: eight prime numbers in ascending order, the same ones in
every game. Who answers with the very same eight numbers at the same
time is a brother. The sign costs next to nothing, because it is a
single series of modest numbers.
Among brothers: the next throw is a lot. The one with the higher lot
is the elder; after equal lots we draw again. The elder takes the
first share of 24 throws, and then the shares alternate to the end of
the game. Whoever has the share throws 12288 and wins 13 points, the
other one throws 6144. Should a brother ever break the order he is an
impostor, and he is treated as a stranger from then on.
With strangers there is no idea of cooperation at all. I throw the
cheapest number that beats the last number of the stranger; if he is
too high for that, I go just below his half. In one throw of ten I
add a small random amount, so that somebody who calculates what I am
going to do is wrong now and then.
The strategy is therefore good in the contest only if its own kind
takes part in it or if most strangers are simple; it was written to
see how far family spirit goes, especially in the evolution, where
each strategy meets more and more exemplars of itself.
#endif

#define SHARE 24        /* throws per share, at least 8 */
#define NOISE 10        /* one throw of ten is disturbed */
#define BLUR 600        /* by at most this */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int sign[SERIES] = {
  577, 1093, 1723, 2609, 3491, 4507, 5557, 6673
};
static int mine, yours, run;

static int honest (wish)
int wish;
{
  if (wish < 1)
    wish = 1;
  if (wish > HIGH)
    wish = HIGH;
  if (wish < mine && run < SERIES)
    wish = mine;
  run = wish < mine ? 1 : run + 1;
  mine = wish;
  return wish;
}

static void say (number)
int number;
{
  yours = make_throw (honest (number));
}

static int is_brother ()
{
  int i, same = 0;
  for (i = 0; i < SERIES; i++) {
    say (sign[i]);
    same += yours == mine;
  }
  return same == SERIES;
}

/* Returns when the other one has left the order. */
static void share_with_brother ()
{
  int taking, i;
  do
    say (next_random (8192, HIGH - 1));
  while (mine == yours);
  taking = mine > yours;
  for (i = 0; i < SERIES; i++)          /* until all may drop again */
    say (mine);
  for (;;) {
    for (i = 0; i < SHARE; i++) {
      say (taking ? HIGH : HIGH / 2);
      if (yours != (taking ? HIGH / 2 : HIGH))
        return;
    }
    taking = !taking;
  }
}

static int cheapest ()
{
  int number = yours + 1;
  if (yours < 8192)
    number = yours < 4096 ? 2 * yours : 8192;
  if (next_random (1, NOISE) == 1)
    number += next_random (0, BLUR);
  if (number > HIGH || (number < mine && run < SERIES))
    number = (yours - 1) / 2;
  return number;
}

int main ()
{
  init_random ();
  if (is_brother ())
    share_with_brother ();
  for (;;)
    say (cheapest ());
}
