/*
 * ledger - keeps books and pays its debts
 */
#if 0
A merchant of the old school. It knows no protocol; all that it has
is a book with two columns, my points and your points, and the wish
that both columns be equally long and as long as possible.
Before each throw it supposes that the other side will throw the same
number again. This is right more often than one should think, since
series must not fall and many players repeat themselves.
- If I am ahead in the book, I am the debtor: I choose a number that
  loses against the expected one and lets the other side win.
- If I am behind, I choose the number that wins most against the
  expected one; of several the lowest, because low numbers leave more
  room for the rest of my series.
- If the columns are equal, a coin decides who is the debtor.
Two merchants come to strict turns by this without having agreed on
anything: the one who won pays back with the next throw.
The books also protect. Against an exploiter the merchant is always
behind, and so it always takes what it can and never gives. Old debts
are not carried on for ever: when the difference is larger than the
limit of credit, half of it is written off, so that a partner who
found reason too late is not punished to the end of the game.
#endif

#define CREDIT 400      /* a difference above this is halved */
#define OPENING 8192    /* the first throw */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();
int log2 ();

static int mine, length;
static int balance;     /* my points minus your points */

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

static int lowest_allowed ()
{
  return length < SERIES && mine > 0 ? mine : 1;
}

static int worth (x, y)
int x, y;
{
  int me = 0, you = 0;
  count_points (x, y, &me, &you);
  return me;
}

/* A number that wins against y, low if possible. */
static int take (y)
int y;
{
  int from = lowest_allowed ();
  int over = 2 * y < 8192 ? 2 * y : y < 8192 ? 8192 : y + 1;
  int under = (y - 1) / 2;
  if (over < from)
    over = from;
  if (over > HIGH || worth (over, y) < worth (under, y))
    return under;
  return over;
}

/* A number that loses against y. */
static int give (y)
int y;
{
  int from = lowest_allowed ();
  int half = (y + 1) / 2;
  if (half < from)
    half = from;
  return half < y ? half : 2 * y + 1;
}

int main ()
{
  int yours, me, you;
  init_random ();
  yours = make_throw (legal (OPENING + next_random (0, 1)));
  for (;;) {
    me = you = 0;
    count_points (mine, yours, &me, &you);
    balance += me - you;
    if (balance > CREDIT || balance < -CREDIT)
      balance /= 2;
    if (balance > 0 || (balance == 0 && next_random (0, 1)))
      yours = make_throw (legal (give (yours)));
    else
      yours = make_throw (legal (take (yours)));
  }
}
