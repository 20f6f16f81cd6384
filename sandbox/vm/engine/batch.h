/*
 * batch.h - the formats of standard input and standard output. Numbers are little endian.
 *
 * Games. In: batch_head; the rules of the game; for each image an image_head, its code, its data, and the path of
 *       its translation, if any; then any number of chunks: chunk_head and the orders of its games.
 * Out:  for each chunk frames: their size in bytes as uint32, then the bytes; an empty frame is the last. The
 *       bytes of all frames of a chunk together are what the game answers to each order.
 * The game defines its rules, orders and answers (game.h).
 */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#define BATCH_MAGIC 0x34424e4bu /* "KNB4" */
#define MAX_IMAGES 65536u
#define MAX_GAMES 1000000u
#define MAX_PATH 4096u

struct batch_head {
  uint32_t magic;
  uint32_t images;
  int64_t fuel; /* instructions per seat and game */
};

struct image_head {
  uint32_t entry, code_size, data_size, static_size;
  uint32_t path_size; /* 0 = no translation */
};

struct chunk_head {
  uint32_t games;
};

#endif
