/*
 * player.h - a program at the other end of two pipes: it says its throws, and is told its opponent's.
 */
#include <stdint.h>
#include <sys/types.h>

/* How a program left the game. */
enum verdict { OK, TIME, CRASH, ILLEGAL_MOVE, PROTOCOL };

struct player {
  pid_t process;                        /* 0 = none */
  int from, to;                         /* our ends of its pipes */
  int signal;                           /* that ended it, 0 = none */
};

/* Starts the program with this seed and so many seconds of processor time; exits if that is impossible. */
void start (struct player *player, const char *program, const uint32_t seed[4], long seconds);

/* Waits for its next throw. Any other verdict than OK: there will be none. */
enum verdict await_throw (struct player *player, int *number);

/* Tells it its opponent's throw. */
void answer (struct player *player, int number);

/* Ends it, wherever it is; nothing, if it has ended or was never started. */
void dismiss (struct player *player);
