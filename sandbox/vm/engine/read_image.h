/* read_image.h - reads the image of a program from the input, for main.c and for hosts in its place. */
#ifndef READ_IMAGE_H
#define READ_IMAGE_H

#include "batch.h"
#include "game.h"
#include "streams.h"

/* Fills all but `run` and `translation`. Returns how many bytes long the path of its translation is, which
   follows. */
static inline uint32_t read_image (struct image *image)
{
  struct image_head head;
  read_all (&head, sizeof head);
  *image = (struct image) { .entry = head.entry, .code_size = head.code_size, .data_size = head.data_size,
                            .static_size = head.static_size };
  const char *wrong = image_fault (image);
  if (wrong)
    fail (wrong);
  uint8_t *bytes = allocate (head.code_size + head.data_size);
  read_all (bytes, head.code_size + head.data_size);
  image->code = bytes;
  image->data = bytes + head.code_size;
  image->ops = allocate ((head.code_size / 4 + 1) * sizeof (struct op));
  return head.path_size;
}

#endif
