/*
 * streams.c - see streams.h. Input and output are buffered, because a system call for each game would cost as
 * much as many throws. Fails: exit 2 with a sentence if the other side has ended or sends too little.
 */
#include "streams.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define FRAME 32768u

static struct {
  uint32_t size;
  uint8_t bytes[FRAME];
} frame;

static struct {
  size_t begin, end; /* of the bytes that were read but not taken yet */
  uint8_t bytes[FRAME];
} input;

void fail (const char *why)
{
  static const char name[] = "knobeln-engine: ";
  if (write (2, name, sizeof name - 1) < 0 || write (2, why, strlen (why)) < 0 || write (2, "\n", 1) < 0)
    _exit (3);
  _exit (2);
}

/* Reads at least one more byte into the buffer. False at the end of input. */
static bool refill (void)
{
  ssize_t count = read (0, input.bytes, sizeof input.bytes);
  input.begin = 0;
  input.end = count > 0 ? (size_t) count : 0;
  return count > 0;
}

bool read_all_or_end (void *to, size_t size)
{
  uint8_t *at = to;
  for (size_t left = size; left > 0;) {
    if (input.begin == input.end && !refill ()) {
      if (left == size)
        return false;
      fail ("the batch ends too early");
    }
    size_t have = input.end - input.begin, part = left < have ? left : have;
    memcpy (at, input.bytes + input.begin, part);
    input.begin += part;
    at += part;
    left -= part;
  }
  return true;
}

void read_all (void *to, size_t size)
{
  if (!read_all_or_end (to, size))
    fail ("the batch ends too early");
}

static void send_frame (void)
{
  const uint8_t *at = (const uint8_t *) &frame;
  size_t size = sizeof frame.size + frame.size;
  while (size > 0) {
    ssize_t count = write (1, at, size);
    if (count <= 0)
      fail ("nobody reads the results");
    at += count;
    size -= (size_t) count;
  }
  frame.size = 0;
}

void answer (const void *from, size_t size)
{
  const uint8_t *at = from;
  while (size > 0) {
    size_t room = FRAME - frame.size, part = size < room ? size : room;
    memcpy (frame.bytes + frame.size, at, part);
    frame.size += (uint32_t) part;
    at += part;
    size -= part;
    if (frame.size == FRAME)
      send_frame ();
  }
}

void end_answer (void)
{
  if (frame.size > 0)
    send_frame ();
  send_frame ();
}
