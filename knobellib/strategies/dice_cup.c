/*
 * dice_cup - eight dice, sorted
 */
#if 0
A pure player of chance. The rules say that the numbers of a series
must not fall, and most random players obey this by drawing each
number between the last one and the top. Their numbers crowd at the
top within three or four throws, and there they tie or are beaten from
below.
The dice cup does it differently: at the beginning of each series it
shakes a whole cup of numbers at once, sorts them in ascending order,
and throws them one after the other. So each series is spread evenly
over the whole range, with the smallest number at about one ninth of
the top and the largest one at about eight ninths. Nobody can foretell
more than this slow climb.
The size of the cup is drawn anew each time, between 8 and 12, so that
nobody knows for certain when I drop. That is all the cunning there is
in it. The dice do not look at the numbers of the other side at all;
so they can be neither taught nor provoked, neither exploited by
threats nor invited to a cooperation. Who wants many points against me
had better throw a bit more than I probably do, as everywhere.
I have sent it to the contest as a measuring rod: a strategy that
does not get more points on the average than the dice has not
understood much.
#endif

#define SMALLEST 8      /* dice in the cup, at least 8 */
#define LARGEST 12

#define HIGH 12288      /* the rule */

int init_random (), next_random (), make_throw ();

static int cup[LARGEST];

static void sort (dice, n)
int *dice, n;
{
  int i, j, die;
  for (i = 1; i < n; i++) {
    die = dice[i];
    for (j = i; j > 0 && dice[j - 1] > die; j--)
      dice[j] = dice[j - 1];
    dice[j] = die;
  }
}

int main ()
{
  int i, n;
  init_random ();
  for (;;) {
    n = next_random (SMALLEST, LARGEST);
    for (i = 0; i < n; i++)
      cup[i] = next_random (1, HIGH);
    sort (cup, n);
    for (i = 0; i < n; i++)
      make_throw (cup[i]);
  }
}
