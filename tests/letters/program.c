/*
  <<FROM>> heavy_lords k7qd-m2ab-zzzz-2345-wxyz
*/
#if 0
We cooperate first. This description is deliberately written in one quite long line so that every mailer shows what it does to it.
#endif
#define CLAMP(x) \
	((x) < 1 ? 1 : (x) > 12288 ? 12288 : (x))
main()
{
  int mine = 1, his;  /* Grüße */
  for (;;) {
    his = make_throw(mine);
    mine = CLAMP(his > mine ? his + next_random(0, 3) : mine); if (mine >= 12288) mine = 1;
  }
}
