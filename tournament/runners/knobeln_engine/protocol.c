/*
 * protocol.c - throws as the lines of a protocol; see protocol.h. The numbers are never negative.
 */
#include "protocol.h"

#define LINE_LIMIT 72u /* columns, as in reports/text.py */

static uint32_t digits_of (int32_t number)
{
  uint32_t digits = 1;
  while ((number /= 10) > 0)
    digits++;
  return digits;
}

static uint32_t widest_of (const int32_t *numbers, uint32_t count)
{
  int32_t highest = 0;
  for (uint32_t i = 0; i < count; i++)
    if (numbers[i] > highest)
      highest = numbers[i];
  return digits_of (highest);
}

static char *write_number (char *to, int32_t number)
{
  uint32_t digits = digits_of (number);
  for (char *at = to + digits; at > to; number /= 10)
    *--at = (char) ('0' + number % 10);
  return to + digits;
}

/* Every second number, each with what parts it from the next; there is at least one. */
static char *write_line (char *to, const int32_t *numbers, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    to = write_number (to, numbers[2 * i]);
    *to++ = ',';
  }
  to[-1] = '\n';
  return to;
}

size_t write_throws (char *lines, const int32_t *throws, uint32_t count)
{
  uint32_t in_line = (LINE_LIMIT + 1) / (widest_of (throws, 2 * count) + 1);
  char *to = lines;
  for (uint32_t i = 0; i < count; i += in_line) {
    uint32_t left = count - i, here = left < in_line ? left : in_line;
    to = write_line (to, throws + 2 * i, here);
    to = write_line (to, throws + 2 * i + 1, here);
  }
  return (size_t) (to - lines);
}
