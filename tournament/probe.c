/*
 * probe.c - an opponent that looks at nothing
 *
 * Its throws follow from its random numbers alone, so every program meets the same ones. In each stretch of
 * the game it has another manner. RULE_A, RULE_B and RULE_K are the contest's.
 */

#define MANNERS 6
#define STRETCH 60      /* throws, at most */

static int mine, run;

static void say (wish)
int wish;
{
  if (wish < RULE_A)
    wish = RULE_A;
  if (wish > RULE_B)
    wish = RULE_B;
  if (wish < mine && run < RULE_K)
    wish = mine;
  run = wish < mine ? 1 : run + 1;
  mine = wish;
  make_throw (wish);
}

static int any ()
{
  return next_random (RULE_A, RULE_B);
}

int main ()
{
  int manner, left, low, high, step;
  init_random ();
  for (;;) {
    manner = next_random (1, MANNERS);
    low = any ();
    high = next_random (low, RULE_B);
    step = next_random (1, 1 + (RULE_B - RULE_A) / 16);
    for (left = next_random (1, STRETCH); left > 0; left--)
      switch (manner) {
        case 1:                 /* anything */
          say (any ());
          break;
        case 2:                 /* always the same */
          say (low);
          break;
        case 3:                 /* upstairs */
          say (mine + step);
          break;
        case 4:                 /* high and low in turn, each for a while */
          say (left / (RULE_K + 4) % 2 ? RULE_B : RULE_B / 2);
          break;
        case 5:                 /* in a range */
          say (next_random (low, high));
          break;
        default:                /* low numbers */
          say (next_random (RULE_A, RULE_A + (RULE_B - RULE_A) / 64));
      }
  }
}
