/*
 * translation.h - an image as native code, made by sandbox/vm/translation.py: taken from a file, run.
 *
 * The file is flat: a head, then code and constants that work at any address. It is mapped, never linked, and
 * nothing in it runs before the engine is locked up. Whoever can write the file can run code in the engine, so
 * it must be a regular file that belongs to us and that nobody else can write.
 */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "machine.h"

#define TRANSLATION_MAGIC 0x544e4b01u /* and the version of what translations and engines agree upon */
#define TRANSLATION_START 64u         /* where in the file the code begins */
#define TRANSLATION_LIMIT (64u << 20) /* bytes */

struct translation_head {
  uint32_t magic, entry, code_size, static_size; /* of the image that was translated */
};

/* Makes the image run as the translation in this file; false, and the image as it was, where it is none. */
bool load_translation (struct image *image, const char *path);

#endif
