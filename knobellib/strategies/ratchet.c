/*
 * ratchet - moves up one tooth after a loss, snaps back when it may
 */
#if 0
The ratchet is a mechanical device. After a win it does not move.
After a loss or a tie it moves up by one tooth. The width of the tooth
is a percentage of the present number, and it is the only thing that
is adjusted during the game.
When the series is long enough and the last throw was lost the ratchet
snaps back to its base. The base is not fixed either: it is the number
from which the last series would have won its first throw, two thirds
of the number that the other side has just thrown.
The width is adjusted as an engineer would do it. For each series I
count the wins. If there were more than in the series before it, the
last change of the width was good, and it is changed further in the
same direction; if there were fewer, the direction is reversed. The
width stays between 2 and 60 percent.
A ratchet that wins holds its number and lets the other side do
something about it; so there is always a chance for a partner to take
the next throw, and two ratchets with different teeth take turns in an
irregular way, which is about as good as a treaty. Against those who
do not move the ratchet finds the winning distance within a series
and keeps it. Against those at the top it snaps back and wins from
below.
It has no intentions, as I said, it is a device. It does not care
whether this is called cooperation or exploitation.
#endif

#define NARROW 2        /* percent */
#define WIDE 60
#define TURN 3          /* percent per adjustment */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;
static int width, direction = TURN;

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

static void adjust (int wins, int before)
{
  if (wins < before)
    direction = -direction;
  width += direction;
  if (width < NARROW || width > WIDE) {
    direction = -direction;
    width += 2 * direction;
  }
}

static int base (void)
{
  return yours >= HIGH * 2 / 3 ? yours / 2 - 1 : yours * 4 / 3;
}

/* One throw after a result; returns the new one. */
static int move (int result)
{
  int me = 0, you = 0, wish = mine;
  if (result != 1)
    wish = length >= SERIES ? base () : mine + mine * width / 100 + 1;
  yours = make_throw (legal (wish));
  return count_points (mine, yours, &me, &you);
}

int main ()
{
  int i, wins, before = 0, result = 0;
  init_random ();
  width = next_random (NARROW, WIDE / 2);
  mine = next_random (3000, 8000);
  for (;;) {
    wins = 0;
    for (i = 0; i < SERIES; i++) {
      result = move (result);
      wins += result == 1;
    }
    adjust (wins, before);
    before = wins;
  }
}
