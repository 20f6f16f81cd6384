/*
 * game.h - what a game provides that is played between machines. The engine is built from its own sources and
 * those of one game.
 */
#ifndef GAME_H
#define GAME_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* Zeroed memory for as long as the process lives; only before the lock. */
void *allocate (size_t size);

struct game_hooks {
  /*
   * Reads the rules, which follow the head of the batch, and allocates all that playing needs. Fails if they
   * are impossible. `fuel`: instructions per seat and game. Called once, before the lock.
   */
  void (*read_rules) (int64_t fuel);
  /* Reads the order of one game between some of these images, plays it, and answers. */
  void (*play_order) (const struct image *images, uint32_t count);
};

/* What the engine does; a game's `main` calls it. */
int engine_main (const struct game_hooks *game);

#endif
