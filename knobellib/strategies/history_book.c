/*
 * history_book - history repeats itself
 */
#if 0
The method of text compression, used for a game. Whoever compresses a
text asks: where did the last few letters occur before, and what came
after them then? The history book asks the same about the throws.
The letters are pairs: the number of the other side, and whether I was
above it, below it or equal. For contexts of one to four letters there
is an index, a hash table that tells at which throw of the game the
same context occurred last. I look up the longest context first; if
it has occurred before, and it is really the same and not just another
one in the same place of the table, then the number that followed is
my forecast. If it has not, I try the shorter one, and so on. Without
any forecast I take the last number of the other side.
I keep a mark for every length of context: how often its forecasts
have been right lately. A context with bad marks is skipped, and the
shorter one is asked.
The forecast is answered by the cheapest number that wins as many
points as possible against it: twice the forecast, 8192, or one more,
whichever is highest, and otherwise the number below one half.
After a tie I change my answer by at most 50, by lot, so that two
books do not copy each other.
Because letters are exact numbers the method is strong against all
deterministic players, also against complicated ones, and helpless
against players of chance. It exploits, but it is fair enough not to
destroy a rhythm in which both win.
#endif

#define LONGEST 4       /* letters in a context */
#define SLOTS 1024      /* a power of two */
#define TRUST 96        /* marks of 256 that are good enough */
#define BLUR 50         /* change of the answer after a tie */
#define THROWS 1024     /* room for a whole game, a power of two */

#define HIGH 12288      /* the rules */
#define SERIES 8

int init_random (), next_random (), make_throw ();

static int letters[THROWS], numbers[THROWS], now;
static int place[LONGEST + 1][SLOTS];   /* throw after the context */
static int marks[LONGEST + 1], forecast[LONGEST + 1];
static int mine, length;

static int legal (int wish)
{
  if (wish < 1)
    wish = 1;
  if (wish > HIGH)
    wish = HIGH;
  if (wish < mine && length < SERIES)
    wish = mine;
  length = wish < mine ? 1 : length + 1;
  mine = wish;
  return wish;
}

static int at (int i)
{
  return i & (THROWS - 1);
}

static int *slot (int context)
{
  int i;
  unsigned int sum = 0;
  for (i = 1; i <= context; i++)
    sum = sum * 40503 + letters[at (now - i)];
  return &place[context][(sum ^ sum >> 13) & (SLOTS - 1)];
}

static int same (int then, int context)
{
  int i;
  for (i = 1; i <= context; i++)
    if (letters[at (then - i)] != letters[at (now - i)])
      return 0;
  return 1;
}

/* Fills the forecasts and writes this throw into the index. */
static void look_up (void)
{
  int context, *found;
  for (context = 1; context <= LONGEST; context++) {
    forecast[context] = 0;
    if (context > now)
      continue;
    found = slot (context);
    if (*found >= context && same (*found, context))
      forecast[context] = numbers[at (*found)];
    *found = now;
  }
}

static int best_forecast (void)
{
  int context;
  for (context = LONGEST; context > 0; context--)
    if (forecast[context] != 0 && marks[context] >= TRUST)
      return forecast[context];
  return now > 0 ? numbers[at (now - 1)] : HIGH / 2;
}

static void learn (int number)
{
  int context, right;
  for (context = 1; context <= LONGEST; context++)
    if (forecast[context] != 0) {
      right = forecast[context] == number ? 256 : 0;
      marks[context] += (right - marks[context]) / 8;
    }
  numbers[at (now)] = number;
  letters[at (now)] = 3 * number + (mine > number);
  letters[at (now)] += 2 * (mine < number);
  now++;
}

static int cheapest (int y)
{
  int over = y < 4096 ? 2 * y : y < 8192 ? 8192 : y + 1;
  if (over < mine && length < SERIES)
    over = mine;
  return over > HIGH || over > 2 * y || over == y ? (y - 1) / 2 : over;
}

/* The answer, a little disturbed after a tie. */
static int wish (void)
{
  int number = cheapest (best_forecast ());
  if (now > 0 && numbers[at (now - 1)] == mine)
    number += next_random (-BLUR, BLUR);
  return number;
}

int main ()
{
  int context;
  init_random ();
  for (context = 1; context <= LONGEST; context++)
    marks[context] = 128;
  for (;;) {
    look_up ();
    learn (make_throw (legal (wish ())));
  }
}
