/*
 * batch.h - the formats of standard input and standard output. Numbers are little endian.
 *
 * Games. In: batch_head; for each image an image_head, its code, its data, and the path of its translation, if
 *       any; then any number of chunks, each a chunk_head and game_orders.
 * Out:  for each chunk frames: a size in bytes as uint32, then the bytes; an empty frame is the last. The bytes
 *       of all frames of a chunk together are, for each game in order, a game_record, then its throws as lines
 *       of a protocol (protocol.h) if they were ordered.
 * sandbox/vm/batch.py writes the input and reads the output.
 *
 * A program by itself. In: run_head, then the image as above. Out: a run_record, in frames.
 * sandbox/vm/run.py writes the input and reads the output.
 */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#define BATCH_MAGIC 0x33424e4bu /* "KNB3" */
#define RUN_MAGIC 0x31524e4bu   /* "KNR1" */
#define MAX_IMAGES 65536u
#define MAX_GAMES 1000000u
#define MAX_LENGTH 1000000u
#define MAX_PATH 4096u

struct batch_head {
  uint32_t magic;
  int32_t a, b;
  uint32_t k, length;
  uint32_t images;
  int64_t fuel;
};

struct image_head {
  uint32_t entry, code_size, data_size, static_size;
  uint32_t path_size; /* 0 = no translation */
};

struct chunk_head {
  uint32_t games;
};

struct game_order {
  uint32_t images[2];
  uint8_t streams[2][16];
  uint32_t with_throws;
};

struct seat_record {
  uint64_t instructions;
  uint32_t points;    /* 0 if the game was not completed */
  uint32_t fault;     /* enum fault */
  int32_t throw_;     /* the throw that was forbidden */
  int32_t last;       /* the throw before it */
  uint32_t series;    /* length of the series */
  uint32_t pc;        /* the instruction at fault */
  uint32_t address;   /* of the read, write or jump; the illegal word; the service's number */
  uint32_t memory;    /* bytes */
};

struct game_record {
  uint64_t digest;
  uint32_t played;
  uint32_t lines; /* bytes of throws that follow */
  struct seat_record seats[2];
};

struct run_head {
  uint32_t magic;
  uint32_t unused;
  int64_t fuel;
};

struct run_record {
  uint64_t instructions;
  uint32_t fault; /* enum fault; FAULT_LEFT if the program left */
  uint32_t pc, address;
  uint32_t memory;
  uint32_t x[32];
};

#endif
