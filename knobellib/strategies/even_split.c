/*
 * even_split - both of us win within one and the same series
 */
#if 0
Most treaties between two players let one of them win a whole series
and the other one the next. This one divides every single series of
eight throws in two equal halves, so that nobody has to trust the
other for longer than four throws.
There are two parts in the play, the wall and the climber.
- The wall throws 6143 eight times.
- The climber throws 12286 four times, which is exactly twice the wall
  and wins 13 points each time, and then 12288 four times, which is
  more than twice the wall, so that now the wall wins 12 points each
  time.
For the next series the parts are exchanged. That makes 12.5 points
per throw for the two of us, a little less than what is possible, but
the treaty can be broken for a few throws only.
If we happen to play the same part, each of us changes to the other
part or stays, by the throw of a coin, as soon as the rules allow it.
If the other side earns a lot more than I do over four series, I play
the wall or the top of the climber, whichever would have been better
against its last series, until the balance is repaired. This is
defence, not exploitation: as soon as I am no longer behind by more
than the tolerance, the treaty is in force again.
#endif

#define WALL 6143
#define CLIMB (2 * WALL)
#define TOP (CLIMB + 2)
#define TOLERANCE 120   /* points that I may be behind */

#define SERIES 8        /* the rule */

int init_random (), next_random (), make_throw (), count_points ();

static int last, count;         /* my last throw, length of series */
static int my_points, your_points;

static int legal (int wish)
{
  if (wish < last && count < SERIES)
    wish = last;
  count = wish < last ? 1 : count + 1;
  last = wish;
  return wish;
}

/* One throw; returns that of the other side and keeps the books. */
static int play (int wish)
{
  int answer = make_throw (legal (wish));
  count_points (last, answer, &my_points, &your_points);
  return answer;
}

/* A series of defence: what would have won against this number? */
static void defend (int number)
{
  int i;
  for (i = 0; i < SERIES; i++)
    number = play (number > CLIMB || number < WALL ? WALL : CLIMB);
}

/* Plays one part for a series, returns the last answer. */
static int act (int *climber)
{
  int i, answer = 0;
  for (i = 0; i < SERIES; i++) {
    if (*climber)
      answer = play (i < SERIES / 2 ? CLIMB : TOP);
    else
      answer = play (WALL);
    if (answer == last && next_random (0, 1))
      *climber = 1;
  }
  return answer;
}

int main ()
{
  int climber, answer;
  init_random ();
  climber = next_random (0, 1);
  for (;;) {
    answer = act (&climber);
    if (your_points - my_points > TOLERANCE)
      defend (answer);
    climber = answer == last ? next_random (0, 1) : !climber;
  }
}
