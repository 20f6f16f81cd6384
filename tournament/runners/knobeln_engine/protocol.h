/*
 * protocol.h - the throws of a game as they stand in its protocol: some of the first player's in a line, below
 * them the second's, and so on. reports/knobeln_protocol.py describes the format. Written here because it takes the
 * engine a hundredth of the time, and half of a contest's games are asked for.
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#define THROWS_SIZE 22u /* bytes that the two throws of a turn take at the most */

/* Writes `count` pairs of throws; how many bytes. Each line ends with a newline. */
size_t write_throws (char *lines, const int32_t *throws, uint32_t count);

#endif
