/*
 * does_not_compile - the very first C program of its author
 */
#if 0
My strategy is a mixture of courage and caution. In every series the
first four throws are cautious, that is, they are in the middle of the
range, from where one can still go anywhere. The second four throws
depend on what has happened: if I have won at least two of the first
four, I stay where I am, because never change a winning number. If I
have won fewer, I become courageous and double my number, but at most
up to the top.
I do not try to exploit anybody, and I do not have a special technique
for cooperation either. However, a partner who likes high numbers in
the first half of a series and low ones in the second half will find
that we get along with each other quite well. Against a copy of myself
the random number at the start of each series decides.
In the next version I would like to remember which numbers have been
good, but for that I need arrays, and they come in chapter five.
This is my first program in C. Up to now I have used Pascal only, and
I am curious about what the automatic compilation will say.
#endif

#define CAUTIOUS 4      /* throws in the first half */
#define SERIES 8
#define TOP 12288

int init_random (), next_random (), make_throw (), count_points ();

int main ()
{
  int i, number, answer, wins;
  int me = 0, you = 0;

  init_random ();
  for (;;) {
    number = next_random (4000, 8000);
    wins = 0
    for (i = 0; i < SERIES; i++) {
      if (i == CAUTIOUS and wins < 2)
        number = 2 * number < TOP ? 2 * number : TOP;
      answer = make_throw (number);
      if (count_points (number, answer, &me, &you) = 1)
        wins++;
    }
  }
}
