/*
 * three_doors - behind one of them there are 13 points
 */
#if 0
Rock, paper, scissors: that is what the name of this game means in
German, and here it is played literally. Of the many numbers in the
range only three are kept, and each of them beats exactly one of the
other two:
- the wall, 6143, beats the tower: 12287 is more than twice as much;
- the tower, 12287, beats the hill, being higher but not twice as high;
- the hill, 8192, beats the wall for the same reason.
For each series of at least eight throws I draw one of the doors and
stay behind it. The probabilities are not equal. A door is drawn the
more often the less the other side has been able to do against it
lately: after each series the door where I won more than I lost gets
one more ticket in the lottery, and every other door that I have used
gets one ticket fewer. No door has ever fewer than two or more than
twelve tickets. So I am unpredictable in the small, and drift slowly
to where the other side is weak in the large.
Within a series I am stubborn, that is the weak side of it: who sees
the first throw of a series knows the next seven. If I have lost four
throws behind the wall, somebody is on the hill, and I climb the tower
for the rest of the series, which the rules permit. If four throws
were ties behind a lower door, a coin says whether I go up by one.
There is no cooperation in it, and no revenge.
#endif

#define DOORS 3
#define FEWEST 2        /* tickets */
#define MOST 12
#define PATIENCE 4      /* throws without a win before I go up */

#define SERIES 8        /* the rule */

int init_random (), next_random (), make_throw (), count_points ();

static int number[DOORS] = { 6143, 8192, 12287 };
static int tickets[DOORS] = { 6, 6, 6 };

static int draw ()
{
  int i, ticket = next_random (1, tickets[0] + tickets[1] + tickets[2]);
  for (i = 0; ticket > tickets[i]; i++)
    ticket -= tickets[i];
  return i;
}

static void reward (door, difference)
int door, difference;
{
  if (difference > 0 && tickets[door] < MOST)
    tickets[door]++;
  if (difference <= 0 && tickets[door] > FEWEST)
    tickets[door]--;
}

/* Another door in the middle of a series: never a lower one. */
static int change (door, lost)
int door, lost;
{
  if (lost)
    return door == 0 ? DOORS - 1 : door;
  return door < DOORS - 1 ? door + next_random (0, 1) : door;
}

static void series (door)
int door;
{
  int i, me = 0, you = 0, opened = door;
  for (i = 0; i < SERIES; i++) {
    if (i == PATIENCE && me == 0)
      door = change (door, you > 0);
    count_points (number[door], make_throw (number[door]), &me, &you);
  }
  reward (opened, me - you);
}

int main ()
{
  init_random ();
  for (;;)
    series (draw ());
}
