/*
 * seeds.h - the random numbers of a game: every draw of a contest is made from one key of 32 bytes, by name.
 */
#include <stdint.h>

#define KEY_BYTES 32

/* The key of a game for which only a text was given; the same as that of `knobeln play --seed TEXT`. */
void key_of_text (const char *text, unsigned char key[KEY_BYTES]);

/* The key of a contest, from its 64 hex digits. Returns 0 when this is something else. */
int key_of_digits (const char *digits, unsigned char key[KEY_BYTES]);

/* The four words for the program in this seat (0 or 1) of this game: what init_random fetches. */
void seed_of_seat (const unsigned char key[KEY_BYTES], const char *game, int seat, uint32_t words[4]);
