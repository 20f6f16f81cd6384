/* operations_enum.h - OP_ADD ... as numbers, those that may jump last, from FIRST_JUMP on. */
#ifndef OPERATIONS_ENUM_H
#define OPERATIONS_ENUM_H

enum operation {
#define OPERATION(name) OP_##name,
#define JUMPS(name) OP_##name,
#include "operations.h"
#undef OPERATION
#undef JUMPS
  FIRST_JUMP = OP_BEQ
};

#endif
