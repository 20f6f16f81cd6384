/*
 * council - seven advisers, and the one who was right speaks next
 */
#if 0
A strategy of strategies. Seven advisers sit around a table, and each
of them knows a single trick:
 1 the optimist throws twice the last number of the other side,
 2 the neighbour throws one more,
 3 the mole digs below one half of it,
 4 the wall says 6143, whatever happens,
 5 the tower says 12288,
 6 the frog hops when it has lost and sits when it has won,
 7 the parrot repeats what the other side threw eight throws ago.
Before each throw all of them write down a number, after correction by
the rules, since a good number that I must not throw is useless. After
the throw each of them is paid what his own number would have won.
These accounts lose one sixteenth with each throw, so that only the
last few dozen throws matter. The adviser with the largest account
speaks for me in the next throw.
To make up for the fact that advisers who have spoken are better known
to the other side, the speaker pays a small fee, and equal accounts
are decided by lot. After a tie any adviser may speak, also by lot, or
two councils would say the same things for ever.
What comes out depends on the other side: the council takes turns with
those who take turns, hops with frogs, sits below tower builders, and
cheats the credulous. It neither likes nor hates anybody. In the terms
of the literature this is learning from expert advice, with full
information and a sliding window.
#endif

#define ADVISERS 7
#define FORGET 16       /* accounts lose one sixteenth per throw */
#define FEE 40          /* for the speaker; a point counts 64 */
#define PARROT 8        /* throws */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int account[ADVISERS], advice[ADVISERS];
static int mine, length, yours, won, tie;
static int past[PARROT], now;

/* The number that comes nearest to the wish and is allowed. */
static int allowed (wish)
int wish;
{
  if (wish < 1)
    wish = 1;
  if (wish > HIGH)
    wish = HIGH;
  return wish < mine && length < SERIES ? mine : wish;
}

static void ask ()
{
  advice[0] = allowed (2 * yours);
  advice[1] = allowed (yours + 1);
  advice[2] = allowed ((yours - 1) / 2);
  advice[3] = allowed (6143);
  advice[4] = allowed (HIGH);
  advice[5] = allowed (won ? mine : yours + next_random (1, 2));
  advice[6] = allowed (past[now % PARROT]);
}

static int speaker ()
{
  int i, best = next_random (0, ADVISERS - 1);
  if (tie)
    return best;
  for (i = 0; i < ADVISERS; i++)
    if (account[i] > account[best])
      best = i;
  return best;
}

static void pay ()
{
  int i, points, other;
  for (i = 0; i < ADVISERS; i++) {
    points = other = 0;
    count_points (advice[i], yours, &points, &other);
    account[i] += 64 * points - account[i] / FORGET;
  }
}

static void speak (adviser)
int adviser;
{
  int me = 0, you = 0, number = advice[adviser];
  length = number < mine ? 1 : length + 1;
  mine = number;
  yours = make_throw (number);
  past[now++ % PARROT] = yours;
  won = count_points (mine, yours, &me, &you) == 1;
  tie = mine == yours;
  account[adviser] -= FEE;
}

int main ()
{
  init_random ();
  yours = next_random (4096, 9000);
  for (;;) {
    ask ();
    speak (speaker ());
    pay ();
  }
}
