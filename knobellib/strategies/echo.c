/*
 * echo - what you throw comes back eight throws later
 */
#if 0
The echo has no numbers of its own. What it throws is what the other
side has thrown eight throws before, and only the first eight throws
are drawn by lot.
Imitation is an old idea for this kind of game. A pure copy of the
last throw would be a bad idea here, because it produces ties with
everybody who repeats a number. The delay of a whole series changes
that. If the other side alternates series of high and low numbers, my
low series falls together with its high one and vice versa, and we
share the points fairly, without any of us having to know about it.
Who is kind gets the kindness back one series later, and who robs me
in one series meets his own robbery in the next one, against which he
then has to find an answer. In that sense the strategy cooperates
with those who cooperate and defends itself by the weapons that the
other side brings.
An echo cannot always fall when its model fell, because my own series
may have begun later. In that case the number that is stuck in the
throat is left out, and the last number is repeated instead.
Two echoes would copy each other for ever, so the opening of each of
them matters: it is a random series, and the whole game consists of
variations on the two openings. A number that tied with mine is not
worth repeating; instead of it I shall throw a random one. A small
mistake in one of sixty throws prevents that this becomes too boring.
#endif

#define DELAY 8         /* throws, at least 1 */
#define LEAST 4096      /* random numbers are not below this */
#define SLIP 60         /* one throw of sixty is a little higher */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int heard[DELAY];
static int said, run;

static int possible (wish)
int wish;
{
  if (wish > HIGH)
    wish = HIGH;
  if (wish < said && run < SERIES)
    wish = said;
  run = wish < said ? 1 : run + 1;
  said = wish;
  return wish;
}

int main ()
{
  int now = 0, number;
  init_random ();
  for (;;) {
    number = heard[now];
    if (number == 0)                    /* nothing to repeat */
      number = next_random (LEAST, HIGH);
    if (next_random (1, SLIP) == 1)
      number += next_random (1, number);
    heard[now] = make_throw (possible (number));
    if (heard[now] == said)
      heard[now] = 0;
    now = (now + 1) % DELAY;
  }
}
