/*
 * seeds.c - BLAKE2b with a key (RFC 7693), and what the contest makes with it; see seeds.h.
 */
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 128
#define ROUNDS 12
#define SEED_BYTES 16

/* A number of 64 bits from two halves: C of 1989 has no way to write it. */
#define WORD(high, low) ((uint64_t) (high) << 32 | (low))

static const uint64_t start[8] = {
  WORD (0x6a09e667u, 0xf3bcc908u), WORD (0xbb67ae85u, 0x84caa73bu),
  WORD (0x3c6ef372u, 0xfe94f82bu), WORD (0xa54ff53au, 0x5f1d36f1u),
  WORD (0x510e527fu, 0xade682d1u), WORD (0x9b05688cu, 0x2b3e6c1fu),
  WORD (0x1f83d9abu, 0xfb41bd6bu), WORD (0x5be0cd19u, 0x137e2179u)
};

/* Which words of the block each round takes, and where it mixes them in. */
static const unsigned char order[10][16] = {
  { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
  { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
  { 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
  { 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
  { 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
  { 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
  { 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
  { 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
  { 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
  { 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 }
};
static const unsigned char place[8][4] = {
  { 0, 4, 8, 12 }, { 1, 5, 9, 13 }, { 2, 6, 10, 14 }, { 3, 7, 11, 15 },
  { 0, 5, 10, 15 }, { 1, 6, 11, 12 }, { 2, 7, 8, 13 }, { 3, 4, 9, 14 }
};

static uint64_t turned (uint64_t word, int bits)
{
  return word >> bits | word << (64 - bits);
}

static void mix (uint64_t v[16], const unsigned char at[4], uint64_t x, uint64_t y)
{
  uint64_t *a = v + at[0], *b = v + at[1], *c = v + at[2], *d = v + at[3];
  *a += *b + x;
  *d = turned (*d ^ *a, 32);
  *c += *d;
  *b = turned (*b ^ *c, 24);
  *a += *b + y;
  *d = turned (*d ^ *a, 16);
  *c += *d;
  *b = turned (*b ^ *c, 63);
}

static uint64_t word_at (const unsigned char *bytes)
{
  uint64_t word = 0;
  int i;
  for (i = 7; i >= 0; i--)
    word = word << 8 | bytes[i];
  return word;
}

/* `count`: how many bytes were taken in, with those of this block. */
static void take_in (uint64_t state[8], const unsigned char block[BLOCK], size_t count, int is_last)
{
  uint64_t v[16];
  int i, round;
  memcpy (v, state, sizeof start);
  memcpy (v + 8, start, sizeof start);
  v[12] ^= count;
  if (is_last)
    v[14] = ~v[14];
  for (round = 0; round < ROUNDS; round++)
    for (i = 0; i < 8; i++) {
      const unsigned char *which = order[round % 10] + 2 * i;
      mix (v, place[i], word_at (block + 8 * which[0]), word_at (block + 8 * which[1]));
    }
  for (i = 0; i < 8; i++)
    state[i] ^= v[i] ^ v[i + 8];
}

/* `size` bytes that belong to this name alone, under this key. */
static void stream (const unsigned char key[KEY_BYTES], const char *name, unsigned char *bytes, int size)
{
  uint64_t state[8];
  unsigned char block[BLOCK] = { 0 };
  size_t left = strlen (name), count = BLOCK;
  int i;
  memcpy (state, start, sizeof start);
  state[0] ^= 0x01010000u ^ KEY_BYTES << 8 ^ (unsigned) size;
  memcpy (block, key, KEY_BYTES);
  while (left > 0) {
    size_t part = left < BLOCK ? left : BLOCK;
    take_in (state, block, count, 0);
    memset (block, 0, BLOCK);
    memcpy (block, name, part);
    name += part;
    left -= part;
    count += part;
  }
  take_in (state, block, count, 1);
  for (i = 0; i < size; i++)
    bytes[i] = (unsigned char) (state[i / 8] >> 8 * (i % 8));
}

/* The two texts in one. */
static char *joined (const char *text, const char *more)
{
  char *whole = malloc (strlen (text) + strlen (more) + 1);
  if (whole == NULL) {
    perror ("knobeln");
    exit (2);
  }
  return strcat (strcpy (whole, text), more);
}

void key_of_text (const char *text, unsigned char key[KEY_BYTES])
{
  static const unsigned char no_key[KEY_BYTES];
  char *name = joined ("play/", text);
  stream (no_key, name, key, KEY_BYTES);
  free (name);
}

int key_of_digits (const char *digits, unsigned char key[KEY_BYTES])
{
  unsigned byte;
  int i;
  if (strlen (digits) != 2 * KEY_BYTES || strspn (digits, "0123456789abcdefABCDEF") != 2 * KEY_BYTES)
    return 0;
  for (i = 0; i < KEY_BYTES && sscanf (digits + 2 * i, "%2x", &byte) == 1; i++)
    key[i] = (unsigned char) byte;
  return 1;
}

void seed_of_seat (const unsigned char key[KEY_BYTES], const char *game, int seat, uint32_t words[4])
{
  unsigned char bytes[SEED_BYTES];
  char *name = joined (game, seat == 0 ? "seat/0" : "seat/1");
  int i;
  stream (key, name, bytes, SEED_BYTES);
  for (i = 0; i < 4; i++)
    words[i] = (uint32_t) (word_at (bytes + 8 * (i / 2)) >> 32 * (i % 2));
  free (name);
}
