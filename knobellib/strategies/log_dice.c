/*
 * log_dice - every power of two is equally likely
 */
#if 0
Another player of chance, which takes the scale of the game seriously.
What decides a throw in this game is not the difference of the numbers
but their ratio: more than twice as much is too much. So the numbers
should be looked at on a logarithmic scale, and on that scale this
strategy is evenly distributed. Each series starts at a random power
of two with a random rest, between START and the top; each further
throw multiplies the last one by a random factor between one and
RATIO, which is about the ninth root of the whole range, so that the
series is used up just when it may end.
When the next factor would lead over the top, the series ends if it
is long enough, and otherwise it stays where it is.
In a game against other players of chance this gains fewer points per
win, because low numbers are worth less, but it often wins from below
when the others have already arrived at the top. It looks at nothing
that the other side does, it offers nothing and demands nothing.
I was curious whether a low profile pays. My own calculations say that
it does against those who climb early, and that it does not against
those who simply answer with twice the last number, because they get
nearly each second throw.
#endif

#define START 10        /* the smallest power of two to begin with */
#define RATIO 134       /* the largest factor, in percent */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int random_number ()
{
  int power = 1 << next_random (START, 12);
  return next_random (power, 2 * power - 1);
}

int main ()
{
  int number, next, length;
  init_random ();
  for (;;) {
    number = random_number ();
    for (length = 0;; length++) {
      make_throw (number);
      next = number * next_random (100, RATIO) / 100;
      if (next <= HIGH)
        number = next;
      else if (length + 1 >= SERIES)
        break;
    }
  }
}
