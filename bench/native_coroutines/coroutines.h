/*
 * coroutines.h - two programs in one process, each on its own stack, without any protection.
 *
 * The peer of the contest machine: what the same games cost when nothing is checked, counted or locked.
 */
#ifndef COROUTINES_H
#define COROUTINES_H

/* A program's side. */
int throw_from (int seat, int my_throw);
void seed_for (int seat, unsigned state[4]);

/* The two programs, see program.c. */
int first_main ();
int second_main ();

#endif
