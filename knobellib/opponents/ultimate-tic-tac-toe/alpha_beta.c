/*
 * alpha_beta - looks as far ahead as its time allows
 *
 * Searches all moves one deep, two deep and so on, leaving out what cannot change the result, until a
 * third of its time is over (half a second at most), and makes the best move that it knows then.
 * Where a search ends, a game is judged by the lines that each side can still complete: of boards, and a
 * little of squares within the open boards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WON 1000000
#define ANY 9

static const int lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

struct game {
  int marks[9][2]; /* by board and side: the set of its squares */
  int boards[3];   /* sets of boards: those of X, of O, drawn ones */
  int forced;      /* the board of the next move, or ANY */
  int mover;       /* 0 or 1 */
};

static char has_line[512];
static int hope[512][512]; /* of whoever has the first set of a grid, where the second is closed to it */

static struct timespec deadline;
static int is_late;
static long visits;

/* A line is worth 1, 4, 16 with one, two, three squares in it, and nothing once it cannot be completed. */
static int
line_sum (int mine, int closed)
{
  static const int worth[4] = {0, 1, 4, 16};
  int line, sum = 0;
  for (line = 0; line < 8; line++)
    if (!(closed & lines[line]))
      sum += worth[__builtin_popcount (mine & lines[line])];
  return sum;
}

static void
prepare (void)
{
  int mine, closed, line;
  for (mine = 0; mine < 512; mine++) {
    for (line = 0; line < 8; line++)
      has_line[mine] |= (mine & lines[line]) == lines[line];
    for (closed = 0; closed < 512; closed++)
      hope[mine][closed] = line_sum (mine, closed);
  }
}

static int
closed_boards (const struct game *game)
{
  return game->boards[0] | game->boards[1] | game->boards[2];
}

static int
moves_of (const struct game *game, int moves[81])
{
  int board, place, number = 0, closed = closed_boards (game);
  for (board = 0; board < 9; board++) {
    int taken = game->marks[board][0] | game->marks[board][1];
    if (closed >> board & 1 || (game->forced != ANY && game->forced != board))
      continue;
    for (place = 0; place < 9; place++)
      if (!(taken >> place & 1))
        moves[number++] = 9 * board + place;
  }
  return number;
}

static void
close_if_decided (struct game *game, int board)
{
  int *marks = game->marks[board];
  if (has_line[marks[0]])
    game->boards[0] |= 1 << board;
  else if (has_line[marks[1]])
    game->boards[1] |= 1 << board;
  else if ((marks[0] | marks[1]) == 511)
    game->boards[2] |= 1 << board;
}

static struct game
played (struct game game, int square)
{
  int board = square / 9, place = square % 9;
  game.marks[board][game.mover] |= 1 << place;
  close_if_decided (&game, board);
  game.forced = closed_boards (&game) >> place & 1 ? ANY : place;
  game.mover = !game.mover;
  return game;
}

/* For the mover. */
static int
judgement (const struct game *game)
{
  int me = game->mover, they = !me, board, closed = closed_boards (game);
  int mine = game->boards[me], theirs = game->boards[they], drawn = game->boards[2];
  int sum = 20 * (hope[mine][theirs | drawn] - hope[theirs][mine | drawn]);
  sum += 30 * (__builtin_popcount (mine) - __builtin_popcount (theirs));
  for (board = 0; board < 9; board++) {
    const int *marks = game->marks[board];
    if (!(closed >> board & 1))
      sum += hope[marks[me]][marks[they]] - hope[marks[they]][marks[me]];
  }
  return sum + (game->forced == ANY ? 15 : 0);
}

static int
time_is_up (void)
{
  struct timespec now;
  if (is_late || visits++ % 1024)
    return is_late;
  clock_gettime (CLOCK_MONOTONIC, &now);
  is_late = now.tv_sec > deadline.tv_sec
            || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
  return is_late;
}

/* The game's worth for its mover, whose opponent has just moved. */
static int
searched (const struct game *game, int depth, int alpha, int beta)
{
  int moves[81], number, index;
  int mine = game->boards[game->mover], theirs = game->boards[!game->mover];
  if (has_line[theirs])
    return -WON - depth; /* the sooner, the worse */
  number = moves_of (game, moves);
  if (number == 0) /* a tie, in which boards count */
    return 1000 * (__builtin_popcount (mine) - __builtin_popcount (theirs));
  if (depth == 0 || time_is_up ())
    return judgement (game);
  for (index = 0; index < number && alpha < beta; index++) {
    struct game after = played (*game, moves[index]);
    int worth = -searched (&after, depth - 1, -beta, -alpha);
    if (worth > alpha)
      alpha = worth;
  }
  return alpha;
}

static void
bring_to_front (int moves[], int index)
{
  int move = moves[index];
  memmove (moves + 1, moves, (size_t) index * sizeof moves[0]);
  moves[0] = move;
}

static int
chosen (const struct game *game)
{
  int moves[81], number = moves_of (game, moves), depth, index;
  for (depth = 1; depth <= 81 && !is_late; depth++) {
    int best = 0, alpha = -2 * WON;
    for (index = 0; index < number; index++) {
      struct game after = played (*game, moves[index]);
      int worth = -searched (&after, depth - 1, -2 * WON, -alpha);
      if (is_late)
        break;
      if (worth > alpha) {
        alpha = worth;
        best = index;
      }
    }
    bring_to_front (moves, best); /* for the next search, and as the answer if there is none */
  }
  return moves[0];
}

static void
set_deadline (double seconds)
{
  long long nanoseconds;
  clock_gettime (CLOCK_MONOTONIC, &deadline);
  nanoseconds = deadline.tv_nsec + (long long) (1e9 * (seconds / 3 < 0.5 ? seconds / 3 : 0.5));
  deadline.tv_sec += nanoseconds / 1000000000;
  deadline.tv_nsec = nanoseconds % 1000000000;
}

int
main (int argc, char **argv)
{
  struct game game;
  int square, board;
  if (argc != 3 || strlen (argv[2]) != 83)
    return 1;
  set_deadline (atof (argv[1]));
  prepare ();
  memset (&game, 0, sizeof game);
  game.mover = argv[2][0] - '1';
  game.forced = argv[2][1] - '0';
  for (square = 0; square < 81; square++)
    if (argv[2][2 + square] != '0')
      game.marks[square / 9][argv[2][2 + square] - '1'] |= 1 << square % 9;
  for (board = 0; board < 9; board++)
    close_if_decided (&game, board);
  printf ("%d\n", chosen (&game));
  return 0;
}
