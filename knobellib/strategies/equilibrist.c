/*
 * equilibrist - solves the game of one throw and then rolls dice
 */
#if 0
If there were only one throw, what would game theory recommend? A
mixture of numbers with certain probabilities, such that no number is
better against the mixture than those that occur in it. That mixture
is an equilibrium, and the strategy computes one before it makes its
first throw.
The range is represented by fourteen numbers, most of them just above
or below a half of another one, since these are the interesting
places. The method is fictitious play, the oldest learning procedure
of game theory: an imaginary player repeats the throw that is best
against all throws made so far, 500 times, and the frequencies of its
throws approach the mixture.
During the game the mixture is used as a lottery. Numbers that my
series does not permit are taken out, and the probabilities of the
others grow accordingly. When only the highest numbers are left, the
rest of the series is a short wait at the top. This is not what the
theory of the whole game would recommend, because it ignores that a
high number now is a burden later. As a correction I divide the
tickets of the uppermost two numbers by four as long as my series is
young.
The equilibrist does not look at the other side at all. Nobody can
exploit a single throw of it, as far as the theory goes, and it
exploits nobody. It is interesting to see how little that is worth in
company of those who cooperate.
#endif

#define ROUNDS 500      /* of fictitious play */
#define BURDEN 4        /* divides the tickets of the top */

#define SERIES 8        /* the rule */
#define NUMBERS 14

int init_random (), next_random (), make_throw (), count_points ();

static int number[NUMBERS] = {
  2047, 3071, 4095, 4096, 4800, 5600, 6143,
  6144, 7168, 8192, 9216, 10240, 11264, 12288
};
static int tickets[NUMBERS], points[NUMBERS];
static int place, length;       /* my last number, my series */

static void imagine (played)
int played;
{
  int i, other = 0;
  tickets[played]++;
  for (i = 0; i < NUMBERS; i++)
    count_points (number[i], number[played], &points[i], &other);
}

static void solve ()
{
  int round, i, best;
  for (round = 0; round < ROUNDS; round++) {
    best = next_random (0, NUMBERS - 1);
    for (i = 0; i < NUMBERS; i++)
      if (points[i] > points[best])
        best = i;
    imagine (best);
  }
}

/* The tickets of number i in the present situation. */
static int valid (i)
int i;
{
  if (i < place && length < SERIES)
    return 0;
  if (i >= NUMBERS - 2 && length < SERIES / 2)
    return tickets[i] / BURDEN;
  return tickets[i];
}

static int draw ()
{
  int i, ticket, sum = 0;
  for (i = 0; i < NUMBERS; i++)
    sum += valid (i);
  if (sum == 0)
    return place;
  ticket = next_random (1, sum);
  for (i = 0; ticket > valid (i); i++)
    ticket -= valid (i);
  return i;
}

int main ()
{
  int next;
  init_random ();
  solve ();
  for (;;) {
    next = draw ();
    length = next < place ? 1 : length + 1;
    place = next;
    make_throw (number[place]);
  }
}
