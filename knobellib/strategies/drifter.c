/*
 * drifter - a random walk through the numbers
 */
#if 0
The drifter walks. With each throw it either rests, with probability
one half, or walks upwards by a step whose length is geometrically
distributed: many short steps, a few long ones. Now and then, with a
small probability that grows with the length of the series, it is
tired of the height and lets itself fall to a random place between one
quarter and three quarters of where it has been.
By this its numbers do not fill the range evenly. They hang about
somewhere in the middle of the range for a long time, stay for
several throws on one spot, and their series are of very different
lengths, from eight throws up to sixty or more. For somebody who wants
to learn my habits there are no periods to be found, and the numbers
of the last minute say little about those of the next one.
The only influence that the other side has on the walk is the wind.
If I have lost four throws in a row the wind becomes stronger: I fall
if I may, and otherwise the steps are twice as long. This is no
cunning plan. It only prevents that I stay for a hundred throws on a
spot where I lose every one of them.
The strategy does not cooperate, does not exploit, has no memory
apart from counting its losses, and it is not sorry about it.
#endif

#define STEP 128        /* the shortest step */
#define REST 2          /* one throw of two is a rest */
#define TIRED 24        /* the longer, the longer are the series */
#define WIND 4          /* lost throws in a row that are too many */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int place = 3000, length, lost;

static int step ()
{
  int size = STEP;
  while (next_random (0, 1))
    size *= 2;
  return lost >= WIND ? 2 * size : size;
}

static void fall ()
{
  place = next_random (place / 4, place * 3 / 4);
  if (place < 256)
    place = 256;
  length = 0;
  lost = 0;
}

static void walk ()
{
  if (length >= SERIES && (lost >= WIND || next_random (0, TIRED) == 0))
    fall ();
  else if (next_random (1, REST) == 1)
    place += step ();
  if (place > HIGH)
    place = HIGH;
}

int main ()
{
  int yours, me, you;
  init_random ();
  for (;;) {
    yours = make_throw (place);
    length++;
    me = you = 0;
    lost = count_points (place, yours, &me, &you) == 2 ? lost + 1 : 0;
    walk ();
  }
}
