/*
 * knobeln.c - a referee: lets two programs play a game against each other, and prints its protocol.
 *
 *     knobeln [OPTION VALUE]... FIRST SECOND
 *
 * FIRST and SECOND are programs that were linked with knobellib.c. README tells the options. Standard output
 * gets the protocol in compact form, which protocolfmt writes out; standard error gets the result. The exit
 * status is 0 after a game that was played to its end, 1 after one in which somebody failed, and 2 when there
 * was no game.
 *
 * Both programs throw before either is told the other's throw, and both throws are judged: if both break the
 * rules at once, both have failed. After the last throw the programs are ended from outside.
 */
#define _POSIX_C_SOURCE 200809L
#include "player.h"
#include "rules.h"
#include "seeds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 72                        /* of the protocol's lines */
#define LARGEST (1L << 30)
#define LONGEST_GAME 1000000L

static const char *const verdict_names[] = { "OK", "TIME", "CRASH", "ILLEGAL_MOVE", "PROTOCOL" };

/* What the command line says. */
static struct {
  long a, b, k, length;
  long seconds;                         /* of processor time for each program */
  const char *text;                     /* seed of a game outside the contest, NULL = none given */
  const char *contest;                  /* seed of a contest, NULL = none given */
  long round, group, attempt;           /* which game of the contest */
} options = { RULE_A, RULE_B, RULE_K, RULE_L, 10, NULL, NULL, 0, 0, 1 };

struct seat {
  const char *name;
  struct player player;
  int throw_, last;
  long series, points;
  enum verdict verdict;
  char reason[256];
};

static struct seat seats[2];
static int (*throws)[2];
static long played;
static uint64_t digest;

static void fail (const char *what, const char *why)
{
  fprintf (stderr, "knobeln: %s: %s\n", what, why);
  exit (2);
}

/* --- the rules ------------------------------------------------------------------------------------------ */

static void object (struct seat *seat, enum verdict verdict)
{
  seat->verdict = verdict;
  if (verdict == PROTOCOL && seat->player.process)
    sprintf (seat->reason, "said what is no throw instead of throw %ld", played + 1);
  else if (verdict == PROTOCOL)
    sprintf (seat->reason, "ended after %ld of %ld throws", played, options.length);
  if (verdict == TIME)
    sprintf (seat->reason, "used more than %ld s of processor time", options.seconds);
  if (verdict == CRASH)
    sprintf (seat->reason, "was stopped by signal %d (%.60s)", seat->player.signal,
             strsignal (seat->player.signal));
}

/* Is this throw within the range, and no drop from a series that is too short? */
static void judge (struct seat *seat)
{
  if (seat->throw_ < options.a || seat->throw_ > options.b) {
    seat->verdict = ILLEGAL_MOVE;
    sprintf (seat->reason, "throw %ld was %d, but only %ld..%ld are allowed", played + 1, seat->throw_,
             options.a, options.b);
  } else if (played > 0 && seat->throw_ < seat->last && seat->series < options.k) {
    seat->verdict = ILLEGAL_MOVE;
    sprintf (seat->reason,
             "throw %ld (%d) is lower than throw %ld (%d), "
             "but its series is only %ld throw%s long; %ld are needed",
             played + 1, seat->throw_, played, seat->last, seat->series, seat->series == 1 ? "" : "s", options.k);
  } else {
    seat->series = played > 0 && seat->throw_ >= seat->last ? seat->series + 1 : 1;
    seat->last = seat->throw_;
  }
}

static void await (struct seat *seat)
{
  enum verdict verdict = await_throw (&seat->player, &seat->throw_);
  if (verdict == OK)
    judge (seat);
  else
    object (seat, verdict);
}

static long log2_of (int number)
{
  long result = 0;
  while (number >>= 1)
    result++;
  return result;
}

/* The higher throw wins, unless it is more than twice the lower; the winner gets log2 of its own throw. */
static void award (struct seat *one, struct seat *other)
{
  struct seat *high = one->throw_ > other->throw_ ? one : other;
  struct seat *low = high == one ? other : one;
  struct seat *winner = high->throw_ - low->throw_ <= low->throw_ ? high : low;
  if (high->throw_ != low->throw_)
    winner->points += log2_of (winner->throw_);
}

