/* faults.h - why a program cannot go on. */
#ifndef FAULTS_H
#define FAULTS_H

#include "machine.h"

/* The numbers are part of the format of results. A game may use those between FAULT_NONE and FAULT_FUEL. */
enum fault {
  FAULT_NONE,
  FAULT_FUEL = 3,
  FAULT_LEFT,
  FAULT_NO_SERVICE,
  FAULT_STACK, /* a bad access while the stack pointer is outside the memory */
  FAULT_READ,
  FAULT_WRITE,
  FAULT_JUMP,
  FAULT_ILLEGAL
};

/* What a stop says about the program; FAULT_NONE for the doors of throws and seeds. */
enum fault fault_of (enum stop stop, const struct machine *machine);

#endif
