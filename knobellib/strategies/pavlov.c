/*
 * pavlov - the same again after a win, something else after a loss
 */
#if 0
The famous dog learned from rewards. This one knows four tricks, and
it repeats a trick as long as it is rewarded:
- sit: throw the same number again,
- jump: throw one eighth more than the other side,
- stretch: throw exactly twice the number of the other side,
- crouch: throw just less than one half of it.
If the last throw was a win, the same trick is done again, with the
numbers of the new situation. If it was a loss, the dog tries the
next trick of the list. After a tie it tries any trick, drawn by lot,
because in a tie with another dog both would otherwise learn the same
thing and tie for ever.
A trick that the rules do not permit at the moment, such as a crouch
in a young series, ends in the same place as sitting; the dog does not
know the difference.
Win-stay, lose-shift has done very well in the dilemma of the
prisoners, because it repairs mistakes by itself and because it takes
the advantage of those who never strike back. In this game its success
is less certain. As an opponent it is not stupid: it finds the right
trick against everybody who does always the same thing, and needs
four throws for it at most. With itself it runs in circles, in which
both dogs get something.
There is no memory beyond the last throw and no plan.
#endif

#define JUMP 8          /* one eighth more */
#define TRICKS 4

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();

static int mine, yours, length;

static int legal (wish)
int wish;
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

static int perform (trick)
int trick;
{
  switch (trick) {
    case 0:
      return mine;
    case 1:
      return yours + yours / JUMP;
    case 2:
      return 2 * yours;
    default:
      return (yours - 1) / 2;
  }
}

static int learn (trick)
int trick;
{
  int me = 0, you = 0;
  switch (count_points (mine, yours, &me, &you)) {
    case 1:
      return trick;
    case 2:
      return (trick + 1) % TRICKS;
    default:
      return next_random (0, TRICKS - 1);
  }
}

int main ()
{
  int trick;
  init_random ();
  mine = yours = next_random (2048, 8192);
  trick = next_random (0, TRICKS - 1);
  for (;;) {
    yours = make_throw (legal (perform (trick)));
    trick = learn (trick);
  }
}
