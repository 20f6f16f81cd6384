/*
 * late_thief - honest for nine tenths of the game
 */
#if 0
A game has 1000 throws, and every player can count. A treaty is kept
because the other side could take revenge; near the end there is not
much left to take revenge in. The late thief is an honest partner up
to throw 900, and then it takes what it can.
In the honest time we take long turns: fifty throws for you, in which
I throw 5500, and fifty throws for me, in which I throw 11000, which
is exactly twice as much and therefore wins. Long turns need few drops
and few words, and they are easy to learn. Who begins is decided by
lot: after each tie I draw anew whether it is my turn or yours.
If you do not respect my turn, that is, if I have lost ten throws of
it, I end it early. Your next turn lasts only for as many throws as I
have won in mine, and for four more, because somebody has to be the
first to trust again. That is all, since I do not want to spoil the
climate.
In the last hundred throws I do not give anything any more. I throw
the cheapest number that beats your last one, and go below the half
of it if you are too high. An honest partner needs some time to see
what is going on, and then it is over.
I know that I would be in trouble if everybody did this, because then
one should begin to steal one throw earlier than everybody else, and
so on, back to the first throw. With throw 900 I hope to be early
enough for the contest of this year.
#endif

#define TURN 50         /* throws, at least 8 */
#define GIVE 5500
#define TAKE (2 * GIVE)
#define ENOUGH 10       /* lost throws that end my turn */
#define TRUST 4         /* throws that I give in advance */
#define DUSK 900        /* the throw after which I steal */
#define GAME 1000       /* throws */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length, throws, winner;

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

static void act (wish)
int wish;
{
  int me = 0, you = 0;
  yours = make_throw (legal (wish));
  winner = count_points (mine, yours, &me, &you);
  throws++;
}

/* Returns the throws that I have won. */
static int turn (number, left, tolerance)
int number, left, tolerance;
{
  int lost = 0, won = 0;
  while (left-- > 0 && lost < tolerance && throws < DUSK) {
    act (number);
    lost += winner == 2;
    won += winner == 1;
    if (winner == 0 && next_random (0, 1))
      break;
  }
  return won;
}

static void steal ()
{
  if (yours >= HIGH || (2 * yours < mine && yours > 4096))
    act ((yours - 1) / 2);
  else
    act (yours < 4096 ? 2 * yours : yours < 8192 ? 8192 : yours + 1);
}

int main ()
{
  int giving, won = TURN;
  init_random ();
  giving = next_random (0, 1);
  while (throws < DUSK) {
    if (giving)
      turn (GIVE, won + TRUST > TURN ? TURN : won + TRUST, TURN);
    else
      won = turn (TAKE, TURN, ENOUGH);
    giving = winner == 0 ? next_random (0, 1) : !giving;
  }
  while (throws < GAME)
    steal ();
  return 0;
}
