/*
 * translation.h - loads and runs an image as native code, which sandbox/vm/translation.py has made.
 *
 * The file is flat: a head, then code and constants that work at any address. The engine maps it, without
 * linking, and runs nothing in it before the lock. Who can write the file can run code in the engine, so it must
 * be a regular file that belongs to us and that nobody else can write.
 */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "machine.h"

#define TRANSLATION_MAGIC 0x544e4b01u /* its last byte is the version of this format */
#define TRANSLATION_START 64u         /* offset of the code in the file */
#define TRANSLATION_LIMIT (64u << 20) /* bytes */

struct translation_head {
  uint32_t magic, entry, code_size, static_size; /* of the image that was translated */
};

/* Makes the image run as the translation in this file. False, and no change, if the file is not valid. */
bool load_translation (struct image *image, const char *path);

#endif
