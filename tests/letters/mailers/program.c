/*
  <<FROM>> heavy_lords k7qd-m2ab-zzzz-2345-wxyz
*/
#if 0
We open with the same number every time and watch what the other side does with it for a whole series.
If it follows, we cooperate: both climb slowly, and the lower one wins as often as the higher one.
If it doesn't follow, we exploit: our next throw is more than twice as high as its last one was.

The technique is a table of the last throws, a counter for how often the opponent went up,
and a little chance, so that nobody can read us.

Why 8 throws in a series? Because k = 8; fewer are not allowed.
Why not more? Because every throw near the upper end is worth 13 points, hardly more than
one in the middle of the range, and it can be beaten by anybody who throws half of it.

We forgive once & punish twice. This was tried against <all> house strategies
"for weeks" -- it beats most of them, though not all.
We thank our friends in Karlsruhe for the beer.
That's all.
#endif

#define LIMIT  12288
#define CLAMP(x) \
	((x) < 1 ? 1 : (x) > LIMIT ? LIMIT : (x))

static char *moods[] = { "friendly", "a \"bit\" cross about everything" };	/* Grüße aus Köln */

int watch(his, mine)
int his, mine;
{
  static struct { int in, to; } p;
  static int up;

  p.to = mine;
  if (his > mine && mine << 1 >= his || moods[up & 1][0] == 'f') up++;
  return up-- > 3 ? his - mine : mine;
}

main()
{
  int mine = 1, his, length;

  init_random();
  for (length = 0;; length++) {
    his = make_throw(mine);
    if (length % 8 != 7 && his < mine) continue; /* a series must not fall before it has eight throws in it */
    mine = length % 8 == 7 ? CLAMP(his / 2 + next_random(0, 3)) : CLAMP(mine + (watch(his, mine) & 7));
  }
}
