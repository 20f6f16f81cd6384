/*
 * grim - a friend until the third injury, an enemy ever after
 */
#if 0
Honour is a simple thing. Grim offers a fair treaty: in one series I
throw 6144 and you may win all throws of it, in the next series I claim
the same for myself. I claim twice your last number, or the top.
An injury is a series that was mine and in which you nevertheless won
more points than I did. Grim is not petty. Nobody can know the treaty
from the start, therefore the first injuries are only counted. After
the third one the friendship is over, for the rest of the game, and
there is no way back.
In war Grim has one aim: you shall not win points, and, as far as that
is possible, I shall. I throw whatever wins against your last number,
preferring the number below one half of it to all others, since from
there one is hard to dislodge. If nothing wins I throw your own number
again, for a tie hurts you as well.
Why should this be a good idea? The threat of an endless war is the
strongest that there is. Who is able to learn will find out that after
one or two thefts the gifts are still there; who is not able to learn
would have stolen again and again. The weakness is known, too: one
misunderstanding too many and two honest players fight for hundreds of
throws. This is why Grim allows three injuries and not one, and why
series with many ties do not count: they are the lots by which two
players of my kind find out who is the first to give.
#endif

#define INJURIES 3      /* so many are too many */
#define GIFT 6144

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;
static int my_points, your_points, ties;

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

static void hurl (int wish)
{
  yours = make_throw (legal (wish));
  if (count_points (mine, yours, &my_points, &your_points) == 0)
    ties++;
}

static void treaty_series (int claiming)
{
  int i;
  my_points = your_points = ties = 0;
  for (i = 0; i < SERIES; i++)
    if (!claiming)
      hurl (GIFT);
    else
      hurl (yours > 0 && yours < GIFT ? 2 * yours : HIGH);
}

static int injured (void)
{
  return ties < SERIES / 2 && your_points > my_points;
}

static void war (void)
{
  int half = (yours - 1) / 2;
  if (half > 2047 && (half >= mine || length >= SERIES))
    hurl (half);
  else if (2 * yours <= mine)
    hurl (2 * yours);
  else
    hurl (mine > yours || yours == HIGH ? yours : yours + yours / 2);
}

int main ()
{
  int claiming, injuries = 0;
  init_random ();
  claiming = next_random (0, 1);
  while (injuries < INJURIES) {
    treaty_series (claiming);
    injuries += claiming && injured ();
    claiming = ties < SERIES / 2 ? !claiming : next_random (0, 1);
  }
  for (;;)
    war ();
}
