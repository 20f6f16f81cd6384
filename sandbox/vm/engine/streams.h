/* streams.h - reads the engine's standard input, and writes answers in frames (batch.h). */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stddef.h>

/* Ends the process with a sentence on standard error, for errors that are no player's fault. */
void fail (const char *why) __attribute__ ((noreturn));

/* Reads exactly `size` bytes, or fails. */
void read_all (void *to, size_t size);

/* Likewise, but returns false if the input ends before the first byte. */
bool read_all_or_end (void *to, size_t size);

/* Adds bytes to the frame, and sends it whenever it is full. */
void answer (const void *from, size_t size);

/* Sends the rest, and the empty frame that ends the answer. */
void end_answer (void);

#endif
