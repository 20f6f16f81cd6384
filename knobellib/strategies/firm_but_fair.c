/*
 * firm_but_fair - four wins for you, four wins for me
 */
#if 0
Each of us shall win four throws running, then the other one. Turns of
four are long enough to be noticed by somebody who learns, and short
enough to lose little if they are not respected. The numbers need not
fall for this: I take my turn by stepping just over your number, you
take yours by stepping over mine, and as one step is enough for four
throws, a game of 1000 throws needs no more than 250 steps of a
few numbers each.
During your turn I stand still and count your wins. After the fourth
I step over you and count mine. If you step over me again during my
turn I step over you again, at once and without anger; but each win of
yours in my turn is written down. After six of them I am firm: for the
next twelve throws, the punishment, I play below one half of your
number if I can, and twice your number otherwise. Then all is
forgotten and your turn begins. Each good turn of mine halves the
number of thefts that I have written down.
In the opposite case, you do not take your turn although I stand
still, I do not wait for ever: after twelve wins I thank you for the
present and go down a bit, so that your number beats mine.
When we get near the top, I go down to the ground as soon as my series
permits it. From 8192 the game of steps begins again.
So it is a cooperator with a soft heart and a short memory, whose
punishments are just long enough not to be profitable for the thief.
#endif

#define TURN 4          /* wins in a turn */
#define STEP 3          /* how far I step over you */
#define THEFTS 6        /* written down before I am firm */
#define PUNISHMENT 12   /* throws */
#define PRESENT 12      /* wins that I accept without a turn of yours */

#define GROUND 8192
#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;
static int my_turn, wins, thefts, result;

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

static void play (wish)
int wish;
{
  int me = 0, you = 0;
  yours = make_throw (legal (wish));
  result = count_points (mine, yours, &me, &you);
}

static int over ()
{
  if (yours + STEP > HIGH)
    return GROUND + next_random (0, STEP * SERIES);
  return yours < GROUND ? GROUND + STEP : yours + STEP;
}

static void punish ()
{
  int i;
  for (i = 0; i < PUNISHMENT; i++)
    play (yours > GROUND ? (yours - 1) / 2 : 2 * yours);
  my_turn = wins = thefts = 0;
}

static void start_turn (of_mine)
int of_mine;
{
  my_turn = of_mine;
  wins = 0;
}

static void your_throw ()
{
  play (wins <= -PRESENT ? mine - mine / 4 : mine);
  wins += result == 2 ? 1 : -(result == 1);
  if (result == 0 && next_random (0, 1))
    start_turn (1);
  else if (wins >= TURN)
    start_turn (1);
}

static void my_throw ()
{
  play (result == 1 ? mine : over ());
  thefts += result == 2;
  wins += result == 1;
  if (wins >= TURN) {
    thefts /= 2;
    start_turn (0);
  }
}

int main ()
{
  init_random ();
  play (GROUND + next_random (0, 20));
  my_turn = result == 2;
  for (;;) {
    if (thefts >= THEFTS)
      punish ();
    if (my_turn)
      my_throw ();
    else
      your_throw ();
  }
}
