/*
 * squatter - stays where it pays, moves on where it does not
 */
#if 0
Win, stay; lose, move. The squatter knows seven houses, that is, seven
numbers: the wall at 6143, which beats the very top, exactly one half
of the top, the threshold 8192, three places above it, and the top
itself. It lives in one of them and throws its number again and
again. Every house keeps a rent book: what a throw there has brought
lately, on the average of the last eight throws or so.
When the rent of a house falls below the limit for several throws the
squatter looks around. Moving up is possible at any time, moving down
only after eight throws, as the rules say. Of all houses that can be
reached it takes the one with the best rent book; houses that have
not been visited for some time slowly get a better name, so that every
one of them is tried again sooner or later.
The squatter neither offers nor punishes anything. It fits into the
habits of the other side. If the other side has its own fixed place
the squatter finds the house next to it that wins always. If the
other side alternates, the squatter takes its half of the points and
is a quiet partner. Only against those who hunt it, that is who
always go where it has just been, it does badly, because it stays too
long everywhere.
#endif

#define HOUSES 7
#define RENT 320        /* 64 times the points per throw, the limit */
#define BORED 3         /* what an empty house gains per throw */

#define SERIES 8        /* the rule */

int init_random (), next_random (), make_throw (), count_points ();

static int house[HOUSES] = {
  6143, 6144, 8192, 9200, 10600, 12286, 12288
};
static int rent[HOUSES];
static int home, stay;          /* where I live, throws in my series */

static int best_reachable ()
{
  int i, best = home;
  for (i = stay >= SERIES ? 0 : home; i < HOUSES; i++)
    if (rent[i] > rent[best])
      best = i;
  return best;
}

static void move_to (new_home)
int new_home;
{
  if (new_home < home && stay < SERIES)
    return;
  stay = new_home < home ? 0 : stay;
  home = new_home;
}

static void live ()
{
  int i, me = 0, you = 0;
  int yours = make_throw (house[home]);
  stay++;
  count_points (house[home], yours, &me, &you);
  for (i = 0; i < HOUSES; i++)
    rent[i] += BORED;
  rent[home] += (64 * me - rent[home]) / 8;
}

int main ()
{
  int i;
  init_random ();
  for (i = 0; i < HOUSES; i++)
    rent[i] = 6 * 64 + next_random (0, 64);
  home = next_random (0, HOUSES - 1);
  for (;;) {
    live ();
    if (rent[home] < RENT)
      move_to (best_reachable ());
  }
}
