/*
 * high_roller - plays in the best room of the casino
 */
#if 0
Only numbers from 8192 on are worth 13 points, so the high roller does
not look at anything smaller. In this room there is no winning from
below, since no number in it is more than twice another one: the
higher number wins, and the whole thing is a race to the top which is
started anew with every series.
The race has its own theory. Who jumps to the top at once wins until
the other side is there too, then both tie. Who climbs in small steps
loses some throws but has room to win the later ones. The high roller
mixes both: each rise takes a random part of the room that is left,
and it is the smaller one of two draws, so that small steps are more
common than large ones. As soon as there is nearly no room left and
the series has eight throws, the next one begins near the bottom of
the room.
In one of five series the high roller has no money and sits in the bar
below, at 6143, where it wins against those who are stuck at the top.
It watches one thing only: if the other side is at the top already, it
does not climb any further and waits for the new race.
It is neither friendly nor hostile. It exploits the top players a
little and is exploited by those who always throw one more.
#endif

#define ROOM 8192       /* the floor of the room */
#define BAR 6143
#define BROKE 5         /* one series of five is spent in the bar */
#define TIGHT 100       /* less room than this is none */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

/* The smaller one of two draws. */
static int modest (int limit)
{
  int a = next_random (0, limit), b = next_random (0, limit);
  return a < b ? a : b;
}

static void race (void)
{
  int length = 0, yours = 0;
  int number = ROOM + modest (HIGH - ROOM);
  while (length < SERIES || HIGH - number > TIGHT) {
    yours = make_throw (number);
    length++;
    if (yours < HIGH)
      number += modest (HIGH - number);
    else if (length >= SERIES)
      break;
  }
}

static void drink (void)
{
  int i;
  for (i = 0; i < SERIES; i++)
    make_throw (BAR);
}

int main ()
{
  init_random ();
  for (;;)
    if (next_random (1, BROKE) == 1)
      drink ();
    else
      race ();
}
