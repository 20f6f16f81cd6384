/*
 * machine.c - resets, writes and measures a player's memory.
 *
 * Between two games it restores only the pages that were written. Never fails; see machine.h.
 */
#include "machine.h"

#include <string.h>

static uint32_t data_offset (const struct image *image)
{
  return MEMORY_SIZE - image->static_size;
}

static void copy_data (struct machine *machine, const struct image *image, uint32_t from, uint32_t to)
{
  uint32_t first = data_offset (image), last = first + image->data_size;
  from = from > first ? from : first;
  to = to < last ? to : last;
  if (from < to)
    memcpy (machine->memory + from, image->data + (from - first), to - from);
}

/* Resets written pages to zeros, and to the image's data if there is an image. Most pages are not written. */
static void restore_written_pages (struct machine *machine, const struct image *image)
{
  for (uint32_t page = 0; page < PAGES; page++) {
    uint64_t eight;
    memcpy (&eight, machine->dirty + page / 8 * 8, 8);
    if (eight == 0) {
      page |= 7;
      continue;
    }
    if (machine->dirty[page]) {
      memset (machine->memory + page * PAGE_SIZE, 0, PAGE_SIZE);
      if (image)
        copy_data (machine, image, page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
    }
  }
  memset (machine->dirty, 0, sizeof machine->dirty);
}

static void change_image (struct machine *machine, const struct image *image)
{
  if (machine->image)
    memset (machine->memory + data_offset (machine->image), 0, machine->image->data_size);
  copy_data (machine, image, 0, MEMORY_SIZE);
  machine->begin = DATA_BASE - data_offset (image);
  machine->image = image;
}

void reset (struct machine *machine, const struct image *image, int64_t fuel)
{
  bool stays = machine->image == image;
  restore_written_pages (machine, stays ? image : NULL);
  if (!stays)
    change_image (machine, image);
  memset (machine->x, 0, sizeof machine->x);
  machine->x[REGISTER_SP] = DATA_BASE;
  machine->pc = (image->entry - CODE_BASE) / 4;
  machine->fuel = fuel;
}

bool store_words (struct machine *machine, uint32_t address, const uint8_t bytes[16])
{
  for (uint32_t i = 0; i < 16; i += 4) {
    uint32_t at = address + i - machine->begin;
    if (at % 4 != 0 || at >= MEMORY_SIZE) {
      machine->fault_address = address + i;
      return false;
    }
    memcpy (machine->memory + at, bytes + i, 4);
    machine->dirty[at / PAGE_SIZE] = 1;
  }
  return true;
}

uint32_t memory_used (const struct machine *machine)
{
  uint32_t stack = data_offset (machine->image), used = machine->image->static_size;
  for (uint32_t begin = 0; begin < stack; begin += PAGE_SIZE)
    if (machine->dirty[begin / PAGE_SIZE])
      used += stack - begin < PAGE_SIZE ? stack - begin : PAGE_SIZE;
  return used;
}

bool stack_is_outside (const struct machine *machine)
{
  return machine->x[REGISTER_SP] - machine->begin > MEMORY_SIZE;
}
