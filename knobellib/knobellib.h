/* knobellib.h - the five routines that a KNOBELN strategy may call. Including it is never necessary. */
int init_random();      /* int init_random (void) */
int log2();             /* int log2 (int number) */
int next_random();      /* int next_random (int low, int high) */
int make_throw();       /* int make_throw (int my_throw) */
int count_points();     /* int count_points (int throw1, int throw2, int *points1, int *points2) */
