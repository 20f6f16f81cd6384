/*
 * patient_cooperator.c - takes turns, and waits for you to do the same
 */

#if 0
The most that two players can win together is 13 points in every
throw: one of them throws 12288 and wins, while the other one throws
at least half of that and loses. A fair couple takes turns in it.
Because a series must not fall before its eighth throw, the turns
cannot change with every throw. Hence this strategy always plays
series of the same form: a number of throws of 6144, in which the
partner may win, and then the same number of throws of 12288, in
which it wants to win itself. Then it falls back to 6144. With a
partner who is half a series behind, each of us wins every second
throw, and always 13 points.

There remains the question who begins. Two copies of this strategy
would throw the same numbers for ever and nobody would win anything.
So whenever most throws of a series were ties, the strategy waits for
a random number of additional throws at 6144 before it goes up. After
a few series the two are out of step, and soon in the best step.

The strategy only cooperates. It never tries to exploit a partner, it
does not punish anybody, and it does not care about undercutting: it
is here to show what an honest offer looks like, and to be a partner
that always keeps to the rules, whatever one does to it.
#endif

#define HIGH 12288                      /* the largest number */
#define LOW  (HIGH / 2)                 /* loses against HIGH, not more */
#define TURN 4                          /* throws at LOW, then at HIGH */

/* Throws `times` times the same; returns the number of ties. */
int repeat(times, number)
int times, number;
{
  int ties = 0;
  while (times-- > 0)
    if (make_throw(number) == number)
      ties++;
  return ties;
}

int main()
{
  int waiting = 0, ties;
  init_random();
  for (;;) {
    ties = repeat(TURN + waiting, LOW) + repeat(TURN, HIGH);
    waiting = ties > TURN ? next_random(0, TURN) : 0;
  }
}
