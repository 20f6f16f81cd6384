/*
 * turn_taker - your series, my series, with an eye on the change
 */
#if 0
Cooperation by turns. In my turn I throw high and want to win, in your
turn I throw 6144, over which every number up to 12288 wins 13 points.
A turn lasts for eight throws, so that the end of a high turn is
always a moment at which dropping is allowed.
How do we agree on who begins? Both draw lots. If we have drawn the
same lot the throws tie, and after each tie I draw again; this ends
quickly. From then on the turns alternate by themselves, and a copy
of me needs no more signals.
With strangers I look at what they do during the turns:
- If somebody stands on a low wall in my turn, 12288 would be too
  much, so I throw exactly twice his number, or one more than his
  number where twice is impossible.
- If in my turn somebody raises to beat me, he does not know that it
  is my turn. I let him have it and begin my own turn after eight
  throws, as if it had been his.
- If somebody got more than three times as many points as I did in the
  last eight turns, I give nothing for a while: I take two turns in a
  row. That is all the punishment there is, and it is forgotten at once.
So the strategy mainly cooperates, defends itself a little, and does
not try to exploit anybody.
#endif

#define TURN 8          /* throws in a turn, at least 8 */
#define GIFT 6144
#define BOOKS 8         /* turns between two looks into the books */
#define GREED 3         /* three times my points is too much */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;
static int my_points, your_points;

static int legal (wish)
int wish;
{
  if (wish > HIGH)
    wish = HIGH;
  if (wish < mine && length < SERIES)
    wish = mine;
  length = wish < mine ? 1 : length + 1;
  mine = wish;
  return wish;
}

/* My number for my own turn. */
static int demand ()
{
  if (yours == 0 || yours > GIFT)
    return HIGH;
  return yours < HIGH / 4 ? HIGH / 2 : 2 * yours;
}

/* Plays until a turn is complete; returns whether it was a tie. */
static int turn (taking)
int taking;
{
  int i;
  for (i = 0; i < TURN; i++) {
    yours = make_throw (legal (taking ? demand () : GIFT));
    count_points (mine, yours, &my_points, &your_points);
    if (mine == yours && next_random (0, 1))
      return 1;
  }
  return 0;
}

static int robbed ()
{
  int robbed_now = your_points > GREED * my_points;
  my_points = your_points = 0;
  return robbed_now;
}

int main ()
{
  int taking, turns = 0;
  init_random ();
  taking = next_random (0, 1);
  for (;;) {
    if (turn (taking))
      taking = next_random (0, 1);
    else
      taking = !taking;
    if (++turns % BOOKS == 0 && robbed ()) {
      turn (1);
      taking = 1;
    }
  }
}