/* Adds both throws to the digest, by which a game that is played again is compared with the first. */
static void digest_throws (void)
{
  digest ^= (uint64_t) seats[0].throw_ | (uint64_t) seats[1].throw_ << 32;
  digest *= (uint64_t) 0x9e3779b9u << 32 | 0x7f4a7c15u;
  digest ^= digest >> 32;
}

static int has_failed (void)
{
  return seats[0].verdict != OK || seats[1].verdict != OK;
}

static void play (void)
{
  digest = (uint64_t) 0x6b6e6f62u << 32 | 0x656c6e21u;
  for (played = 0; played < options.length; played++) {
    await (&seats[0]);
    await (&seats[1]);
    if (has_failed ())
      return;
    award (&seats[0], &seats[1]);
    digest_throws ();
    throws[played][0] = seats[0].throw_;
    throws[played][1] = seats[1].throw_;
    if (played + 1 == options.length)
      continue;                         /* nobody runs any further */
    answer (&seats[0].player, seats[1].throw_);
    answer (&seats[1].player, seats[0].throw_);
  }
}

/* --- the protocol --------------------------------------------------------------------------------------- */

static int widest_throw (void)
{
  char text[16];
  long i;
  int largest = 1;
  for (i = 0; i < played; i++) {
    if (throws[i][0] > largest)
      largest = throws[i][0];
    if (throws[i][1] > largest)
      largest = throws[i][1];
  }
  return sprintf (text, "%d", largest);
}

static void print_throws (void)
{
  long begin, i, per_line = (WIDTH + 1) / (widest_throw () + 1);
  int side;
  for (begin = 0; begin < played; begin += per_line)
    for (side = 0; side < 2; side++)
      for (i = begin; i < begin + per_line && i < played; i++)
        printf ("%d%s", throws[i][side], i + 1 < begin + per_line && i + 1 < played ? "," : "\n");
}

static void print_protocol (void)
{
  int failed = has_failed ();
  puts ("KNOBELN protocol 1");
  printf ("game round=%ld group=%ld attempt=%ld\n", options.round, options.group, options.attempt);
  printf ("players %s %s\n", seats[0].name, seats[1].name);
  printf ("rules a=%ld b=%ld k=%ld L=%ld\n", options.a, options.b, options.k, options.length);
  printf ("points %ld %ld\n", failed ? 0 : seats[0].points, failed ? 0 : seats[1].points);
  printf ("verdicts %s %s\n", verdict_names[seats[0].verdict], verdict_names[seats[1].verdict]);
  printf ("counted %s\n", failed ? "no" : "yes");
  printf ("digest %08lx%08lx\n", (unsigned long) (digest >> 32), (unsigned long) (digest & 0xffffffffu));
  printf ("throws %ld\n", played);
  print_throws ();
  puts ("end");
}

static void tell (const struct seat *seat)
{
  fprintf (stderr, "%s: %ld points%s%s\n", seat->name, has_failed () ? 0 : seat->points,
           seat->verdict == OK ? "" : "; failed: ", seat->reason);
}

/* --- the command line ----------------------------------------------------------------------------------- */

static void usage (void)
{
  fputs ("usage: knobeln [OPTION VALUE]... FIRST SECOND\n"
         "  -s TEXT     seed: the same text gives the same game\n"
         "  -c DIGITS   seed of a contest; then the game is the one of\n"
         "  -r ROUND    this round,\n"
         "  -n ATTEMPT  at this attempt (1)\n"
         "  -g GROUP    in this group; it is only printed\n"
         "  -a A, -b B  throws are in A..B\n"
         "  -k K        series have at least K throws\n"
         "  -L L        a game has L throws\n"
         "  -t SECONDS  of processor time for each program (10)\n", stderr);
  exit (2);
}

