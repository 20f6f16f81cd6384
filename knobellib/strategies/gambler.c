/*
 * gambler - a row of one-armed bandits
 */
#if 0
Imagine a row of slot machines. Each of them is a plan for a whole
series of eight throws, and each pays out a number of points that
depends on the other side and on luck. Which ones should be played?
The gambler knows six plans:
 0 stand on 6143 for eight throws,
 1 stand on the top for eight throws,
 2 climb from 8192 in equal steps to the top,
 3 climb from 3072 by one fifth per throw,
 4 four throws of 6144 and then four of 12288,
 5 start at 8192 and from then on throw one more than the other side.
For every plan it knows what it has paid on the average, where newer
series count more than older ones, and how long ago it was played
last. The value of a plan is its average plus a bonus for curiosity.
The bonus is proportional to the logarithm of the number of series
since the plan was played last. So a plan that is much worse than the
best one is tried again rarely, and one that is nearly as good is
tried often. This is a simple form of what statisticians call upper
confidence bounds.
Since all plans are at least eight throws long, every plan may follow
on every other one.
The gambler takes what he can get from anybody. Against regular
partners he often ends in a good cooperation, because taking turns
pays more than fighting, but he would not call it that.
#endif

#define PLANS 6
#define CURIOSITY 150   /* 16 times the bonus in points per series */
#define NEWNESS 4       /* the newest series counts one fourth */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();
int log2 ();

static int average[PLANS];      /* 16 * points per series */
static int played[PLANS];       /* number of the series */

/* Throw i of a plan, after these two numbers. */
static int number (plan, i, mine, yours)
int plan, i, mine, yours;
{
  switch (plan) {
    case 0:
      return 6143;
    case 1:
      return HIGH;
    case 2:
      return 8192 + i * (HIGH - 8192) / (SERIES - 1);
    case 3:
      return i == 0 ? 3072 : mine + mine / 5;
    case 4:
      return i < SERIES / 2 ? 6144 : HIGH;
    default:
      return i == 0 ? 8192 : yours + 1;
  }
}

static int play (plan)
int plan;
{
  int i, wish, mine = 0, yours = 0, me = 0, you = 0;
  for (i = 0; i < SERIES; i++) {
    wish = number (plan, i, mine, yours);
    if (wish > HIGH)
      wish = HIGH;
    mine = wish > mine ? wish : mine;
    yours = make_throw (mine);
    count_points (mine, yours, &me, &you);
  }
  return me;
}

static int value (plan, series)
int plan, series;
{
  return average[plan] + CURIOSITY * log2 (series - played[plan]);
}

static int choose (series)
int series;
{
  int plan, best = next_random (0, PLANS - 1);
  for (plan = 0; plan < PLANS; plan++)
    if (value (plan, series) > value (best, series))
      best = plan;
  return best;
}

int main ()
{
  int plan, series;
  init_random ();
  for (plan = 0; plan < PLANS; plan++)
    average[plan] = 16 * 70;            /* optimism: try them all */
  for (series = 1;; series++) {
    plan = choose (series);
    average[plan] += (16 * play (plan) - average[plan]) / NEWNESS;
    played[plan] = series;
  }
}
