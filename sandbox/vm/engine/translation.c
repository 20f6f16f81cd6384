/*
 * translation.c - maps the file of a translation and runs it, together with the interpreter; see translation.h.
 *
 * A translation does not raise faults: before one, or where it cannot go on, it hands over to the interpreter,
 * which runs to the next stop. Fails: never; without a translation the interpreter runs the image.
 */
#include "translation.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum stop run_translation (struct machine *machine)
{
  enum stop stop = machine->image->translation (machine);
  return stop == STOP_INTERPRET ? interpret (machine) : stop;
}

static bool is_ours (const struct stat *file)
{
  return S_ISREG (file->st_mode) && file->st_uid == geteuid () && (file->st_mode & (S_IWGRP | S_IWOTH)) == 0
         && file->st_size > (off_t) TRANSLATION_START && file->st_size <= (off_t) TRANSLATION_LIMIT;
}

static const uint8_t *mapped (int file)
{
  struct stat facts;
  if (fstat (file, &facts) != 0 || !is_ours (&facts))
    return NULL;
  void *code = mmap (NULL, (size_t) facts.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  return code == MAP_FAILED ? NULL : code;
}

static bool belongs_to (const struct translation_head *head, const struct image *image)
{
  return head->magic == TRANSLATION_MAGIC && head->entry == image->entry
         && head->code_size == image->code_size && head->static_size == image->static_size;
}

bool load_translation (struct image *image, const char *path)
{
  int file = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return false;
  const uint8_t *code = mapped (file);
  close (file);
  if (!code || !belongs_to ((const struct translation_head *) code, image))
    return false;
  image->translation = (enum stop (*) (struct machine *)) (uintptr_t) (code + TRANSLATION_START);
  image->run = run_translation;
  return true;
}
