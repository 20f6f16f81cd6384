/*
 * gradual - the n-th offence costs n series
 */
#if 0
From the experiments with the prisoners and their dilemma one knows a
strategy that answers the n-th offence with n punishments and then
makes peace by two kind moves, whatever happens in between. This is
the translation for this game.
Peace: turns of ten throws. In my turn I throw 12000 and a little
more, in yours I throw 6100. Ten throws instead of eight leave two
throws of slack at the beginning and the end of the turns, so that a
partner who is one or two throws late is not suspected of anything.
Offence: in my turn you win at least half of the throws. How you do
that does not matter, from above or from below.
Punishment: for n series of eight throws, if it was the n-th offence,
I start each series at a random low place and then always throw a
third more than your last number, or go under you. This costs me
something as well, which is what makes the difference between a
punishment and a robbery.
Peace offer: two turns of gifts, twenty throws, in which I look at
nothing. Afterwards we take turns again, and you are the first to
give, since you have already got.
The number of offences is never reduced, so that hardened offenders
see fewer and fewer gifts. A limit of eight series keeps the game from
being nothing but a punishment.
Who draws the same lot as I do at the beginning ties with me; that is
no offence, and we draw again.
#endif

#define TURN 10         /* throws, at least 8 */
#define GIVE 6100
#define TAKE 12000
#define LIMIT 8         /* series of punishment at most */
#define OFFERS 2        /* turns of gifts for peace */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length, winner;

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

static void cast (int wish)
{
  int me = 0, you = 0;
  yours = make_throw (legal (wish));
  winner = count_points (mine, yours, &me, &you);
}

static void gifts (int turns)
{
  int i;
  for (i = 0; i < turns * TURN; i++) {
    cast (GIVE);
    if (winner == 0 && next_random (0, 1))
      return;
  }
}

/* Returns whether there was an offence. */
static int my_turn (void)
{
  int i, stolen = 0;
  for (i = 0; i < TURN; i++) {
    cast (TAKE + i);
    stolen += winner == 2;
    if (winner == 0 && next_random (0, 1))
      return 0;
  }
  return 2 * stolen >= TURN;
}

static void punish (int series)
{
  int i;
  for (i = 0; i < series * SERIES; i++)
    if (i % SERIES == 0)
      cast (next_random (GIVE / 2, GIVE));
    else if (yours > 2 * mine)
      cast (mine);
    else
      cast (yours + yours / 3);
}

int main ()
{
  int offences = 0;
  init_random ();
  if (next_random (0, 1))
    gifts (1);
  for (;;) {
    if (my_turn ()) {
      offences++;
      punish (offences < LIMIT ? offences : LIMIT);
      gifts (OFFERS);
    } else
      gifts (1);
  }
}
