/*
 * metronome - eight low, eight high, for ever
 */
#if 0
The metronome is the simplest possible offer of a cooperation that
loses no point at all. It beats a bar of sixteen throws: eight times
6144, then eight times 12288, then it begins again. Who answers with
the same bar in the opposite phase wins 13 points whenever I do not,
and I win 13 points whenever he does not: 12288 beats 6144, because
it is not more than twice as high.
The offer is easy to find for all who look for periods, and easy to
find for people who simply answer the last throw. It is just as easy
to exploit: against a wall of 6143 the metronome gets nothing in half
of its throws. It does not care. It takes no revenge and keeps no
books, because it wants to be the one partner in the group on whom
everybody can count.
It listens to one thing only. If both of us throw the same number we
are in the same phase, and nobody gets anything. Then the metronome
holds its breath for one beat with probability one half. The series
only gets longer by this, so that the rules stay satisfied, and two
metronomes reach opposite phases after a while; once they overlap for
less than a whole half of the bar they have few ties and share the
rest.
#endif

#define BEATS 8         /* throws in each half of the bar, at least 8 */
#define SOFT 6144
#define LOUD 12288

#define SERIES 8        /* the rule */

int init_random (), next_random (), make_throw ();

static int previous, run;       /* my last throw, length of series */

static int keep_the_rules (wish)
int wish;
{
  if (wish < previous && run < SERIES)
    wish = previous;
  run = wish < previous ? 1 : run + 1;
  previous = wish;
  return wish;
}

int main ()
{
  int beat, heard;
  init_random ();
  beat = next_random (0, 2 * BEATS - 1);
  for (;;) {
    heard = make_throw (keep_the_rules (beat < BEATS ? SOFT : LOUD));
    if (heard != previous || next_random (0, 1))
      beat = (beat + 1) % (2 * BEATS);
  }
}
