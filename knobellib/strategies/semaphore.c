/*
 * semaphore - says with each number what it will do next
 */
#if 0
The only channel between the players is the numbers, so the numbers
should say something. The semaphore divides the range into blocks of
eight numbers. Which block I throw decides who wins. Which number
within the block I throw decides nothing, and there is my signal: the
lower four numbers of a block mean that I shall stay in this block in
the next throw, the upper four mean that I shall hop to a block above
yours. Promises are always kept, as far as the rules permit.
I listen to your signals as well. For each throw I check whether you
have done what your last number said, and keep an account of it. If
you have been honest in most of the last throws I believe you, and
take into account what you are going to do; if not, I expect you to
stay where you are.
The treaty behind this is that the loser of a throw may hop next and
the winner stays. But while a frog has to wait until it sees that it
has lost, I usually know beforehand who is going to win the present
throw, and so the signal for the next one can already be given in it.
Two semaphores take turns throw by throw without a single tie as soon
as one of them has hopped first; before that a coin decides about the
signals.
It is a cooperator. It neither punishes nor exploits. When we are near
the top it goes down to a block near 8192 as soon as the rules permit.
If you sit on the very top, or win from below, there is no block to
hop to; then I go below your half, or to the block just under twice
your number, whichever wins.
#endif

#define BLOCK 8         /* numbers per block, even */
#define BELIEVE 160     /* of 256: how honest you must have been */
#define FORGET 8        /* throws that the account remembers */
#define FIRST 1024      /* the block that begins with 8192 */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int mine, yours, length;
static int honesty = 128;       /* 0..256 */

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

static int block (int number)
{
  return number / BLOCK;
}

static int says_hop (int number)
{
  return number % BLOCK >= BLOCK / 2;
}

static void check (int number)
{
  int hopped = block (number) != block (yours);
  int honest = hopped == says_hop (yours);
  honesty += ((honest ? 256 : 0) - honesty) / FORGET;
}

/* The block in which I expect you. */
static int expected (int my_block)
{
  if (honesty < BELIEVE || !says_hop (yours))
    return block (yours);
  return (my_block > block (yours) ? my_block : block (yours)) + 1;
}

static int hop (void)
{
  int over = block (yours) + 1;
  if (2 * yours < mine)
    return yours < FIRST * BLOCK / 2 ? 2 * block (yours) - 1 : FIRST;
  if (over > HIGH / BLOCK - 2)
    return next_random (0, 1) ? over / 2 - 2 : FIRST;
  return over < FIRST ? FIRST + next_random (0, 3) : over;
}

static int number (void)
{
  int last = block (mine);
  int next = says_hop (mine) ? hop () : last;
  int you = expected (last);
  int lose = next == you ? next_random (0, 1) : next < you;
  int signal = next_random (0, BLOCK / 2 - 1);
  return next * BLOCK + (lose ? BLOCK / 2 : 0) + signal;
}

int main ()
{
  int heard;
  init_random ();
  mine = FIRST * BLOCK + next_random (0, 1) * BLOCK / 2;
  yours = mine = legal (mine);
  yours = make_throw (mine);
  for (;;) {
    heard = make_throw (legal (number ()));
    check (heard);
    yours = heard;
  }
}
