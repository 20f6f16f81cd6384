/*
 * schoolmaster - teaches the multiplication table of cooperation
 */
#if 0
A leader. Many strategies of the adaptive kind do not know what they
want, they only learn what pays. The schoolmaster shows them a world
in which it pays to be cooperative.
A lesson has sixteen throws. In the first half I throw 6144: the pupil
wins 13 points by any number from 6145 to 12288. In the second half I
throw 12288: the pupil may win 12 points by throwing below 6144, and
that is what he ought not to do. A good pupil stays above or ties;
then I win, or nobody does.
Marks are given for the second half only: each throw in which the
pupil has undercut me is a mistake. With at most two mistakes the
next lesson is the same. With more the pupil is kept in: for sixteen
throws he meets the cane, a number just under the half of his own
last number or just above it, whatever wins more. After that a new
lesson begins with the present, so that the pupil always finds the
same order: present, claim, and the cane only after a theft.
Pupils who steal again and again get longer and longer detention. The
schoolmaster gives nobody up for good, but after some years in office
he gives at most one lesson in five to the incurable.
Two schoolmasters in one classroom tie at first. After a lesson that
consisted of ties each of them steps out, with probability one half,
for as long as half a lesson lasts; as soon as only one of them has
done so, one claims while the other one gives.
#endif

#define HALF_LESSON 8   /* at least 8 */
#define MISTAKES 2      /* that are overlooked */
#define DETENTION 16    /* throws, the first time */
#define LONGEST 64      /* throws */
#define GIVE 6144
#define CLAIM 12288

#define SERIES 8        /* the rule */

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, series, ties;

static int correct (int wish)
{
  if (wish < 1)
    wish = 1;
  if (wish > CLAIM)
    wish = CLAIM;
  if (wish < mine && series < SERIES)
    wish = mine;
  series = wish < mine ? 1 : series + 1;
  mine = wish;
  return wish;
}

/* One throw; returns 1 if the pupil won it from below. */
static int show (int number)
{
  yours = make_throw (correct (number));
  ties += yours == mine;
  return 2 * yours < mine;
}

static int lesson (void)
{
  int i, mistakes = 0;
  ties = 0;
  for (i = 0; i < HALF_LESSON; i++)
    show (GIVE);
  for (i = 0; i < HALF_LESSON; i++)
    mistakes += show (CLAIM);
  if (ties > HALF_LESSON && next_random (0, 1))
    for (i = 0; i < HALF_LESSON; i++)
      show (CLAIM);
  return mistakes;
}

static void cane (int throws)
{
  while (throws-- > 0) {
    if (yours > 8191 && (series >= SERIES || mine < yours / 2))
      show ((yours - 1) / 2);
    else
      show (2 * yours);
  }
}

int main ()
{
  int detention = DETENTION;
  init_random ();
  for (;;) {
    if (lesson () <= MISTAKES)
      detention = DETENTION;
    else {
      cane (detention);
      if (detention < LONGEST)
        detention += DETENTION;
    }
  }
}