static long number (int option, const char *text, long lowest, long highest)
{
  char *end, what[3], why[80];
  long value;
  errno = 0;
  value = strtol (text, &end, 10);
  sprintf (what, "-%c", option);
  sprintf (why, "a number from %ld to %ld is needed", lowest, highest);
  if (errno != 0 || end == text || *end != '\0' || value < lowest || value > highest)
    fail (what, why);
  return value;
}

static void read_option (int option, const char *value)
{
  switch (option) {
    case 's': options.text = value; break;
    case 'c': options.contest = value; break;
    case 'r': options.round = number (option, value, 1, LARGEST); break;
    case 'g': options.group = number (option, value, 1, LARGEST); break;
    case 'n': options.attempt = number (option, value, 1, LARGEST); break;
    case 'a': options.a = number (option, value, 1, LARGEST); break;
    case 'b': options.b = number (option, value, 1, LARGEST); break;
    case 'k': options.k = number (option, value, 1, LARGEST); break;
    case 'L': options.length = number (option, value, 1, LONGEST_GAME); break;
    case 't': options.seconds = number (option, value, 1, LARGEST); break;
    default: usage ();
  }
}

static void read_options (int argc, char **argv)
{
  int option;
  while ((option = getopt (argc, argv, "s:c:r:g:n:a:b:k:L:t:")) != -1)
    read_option (option, optarg);
  if (argc - optind != 2)
    usage ();
  if (options.a > options.b)
    fail ("-a", "A is larger than B");
  if (options.contest && options.text)
    fail ("-c and -s", "a game has one seed");
  if ((options.contest == NULL) != (options.round == 0))
    fail ("-c and -r", "the seed of a contest and the number of a round belong together");
}

/* The program's name: its file's, without folders. In a contest the team's name is what counts. */
static const char *name_of (const char *program)
{
  const char *slash = strrchr (program, '/'), *name = slash ? slash + 1 : program;
  if (*name == '\0' || strpbrk (name, " \t\n\v\f\r"))
    fail (program, "a program's name is neither empty nor has it white space");
  return name;
}

/* A new text for each game. */
static const char *any_text (void)
{
  static char text[40];
  sprintf (text, "%lx%lx", (unsigned long) time (NULL), (unsigned long) getpid ());
  return text;
}

static void make_key (unsigned char key[KEY_BYTES])
{
  if (options.contest == NULL) {
    if (options.text == NULL)
      options.text = any_text ();
    key_of_text (options.text, key);
  } else if (!key_of_digits (options.contest, key))
    fail ("-c", "the seed of a contest has 64 hex digits");
}

/* What the contest calls this game. */
static char *game_name (void)
{
  char *name = malloc (strlen (seats[0].name) + strlen (seats[1].name) + 100);
  if (name == NULL)
    fail ("memory", strerror (errno));
  *name = '\0';
  if (options.contest)
    sprintf (name, "round/%ld/game/%s/%s/1/attempt/%ld/", options.round, seats[0].name, seats[1].name,
             options.attempt);
  return name;
}

static void sit_down (char **programs)
{
  unsigned char key[KEY_BYTES];
  uint32_t seed[4];
  char *game;
  int i;
  make_key (key);
  for (i = 0; i < 2; i++)
    seats[i].name = name_of (programs[i]);
  game = game_name ();
  for (i = 0; i < 2; i++) {
    seed_of_seat (key, game, i, seed);
    start (&seats[i].player, programs[i], seed, options.seconds);
  }
  free (game);
}

static void dismiss_both (void)
{
  dismiss (&seats[0].player);
  dismiss (&seats[1].player);
}

int main (int argc, char **argv)
{
  read_options (argc, argv);
  throws = malloc ((size_t) options.length * sizeof *throws);
  if (throws == NULL)
    fail ("memory", strerror (errno));
  if (atexit (dismiss_both) != 0)       /* also when there is no game after all */
    fail ("memory", strerror (errno));
  sit_down (argv + optind);
  play ();
  print_protocol ();
  if (fflush (stdout) != 0 || ferror (stdout))
    fail ("standard output", strerror (errno));
  tell (&seats[0]);
  tell (&seats[1]);
  if (options.text)
    fprintf (stderr, "-s %s plays this game again.\n", options.text);
  return has_failed ();
}
