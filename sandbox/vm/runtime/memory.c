/*
 * memory.c - the four routines that gcc itself calls for structures and arrays.
 *
 * They behave as in the C standard. They move words where source and target have the same alignment, and bytes
 * at the ends, because the machine faults on misaligned words.
 */

/* Without this gcc would replace the loops in these routines by calls of the same routines. */
#pragma GCC optimize ("no-tree-loop-distribute-patterns")

typedef unsigned int word;
typedef unsigned int size;
typedef unsigned char byte;

#define ALIGNED(pointer) (((word) (pointer) & 3) == 0)
#define ALIKE(one, other) ((((word) (one) ^ (word) (other)) & 3) == 0)

static void copy_upwards (byte *to, const byte *from, size count)
{
  if (ALIKE (to, from)) {
    for (; count > 0 && !ALIGNED (to); count--)
      *to++ = *from++;
    for (; count >= 4; count -= 4, to += 4, from += 4)
      *(word *) to = *(const word *) from;
  }
  for (; count > 0; count--)
    *to++ = *from++;
}

static void copy_downwards (byte *to, const byte *from, size count)
{
  to += count;
  from += count;
  if (ALIKE (to, from)) {
    for (; count > 0 && !ALIGNED (to); count--)
      *--to = *--from;
    for (; count >= 4; count -= 4) {
      to -= 4;
      from -= 4;
      *(word *) to = *(const word *) from;
    }
  }
  for (; count > 0; count--)
    *--to = *--from;
}

void *memcpy (void *to, const void *from, size count)
{
  copy_upwards (to, from, count);
  return to;
}

void *memmove (void *to, const void *from, size count)
{
  if ((word) to - (word) from >= count)
    copy_upwards (to, from, count);
  else
    copy_downwards (to, from, count);
  return to;
}

void *memset (void *to, int value, size count)
{
  byte *at = to;
  word pattern = (byte) value * 0x01010101u;
  for (; count > 0 && !ALIGNED (at); count--)
    *at++ = (byte) value;
  for (; count >= 4; count -= 4, at += 4)
    *(word *) at = pattern;
  for (; count > 0; count--)
    *at++ = (byte) value;
  return to;
}

int memcmp (const void *one, const void *other, size count)
{
  const byte *a = one, *b = other;
  for (; count > 0; count--, a++, b++)
    if (*a != *b)
      return *a < *b ? -1 : 1;
  return 0;
}
