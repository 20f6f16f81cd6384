/*
 * forbidden_routine - prints what it does, which is not allowed
 */
#if 0
This strategy was meant to be a simple climber. Each series starts at
a random number in the lower half of the range and rises by one fifth
with each throw, until the series is long enough and the numbers have
reached the top. It does not look at the other side, it offers nothing,
and it exploits nobody on purpose.
While we were testing it by hand we wanted to see each series on the
screen, and so there is a line in it that prints the first number of
the series and the points so far. At home that worked very well, since
our compiler simply linked the library of the system.
In the contest no library routine may be called except the five that
the organizer provides. A program that prints something has nobody to
print for, anyway. The compile report will tell us the name of the
routine and the line where it is called, and all that we have to do is
to remove this one line and to send the program again.
We left it in because we did not read the requirements to their end.
#endif

#define LOWEST 2000     /* a series begins between these */
#define HIGHEST 6000
#define RISE 5          /* one fifth per throw */

#define TOP 12288       /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw (), count_points ();
int printf ();

int main ()
{
  int i, number, my_points = 0, your_points = 0;
  init_random ();
  for (;;) {
    number = next_random (LOWEST, HIGHEST);
    printf ("series from %d, %d points\n", number, my_points);
    for (i = 0; i < SERIES; i++) {
      count_points (number, make_throw (number), &my_points, &your_points);
      number = number + number / RISE > TOP ? TOP : number + number / RISE;
    }
  }
}
