/*
 * player.c - starts a program and talks with it; see player.h.
 *
 * Throws go as lines of digits, on its standard output and input. It finds two variables in its environment:
 * KNOBELN_REFEREE, so that the library talks to a referee and not to a person, and KNOBELN_SEED.
 */
#define _POSIX_C_SOURCE 200809L
#include "player.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST_LINE 32

static void give_up (const char *what)
{
  fprintf (stderr, "knobeln: %s: %s\n", what, strerror (errno));
  exit (2);
}

/* Whoever started us may have closed these; a pipe in their place would be lost when the program starts. */
static void keep_standard_streams (void)
{
  int stream;
  do
    stream = open ("/dev/null", O_RDWR);
  while (stream >= 0 && stream <= 2);
  close (stream);
}

/* Two ends that only we have: no other program shall keep a pipe open. */
static void make_pipe (int ends[2])
{
  if (pipe (ends) != 0 || fcntl (ends[0], F_SETFD, FD_CLOEXEC) != 0
      || fcntl (ends[1], F_SETFD, FD_CLOEXEC) != 0)
    give_up ("a pipe");
}

/* The program is sent a signal when it has used so much of the processor's time; waiting costs nothing. */
static int limit_time (rlim_t seconds)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_CPU, &limit) != 0)
    return -1;
  if (limit.rlim_max == RLIM_INFINITY || seconds < limit.rlim_max)
    limit.rlim_cur = seconds;
  return setrlimit (RLIMIT_CPU, &limit);
}

/* Becomes the program. Says errno into `trouble` when that is not possible. */
static void become (const char *program, int input, int output, int trouble, const char *seed, long seconds)
{
  int why;
  if (limit_time ((rlim_t) seconds) == 0 && dup2 (input, 0) == 0 && dup2 (output, 1) == 1
      && setenv ("KNOBELN_REFEREE", "1", 1) == 0 && setenv ("KNOBELN_SEED", seed, 1) == 0)
    execl (program, program, (char *) NULL);
  why = errno;
  if (write (trouble, &why, sizeof why) < 0)
    _exit (126);
  _exit (127);
}

void start (struct player *player, const char *program, const uint32_t seed[4], long seconds)
{
  int input[2], output[2], trouble[2], why;
  char words[4 * 11];
  sprintf (words, "%lu,%lu,%lu,%lu", (unsigned long) seed[0], (unsigned long) seed[1],
           (unsigned long) seed[2], (unsigned long) seed[3]);
  signal (SIGPIPE, SIG_IGN);            /* a program that is gone is noticed at its next throw */
  keep_standard_streams ();
  make_pipe (input);
  make_pipe (output);
  make_pipe (trouble);
  fflush (NULL);
  player->signal = 0;
  player->process = fork ();
  if (player->process < 0)
    give_up ("a new process");
  if (player->process == 0) {
    signal (SIGPIPE, SIG_DFL);
    become (program, input[0], output[1], trouble[1], words, seconds);
  }
  close (input[0]);
  close (output[1]);
  close (trouble[1]);
  if (read (trouble[0], &why, sizeof why) > 0) {
    errno = why;
    give_up (program);
  }
  close (trouble[0]);
  player->to = input[1];
  player->from = output[0];
}

/* What its end means; it has closed its pipe. */
static enum verdict ended (struct player *player)
{
  int status = 0;
  while (waitpid (player->process, &status, 0) < 0)
    if (errno != EINTR)
      give_up ("the end of a program");
  player->process = 0;
  if (!WIFSIGNALED (status))
    return PROTOCOL;
  player->signal = WTERMSIG (status);
  return player->signal == SIGXCPU ? TIME : CRASH;
}

enum verdict await_throw (struct player *player, int *number)
{
  char line[LONGEST_LINE + 1], *end;
  size_t length = 0;
  long value;
  do {                                  /* a line of a few characters, and the program waits behind it */
    ssize_t count = read (player->from, line + length, LONGEST_LINE - length);
    if (count < 0 && errno != EINTR)
      give_up ("a program's throw");
    if (count == 0)
      return ended (player);
    length += count > 0 ? (size_t) count : 0;
  } while (length < LONGEST_LINE && (length == 0 || line[length - 1] != '\n'));
  line[length] = '\0';
  value = strtol (line, &end, 10);
  if (end == line || *end != '\n' || end[1] != '\0' || value < INT_MIN || value > INT_MAX)
    return PROTOCOL;
  *number = (int) value;
  return OK;
}

void answer (struct player *player, int number)
{
  char line[LONGEST_LINE];
  int length = sprintf (line, "%d\n", number);
  if (write (player->to, line, (size_t) length) != length && errno != EPIPE)
    give_up ("an answer to a program");
}

void dismiss (struct player *player)
{
  if (player->process <= 0)
    return;
  kill (player->process, SIGKILL);
  while (waitpid (player->process, NULL, 0) < 0 && errno == EINTR)
    continue;
  player->process = 0;
}
