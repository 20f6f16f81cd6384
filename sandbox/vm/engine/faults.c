/* faults.c - see faults.h. */
#include "faults.h"

static enum fault access_fault (const struct machine *machine, enum fault otherwise)
{
  return stack_is_outside (machine) ? FAULT_STACK : otherwise;
}

enum fault fault_of (enum stop stop, const struct machine *machine)
{
  switch (stop) {
    case STOP_LEAVE: return FAULT_LEFT;
    case STOP_NO_SERVICE: return FAULT_NO_SERVICE;
    case STOP_FUEL: return FAULT_FUEL;
    case STOP_READ: return access_fault (machine, FAULT_READ);
    case STOP_WRITE: return access_fault (machine, FAULT_WRITE);
    case STOP_JUMP: return FAULT_JUMP;
    case STOP_ILLEGAL: return FAULT_ILLEGAL;
    case STOP_THROW:
    case STOP_SEED:
    case STOP_INTERPRET: break;
  }
  return FAULT_NONE;
}
