/*
 * one_more - always one more than you
 */
#if 0
A follower of the greedy kind, and one of the shortest ways to play
this game without being stupid. Whatever the other side has thrown, I
throw one more. If it repeats its number I win, if it raises by much
it wins, but it cannot do so for long, since the numbers end at 12288
and it must not fall before its series is eight throws long.
Near the top there is no room for one more. As soon as the other side
is above the roof and my series is long enough, I jump down to a point
below the half of its number. From there I win with 12 points against
all who have to stay on the top, and when they come down I am already
there and again throw one more than they do.
The point to which I jump is not always the same; it is drawn from the
upper quarter below the half, so that nobody can wait for me there.
The strategy does not cooperate and does not punish. It exploits all
who are lazy: constant throwers, those who wait, those who follow
slowly. It has a weakness of which I am aware: who expects me throws
two more and wins every time. A copy of me does exactly what I do, and
two of us race each other to the roof with small random steps to break
the ties, and then fight about who comes down first.
#endif

#define STEP 1          /* one more */
#define ROOF 12200      /* above this there is no room */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int mine, yours, length;

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

static int wish ()
{
  if (yours > ROOF)
    return next_random (yours * 3 / 8, (yours - 1) / 2);
  if (yours == mine)
    return mine + next_random (0, 3) * STEP;
  return yours + STEP;
}

int main ()
{
  init_random ();
  yours = next_random (4096, 8192);
  for (;;)
    yours = make_throw (legal (wish ()));
}
