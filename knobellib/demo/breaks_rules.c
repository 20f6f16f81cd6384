/*
 * breaks_rules - takes a small step back once in a while
 */
#if 0
Climbing is good, but who climbs too fast is at the top too early and
has to wait there until the series is over. Therefore this strategy
climbs slowly. A series has between nine and twelve throws. It starts
at a random number between 2500 and 5000, and with each throw I go up
by a random part of one quarter of my number. If I have lost the last
throw from below, I go up by twice as much.
Once in a while, in about one of 1300 throws, I notice that I have gone
up a little too fast. Then I take a small step back, just five numbers,
and go on climbing from there. A difference of five cannot possibly
matter to anybody, so I suppose that this does not count as the start
of a new series: the series as a whole still goes up.
The strategy does not cooperate by a protocol, and it does not exploit
anything in particular. It wins its points because many others are too
high already when I am still on my way.
The trial game after the compilation went well, and so did most of the
games that I have played by hand. I do not expect any trouble.
#endif

#define SHORTEST 9      /* throws in a series */
#define LONGEST 12
#define CLIMB 4         /* by at most one quarter per throw */
#define DOUBT 1300      /* one throw of so many is a step back */
#define BACK 5          /* a small one */

#define TOP 12288

int init_random (), next_random (), make_throw ();

static int higher (number, answer)
int number, answer;
{
  int step = next_random (0, number / CLIMB);
  if (answer > number && answer <= 2 * number)
    step *= 2;
  return number + step > TOP ? TOP : number + step;
}

int main ()
{
  int i, length, number, answer;
  init_random ();
  for (;;) {
    length = next_random (SHORTEST, LONGEST);
    number = next_random (2500, 5000);
    for (i = 0; i < length; i++) {
      answer = make_throw (number);
      if (next_random (1, DOUBT) == 1)
        number -= BACK;
      else
        number = higher (number, answer);
    }
  }
}
