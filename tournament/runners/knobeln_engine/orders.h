/*
 * orders.h - what the engine reads and answers about games of KNOBELN. Numbers are little endian.
 *
 * In: after the head of the batch, game_rules; in each chunk, one game_order for each game.
 * Out: for each game a game_record, then its throws as lines of a protocol (protocol.h) if they were ordered.
 * tournament/runners/knobeln_batch.py writes the one and reads the other.
 */
#ifndef ORDERS_H
#define ORDERS_H

#include <stdint.h>

#define MAX_LENGTH 1000000u

struct game_rules {
  int32_t a, b;
  uint32_t k, length;
};

struct game_order {
  uint32_t images[2];
  uint8_t streams[2][16];
  uint32_t with_throws;
};

struct seat_record {
  uint64_t instructions;
  uint32_t points;    /* 0 if the game was not completed */
  uint32_t fault;     /* enum fault, or enum forbidden of knobeln.h */
  int32_t throw_;     /* the throw that was forbidden */
  int32_t last;       /* the throw before it */
  uint32_t series;    /* how long the series was */
  uint32_t pc;        /* the instruction at fault */
  uint32_t address;   /* what it wanted to read, write or jump to; the illegal word; the door's number */
  uint32_t memory;    /* bytes */
};

struct game_record {
  uint64_t digest;
  uint32_t played;
  uint32_t lines; /* bytes of throws that follow */
  struct seat_record seats[2];
};

#endif
