/* What gcc 14 and clang 16 refuse of themselves: no int, no prototypes, K&R, types that do not fit. */
#include <stdio.h>

static sum(first, second)
  int first;
{
  return first + second;
}

apply(function, number)
  int (*function)();
  int number;
{
  return function(number, 1);
}

void shows(text)
  char *text;
{
  unsigned char *same = text;

  puts(same);
  return 1;
}

long place(pointer)
  char *pointer;
{
  long number = pointer;

  if (number)
    return number;
  return;
}

main(count, words)
  char **words;
{
  char text[20];

  sprintf(text, "%d", apply(sum, atoi(words[1])));
  if (strlen(text) == 0 || place(text) == 0)
    exit(1);
  shows(text);
  return 0;
}
