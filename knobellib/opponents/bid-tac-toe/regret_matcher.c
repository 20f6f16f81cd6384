/*
 * regret_matcher - mixes its bids so that no opponent can exploit them
 *
 * Before each round it makes up many sensible bids for itself and for the opponent, judges for every pair of
 * them how the game would stand afterwards, and lets both sides play this table of numbers against each other
 * some thousand times, each side regretting what it did not do. The average of such play comes close to the
 * best mixture of bids; one of them is drawn from it.
 *
 * How a game stands is judged as if every free square were then won by chance, more likely by the
 * richer side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHOICES 48 /* bids of each side in the table */
#define PLAYS 3000

static const int lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

static int lead[512][512]; /* my lines less theirs, by the sets of our squares */

struct game {
  int owned[2]; /* sets of squares: mine, theirs */
  int bankroll[2];
};

static int
lines_of (int squares)
{
  int line, number = 0;
  for (line = 0; line < 8; line++)
    number += (squares & lines[line]) == lines[line];
  return number;
}

static void
prepare (void)
{
  int mine, theirs;
  for (mine = 0; mine < 512; mine++)
    for (theirs = 0; theirs < 512; theirs++)
      lead[mine][theirs] = lines_of (mine) - lines_of (theirs);
}

/* From -1 (lost) to 1 (won). */
static double
judgement (const struct game *game)
{
  int free = 511 & ~(game->owned[0] | game->owned[1]), part = free;
  double mine = game->bankroll[0] + 0.5, theirs = game->bankroll[1] + 0.5;
  double chance = mine * mine / (mine * mine + theirs * theirs), value = 0;
  double weight[10];
  int count, squares = __builtin_popcount (free);
  for (count = 0; count <= squares; count++) {
    int index;
    weight[count] = 1;
    for (index = 0; index < squares; index++)
      weight[count] *= index < count ? chance : 1 - chance;
  }
  for (;;) { /* every set of the free squares may be what I get */
    int outcome = lead[game->owned[0] | part][game->owned[1] | (free & ~part)];
    value += weight[__builtin_popcount (part)] * ((outcome > 0) - (outcome < 0));
    if (!part)
      return value;
    part = (part - 1) & free;
  }
}

static struct game
settled (struct game game, const int mine[9], const int theirs[9])
{
  int square;
  for (square = 0; square < 9; square++)
    if (mine[square] != theirs[square]) {
      int winner = theirs[square] > mine[square];
      game.owned[winner] |= 1 << square;
      game.bankroll[winner] -= winner ? theirs[square] : mine[square];
    }
  return game;
}

/* One of many ways to spend money: random weights for a few free squares, most often those of a line. */
static void
make_up (const struct game *game, int side, int bids[9])
{
  int free = 511 & ~(game->owned[0] | game->owned[1]);
  int wanted = rand () % 4 ? lines[rand () % 8] & free : rand () & free;
  int money = game->bankroll[side], total = 0, square, weight[9];
  if (rand () % 4 == 0)
    money = rand () % (money + 1);
  if (!wanted)
    wanted = free;
  for (square = 0; square < 9; square++) {
    weight[square] = wanted >> square & 1 ? 5 + rand () % 10 : 0;
    total += weight[square];
  }
  for (square = 0; square < 9; square++)
    bids[square] = money * weight[square] / total;
}

/* Draws one in proportion to what is positive among these; any one if nothing is. */
static int
drawn (const double weight[CHOICES])
{
  double total = 0, point;
  int choice;
  for (choice = 0; choice < CHOICES; choice++)
    total += weight[choice] > 0 ? weight[choice] : 0;
  if (total <= 0)
    return rand () % CHOICES;
  point = total * (rand () / (RAND_MAX + 1.0));
  for (choice = 0; choice < CHOICES - 1; choice++) {
    point -= weight[choice] > 0 ? weight[choice] : 0;
    if (point < 0)
      break;
  }
  return choice;
}

static void
choose (const struct game *game, int bids[9])
{
  static int made[2][CHOICES][9];
  static double table[CHOICES][CHOICES];
  double regret[2][CHOICES], played[CHOICES];
  int mine, theirs, play, side;
  for (side = 0; side < 2; side++)
    for (mine = 0; mine < CHOICES; mine++)
      make_up (game, side, made[side][mine]);
  for (mine = 0; mine < CHOICES; mine++)
    for (theirs = 0; theirs < CHOICES; theirs++) {
      struct game after = settled (*game, made[0][mine], made[1][theirs]);
      table[mine][theirs] = judgement (&after);
    }
  memset (regret, 0, sizeof regret);
  memset (played, 0, sizeof played);
  for (play = 0; play < PLAYS; play++) {
    int choice, first = drawn (regret[0]), second = drawn (regret[1]);
    for (choice = 0; choice < CHOICES; choice++) {
      regret[0][choice] += table[choice][second] - table[first][second];
      regret[1][choice] += table[first][second] - table[first][choice];
    }
    if (play >= PLAYS / 4) /* the beginning is only learning */
      played[first]++;
  }
  memcpy (bids, made[0][drawn (played)], sizeof made[0][0]);
}

int
main (void)
{
  char line[4096], command[16];
  struct game game = {{0, 0}, {100, 100}};
  int bids[9], theirs[9], square;
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  srand ((unsigned) (now.tv_sec ^ now.tv_nsec));
  prepare ();
  while (fgets (line, sizeof line, stdin)) {
    char *rest = line;
    int length = 0;
    if (sscanf (rest, "%15s%n", command, &length) != 1)
      continue;
    if (strcmp (command, "newgame") == 0) {
      struct game fresh = {{0, 0}, {100, 100}};
      game = fresh;
    } else {
      rest += length;
      for (square = 0; square < 9; square++)
        theirs[square] = (int) strtol (rest, &rest, 10);
      game = settled (game, bids, theirs);
    }
    if (strcmp (command, "gameover") == 0)
      continue;
    choose (&game, bids);
    for (square = 0; square < 9; square++)
      printf ("%d%c", bids[square], square < 8 ? ' ' : '\n');
    fflush (stdout);
  }
  return 0;
}
