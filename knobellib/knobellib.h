/*
 * knobellib.h - the five routines that a KNOBELN strategy may call; knobellib.c describes them.
 *
 * In the contest there is no #include, and none is needed: a program may declare them itself, in the old
 * style too, or not at all. At home `gcc -include knobellib.h` checks your calls, and changes no program.
 */
int init_random (void);
int log2 (int number);
int next_random (int low, int high);
int make_throw (int my_throw);
int count_points (int throw1, int throw2, int *points1, int *points2);
