/* streams.h - the engine's standard input and output: all or nothing, and the answers in frames (batch.h). */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stddef.h>

/* Ends the process with a sentence on standard error: something that is no player's fault. */
void fail (const char *why) __attribute__ ((noreturn));

void read_all (void *to, size_t size);

/* Likewise; false if the input ends before the first byte. */
bool read_all_or_end (void *to, size_t size);

/* Into the frame; it is sent when it is full. */
void answer (const void *from, size_t size);

/* Sends what is left, and the empty frame. */
void end_answer (void);

#endif
